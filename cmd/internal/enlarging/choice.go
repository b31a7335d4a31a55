package enlarging

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"

	"superres/cmd/internal/models"
	"superres/superres"
	"superres/superres/flaws"
)

// Choice is what enlarges a picture, and why. The strengths of degradation are 0 to 1.
type Choice struct {
	engine
	// Strength is that at which the model works: the greatest, where it varies. 0: the model has none, or the picture
	// has no flaws.
	Strength float64
	// ColourStrength is that of the model for colour, where colour has one of its own; else 0.
	ColourStrength float64
	// Found is what was found in the picture; nil: nobody looked.
	Found *flaws.Flaws
	// LeastNoise and LeastStrength are the least ones, where noise varies over the picture. Found and Strength have
	// the greatest.
	LeastNoise, LeastStrength float64

	mix *superres.Mix // with the model at a greater strength, where noise varies
}

// Model is the name of the model, or its file.
func (c Choice) Model() string { return c.name }

// Varies tells whether noise varies over the picture, and strength with it.
func (c Choice) Varies() bool { return c.mix != nil }

const (
	// leastStrength is that from which a picture is taken to have flaws: with less, what the model for them makes of
	// it is no better.
	leastStrength = 2.5 / 25

	// visibleNoise is the noise, in levels of 255, from which it is removed from frames that move, and movingStrength
	// the least strength at which the model leaves less of it than interpolation does.
	visibleNoise   = 0.2
	movingStrength = 3.0 / 25
)

// noisierColour is how many times the strength for brightness that for colour is at least, where each is enlarged at
// its own. Note: of pictures of T91, open-valid and general-dev, 5 each, reduced by 2, with so much noise in Y and in
// Cb and Cr, PSNR of RGB at ×2, and of Cb and Cr:
//
//	noise   bicubic        photo          photo-real, best of   photo with its colour
//	                                      all strengths         at 0.2, 0.4 and 0.7
//	1, 6    26.55, 34.06   26.06, 30.56   29.17, 38.44          30.38, 38.44
//	2, 12   23.63, 28.59   21.51, 24.97   27.64, 35.08          28.77, 35.78
//	3, 20   20.59, 24.48   17.72, 20.84   25.95, 32.68          26.91, 33.53
const noisierColour = 1.25

// choose chooses what enlarges a frame. With mixing, that is a mixture of two models where noise varies over it.
func (e *Enlarger) choose(ctx context.Context, f *Frame, mixing bool) (c Choice, err error) {
	c = Choice{engine: e.clean, Strength: e.Denoise}
	if e.robust == nil {
		c.Strength = 0
		return c, nil
	}
	if e.Denoise < 0 {
		e.openJudges()
		found := f.measure()
		c.Found = &found
		if mixing {
			if r := found.Varying(f.Image); r != nil {
				return e.mix(c, r)
			}
		}
		c.Strength = found.Strength()
		if c.Strength < leastStrength {
			c.Strength = 0
		}
		if colour := found.ColourStrength(); colour >= max(leastStrength, noisierColour*c.Strength) {
			return e.withColour(c, colour)
		}
		if c.Strength == 0 {
			found.Sharpened, err = e.isSharpened(ctx, f.Image)
			return c, err
		}
	}
	c.engine, err = e.robust(c.Strength)
	return c, err
}

// chooseMoving chooses what enlarges all frames of what moves, by the first of them and the second, which may be nil.
// Noise so faint that a still picture keeps it is removed as well, if it is another in the second frame: sharpened,
// what stands still would shimmer more than with interpolation.
func (e *Enlarger) chooseMoving(ctx context.Context, first, second *Frame) (c Choice, err error) {
	c, err = e.choose(ctx, first, false)
	if err != nil || c.Found == nil || c.Strength >= movingStrength || second == nil {
		return c, err
	}
	noise := min(c.Found.Likely, noiseBetween(first.Image, second.Image))
	if noise < visibleNoise {
		return c, nil
	}
	c.Found.Noise, c.Found.Sharpened, c.ColourStrength = noise, false, 0
	c.Strength = max(movingStrength, c.Found.Strength())
	c.engine, err = e.robust(c.Strength)
	return c, err
}

// withColour completes the choice for a picture with more noise in colour than in brightness: the model for pictures
// with flaws enlarges colour, at a strength.
func (e *Enlarger) withColour(c Choice, strength float64) (Choice, error) {
	noisy, err := e.robust(strength)
	if err != nil {
		return c, err
	}
	if c.Strength > 0 {
		if c.engine, err = e.robust(c.Strength); err != nil {
			return c, err
		}
	}
	c.model, c.ColourStrength = c.model.WithColour(noisy.model), strength
	if c.provenance != "" {
		c.provenance += fmt.Sprintf("; colour of %s, level %g", noisy.name, strength)
	}
	return c, nil
}

