package flaws

import (
	"context"
	"image"

	"superres/internal/picture"
	"superres/superres/flaws/learned"
	"superres/superres/flaws/measure"
	"superres/superres/flaws/pixelart"
	"superres/superres/flaws/repair"
)

// takeOnce is StepCopies: it keeps one sample of each square of repeated samples, and sets Found.Repeated. It ends the
// examination of pixel art and drawings. Their squares stay, and so do squares with a side of more than MostCopies.
func (x *Examination) takeOnce(context.Context) error {
	k := repair.Repeated(x.Picture)
	if x.PixelArt && pixelart.Is(x.Picture, k) {
		x.judgeBy(Flaws{IsPixelArt: true, Repeated: k})
		x.isDone = true
		return nil
	}
	if k == 0 {
		return nil
	}
	before := x.Picture
	x.replace(repair.TakeOnce(before, k))
	switch {
	case measure.IsDrawing(x.parts()):
		x.replace(before)
		x.judgeBy(Flaws{IsDrawn: true})
		x.isDone = true
	case k > x.MostCopies:
		x.replace(before)
	default:
		x.Found.Repeated = k
	}
	return nil
}

// removeSalt is StepSalt: it replaces salt and pepper in Picture, and sets Found.Salt.
func (x *Examination) removeSalt(context.Context) error {
	if clean, share := repair.WithoutSalt(x.Picture, x.parts()); share > 0 {
		x.replace(clean)
		x.Found.Salt = share
	}
	return nil
}

// undoMask is StepMask: if it finds an unsharp mask, it undoes the mask in Picture and sets Found.Unsharp.
func (x *Examination) undoMask(context.Context) error {
	if m := repair.FindUnsharp(x.Picture, x.parts()); m != (repair.Unsharp{}) {
		x.replace(m.Undo(x.Picture))
		x.Found.Unsharp = m
	}
	return nil
}

// measure is StepMeasure: it measures the flaws, and sets Found, Left, Strength, Shares and Trust accordingly.
func (x *Examination) measure(context.Context) error {
	f := Flaws{Flaws: measure.Of(x.parts(), x.samples(), x.Quality)}
	if x.WebP > 0 {
		f = f.outOfWebP(x.WebP)
	}
	if x.Coloured != nil { // noise of colour is measured in an RGB picture
		f.ColourNoise = Measure(x.Coloured, 0).ColourNoise // 0: not from a JPEG file
	}
	f.Repeated, f.Salt, f.Unsharp = x.Found.Repeated, x.Found.Salt, x.Found.Unsharp
	x.judgeBy(f)
	return nil
}

// judgeBy sets Found and Left to f, and Strength, Shares and Trust to values that follow from the strength of f alone.
func (x *Examination) judgeBy(f Flaws) {
	x.Found, x.Left, x.Strength = f, f, f.Strength()
	x.Shares, x.Trust = learned.Shares{Clean: 1}, 0
	if x.Strength >= LeastStrength {
		x.Shares, x.Trust = learned.Shares{Robust: 1}, UnknownTrust
	}
}

// findRegions is StepRegions: if noise varies over a picture without palette, it sets Varying and ends the examination.
func (x *Examination) findRegions(context.Context) error {
	if x.Found.Palette == 0 {
		x.Varying = x.Found.Flaws.Varying(x.Picture)
		x.isDone = x.Varying != nil
	}
	return nil
}

// isJudged reports whether the perceptrons judge the picture by its traits. The picture must be large enough, and have
// no palette, since the only palettes that the perceptrons have learned from are grey.
func (x *Examination) isJudged() bool { return x.side() >= leastJudgedSide && !x.hasPalette() }

func (x *Examination) hasPalette() bool { return x.Found.Palette > 0 && !x.AsClean }

// isFlawed reports, unless AsClean is set, whether the noise or compression left counts, or isLossyWebP holds.
func (x *Examination) isFlawed() bool {
	return !x.AsClean && (x.Left.Strength() >= LeastStrength || x.Found.isLossyWebP())
}

// undoBlur is StepBlur: it undoes the blur that the corrector estimates, if the picture isJudged and is opaque.
func (x *Examination) undoBlur(context.Context) error {
	if !x.isJudged() {
		return nil
	}
	blur := learned.Corrector().Correction(x.Traits()).Limited(x.Found.Flaws)
	if !blur.IsNone() && picture.IsOpaque(x.Picture) {
		x.correct(blur)
	}
	return nil
}

// correct applies c to Picture, and sets Correction and Left.
func (x *Examination) correct(c repair.Correction) {
	x.replace(c.Apply(x.Picture))
	x.Left, x.Correction = x.Left.corrected(c), c
}

