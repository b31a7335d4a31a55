// Package flaws measures what is wrong with a picture, from its samples alone: its noise, in
// brightness and in colour, how that varies over it, and what JPEG files took from it that it has
// passed through, also when it was cut and saved again since, or is a PNG now, and whether they
// kept its colour at half the resolution. Everything is counted in integers, so that a picture measures the same on
// every machine. Whether it was sharpened it asks two models, see Sharpened.
package flaws
