// Package superres enlarges pictures with learned dictionaries.
//
// A [Model] is a chain of stages. The plain interpolation of the brightness of a
// picture goes through them one after the other; colour, which the eye and the scores look
// at less, is interpolated as well, and made better by a small network of its own if the
// model has one, that looks at the enlarged brightness. What a dictionary is, and how it is learned, is the matter of package learners; what a
// stage is, of package superres/stage.
//
// This package knows no kind of stage: a program that loads models imports those it
// wants for their registration, as image formats are, or superres/models, which has the
// embedded models and all kinds.
//
// The life of a picture:
//
//	superres.go  Upscale finds the size (size.go) and makes an enlarger; Stream does, too,
//	             and gives a large result away in strips
//	enlarger.go  takes rows of the picture apart, sends brightness and transparency
//	             through the model, and puts what comes back together with colour
//	bands.go     streams rows through the passes of a chain of scales (family.go), and
//	             in each through the first interpolation, every stage, and what
//	             enlarges colour
//	areas.go     keeps what is drawn from ringing; alpha.go keeps outlines clean
//	memory.go    says beforehand what it takes, and how many rows are worked on together
//
// The life of a model: Train (train.go) has a trainer learn stages and scores them on
// pictures that were held out; Save and Load (model.go) are its file; Tune (tune.go)
// changes how it is applied.
package superres
