package superres

import (
	"context"
	"image"
	"slices"

	"superres/patches/plane"
	"superres/superres/flaws"
	"superres/superres/flaws/measure"
	"superres/superres/flaws/repair"
)

// Choice is the model that suits a picture, and why. All strengths of degradation are 0 to 1, as stage.Tuning has
// them.
type Choice struct {
	// Model enlarges the picture, with Mix as Options.Mix and Options.Strength times 1 − Plain.
	Model *Model
	// Picture is the picture to enlarge: the one that Choose was given, or that with its blur or sharpening undone by
	// Correction; nil: Choose was given none.
	Picture    image.Image
	Correction repair.Correction
	// Mix is the robust model and its share beside Model, the model for clean pictures; one of the two may be for the
	// effort fast. Or, where noise varies over the picture, it is the robust model at the greatest strength and its
	// share at each place. nil: one model does all.
	Mix *Mix
	// Trust is how likely the picture was reduced cleanly, 0 to 1, where the robust model does all of it and knows
	// trust: see stage.Tuning. Otherwise it is 0.
	Trust float64
	// Plain is the share of plain interpolation in the result, 0 to 1, where what models add would do harm.
	Plain float64
	// Robust is the share of the robust model, 0 to 1, in what the models add.
	Robust float64
	// Found is the flaws of the picture. Where noise varies, its Noise is the greatest.
	Found flaws.Flaws
	// Strength is the strength of noise and compression that the robust model removes, the greatest where it varies;
	// 0: none.
	Strength float64
	// ColourStrength is the strength at which colour is enlarged by the robust model; 0: brightness and colour share
	// one model.
	ColourStrength float64
	// LeastNoise and LeastStrength are the least values where noise varies over the picture.
	LeastNoise, LeastStrength float64
}

// noisierColour: colour gets a strength of its own if this strength is at least noisierColour times the strength for
// brightness. Note: figures for 5 pictures each of T91, open-valid and general-dev, reduced by 2, with noise of the
// given levels in Y and in Cb and Cr. Each pair is the PSNR of RGB at ×2, then the PSNR of Cb and Cr:
//
//	noise   bicubic        photo          photo-real, best of   photo with its colour
//	                                      all strengths         at 0.2, 0.4 and 0.7
//	1, 6    26.55, 34.06   26.06, 30.56   29.17, 38.44          30.38, 38.44
//	2, 12   23.63, 28.59   21.51, 24.97   27.64, 35.08          28.77, 35.78
//	3, 20   20.59, 24.48   17.72, 20.84   25.95, 32.68          26.91, 33.53
const noisierColour = 1.25

// Choose examines a picture by the steps from first to last, and returns the model that suits it: the robust model of
// m, tuned to the strength of the flaws, from flaws.LeastStrength on; m for a clean picture; in doubt, a mixture of the
// two. Where noise varies over the picture, the robust model is a mixture of itself at two strengths. In a mixture, the
// model with the smaller share is the one for the effort fast, unless more was asked for: 70 parts of general-dev with
// each of 14 kinds of damage lose 0.015 dB by that in the mean, sharpened ones the most, 0.08 dB, while the program
// takes 1.2 to 1.5 times as long for a mixture as by one model, not 1.9 times.
//
// Up to flaws.StepMeasure one model serves all of the picture, chosen by the strength alone, as frames of a video need
// it. The steps after flaws.StepRegions are for models WithJudge. A model without a robust model is its own choice, and
// examines nothing. The models of the choice have no robust model. Choose may be called concurrently.
func (m *Model) Choose(ctx context.Context, x *flaws.Examination, first, last flaws.Step) (c Choice, err error) {
	alone := *m
	alone.robust = nil
	c = Choice{Model: &alone, Picture: x.Picture}
	if m.robust == nil {
		return c, nil
	}
	x.PixelArt = m.robust.isJudged
	if !m.robust.isJudged {
		last = min(last, flaws.StepRegions)
	}
	if err := x.Run(ctx, first, last); err != nil {
		return c, err
	}
	c.Picture, c.Correction, c.Found = x.Picture, x.Correction, x.Found
	if c.Found.IsPixelArt {
		// What somebody has enlarged to squares is to be seen in squares; to smooth it, one asks for the model.
		c.Model = PixelArt()
		c.Model.squares = c.Found.Repeated > 0
		return c, nil
	}
	if x.Varying != nil {
		return m.chooseMix(c, x.Varying)
	}
	models := x.Shares.Clean + x.Shares.Robust
	c.Plain = 1 - models
	if x.Shares.Robust > 0 {
		if err := m.chooseRobust(&c, x, x.Shares.Robust/models); err != nil {
			return c, err
		}
	}
	if colour := x.Left.ColourStrength(); colour >= max(flaws.LeastStrength, noisierColour*c.Strength) {
		noisy, err := m.Robust(colour)
		if err != nil {
			return c, err
		}
		c.Model, c.ColourStrength = c.Model.WithColour(noisy), colour
		if c.Mix != nil {
			c.Mix.Model = c.Mix.Model.WithColour(noisy)
		}
	}
	return c, nil
}

