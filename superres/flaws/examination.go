package flaws

import (
	"context"
	"image"

	"superres/internal/picture"
)

// Examination finds out what is wrong with a picture and mends it as far as that is possible. Its caller sets the first
// fields and calls Run, which sets the others. An Examination is for one picture, and for one goroutine at a time.
type Examination struct {
	// Picture is the picture as the steps have left it. They change no samples in place: a step that changes something
	// sets another picture of the same size, or, without copies, a smaller one.
	Picture image.Image
	// Quality is the quality of the JPEG file that the picture was read from, 1 to 100; 0: another file.
	Quality int
	// WebP is the quantiser index of the lossy WebP file that it was read from, 1 to 127; 0: another file.
	WebP float64
	// Coloured is the picture in colour where Picture is its brightness alone, as in video; otherwise nil.
	Coloured image.Image
	// MostCopies is how often along a side samples may have been repeated that are then taken once; with 1 or less,
	// copies only tell drawings from photographs.
	MostCopies int
	// AsClean has the picture estimated as one without noise and compression, whatever it has, as estimators learn.
	AsClean bool

	// Found are the flaws of the picture, before blur and sharpening were undone.
	Found Flaws
	// Varying is the noise of the regions of the picture where it varies; nil: it is about the same everywhere. The
	// steps after StepRegions are left out then.
	Varying *Regions
	// Correction is what was undone of blur or of sharpening, and Left are the flaws after it.
	Correction Correction
	Left       Flaws
	// Strength, 0 to 1, is that at which the robust model enlarges Picture.
	Strength float64
	// Trust, 0 to 1, is how likely Picture was reduced cleanly, neither blurred nor sharpened. It is for a robust model
	// that does all of the picture, and 0 where others have a share.
	Trust  float64
	Shares Shares

	said   Softening // by the softener
	shown  []picture.Picture
	light  []*samples
	traits []int32
	isDone bool
}

// Step is a step of an examination.
type Step int

// The steps of an examination, in their order.
const (
	StepCopies Step = iota
	StepSalt
	StepMask
	StepMeasure
	StepRegions
	StepBlur
	StepSharpening
	StepStrength
	StepShares
	StepSoftening
)

// life is the life of a picture: all that an examination does, in this order. What proves something comes before what estimates.
var life = [...]struct {
	name, finds, changes string
	run                  func(*Examination, context.Context) error
}{
	StepCopies: {"copies", "proves squares of equal samples, and that they are a drawing or a photograph",
		"takes one sample of each in a photograph", (*Examination).takeOnce},
	StepSalt: {"salt", "proves single black and white samples", "replaces them by the median around them",
		(*Examination).removeSalt},
	StepMask: {"mask", "proves an unsharp mask, by the integers before it", "undoes it", (*Examination).undoMask},
	StepMeasure: {"measure", "proves JPEG files, subsampled chroma and palettes; estimates noise", "",
		(*Examination).measure},
	StepRegions:    {"regions", "estimates how noise varies over the picture", "", (*Examination).findRegions},
	StepBlur:       {"blur", "estimates the blur", "undoes it", (*Examination).undoBlur},
	StepSharpening: {"sharpening", "estimates the sharpening", "", (*Examination).findSharpening},
	StepStrength: {"strength", "estimates at which strength the robust model works, and its trust", "",
		(*Examination).findStrength},
	StepShares:    {"shares", "estimates the shares of the models", "", (*Examination).findShares},
	StepSoftening: {"softening", "", "undoes the sharpening", (*Examination).soften},
}

// Run takes the steps from first to last. After a drawing was found by its copies, or regions of other noise, it leaves
// out the others. It fails only with ctx.Err(), or in a program without package convolutional.
func (x *Examination) Run(ctx context.Context, first, last Step) error {
	for _, s := range life[first : last+1] {
		if x.isDone {
			break
		}
		if err := s.run(x, ctx); err != nil {
			return err
		}
	}
	return nil
}
