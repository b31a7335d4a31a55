package superres

import (
	"context"
	"errors"
	"image"
	"io"
	"slices"
	"sync"

	"superres/internal/imagefile"
	"superres/superres/flaws"
	"superres/superres/stage"
)

// Choice is the model that suits a picture, and why. All strengths of degradation are 0 to 1, as stage.Tuning has them.
type Choice struct {
	// Model enlarges the picture, with Mix as Options.Mix.
	Model *Model
	// Mix is the model at the greatest strength and its share at each place, where noise varies over the picture; nil:
	// one strength serves all of it.
	Mix *Mix
	// Found is the flaws of the picture. Where noise varies, its Noise is the greatest.
	Found flaws.Flaws
	// Strength is the strength of noise and compression that the model removes, the greatest where it varies; 0: none.
	Strength float64
	// ColourStrength is the strength at which colour is enlarged by the robust model; 0: brightness and colour share
	// one model.
	ColourStrength float64
	// LeastNoise and LeastStrength are the least values where noise varies over the picture.
	LeastNoise, LeastStrength float64
}

// leastStrength is the measured strength from which a picture counts as degraded. Below it, the robust model gives no
// better result than the one for clean pictures.
const leastStrength = 2.5 / 25

// noisierColour: colour gets a strength of its own if this strength is at least noisierColour times the strength for
// brightness. Note: figures for 5 pictures each of T91, open-valid and general-dev, reduced by 2, with noise of the
// given levels in Y and in Cb and Cr. Each pair is the PSNR of RGB at ×2, then that of Cb and Cr:
//
//	noise   bicubic        photo          photo-real, best of   photo with its colour
//	                                      all strengths         at 0.2, 0.4 and 0.7
//	1, 6    26.55, 34.06   26.06, 30.56   29.17, 38.44          30.38, 38.44
//	2, 12   23.63, 28.59   21.51, 24.97   27.64, 35.08          28.77, 35.78
//	3, 20   20.59, 24.48   17.72, 20.84   25.95, 32.68          26.91, 33.53
const noisierColour = 1.25

// robust opens the robust model of a model and keeps it at each strength that was asked for.
type robust struct {
	open  func() (*Model, error)
	lock  sync.Mutex
	known map[float64]*Model
}

// WithRobust returns m with the robust model that open returns, one for pictures with noise or compression that can be
// tuned to their strength. Upscale and Stream of the result choose between the two for each picture, as Choose does.
// open is called at most once, when a picture first needs it.
func (m *Model) WithRobust(open func() (*Model, error)) *Model {
	out := *m
	out.robust = &robust{open: sync.OnceValues(open), known: map[float64]*Model{}}
	return &out
}

// withRobustOf returns m with the robust model of another, if that has one, as change returns it.
func (m *Model) withRobustOf(other *Model, change func(*Model) (*Model, error)) *Model {
	r := other.robust
	if r == nil {
		return m
	}
	return m.WithRobust(func() (*Model, error) {
		found, err := r.open()
		if err != nil {
			return nil, err
		}
		return change(found)
	})
}

