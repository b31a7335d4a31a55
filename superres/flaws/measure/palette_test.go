package measure

import (
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"testing"

	"superres/internal/synthetic"
	"superres/superres/resample"
	"superres/superres/score"

	"github.com/disintegration/imaging"
)

// tones returns n equally spaced tones of grey.
func tones(n int) (p color.Palette) {
	for i := range n {
		p = append(p, color.Gray{Y: uint8(255 * i / (n - 1))})
	}
	return p
}

// Measure finds the palette of a photograph in few colours, and more noise in fewer colours, and in dithered ones than
// where each pixel has the nearest. It finds none in photographs as they are, enlarged since, or in black and white.
func TestPalette(t *testing.T) {
	img := photograph(t)
	through := func(p color.Palette, by draw.Drawer) image.Image {
		out := image.NewPaletted(img.Bounds(), p)
		by.Draw(out, out.Rect, img, img.Bounds().Min)
		return out
	}
	noise := func(n int, by draw.Drawer) float64 { return measured(through(tones(n), by), 0).Palette }
	few, some, many := noise(4, draw.FloydSteinberg), noise(8, draw.FloydSteinberg), noise(16, draw.FloydSteinberg)
	if !(few > some && some > many && many > 5) {
		t.Errorf("4, 8 and 16 dithered tones are as noise of %g, %g and %g levels", few, some, many)
	}
	if still := noise(16, draw.Src); !(still > 0 && still < 0.8*many) {
		t.Errorf("16 dithered tones are as noise of %g levels, others of %g", many, still)
	}
	for name, img := range map[string]image.Image{
		"a photograph":       img,
		"in grey":            imaging.Grayscale(img),
		"dithered, enlarged": imaging.Resize(through(tones(8), draw.FloydSteinberg), 200, 0, imaging.CatmullRom),
		"two tones":          through(tones(2), draw.FloydSteinberg),
		"a small part":       imaging.CropCenter(img, 14, 14),
		"one colour":         imaging.New(40, 40, color.White),
		"a row":              imaging.New(40, 1, color.White),
	} {
		if got := measured(img, 0).Palette; got != 0 {
			t.Errorf("%s: as noise of %g levels", name, got)
		}
	}
}

// Drawings have few colours too, but areas of one colour.
func TestDrawingsHaveNoPalette(t *testing.T) {
	for i := range uint64(60) {
		d := synthetic.Sample(rand.New(rand.NewPCG(9, i)), 200, 180, 2)
		low, err := score.Reduce(d.Image, 2, resample.Box)
		if err != nil {
			t.Fatal(err)
		}
		if got := measured(low, 0).Palette; got != 0 {
			t.Errorf("drawing %d: as noise of %g levels", i, got)
		}
	}
}
