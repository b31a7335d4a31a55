// Package flaws measures the degradations of a picture from its samples alone: its noise, in brightness and in colour,
// and how the noise varies over the picture; the change by JPEG files that the picture has passed through, even if it
// was cropped and saved again since, or is a PNG file now; and whether those files had subsampled chroma. All sums are
// integers, so that the result is the same on every machine. From these and from further traits three perceptrons
// have learned how blurred a picture is, which Correction undoes, at which strength a model must work, and which models
// suit the picture; a network of convolutions tells from the samples how it was sharpened. See Flaws.Judge.
//
// flaws.go has the exported results; noise.go estimates noise, white.go tells noise from texture, and regions.go finds
// how noise varies; file.go and chroma.go find the traces of JPEG files. salt.go and repeated.go take out what stands
// for no part of a picture; palette.go and drawing.go tell photographs in few colours from drawings. traits.go,
// perceptron.go, correction.go, softener.go and judge.go say how a picture is to be enlarged.
package flaws
