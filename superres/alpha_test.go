package superres

import (
	"image"
	"image/color"
	"math"
	"testing"

	"superres/internal/golden"
	"superres/internal/testimage"
)

// disc is a soft-edged disc of one colour on nothing; what cannot be seen has the
// colour hidden.
func disc(side int, radius float64, c, hidden color.NRGBA) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, side, side))
	middle := float64(side-1) / 2
	for i := range side * side {
		cover := math.Max(0, math.Min(1, radius-math.Hypot(float64(i%side)-middle, float64(i/side)-middle)+0.5))
		c.A, hidden.A = uint8(math.Round(255*cover)), 0
		m.SetNRGBA(i%side, i/side, c)
		if c.A == 0 {
			m.SetNRGBA(i%side, i/side, hidden)
		}
	}
	return m
}

// over puts one sample of c, 0..255, on a ground.
func over(c, alpha uint8, ground float64) float64 {
	a := float64(alpha) / 255
	return a*float64(c) + (1-a)*ground
}

// An enlarged disc has no ring around it, light or dark, on any ground: it keeps
// its colour to the edge, its inside is opaque, its outside is nothing.
func TestDiscHasNoRing(t *testing.T) {
	const side, radius = 40, 14.0
	for _, c := range []struct {
		name         string
		ink, hidden  color.NRGBA
		within, mean float64 // levels that colour may be off, at most and on average at the edge
	}{
		{"white, black hidden", color.NRGBA{255, 255, 255, 0}, color.NRGBA{}, 0, 0},
		{"white, white hidden", color.NRGBA{255, 255, 255, 0}, color.NRGBA{255, 255, 255, 0}, 0, 0},
		{"black, white hidden", color.NRGBA{}, color.NRGBA{255, 255, 255, 0}, 0, 0},
		{"orange, green hidden", color.NRGBA{240, 140, 20, 0}, color.NRGBA{0, 255, 0, 0}, 1, 0.5},
	} {
		img := disc(side, radius, c.ink, c.hidden)
		for _, model := range []string{"nearest", "bicubic", "lanczos", "photo"} {
			for _, scale := range []int{2, 3} {
				m := builtin(t, model)
				out := upscale(t, m, img, float64(scale)).(*image.NRGBA)
				middle := float64(side*scale-1) / 2
				for y := range side * scale {
					for x := range side * scale {
						p := out.NRGBAAt(x, y)
						r := math.Hypot(float64(x)-middle, float64(y)-middle) / float64(scale)
						if r < radius-2.5 && p.A != 255 || r > radius+2.5 && p.A != 0 {
							t.Fatalf("%s, %s ×%d: alpha %d at %.1f pixels from the middle", c.name, model, scale, p.A, r)
						}
						for i, got := range [3]uint8{p.R, p.G, p.B} {
							want := [3]uint8{c.ink.R, c.ink.G, c.ink.B}[i]
							for _, ground := range []float64{0, 255, float64([3]uint8{0, 255, 0}[i])} {
								if d := math.Abs(over(got, p.A, ground) - over(want, p.A, ground)); d > c.within {
									t.Fatalf("%s, %s ×%d: on %.0f, %.1f levels off at (%d,%d), %v", c.name, model, scale, ground, d, x, y, p)
								}
							}
						}
					}
				}
			}
		}
	}
}

// The model makes the outline of a disc sharper than interpolation does, and
// nearer to that of a disc drawn large.
func TestAlphaGoesThroughTheModel(t *testing.T) {
	white := color.NRGBA{255, 255, 255, 0}
	img, truth := disc(40, 14, white, white), disc(80, 28, white, white)
	off := map[string]float64{}
	for _, model := range []string{"bicubic", "photo"} {
		m := builtin(t, model)
		out := upscale(t, m, img, 2).(*image.NRGBA)
		for i := 3; i < len(out.Pix); i += 4 {
			d := float64(out.Pix[i]) - float64(truth.Pix[i])
			off[model] += d * d
		}
	}
	t.Logf("squared error of alpha: %v", off)
	if off["photo"] > 0.8*off["bicubic"] {
		t.Errorf("squared error %.0f, bicubic %.0f", off["photo"], off["bicubic"])
	}
}

func TestGoldenAlpha(t *testing.T) {
	m := builtin(t, "photo")
	img := disc(24, 8, color.NRGBA{240, 140, 20, 0}, color.NRGBA{0, 255, 0, 0})
	golden.Compare(t, "disc_photo.png", upscale(t, m, img, 2), golden.Tolerance{Levels: 1, Share: 0.01})
}

// 8 bits can be asked for where a picture has 16, and the other way round.
func TestDepth(t *testing.T) {
	m := builtin(t, "bicubic")
	r := image.Rect(0, 0, 5, 4)
	for _, c := range []struct {
		img   image.Image
		depth int
		want  image.Image
	}{
		{image.NewGray(r), 0, &image.Gray{}}, {image.NewGray(r), 16, &image.Gray16{}}, {image.NewGray16(r), 0, &image.Gray16{}},
		{image.NewGray16(r), 8, &image.Gray{}}, {image.NewNRGBA(r), 16, &image.NRGBA64{}}, {image.NewNRGBA64(r), 8, &image.NRGBA{}},
	} {
		out, err := m.Upscale(t.Context(), c.img, Options{Depth: c.depth})
		if err != nil {
			t.Fatal(err)
		}
		if out.ColorModel() != c.want.ColorModel() {
			t.Errorf("%T with depth %d: %T", c.img, c.depth, out)
		}
	}
}

// A picture that is opaque inside stays so, for every form of model.
func TestOpaqueInside(t *testing.T) {
	in := image.NewNRGBA(image.Rect(0, 0, 20, 20))
	g := testimage.Drawing(20, 20, 2)
	for i, v := range g.Pix {
		alpha := uint8(255)
		if i%20 < 4 {
			alpha = 0
		}
		copy(in.Pix[4*i:], []uint8{v, v / 2, 255 - v, alpha})
	}
	for _, extended := range []bool{false, true} {
		out := upscale(t, small(t, 2, extended), in, 2).(*image.NRGBA)
		for i := 3; i < len(out.Pix); i += 4 {
			if x := i / 4 % 40; x >= 12 && out.Pix[i] != 255 || x < 4 && out.Pix[i] != 0 {
				t.Fatalf("extended %v: alpha %d at column %d", extended, out.Pix[i], x)
			}
		}
	}
}

// The hidden colour of transparent pixels does not reach visible ones.
func TestNoFringe(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 12, 12))
	for i := range 144 {
		c := color.NRGBA{0, 255, 0, 0} // hidden green
		if i%12 >= 6 {
			c = color.NRGBA{200, 30, 30, 255}
		}
		m.SetNRGBA(i%12, i/12, c)
	}
	model := builtin(t, "bicubic")
	out, err := model.Upscale(t.Context(), m, Options{Scale: 2})
	if err != nil {
		t.Fatal(err)
	}
	for y := range 24 {
		for x := range 24 {
			c := out.(*image.NRGBA).NRGBAAt(x, y)
			if c.A > 0 && (c.G > 31 || c.R < 199) {
				t.Fatalf("(%d,%d) is %v", x, y, c)
			}
		}
	}
	all := image.NewNRGBA(image.Rect(0, 0, 3, 3)) // nothing visible at all
	if _, err := model.Upscale(t.Context(), all, Options{}); err != nil {
		t.Error(err)
	}
}
