// Package flaws measures the degradations of a picture from its samples alone: its noise, in
// brightness and in colour, and how that varies over the picture; the change by JPEG files that it has
// passed through, also when it was cut and saved again since, or is a PNG now; and whether they had
// subsampled chroma. Everything is counted in integers, so that a picture measures the same on every
// machine. Whether a picture was sharpened is told by two models, see Sharpened.
//
// flaws.go puts it together; noise.go estimates noise and white.go tells it from texture, regions.go
// where it varies; file.go and chroma.go find the traces of JPEG files.
package flaws
