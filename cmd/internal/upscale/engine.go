package upscale

import (
	"context"
	"fmt"
	"image"
	"slices"
	"strings"
	"sync"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/internal/imagefile"
	"superres/internal/parallel"
	"superres/superres"
	"superres/superres/flaws"
	"superres/superres/resample"
	"superres/superres/stage"
)

// engine is a model and what the outputs say of it.
type engine struct {
	name     string // or file
	model    *superres.Model
	software string // the provenance of the outputs; empty: not noted
}

// engines are the models of a call.
type engines struct {
	// first is for pictures without flaws, and for all where at is nil.
	first engine
	// at opens the model for pictures with flaws, at a level of them. It is safe for
	// concurrent use.
	at func(level float64) (engine, error)
	// level is that of all pictures, where it was given; below 0 it is measured.
	level float64
	// trusting and wary open the models that tell pictures that were sharpened, the same with
	// every effort. They are nil where nobody asks: it takes as long as to enlarge a small picture.
	trusting, wary func() (engine, error)
}

// leastLevel is that from which a picture is taken to have flaws: with less, what the model
// for them makes of it is no better.
const leastLevel = 2.5 / 25

// noisierColour is how many times the level of brightness that of colour is at least, where each
// is enlarged at its own. Note: of pictures of T91, open-valid and general-dev, 5 each, reduced
// by 2, with so much noise in Y and in Cb and Cr, PSNR of RGB at ×2, and of Cb and Cr:
//
//	noise   bicubic        photo          photo-real, best of   photo with its colour
//	                                      all levels            at 0.2, 0.4 and 0.7
//	1, 6    26.55, 34.06   26.06, 30.56   29.17, 38.44          30.38, 38.44
//	2, 12   23.63, 28.59   21.51, 24.97   27.64, 35.08          28.77, 35.78
//	3, 20   20.59, 24.48   17.72, 20.84   25.95, 32.68          26.91, 33.53
const noisierColour = 1.25

// newEngines opens the models that the options ask for.
func newEngines(opt Options) (e engines, err error) {
	name, real := opt.Model, opt.Model
	if name == models.Auto {
		name, real = models.Photo, models.PhotoReal
	}
	if e.first, err = newEngine(name, opt); err != nil {
		return e, err
	}
	if e.level = opt.Denoise; opt.Model != models.Auto && !e.first.model.IsGraded() {
		if e.level > 0 {
			return e, console.Usage("--denoise %g: the model %s takes no noise away; leave out --model, or name %s", e.level, opt.Model, models.PhotoReal)
		}
		return e, nil
	}
	if e.level == 0 {
		return e, nil
	}
	whole := sync.OnceValues(func() (engine, error) { return newEngine(real, opt) })
	if opt.Model == models.Auto && opt.Diagnose {
		with := func(name, effort string) func() (engine, error) {
			judge := opt
			judge.Effort, judge.Keep.Record = effort, false
			return sync.OnceValues(func() (engine, error) { return newEngine(name, judge) })
		}
		e.trusting, e.wary = with(name, "fast"), with(real, "best")
		if opt.Effort == "best" {
			e.wary = whole
		}
	}
	var lock sync.Mutex
	known := map[float64]engine{}
	e.at = func(level float64) (engine, error) {
		lock.Lock()
		defer lock.Unlock()
		if found, ok := known[level]; ok {
			return found, nil
		}
		found, err := whole()
		if err != nil {
			return found, err
		}
		if found.model, err = found.model.Tune(stage.Tuning{Strength: level}); err != nil {
			return found, err
		}
		if found.software != "" {
			found.software += fmt.Sprintf("; level %g", level)
		}
		known[level] = found
		return found, nil
	}
	return e, nil
}

// newEngine opens a model and tunes it as the options say.
func newEngine(name string, opt Options) (e engine, err error) {
	e.name = name
	open := models.Open
	if opt.Open != nil {
		open = opt.Open
	}
	m, err := open(name)
	if err != nil {
		return e, err
	}
	if m, err = m.Effort(opt.Effort); err != nil {
		return e, err
	}
	if e.model, err = m.Tune(opt.Tuning); err != nil || !opt.Keep.Record {
		return e, err
	}
	e.software, err = provenance(name, e.model, opt)
	return e, err
}

// choice is what enlarges a picture, and why.
type choice struct {
	engine
	level float64                        // at which it works; 0: it knows none, or there is nothing to be taken away
	found *flaws.Flaws                   // nil: nobody looked
	shade float64                        // the level of what enlarges colour, if it is another; 0: it is not
	mix   *superres.Mix                  // with the model at a higher level, where noise varies over the picture
	least struct{ noise, level float64 } // then what they are at least; found and level have the most
}

// of chooses what enlarges a picture, one of several or one that moves.
func (e engines) of(ctx context.Context, pic *imagefile.Picture) (choice, error) {
	return e.choose(ctx, pic, false)
}

// ofOne chooses what enlarges a picture on its own: if its noise varies over it, a mixture.
func (e engines) ofOne(ctx context.Context, pic *imagefile.Picture) (choice, error) {
	return e.choose(ctx, pic, true)
}

