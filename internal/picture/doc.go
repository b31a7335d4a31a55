// Package picture converts between images and planes of samples. [Split] turns any image.Image into planes of
// 0..1: grey or red, green and blue, and alpha. [Picture.Luma] is their brightness, and a [Canvas] is the image
// onto which planes are painted row by row. Transparent pixels take the colour of visible neighbours
// (bleed.go), so that no hidden colour is mixed into an edge.
package picture
