package measure

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/disintegration/imaging"
)

// photographed is a photograph of w×h with noise of the deviation that sigma has for a place, 0 to 1.
func photographed(t *testing.T, w, h int, sigma func(x, y float64) float64) *image.NRGBA {
	t.Helper()
	img := imaging.Resize(photograph(t), w, h, imaging.CatmullRom)
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range img.Pix {
		if i%4 != 3 {
			s := sigma(float64(i/4%w)/float64(w), float64(i/4/w)/float64(h))
			img.Pix[i] = uint8(min(max(math.Round(float64(img.Pix[i])+s*rng.NormFloat64()), 0), 255))
		}
	}
	return img
}

// Noise that varies over a picture is found in the right cells, and noise that does not vary is not reported.
func TestVarying(t *testing.T) {
	const gray = 0.67 // of the noise of each colour is in brightness
	for name, sigma := range map[string]func(x, y float64) float64{
		"right half": func(x, _ float64) float64 {
			if x < 0.5 {
				return 0
			}
			return 12
		},
		"less on top": func(_, y float64) float64 { return 3 + 15*y },
		"a corner":    func(x, y float64) float64 { return 20 * max(0, x+y-0.8) },
	} {
		for _, size := range []image.Point{{400, 420}, {900, 500}} {
			img := photographed(t, size.X, size.Y, sigma)
			r := measured(img, 0).Varying(img)
			if r == nil {
				t.Errorf("%s, %v: not found", name, size)
				continue
			}
			off := 0 // cells, which are as those around them where detail hides the noise
			for i, got := range r.Noise {
				x, y := (float64(i%r.W)+0.5)/float64(r.W), (float64(i/r.W)+0.5)/float64(r.H)
				if name == "right half" && math.Abs(x-0.5) < 0.5/float64(r.W) {
					continue // in both
				}
				if want := gray * sigma(x, y); math.Abs(got-want) > 1.2+0.25*want {
					off++
				}
			}
			if off > len(r.Noise)/10 {
				t.Errorf("%s, %v: %d cells of %d are off: %.1f", name, size, off, len(r.Noise), r.Noise)
			}
		}
	}
	for name, img := range map[string]image.Image{
		"clean":       photographed(t, 900, 500, func(_, _ float64) float64 { return 0 }),
		"the same":    photographed(t, 900, 500, func(_, _ float64) float64 { return 10 }),
		"hardly any":  photographed(t, 900, 500, func(x, _ float64) float64 { return 2 * x }),
		"small":       photographed(t, 150, 150, func(x, _ float64) float64 { return 20 * x }),
		"one colour":  image.NewNRGBA(image.Rect(0, 0, 900, 500)),
		"narrow":      image.NewNRGBA(image.Rect(0, 0, 5000, 1)),
		"translucent": image.NewNRGBA(image.Rect(-50, -50, 300, 300)),
	} {
		if r := measured(img, 0).Varying(img); r != nil {
			t.Errorf("%s: varies: %v", name, r.Noise)
		}
	}
}

// Unknown cells get the mean of the cells around them, but no more than their own limit.
func TestFill(t *testing.T) {
	r := &Regions{W: 4, H: 1, Noise: []float64{2, 9, 1, 9}}
	r.fill([]bool{true, false, false, false})
	for i, want := range []float64{2, 2, 1, 1} {
		if r.Noise[i] != want {
			t.Errorf("cell %d: %g, expected %g", i, r.Noise[i], want)
		}
	}
}

// The strengths of cells combine their noise with the loss by a file.
func TestLevels(t *testing.T) {
	f := Flaws{Loss: 3}
	r := &Regions{W: 2, H: 2, Noise: []float64{0, 4, 12, 40}}
	least, most, share := f.Strengths(r)
	at := func(noise float64) float64 { return Flaws{Noise: noise, Loss: 3}.Strength() }
	if least != at(0) || most != 1 || share.W != 2 || share.H != 2 {
		t.Errorf("%g to %g, %d×%d", least, most, share.W, share.H)
	}
	for i, noise := range r.Noise {
		if want := (at(noise) - least) / (most - least); math.Abs(float64(share.Pix[i])-want) > 1e-6 {
			t.Errorf("cell %d: %g, expected %g", i, share.Pix[i], want)
		}
	}
	if least, most, share = f.Strengths(&Regions{W: 1, H: 1, Noise: []float64{5}}); least != most || share.Pix[0] != 0 {
		t.Errorf("of one: %g to %g, %v", least, most, share.Pix)
	}
}
