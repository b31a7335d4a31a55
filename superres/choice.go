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

// Choice is the model that suits a picture, and why. All strengths of degradation are from 0 to 1, as in stage.Tuning.
type Choice struct {
	// Model enlarges the picture. It needs Mix as Options.Mix, and Options.Strength multiplied by 1 − Plain: see Apply.
	Model *Model
	// Picture is the picture to enlarge: the picture that Choose was given, with its blur or sharpening undone by
	// Correction. It is nil if Choose was given no picture.
	Picture    image.Image
	Correction repair.Correction
	// Mix holds the robust model and its share, if two models enlarge the picture; Model is then the model for clean
	// pictures. One of the two may have the effort fast. If noise varies over the picture, Mix holds the robust model
	// at its greatest strength and its share at each place, and Model is the robust model at its least strength. If Mix
	// is nil, Model enlarges alone.
	Mix *Mix
	// Trust is the probability, 0 to 1, that the picture was reduced cleanly, neither blurred nor sharpened. It is 0
	// unless the robust model, for noise and compression, enlarges alone and can be tuned to it: see stage.Tuning.
	Trust float64
	// Plain is the share of plain interpolation, 0 to 1: more than 0 where the detail that models add would do harm.
	Plain float64
	// Robust is the share of the robust model, 0 to 1, in the detail that the models add.
	Robust float64
	// Found holds the flaws of the picture. Where noise varies over the picture, Found.Noise is the greatest noise.
	Found flaws.Flaws
	// Strength is the greatest strength of noise and compression that the robust model removes; 0 if it removes none.
	Strength float64
	// ColourStrength is the strength of the robust model for colour, or 0 if one model enlarges colour and brightness.
	ColourStrength float64
	// LeastNoise and LeastStrength are the least values where noise varies over the picture.
	LeastNoise, LeastStrength float64
}

// noisierColour: colour is enlarged at a strength of its own if that is at least noisierColour times the strength for
// brightness. On 15 pictures reduced by 2, with noise of 1 to 3 levels in Y and of 6 to 20 in Cb and Cr, PSNR of RGB is
// 1 to 1.2 dB higher by photo with colour at its own strength than by photo-real at the best strength for all.
const noisierColour = 1.25

// Choose examines a picture by the steps from first to last, and returns the model that suits it: m for a clean
// picture; the robust model of m, tuned to the strength of the flaws, from flaws.LeastStrength on; in doubt, a mixture
// of the two. Where noise varies over the picture, the result is a mixture of the robust model at two strengths. In a
// mixture of m and the robust model, the model with the smaller share has the effort fast, unless m has the effort max:
// that costs 0.015 dB on average, while a mixture takes 1.2 to 1.5 times as long as one model, not 1.9 times.
//
// If last is at most flaws.StepMeasure, one model serves the whole picture, chosen by the strength alone, as frames of
// a video need it. The steps after flaws.StepRegions are run only for models WithJudge. If m has no robust model,
// Choose returns m and examines nothing. The models of the choice have none. Choose may be called concurrently.
func (m *Model) Choose(ctx context.Context, x *flaws.Examination, first, last flaws.Step) (c Choice, err error) {
	alone := *m
	alone.robust = nil
	c = Choice{Model: &alone, Picture: x.Picture}
	if m.robust == nil {
		return c, nil
	}
	x.PixelArt = m.robust.isJudged // look for pixel art only with a judge
	if !m.robust.isJudged {
		last = min(last, flaws.StepRegions)
	}
	if err := x.Run(ctx, first, last); err != nil {
		return c, err
	}
	c.Picture, c.Correction, c.Found = x.Picture, x.Correction, x.Found
	if c.Found.IsPixelArt {
		// Pixel art that somebody enlarged to squares keeps its squares; whoever wants it smooth names the model.
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
	// Colour that is much noisier than brightness is enlarged by the robust model at a strength of its own.
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

// chooseRobust adds the robust model to c: alone if x says that the clean model gets no share, else mixed with the
// clean model; share is the share of the robust model. The model with the smaller share gets the effort fast, the clean
// one also if both shares are equal.
func (m *Model) chooseRobust(c *Choice, x *flaws.Examination, share float64) error {
	c.Robust, c.Strength = share, x.Strength
	robust, err := m.tunedRobust(tuned{strength: x.Strength, trust: x.Trust, isFast: x.Shares.Robust < x.Shares.Clean})
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

// MostCopies returns how many equal samples along a side may be reduced to one before a picture of the given size is
// enlarged to a picture of the size result, so that no scale exceeds MaxScale: see flaws.Examination.
func MostCopies(size, result image.Point) int {
	return min(MaxScale*size.X/result.X, MaxScale*size.Y/result.Y)
}

// Apply returns opt, changed for the picture and the models of the choice. size is the size of the result in pixels; it
// is asked for if repeated samples were found, since Choose may have reduced the picture, so that a scale would not do.
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

// Signs returns the numbers from which the error bounds of result are computed. result is an enlargement of img, by any
// scale, with the models of the choice; img is the picture after Correction. The bounds hold for brightness that a
// model of this program enlarged; they do not tell what networks of other programs invent.
func (c Choice) Signs(img, result image.Image) *Signs {
	return newSigns(img, result, [...]float64{
		c.Strength, c.Robust, c.Plain, c.Correction.Blur(), c.Correction.Sharpening(),
	})
}

// Reach returns the longer of the reaches of Model and of Mix.Model, as Model.Reach defines a reach.
func (c Choice) Reach(inW, inH, w, h int) int {
	reach := c.Model.Reach(inW, inH, w, h)
	if c.Mix != nil {
		reach = max(reach, c.Mix.Model.Reach(inW, inH, w, h))
	}
	return reach
}