// findSharpening is StepSharpening: it asks the softener, a network, how the picture was sharpened, and keeps the
// answer in x.said, without a correction for a picture with transparency. It does not ask about tiny pictures, palettes
// and lossy WebP files, which the network does not know, nor about noise or compression after blur was undone.
func (x *Examination) findSharpening(ctx context.Context) (err error) {
	isSkipped := x.hasPalette() || x.Found.isLossyWebP()
	if x.side() < leastSoftenedSide || isSkipped || x.isFlawed() && !x.Correction.IsNone() {
		return nil
	}
	s, err := learned.OwnSoftener()
	if err != nil {
		return err
	}
	x.said, err = s.Soften(ctx, x.Picture)
	if said := x.said; (!said.Correction.IsNone() || said.Plain > 0) && !picture.IsOpaque(x.Picture) {
		x.said.Correction, x.said.Plain = repair.Correction{}, 0
	}
	x.said.Correction = x.said.Correction.Limited(x.Left.Flaws) // as large gains would raise noise too much
	return err
}

// findStrength is StepStrength: it sets Strength, Trust and Shares, and drops a doubtful answer of the softener.
func (x *Examination) findStrength(context.Context) error {
	switch {
	case !x.isJudged(): // too small, or a palette: StepMeasure has decided
	case !x.isFlawed(): // no noise or compression that counts
		x.Strength, x.Trust, x.Shares = learned.Assessor().Strength(x.AllTraits()), 0, learned.Shares{Clean: 1}
		if x.isDoubted() {
			x.isDropped = x.said.Correction.Sharpening() >= leastSharpening
			x.said.Correction, x.said.Plain = repair.Correction{}, 0
		}
	default:
		x.Strength, x.Shares = x.Left.Strength(), learned.Shares{Robust: 1}
		if !x.Found.isLossyWebP() {
			x.Trust = trustIn(x.Correction, x.said.Correction.Sharpening())
		}
	}
	return nil
}

// isDoubted reports whether only the softener says that a picture was sharpened, and by less than sureSharpening.
func (x *Examination) isDoubted() bool {
	return x.said.Correction.Sharpening() < sureSharpening && x.Strength < learned.LeastGrain &&
		!learned.Corrector().LowersDetail(x.Traits())
}

// findShares is StepShares: it sets Shares to the final shares of the models.
func (x *Examination) findShares(context.Context) error {
	switch {
	case !x.isJudged() || x.isFlawed(): // the judge is not asked
		x.Shares = x.Shares.WithPlain(x.said.Plain, x.Strength)
	case x.said.IsDrawing:
		x.Shares = learned.Shares{Clean: 1}
	default:
		x.Shares = learned.Judge().Shares(x.AllTraits()).WithPlain(x.said.Plain, 0) // 0: no flaw counts
		switch {
		case !x.Correction.IsNone() || !x.softening().IsNone(): // something was or will be undone
		case x.isQuiet(): // has less noise than Strength would mean
			x.Shares = learned.Shares{Clean: 1}
		default:
			x.Shares = x.Shares.WithoutDoubts(x.said.IsLikely() && !x.isDropped, x.Strength)
		}
	}
	return nil
}

// isQuiet reports whether Strength is leastQuestioned or more, and the quietest places have far less noise than that.
func (x *Examination) isQuiet() bool {
	return x.Strength >= leastQuestioned && measure.Quiet(x.samples()) < mostQuiet*measure.Worst*x.Strength
}

// soften is StepSoftening: it undoes the sharpening that was found, and multiplies Strength by the gain of noise.
func (x *Examination) soften(context.Context) error {
	if c := x.softening(); !c.IsNone() {
		x.correct(c)
		x.Strength = measure.RoundStrength(x.Strength * c.NoiseGain())
	}
	return nil
}

// softening returns the correction that undoes the sharpening; none below leastSharpening, or if blur was undone.
func (x *Examination) softening() repair.Correction {
	if !x.Correction.IsNone() || x.said.Correction.Sharpening() < leastSharpening {
		return repair.Correction{}
	}
	return x.said.Correction
}

// AllTraits returns Traits, followed by the gains of the corrector and the answers of the softener.
func (x *Examination) AllTraits() []int32 { return learned.WithSaid(x.Traits(), x.said) }

// Traits returns the traits of the picture for the corrector, without answers of the softener; nil if it is too small.
func (x *Examination) Traits() []int32 {
	if x.traits == nil {
		x.traits = learned.Traits(x.Picture, x.samples(), x.Left.Flaws)
	}
	return x.traits
}

// replace sets Picture to img, and drops all that was computed from the picture before.
func (x *Examination) replace(img image.Image) {
	x.Picture, x.shown, x.light, x.traits = img, nil, nil, nil
}

// parts returns the planes of the parts of the picture that are examined: see measure.ListParts.
func (x *Examination) parts() []measure.Area {
	if x.shown == nil {
		x.shown = measure.Parts(x.Picture)
	}
	return x.shown
}

// samples returns the brightness of each of x.parts().
func (x *Examination) samples() []*measure.Samples {
	if x.light == nil {
		x.light = measure.SamplesOf(x.parts()...)
	}
	return x.light
}

// side returns the length of the shorter side of the picture.
func (x *Examination) side() int {
	size := x.Picture.Bounds().Size()
	return min(size.X, size.Y)
}