// Robust returns the robust model of WithRobust, tuned to a strength of 0 to 1. It fails if there is none, or it cannot
// be opened or tuned. It may be called concurrently.
func (m *Model) Robust(strength float64) (*Model, error) {
	r := m.robust
	if r == nil {
		return nil, errors.New("superres: this model has no robust model")
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	if found := r.known[strength]; found != nil {
		return found, nil
	}
	found, err := r.open()
	if err != nil {
		return nil, err
	}
	if found, err = found.Tune(stage.Tuning{Strength: strength}); err != nil {
		return nil, err
	}
	r.known[strength] = found
	return found, nil
}

// Choose returns the model that suits the picture img with the flaws that package flaws has found in it: m alone for a
// clean picture, its robust model tuned to the strength of the flaws, or a mixture where noise varies over the
// picture. If img is nil, one strength serves all of it, as frames of a video need it. A model without a robust model
// is its own choice. The models of the choice have no robust model. Choose may be called concurrently.
func (m *Model) Choose(img image.Image, found flaws.Flaws) (c Choice, err error) {
	alone := *m
	alone.robust = nil
	c = Choice{Model: &alone, Found: found}
	if m.robust == nil {
		return c, nil
	}
	if img != nil {
		if r := found.Varying(img); r != nil {
			return m.chooseMix(c, r)
		}
	}
	if c.Strength = found.Strength(); c.Strength < leastStrength {
		c.Strength = 0
	} else if c.Model, err = m.Robust(c.Strength); err != nil {
		return c, err
	}
	if colour := found.ColourStrength(); colour >= max(leastStrength, noisierColour*c.Strength) {
		noisy, err := m.Robust(colour)
		if err != nil {
			return c, err
		}
		c.Model, c.ColourStrength = c.Model.WithColour(noisy), colour
	}
	return c, nil
}

// chooseMix returns c as a mixture of the robust model at the least and at the greatest strength, for a picture whose
// noise varies over the regions r.
func (m *Model) chooseMix(c Choice, r *flaws.Regions) (Choice, error) {
	least, most, share := c.Found.Strengths(r)
	noisiest, err := m.Robust(most)
	if err != nil {
		return c, err
	}
	if c.Model, err = m.Robust(least); err != nil {
		return c, err
	}
	c.Mix = &Mix{Model: noisiest, Share: share}
	c.Found.Noise, c.LeastNoise = slices.Max(r.Noise), slices.Min(r.Noise)
	c.Strength, c.LeastStrength = most, least
	return c, nil
}

// WithoutCopies returns img, and opt for it, without the copies of its samples if it was enlarged by repeating them:
// see flaws.Repeated. The result has the same size as that of img. repeated is how often samples were repeated along a
// side; 0: img and opt are returned as they are. That is also so where the result would be more than MaxScale times as
// large as what is left.
func (m *Model) WithoutCopies(img image.Image, opt Options) (once image.Image, same Options, repeated int) {
	b := img.Bounds()
	k := flaws.Repeated(img)
	w, h, err := m.ResultSize(b.Dx(), b.Dy(), opt)
	if k == 0 || err != nil || opt.Mix != nil || opt.Chroma != nil || w*k > MaxScale*b.Dx() || h*k > MaxScale*b.Dy() {
		return img, opt, 0
	}
	opt.Scale, opt.Width, opt.Height, opt.Fit = 0, w, h, false
	return flaws.TakeOnce(img, k), opt, k
}

// chosen is a picture with the model that enlarges it, and the options.
type chosen struct {
	*Model
	img image.Image
	opt Options
}

// chosenFor returns what is enlarged: all as it is, unless m has a robust model.
func (m *Model) chosenFor(img image.Image, opt Options) (chosen, error) {
	if m.robust == nil || img.Bounds().Empty() {
		return chosen{m, img, opt}, nil
	}
	img, opt, _ = m.WithoutCopies(img, opt)
	found := flaws.Measure(img, opt.Quality)
	if opt.WebP > 0 {
		found = found.OutOfWebP(opt.WebP)
	}
	c, err := m.Choose(img, found)
	if err != nil {
		return chosen{}, err
	}
	if opt.Mix == nil {
		opt.Mix = c.Mix
	}
	opt.Subsampled = opt.Subsampled || found.Subsampled
	return chosen{c.Model, img, opt}, nil
}

// Decode reads a picture file to the end of r and returns the picture, turned upright, with what the file says of it in
// Options.Subsampled, Quality and WebP, for Upscale. It reads PNG, JPEG, GIF, BMP, TIFF and WebP of at most 50 million
// pixels, the first picture of files with several. Subsampled colour is interpolated smoothly, as the program superres
// does it and image/jpeg does not. When ctx ends, Decode returns ctx.Err().
func Decode(ctx context.Context, r io.Reader) (image.Image, Options, error) {
	pic, err := imagefile.Decode(ctx, r, "superres", imagefile.Limits{FirstFrame: true, Strip: true})
	if err != nil {
		return nil, Options{}, err
	}
	return pic.Image, Options{Subsampled: pic.Subsampled, Quality: pic.Quality, WebP: pic.Quantiser}, nil
}
