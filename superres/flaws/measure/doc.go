// Package measure measures the flaws of a picture from its samples alone: its noise, in brightness and in colour, and
// how the noise varies over the picture; the loss by JPEG files that the picture has passed through, even if it was
// cropped and saved again since, or is a PNG file now; whether those files had subsampled chroma; and the palette to
// which a photograph was reduced. All sums are integers, so that the result is the same on every machine.
//
// flaws.go has the results, and samples.go the parts of a picture that are read. noise.go estimates noise, white.go
// tells noise from texture, and regions.go finds how noise varies; file.go and chroma.go find the traces of JPEG files;
// palette.go and drawing.go tell photographs in few colours from drawings.
package measure
