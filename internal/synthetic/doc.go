// Package synthetic makes random pictures like those that people draw, write and copy from their screens: text,
// lines, curves, charts, dialogs, cartoons, patterns and pixel art. Models learn from them what photographs do
// not show.
package synthetic
