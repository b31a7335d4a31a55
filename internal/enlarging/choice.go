package enlarging

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"
	"strings"

	"superres/superres"
	"superres/superres/flaws"
	"superres/superres/models"
)

// Choice is the model that enlarges a picture, and why it was chosen. The strengths in it run from 0 to 1.
type Choice struct {
	superres.Choice
	// Found holds the flaws measured in the picture; nil: the picture was not measured.
	Found *flaws.Flaws

	name       string // name of the model, or path of its file
	provenance string // text about the model for the outputs; empty: none is recorded
}

// Name returns the name of the model, or the path of its file; "" if none was chosen.
func (c Choice) Name() string { return c.name }

// Sharpening returns the factor by which sharpening, now undone, had raised the detail; 0: none was undone.
func (c Choice) Sharpening() float64 {
	factor := c.Correction.Sharpening()
	if c.Found != nil && c.Found.Unsharp.Amount > 0 {
		factor = max(factor, 1) * c.Found.Unsharp.Sharpening()
	}
	return factor
}

// Varies reports whether noise is removed at a strength that varies over the picture, not at one strength.
func (c Choice) Varies() bool { return c.Mix != nil && c.Robust == 1 }

const (
	// visibleNoise is the least noise that is removed from frames of video or an animation, on the scale 0..255.
	// movingStrength is for noise of 3 levels, the least of which the model leaves less than interpolation does.
	visibleNoise   = 0.2
	movingStrength = 3.0 / 25
)

// choose returns the model for frame f. If mostCopies is 0, choose only measures the flaws of f, and the model has one
// strength for the whole frame. Otherwise package flaws carries out all its steps, with Examination.MostCopies set to
// mostCopies, and Choice.Picture, if not nil, must be enlarged instead of f. f may be nil if the settings decide.
func (e *Enlarger) choose(ctx context.Context, f *Frame, mostCopies int) (c Choice, err error) {
	switch {
	case e.choosing == nil: // the only model
		return describe(e.clean, superres.Choice{Model: e.clean.model}), nil
	case e.Denoise >= 0: // the strength is given
		return e.atStrength(e.Denoise)
	}
	x, first, last := f.examination(), flaws.StepMeasure, flaws.StepMeasure
	if x.MostCopies = mostCopies; mostCopies > 0 {
		first, last = flaws.StepCopies, flaws.StepSoftening
	}
	by, err := e.choosing.Choose(ctx, x, first, last)
	if err != nil {
		return c, err
	}
	used := e.clean
	if by.Found.IsPixelArt {
		used, err = e.open(models.Pixel)
	} else if by.Robust == 1 {
		used, err = e.robust()
	}
	if err != nil {
		return c, err
	}
	c = describe(used, by)
	c.Found = &by.Found
	if by.ColourStrength > 0 && c.provenance != "" {
		noisy, err := e.robust()
		if err != nil {
			return c, err
		}
		c.provenance += fmt.Sprintf("; colour of %s, level %g", noisy.name, by.ColourStrength)
	}
	return c, nil
}

// atStrength returns a Choice of the robust model, tuned to strength, for a picture that is not measured.
func (e *Enlarger) atStrength(strength float64) (Choice, error) {
	m, err := e.choosing.Robust(strength)
	if err != nil {
		return Choice{}, err
	}
	of, err := e.robust()
	return describe(of, superres.Choice{Model: m, Strength: strength, Robust: 1}), err
}

// describe returns the choice chosen, completed with the name of the model used and the text about it for the outputs.
func describe(used engine, chosen superres.Choice) Choice {
	c := Choice{Choice: chosen, name: used.name, provenance: used.provenance}
	if c.provenance == "" { // outputs get no such text
		return c
	}
	switch {
	case c.Varies():
		c.provenance += fmt.Sprintf("; level %g to %g", chosen.LeastStrength, chosen.Strength)
	case chosen.Robust > 0 && chosen.Robust < 1:
		c.provenance += fmt.Sprintf("; %g by %s, level %g", chosen.Robust, models.PhotoReal, chosen.Strength)
	case chosen.Strength > 0:
		c.provenance += fmt.Sprintf("; level %g", chosen.Strength)
		if chosen.Trust > 0 {
			c.provenance += fmt.Sprintf(", trust %g", chosen.Trust)
		}
	}
	if chosen.Plain > 0 {
		c.provenance += fmt.Sprintf("; %g interpolated", chosen.Plain)
	}
	return c
}