// mix completes the choice for a picture whose noise varies over it.
func (e *Enlarger) mix(c Choice, r *flaws.Regions) (Choice, error) {
	least, most, share := c.Found.Strengths(r)
	noisiest, err := e.robust(most)
	if err != nil {
		return c, err
	}
	if c.engine, err = e.robust(least); err != nil {
		return c, err
	}
	if c.provenance != "" {
		c.provenance += fmt.Sprintf(" to %g", most)
	}
	c.Strength, c.mix = most, &superres.Mix{Model: noisiest.model, Share: share}
	c.Found.Noise = slices.Max(r.Noise)
	c.LeastNoise, c.LeastStrength = slices.Min(r.Noise), least
	return c, nil
}

// String says what was found, and what enlarges the picture.
func (c Choice) String() string {
	by := "by " + c.name
	switch {
	case c.Varies():
		by += fmt.Sprintf(" at levels of %.2g to %.2g", c.LeastStrength, c.Strength)
	case c.Strength > 0:
		by += fmt.Sprintf(" at level %.2g", c.Strength)
	}
	if c.ColourStrength > 0 {
		by += fmt.Sprintf(", with the colour of %s at level %.2g", models.PhotoReal, c.ColourStrength)
	}
	if c.Found == nil {
		return by
	}
	var list []string
	switch {
	case c.Varies():
		list = append(list, fmt.Sprintf("noise of %.1f to %.1f levels", c.LeastNoise, c.Found.Noise))
	case c.Found.Noise >= 1:
		list = append(list, fmt.Sprintf("noise of %.1f levels", c.Found.Noise))
	}
	if c.ColourStrength > 0 {
		list = append(list, fmt.Sprintf("noise of %.1f levels in colour", c.Found.ColourNoise))
	}
	if c.Found.Quality > 0 {
		list = append(list, fmt.Sprintf("JPEG compression of quality %d", c.Found.Quality))
	}
	if c.Found.WebP > 0 {
		list = append(list, fmt.Sprintf("WebP compression of index %.0f", c.Found.WebP))
	}
	if c.Found.Sharpened {
		list = append(list, "looks sharpened or aliased (-m photo-real may do better)")
	}
	if len(list) == 0 {
		return "no flaws found, " + by
	}
	return strings.Join(list, " and ") + ", " + by
}

// unfit tells people of a model that has learned nothing of such a picture; else it is empty.
func (c Choice) unfit(img image.Image) string {
	if c.name != models.Digits || isDigit(img) {
		return ""
	}
	return "is enlarged by digits, which knows small grey pictures of digits alone; for photographs leave out --model"
}

// isDigit tells whether a picture may be one of a digit, by its size and its colours.
func isDigit(img image.Image) bool {
	const most = 64 * 64 // pixels; those of MNIST have 784
	b := img.Bounds()
	if b.Dx()*b.Dy() > most {
		return false
	}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if r, g, b, _ := img.At(x, y).RGBA(); r != g || g != b {
				return false
			}
		}
	}
	return true
}

// noiseBetween is the noise that two frames have, each its own, in levels of 255: the root mean
// square of their difference in blocks, of which the lower quartile is taken, where nothing
// moves, over √2.
func noiseBetween(a, b image.Image) float64 {
	sampler := func(img image.Image) func(x, y int) float64 {
		switch g := img.(type) {
		case *image.Gray:
			return func(x, y int) float64 { return float64(g.Pix[y*g.Stride+x]) }
		case *image.Gray16:
			return func(x, y int) float64 { return float64(g.Gray16At(x, y).Y) / 0x101 }
		}
		return func(x, y int) float64 {
			return float64(color.Gray16Model.Convert(img.At(x, y)).(color.Gray16).Y) / 0x101
		}
	}
	const side = 8
	before, after, size := sampler(a), sampler(b), a.Bounds().Size()
	var blocks []float64 // the mean squares
	for top := 0; top+side <= size.Y; top += side {
		for left := 0; left+side <= size.X; left += side {
			sum := 0.0
			for i := range side * side {
				d := before(left+i%side, top+i/side) - after(left+i%side, top+i/side)
				sum += float64(d * d)
			}
			blocks = append(blocks, sum/(side*side))
		}
	}
	if len(blocks) == 0 {
		return 0
	}
	slices.Sort(blocks)
	return math.Sqrt(blocks[len(blocks)/4] / 2)
}
