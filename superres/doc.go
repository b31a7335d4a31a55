// Package superres enlarges pictures with learned models.
//
// A [Model] is a chain of stages. A picture is taken apart into brightness and colour. Brightness is interpolated to
// the larger size and then improved by each stage in turn. Colour, which the eye and the scores look at less, is
// interpolated, and, if the model has a small network for it, improved with the help of the enlarged brightness.
// Package superres/stage says what a stage is.
//
// A model may contain a network that another program trained. It enlarges the picture in place of interpolation: red,
// green and blue together, or brightness alone. Stages, such as back-projection, may follow it.
//
// This package knows no kind of stage. A program registers the kinds that it wants by importing their packages, as it
// does for image formats; superres/models imports all kinds, and holds the models that are part of the program.
//
// # Promises
//
// Versions are semantic (semver.org). From 1.0.0 on, what compiles with superres, superres/models and superres/files
// compiles with all later versions of the same first number, and what their comments say stays true: names, signatures,
// defaults, classes of errors, and the model files that are read. The same holds for the functions of superres.h, in
// cmd/superres-c. Structs may get more fields, so name the fields in literals; the texts of errors may change. Until
// 1.0.0 all this may change with the second number, and CHANGELOG.md says how; it never changes with the third.
//
// As long as the version is the same, so are the pixels of a result, with every number of workers, and by convolutional
// models on every machine. A version that changes them, for the better, has another first or second number.
//
// All other packages are internal parts, or for research. They may change with the second number.
//
// # How it works
//
// The life of a picture, by file:
//
//	superres.go     Decode reads a file; Upscale and Stream check the options and make an enlarger
//	choice.go       a model with a robust model has the picture examined by package flaws, and chooses
//	options.go      says how a picture is enlarged, and finds the size of the result
//	enlarger.go     splits rows of a picture into planes, and compares the painted result with the picture
//	enlargement.go  sends bands of rows through the passes of a chain of scales
//	bands.go        runs one pass: interpolation or a network, then each stage, then colour
//	paint.go        paints rows of the result, without ringing in drawings, and with clean outlines
//	mix.go          mixes the results of two models, and averages results over orientations
//	bounds.go       estimates the errors of a result
//	memory.go       estimates memory beforehand, and chooses the height of a band
//
// The life of a model, by file: modelfile.go saves and loads it, model.go joins models for other scales to it, tune.go
// changes how it is applied. Package superres/fit trains models.
package superres
