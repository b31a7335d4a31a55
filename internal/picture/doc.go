// Package picture converts between images and planes of samples. [Split] turns any image.Image into planes in 0..1:
// grey, or red, green and blue, and alpha if not opaque. [Picture.Luma] is the brightness of the planes, and a [Canvas]
// is the image to which planes are painted row by row. Transparent pixels take the colour of visible neighbours
// (bleed.go), so that no hidden colour is mixed into an edge.
package picture
