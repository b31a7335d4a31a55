// Package picture is the way between an image and its planes: every type of image.Image becomes planes of 0..1,
// grey or red, green and blue and alpha ([Split]), of which [Picture.Luma] is the brightness; a [Canvas] is the
// image that planes are painted on, row by row. What transparency hides takes the colour of what it does not
// (bleed.go), so that no hidden colour is mixed into an edge.
package picture
