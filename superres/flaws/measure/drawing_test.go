package measure

import (
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"testing"

	"github.com/disintegration/imaging"

	"superres/internal/must"
	"superres/internal/synthetic"
	"superres/superres/resample"
	"superres/superres/score"
)

// paletted returns a picture of w×h pixels, of which at returns the index of the colour.
func paletted(w, h int, p color.Palette, at func(x, y int) int) *image.Paletted {
	img := image.NewPaletted(image.Rect(0, 0, w, h), p)
	for y := range h {
		for x := range w {
			img.SetColorIndex(x, y, uint8(at(x, y)))
		}
	}
	return img
}

// sprite returns pixel art of 24×24 pixels on a transparent ground, shaded from the left to the right with noise.
func sprite(rng *rand.Rand) image.Image {
	p := color.Palette{color.NRGBA{}, color.NRGBA{20, 10, 30, 255}, color.NRGBA{90, 40, 120, 255},
		color.NRGBA{150, 90, 180, 255}, color.NRGBA{210, 170, 230, 255}}
	return paletted(24, 24, p, func(x, y int) int {
		switch square := (x-12)*(x-12) + (y-12)*(y-12); {
		case square > 100:
			return 0
		case square > 81:
			return 1
		}
		return min(max(x/6+rng.IntN(2), 1), 4)
	})
}

// Drawings of many kinds are told from photographs, also in few colours, dithered or not.
func TestIsDrawing(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	var corners, random, ramp color.Palette
	for i := range 8 {
		at := uint8(i)
		corners = append(corners, color.RGBA{at & 1 * 255, at >> 1 & 1 * 255, at >> 2 * 255, 255})
		shade := func() uint8 { return uint8(rng.IntN(256)) }
		random = append(random, color.RGBA{shade(), shade(), shade(), 255})
		ramp = append(ramp, color.RGBA{uint8(20 + 30*i), uint8(10 + 20*i), uint8(60 + 20*i), 255})
	}
	high := rng.Perm(8)
	bayer := [4][4]int{{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}}
	for name, img := range map[string]image.Image{
		"checks":             paletted(32, 32, ramp, func(x, y int) int { return 7 * ((x + y) % 2) }),
		"a code of squares":  paletted(29, 29, corners, func(_, _ int) int { return rng.IntN(8) }),
		"in other colours":   paletted(33, 33, random, func(_, _ int) int { return rng.IntN(8) }),
		"bars":               paletted(64, 40, ramp, func(x, y int) int { return min(y/(4+high[x/8]), 1) * (x / 8) }),
		"a sprite":           sprite(rng),
		"ordered dithering":  paletted(64, 64, ramp, func(x, y int) int { return (x*7*16/64 + bayer[y%4][x%4]) / 16 }),
		"one colour":         image.NewGray(image.Rect(0, 0, 16, 16)),
		"tiles, many shades": tiles(rng),
	} {
		if !IsDrawing(Parts(img)) {
			t.Errorf("%s: not a drawing", name)
		}
	}
	photo := imaging.Resize(photograph(t), 128, 0, imaging.CatmullRom)
	var few color.Palette // 4×4×4 colours
	for i := range 64 {
		few = append(few, color.RGBA{uint8(i & 3 * 85), uint8(i >> 2 & 3 * 85), uint8(i >> 4 * 85), 255})
	}
	through := func(p color.Palette, by draw.Drawer) image.Image {
		out := image.NewPaletted(photo.Bounds(), p)
		by.Draw(out, out.Rect, photo, photo.Bounds().Min)
		return out
	}
	for name, img := range map[string]image.Image{
		"a photograph":        photo,
		"in grey":             imaging.Grayscale(photo),
		"small":               imaging.Resize(photo, 20, 0, imaging.CatmullRom),
		"64 dithered colours": through(few, draw.FloydSteinberg),
		"64 colours":          through(few, draw.Src),
		"8 dithered tones":    through(tones(8), draw.FloydSteinberg),
	} {
		if IsDrawing(Parts(img)) {
			t.Errorf("%s: a drawing", name)
		}
	}
}

// tiles returns a picture of four tiles of 256 random shades each, set many times.
func tiles(rng *rand.Rand) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, 128, 128))
	var shades [4][256]color.NRGBA
	for i := range shades {
		for k := range shades[i] {
			shades[i][k] = color.NRGBA{uint8(rng.IntN(256)), uint8(rng.IntN(256)), uint8(rng.IntN(256)), 255}
		}
	}
	for y := 0; y < 128; y += 16 {
		for x := 0; x < 128; x += 16 {
			tile := &shades[rng.IntN(len(shades))]
			for k, c := range tile {
				img.SetNRGBA(x+k%16, y+k/16, c)
			}
		}
	}
	return img
}

// A sprite is not a photograph that was reduced to few colours.
func TestSpriteHasNoPalette(t *testing.T) {
	if got := measured(sprite(rand.New(rand.NewPCG(7, 7))), 0).Palette; got != 0 {
		t.Errorf("as noise of %g levels", got)
	}
}

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
		low := must.Get(score.Reduce(d.Image, 2, resample.Box))(t)
		if got := measured(low, 0).Palette; got != 0 {
			t.Errorf("drawing %d: as noise of %g levels", i, got)
		}
	}
}
