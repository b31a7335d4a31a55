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

// Choice is the model that enlarges a picture, and why it was chosen. All strengths of degradation are 0 to 1.
type Choice struct {
	engine
	// Strength is the strength of noise and compression that the model removes, or the greatest one if it varies over
	// the picture. 0: the model removes none, or the picture has no flaws.
	Strength float64
	// ColourStrength is the strength at which colour is enlarged by a model of its own; 0: brightness and colour share
	// one model.
	ColourStrength float64
	// Found is the flaws measured in the picture; nil: the picture was not measured.
	Found *flaws.Flaws
	// LeastNoise and LeastStrength are the least values where noise varies over the picture. Found.Noise and Strength
	// then hold the greatest.
	LeastNoise, LeastStrength float64

	mix *superres.Mix // if noise varies: the model at the greatest strength, and its share at each place; else nil
}

// Model returns the name of the model, or the path of its file.
func (c Choice) Model() string { return c.name }

// Varies reports whether noise, and so the strength, varies over the picture; false means one strength for all of it.
func (c Choice) Varies() bool { return c.mix != nil }

const (
	// leastStrength is the measured strength from which a picture counts as flawed. Below it, the model for pictures
	// with flaws gives no better result than the one for clean pictures.
	leastStrength = 2.5 / 25

	// visibleNoise is the noise, in levels of 255, from which noise is removed from frames of video or an animation.
	// movingStrength is the least strength at which the model leaves less of that noise than interpolation does.
	visibleNoise   = 0.2
	movingStrength = 3.0 / 25
)

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

// choose returns the model for frame f. If mixing is true and noise varies over f, the choice is a mixture of two
// models; if mixing is false, one strength serves the whole frame. f may be nil if nothing is to be measured.
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

// chooseMoving returns the model for all frames of a video or an animation, chosen from its first two; second may be
// nil. It also removes noise so faint that a still picture would keep it, if the noise differs between the two frames:
// sharpened, it would make still areas shimmer more than interpolation does.
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

// withColour returns c with colour enlarged by the model for pictures with flaws at strength, for a picture with more
// noise in colour than in brightness.
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

// mix returns c as a mixture of the model at the least and at the greatest strength, for a picture whose noise varies
// over the regions r.
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

// String describes the flaws that were found and the model that enlarges the picture.
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

// unfit returns a warning if the model was never trained on pictures like img, else "".
func (c Choice) unfit(img image.Image) string {
	if c.name != models.Digits || isDigit(img) {
		return ""
	}
	return "is enlarged by digits, which knows small grey pictures of digits alone; for photographs leave out --model"
}

// isDigit reports whether img may show a digit: it is small and wholly grey.
func isDigit(img image.Image) bool {
	const most = 64 * 64 // pixels; pictures of MNIST have 784
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

// noiseBetween returns the noise that differs between frames a and b, in levels of 255. It is the root mean square of
// their difference in blocks of 8×8, at the lower quartile of the blocks, where nothing moves, divided by √2. It is 0
// for pictures smaller than a block.
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
	var blocks []float64 // the mean squared difference of each block
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
