package flaws

import (
	"context"
	"image"

	"superres/superres/flaws/learned"
	"superres/superres/flaws/measure"
	"superres/superres/flaws/repair"
)

// Examination finds out what is wrong with a picture and mends what can be mended. Its caller sets the fields above
// Found and calls Run, which sets the others. An Examination is for one picture, in one goroutine at a time.
type Examination struct {
	// Picture is the picture as the steps have left it. The steps change no samples in place: a step that changes
	// something sets another picture of the same size, or a smaller one where repeated samples were removed.
	Picture image.Image
	// Quality is the quality of the JPEG file that the picture was read from, 1 to 100; 0: another file.
	Quality int
	// WebP is the quantiser index of the lossy WebP file that the picture was read from, 1 to 127; 0: another file.
	WebP float64
	// Coloured is the picture in colour if Picture holds only its brightness, as in video; otherwise nil.
	Coloured image.Image
	// MostCopies is the greatest number of repetitions of samples, along a side, that StepCopies removes. With 1 or
	// less, repeated samples only serve to tell drawings from photographs.
	MostCopies int
	// PixelArt makes StepCopies look for pixel art, which package pixelart then enlarges.
	PixelArt bool
	// AsClean has the picture judged as if it had no noise and no compression, as when estimators are learned.
	AsClean bool

	// Found holds the flaws of the picture, before blur and sharpening were undone.
	Found Flaws
	// Varying is the noise of each region of the picture if noise differs between regions; nil: noise is about the same
	// everywhere. If Varying is set, Run leaves out the steps after StepRegions.
	Varying *measure.Regions
	// Correction is the filter that undid blur or sharpening, and Left holds the flaws that the filter left.
	Correction repair.Correction
	Left       Flaws
	// Strength, 0 to 1, is the strength at which the robust model enlarges Picture.
	Strength float64
	// Trust, 0 to 1, is how likely Picture was reduced cleanly, neither blurred nor sharpened. Only a robust model that
	// computes the result alone uses it; Trust is 0 where Shares may mix the results of models.
	Trust  float64
	Shares learned.Shares

	said      learned.Softening // what the softener answered
	isDropped bool              // the softener found sharpening that is doubted
	shown     []measure.Area
	light     []*measure.Samples
	traits    []int32
	isDone    bool
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

// steps lists the steps of an examination in order: what each proves, estimates and changes. Proofs come first.
var steps = [...]struct {
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

// Run takes the steps from first to last. It stops early after it has found a drawing, pixel art, or noise that varies
// between regions. It fails only if ctx ends, or if package convolutional, which the softener needs, is missing.
func (x *Examination) Run(ctx context.Context, first, last Step) error {
	for _, s := range steps[first : last+1] {
		if x.isDone {
			break
		}
		if err := s.run(x, ctx); err != nil {
			return err
		}
	}
	return nil
}

// Measure returns the flaws of img, and changes nothing. It reads only nine parts of a large picture. quality is the
// quality of the JPEG file that img was read from, 1 to 100, or 0 for any other file.
func Measure(img image.Image, quality int) Flaws {
	x := Examination{Picture: img, Quality: quality}
	return Flaws{Flaws: measure.Of(x.parts(), x.samples(), quality)}
}
