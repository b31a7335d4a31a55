package flaws

import (
	"context"
	"image"

	"superres/superres/flaws/learned"
	"superres/superres/flaws/measure"
	"superres/superres/flaws/repair"
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
	// PixelArt has pixel art looked for, which is then for a rule of its own: see package pixelart.
	PixelArt bool
	// AsClean has the picture estimated as one without noise and compression, whatever it has, as estimators learn.
	AsClean bool

	// Found are the flaws of the picture, before blur and sharpening were undone.
	Found Flaws
	// Varying is the noise of the regions of the picture where it varies; nil: it is about the same everywhere. The
	// steps after StepRegions are left out then.
	Varying *measure.Regions
	// Correction is what was undone of blur or of sharpening, and Left are the flaws after it.
	Correction repair.Correction
	Left       Flaws
	// Strength, 0 to 1, is that at which the robust model enlarges Picture.
	Strength float64
	// Trust, 0 to 1, is how likely Picture was reduced cleanly, neither blurred nor sharpened. It is for a robust model
	// that does all of the picture, and 0 where others have a share.
	Trust  float64
	Shares learned.Shares

	said   learned.Softening // by the softener
	shown  []measure.Area
	light  []*measure.Samples
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

// life is the life of a picture: all that an examination does, in this order. What proves something comes before what
// estimates it.
var life = [...]struct {
	name, proves, estimates, changes string
	run                              func(*Examination, context.Context) error
}{
	{"copies", "squares of equal samples; a drawing; pixel art", "", "takes one sample of each",
		(*Examination).takeOnce},
	{"salt", "single black and white samples", "", "sets them to the median around", (*Examination).removeSalt},
	{"mask", "an unsharp mask of 8 bits", "", "undoes it", (*Examination).undoMask},
	{"measure", "JPEG files, their chroma, palettes", "noise", "", (*Examination).measure},
	{"regions", "", "how noise varies over the picture", "", (*Examination).findRegions},
	{"blur", "", "blur", "undoes it", (*Examination).undoBlur},
	{"sharpening", "", "other sharpening", "", (*Examination).findSharpening},
	{"strength", "", "strength and trust of the robust model", "", (*Examination).findStrength},
	{"shares", "", "the shares of the models", "", (*Examination).findShares},
	{"softening", "", "", "undoes the sharpening", (*Examination).soften},
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

// Measure returns the flaws of img; of a large picture it reads only nine parts. quality is the quality of the JPEG
// file that img was read from, 1 to 100, or 0 for any other file.
func Measure(img image.Image, quality int) Flaws {
	x := Examination{Picture: img, Quality: quality}
	return Flaws{Flaws: measure.Of(x.parts(), x.samples(), quality)}
}