func (e engines) choose(ctx context.Context, pic *imagefile.Picture, varying bool) (c choice, err error) {
	c = choice{engine: e.first, level: e.level}
	if e.at == nil {
		c.level = 0
		return c, nil
	}
	if e.level < 0 {
		if e.wary != nil { // most pictures need both: they are opened meanwhile, and tell errors below
			for _, open := range []func() (engine, error){e.wary, e.trusting} {
				parallel.Start(func() error { _, err := open(); return err })
			}
		}
		found := flaws.Measure(pic.Image, pic.Quality)
		if pic.Quantiser > 0 {
			found = found.OutOfWebP(pic.Quantiser)
		}
		c.found = &found
		if varying {
			if r := found.Varying(pic.Image); r != nil {
				return e.mixed(c, r)
			}
		}
		c.level = found.Strength()
		if c.level < leastLevel {
			c.level = 0
		}
		if shade := found.ColourStrength(); shade >= max(leastLevel, noisierColour*c.level) {
			return e.shaded(c, shade)
		}
		if c.level == 0 {
			found.Sharpened, err = e.sharpened(ctx, pic.Image)
			return c, err
		}
	}
	c.engine, err = e.at(c.level)
	return c, err
}

// shaded completes the choice for a picture with more noise in colour than in brightness, or
// with none in that: colour is enlarged by the model for pictures with flaws, at a level.
func (e engines) shaded(c choice, level float64) (choice, error) {
	noisy, err := e.at(level)
	if err != nil {
		return c, err
	}
	if c.level > 0 {
		if c.engine, err = e.at(c.level); err != nil {
			return c, err
		}
	}
	c.model, c.shade = c.model.WithColour(noisy.model), level
	if c.software != "" {
		c.software += fmt.Sprintf("; colour of %s, level %g", noisy.name, level)
	}
	return c, nil
}

// mixed completes the choice for a picture whose noise varies over it.
func (e engines) mixed(c choice, r *flaws.Regions) (choice, error) {
	least, most, share := c.found.Strengths(r)
	noisiest, err := e.at(most)
	if err != nil {
		return c, err
	}
	if c.engine, err = e.at(least); err != nil {
		return c, err
	}
	if c.software != "" {
		c.software += fmt.Sprintf(" to %g", most)
	}
	c.level, c.mix = most, &superres.Mix{Model: noisiest.model, Share: share}
	c.found.Noise = slices.Max(r.Noise)
	c.least.noise, c.least.level = slices.Min(r.Noise), least
	return c, nil
}

// sharpened tells whether a picture was, in the eyes of two models, where anybody looks.
func (e engines) sharpened(ctx context.Context, img image.Image) (bool, error) {
	if e.wary == nil {
		return false, nil
	}
	trusting, err := e.trusting()
	if err != nil {
		return false, err
	}
	wary, err := e.wary()
	if err != nil {
		return false, err
	}
	double := func(m *superres.Model) flaws.Double {
		return func(ctx context.Context, img image.Image) (image.Image, error) {
			return m.Upscale(ctx, img, superres.Options{Scale: 2})
		}
	}
	return flaws.Sharpened(ctx, img, double(superres.Plain(resample.Bicubic)), double(trusting.model), double(wary.model))
}

// String says what was found, and what enlarges the picture.
func (c choice) String() string {
	by := "by " + c.name
	switch {
	case c.mix != nil:
		by += fmt.Sprintf(" at levels of %.2g to %.2g", c.least.level, c.level)
	case c.level > 0:
		by += fmt.Sprintf(" at level %.2g", c.level)
	}
	if c.shade > 0 {
		by += fmt.Sprintf(", with the colour of %s at level %.2g", models.PhotoReal, c.shade)
	}
	if c.found == nil {
		return by
	}
	var list []string
	switch {
	case c.mix != nil:
		list = append(list, fmt.Sprintf("noise of %.1f to %.1f levels", c.least.noise, c.found.Noise))
	case c.found.Noise >= 1:
		list = append(list, fmt.Sprintf("noise of %.1f levels", c.found.Noise))
	}
	if c.shade > 0 {
		list = append(list, fmt.Sprintf("noise of %.1f levels in colour", c.found.ColourNoise))
	}
	if c.found.Quality > 0 {
		list = append(list, fmt.Sprintf("JPEG compression of quality %d", c.found.Quality))
	}
	if c.found.WebP > 0 {
		list = append(list, fmt.Sprintf("WebP compression of index %.0f", c.found.WebP))
	}
	if c.found.Sharpened {
		list = append(list, "looks sharpened or aliased (-m photo-real may do better)")
	}
	if len(list) == 0 {
		return "no flaws found, " + by
	}
	return strings.Join(list, " and ") + ", " + by
}

// all are those that may be wanted, at some level.
func (e engines) all() ([]engine, error) {
	if e.at == nil {
		return []engine{e.first}, nil
	}
	real, err := e.at(1)
	return []engine{e.first, real}, err
}

// about tells people of a picture and its model.
func about(pic *imagefile.Picture, c choice, need int64) string {
	kind := strings.ToUpper(string(pic.Format))
	if pic.Quality > 0 {
		kind += fmt.Sprintf(" of quality %d", pic.Quality)
	}
	size := pic.Image.Bounds().Size()
	return fmt.Sprintf("%s, %dx%d, %v, about %s", kind, size.X, size.Y, c, console.Bytes(need))
}