// chooseRobust gives the robust model a share, more than 0, of the models of c.
func (m *Model) chooseRobust(c *Choice, x *flaws.Examination, share float64) error {
	c.Robust, c.Strength = share, x.Strength
	robust, err := m.tunedRobust(tuned{x.Strength, x.Trust, x.Shares.Robust < x.Shares.Clean})
	switch {
	case err != nil:
		return err
	case x.Shares.Clean == 0:
		if c.Model = robust; robust.IsTrusting() {
			c.Trust = x.Trust
		}
		return nil
	case x.Shares.Clean <= x.Shares.Robust:
		if c.Model, err = c.Model.fastest(); err != nil {
			return err
		}
	}
	c.Mix = &Mix{Model: robust, Share: plane.New(1, 1)}
	c.Mix.Share.Pix[0] = float32(share)
	return nil
}

// chooseMix returns c as a mixture of the robust model at the least and at the greatest strength, for a picture with
// noise that varies over the regions r.
func (m *Model) chooseMix(c Choice, r *measure.Regions) (Choice, error) {
	least, most, share := c.Found.Strengths(r)
	noisiest, err := m.Robust(most)
	if err != nil {
		return c, err
	}
	if c.Model, err = m.Robust(least); err != nil {
		return c, err
	}
	c.Mix, c.Robust = &Mix{Model: noisiest, Share: share}, 1
	c.Found.Noise, c.LeastNoise = slices.Max(r.Noise), slices.Min(r.Noise)
	c.Strength, c.LeastStrength = most, least
	return c, nil
}

// MostCopies returns how often along a side the samples of an enlargement from in to out pixels may have been repeated,
// if they are to be taken once and the result made from those: see flaws.Examination.
func MostCopies(in, out image.Point) int { return min(MaxScale*in.X/out.X, MaxScale*in.Y/out.Y) }

// Apply returns opt for the picture of the choice, of which the result is to have a size in pixels.
func (c Choice) Apply(opt Options, size image.Point) Options {
	if c.Plain > 0 {
		strength := 1 - c.Plain
		if opt.Strength != nil {
			strength *= *opt.Strength
		}
		opt.Strength = &strength
	}
	if opt.Mix == nil {
		opt.Mix = c.Mix
	}
	opt.Subsampled = opt.Subsampled || c.Found.Subsampled
	if c.Found.Repeated > 0 {
		opt.SetSize(size.X, size.Y)
	}
	return opt
}

// Signs returns what the error bounds depend on for result, an enlargement of img by a scale from 1 to 4 or more with
// the models of the choice. img is the picture that these enlarge, as corrected. The brightness must be as a model of
// this program makes it; what other networks invent is not told.
func (c Choice) Signs(img, result image.Image) *Signs {
	return newSigns(img, result, [...]float64{
		c.Strength, c.Robust, c.Plain, c.Correction.Blur(), c.Correction.Sharpening(),
	})
}

// Reach is the reach of the model and of the model of the mixture: see Model.Reach.
func (c Choice) Reach(inW, inH, w, h int) int {
	reach := c.Model.Reach(inW, inH, w, h)
	if c.Mix != nil {
		reach = max(reach, c.Mix.Model.Reach(inW, inH, w, h))
	}
	return reach
}