// chooseMoving returns the model for all frames of a video or an animation, chosen from its first two; second is nil if
// there is only one. If noise differs between the two frames, it is removed even where it would be too faint to remove
// from a still picture: a model that sharpens such noise makes still areas shimmer more than interpolation does.
func (e *Enlarger) chooseMoving(ctx context.Context, first, second *Frame) (c Choice, err error) {
	c, err = e.choose(ctx, first, 0)
	if err != nil || c.Found == nil || c.Strength >= movingStrength || second == nil {
		return c, err
	}
	noise := min(c.Found.Likely, noiseBetween(first.Image, second.Image)) // Likely comes from the first frame alone
	if noise < visibleNoise {
		return c, nil
	}
	found := *c.Found
	found.Noise = noise
	if c, err = e.atStrength(max(movingStrength, found.Strength())); err == nil {
		c.Choice.Found, c.Found = found, &found
	}
	return c, err
}

// String describes the flaws that were found and the model that enlarges the picture.
func (c Choice) String() string {
	by := "by " + c.name
	switch {
	case c.Varies():
		by += fmt.Sprintf(" at levels of %.2g to %.2g", c.LeastStrength, c.Strength)
	case c.Robust > 0 && c.Robust < 1:
		by += fmt.Sprintf(" (%.0f %%) and %s (%.0f %%)", 100*(1-c.Robust), models.PhotoReal, 100*c.Robust)
		if c.Strength > 0 {
			by += fmt.Sprintf(" at level %.2g", c.Strength)
		}
	case c.Strength > 0:
		by += fmt.Sprintf(" at level %.2g", c.Strength)
	}
	if c.Plain > 0 {
		by += fmt.Sprintf(", %.0f %% of the detail that they add left out", 100*c.Plain)
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
	if c.Found.Palette > 0 {
		list = append(list, "a palette of few colours")
	}
	switch factor := c.Correction.Sharpening(); {
	case factor > 0:
		list = append(list, fmt.Sprintf("detail %.1f times too strong", factor))
	case !c.Correction.IsNone():
		list = append(list, fmt.Sprintf("blur of %.1f pixels", c.Correction.Blur()))
	}
	if m := c.Found.Unsharp; m.Amount > 0 {
		list = append(list, m.String())
	}
	if c.Found.Salt > 0 {
		list = append(list, fmt.Sprintf("salt and pepper in %.2g %% of the samples", 100*c.Found.Salt))
	}
	if k := c.Found.Repeated; k > 0 {
		list = append(list, fmt.Sprintf("squares of %d×%d equal pixels, of which one is taken", k, k))
	}
	switch {
	case c.Found.IsPixelArt && c.Found.Repeated > 0:
		return "pixel art in squares, which stay squares, " + by
	case c.Found.IsPixelArt:
		return "pixel art, " + by
	case c.Found.IsDrawn:
		return "a drawing in squares of equal pixels, " + by
	case len(list) == 0 && c.Robust+c.Plain > 0:
		return "not as clean pictures are, " + by
	case len(list) == 0:
		return "no flaws found, " + by
	}
	return strings.Join(list, " and ") + ", " + by
}

// unfit returns a warning if the model was trained only on pictures of digits and img shows none, else "".
func (c Choice) unfit(img image.Image) string {
	if c.name != models.Digits || isDigit(img) {
		return ""
	}
	return "is enlarged by digits, which knows small grey pictures of digits alone; photographs need another model"
}

// isDigit reports whether img may show a digit: it is small, and all its pixels are grey.
func isDigit(img image.Image) bool {
	const most = 64 * 64 // pixels; a picture of MNIST has 784
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

// noiseBetween returns the deviation of the noise that differs between frames a and b, on the scale 0..255: the root
// mean square of a − b in a block of 8×8 pixels, divided by √2 as both have noise, at the lower quartile of all blocks,
// since most parts of a video stand still. It is 0 for pictures smaller than a block. Colours count by brightness.
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
	var blocks []float64 // mean squared difference in each block
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
