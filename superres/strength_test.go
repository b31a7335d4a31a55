package superres

import (
	"bytes"
	"image"
	"testing"

	"superres/internal/testimage"
	"superres/superres/resample"
)

// Brightness is as far from what interpolation gives as the strength says, of grey pictures and
// of colour, with transparency or without, at scales of the model and others.
func TestStrength(t *testing.T) {
	m := builtin(t, "photo-fast")
	colour := testimage.Drawing(50, 40, 2)
	pictures := map[string]image.Image{"colour": colour, "grey": grey(colour), "transparent": translucent(colour)}
	for name, img := range pictures {
		for _, scale := range []float64{2, 2.5} {
			at := func(m *Model, strength *float64) *image.NRGBA64 {
				t.Helper()
				out, err := m.Upscale(t.Context(), img, Options{Scale: scale, Depth: 16, Strength: strength})
				if err != nil {
					t.Fatal(err)
				}
				return deep(out)
			}
			full, one := at(m, nil), 1.0
			if !bytes.Equal(at(m, &one).Pix, full.Pix) {
				t.Errorf("%s ×%g: strength 1 changes something", name, scale)
			}
			plain := at(Plain(resample.Bicubic), nil)
			for _, strength := range []float64{0, 0.5, 1.3} {
				got := at(m, &strength)
				worst := 0.0
				for i := 0; i < len(got.Pix); i += 2 {
					sample := func(p *image.NRGBA64) float64 { return float64(int(p.Pix[i])<<8 | int(p.Pix[i+1])) }
					want := sample(plain) + strength*(sample(full)-sample(plain))
					if want < 700 || want > 64800 || sample(full) < 700 || sample(full) > 64800 || sample(plain) < 700 || sample(plain) > 64800 {
						continue // cut off
					}
					worst = max(worst, abs(sample(got)-want)/257)
				}
				if t.Logf("%s ×%g, strength %g: %.2f levels off", name, scale, strength, worst); worst > 1 {
					t.Errorf("%s ×%g, strength %g: %.1f levels off", name, scale, strength, worst)
				}
			}
		}
	}
	for _, strength := range []float64{-0.1, 1.4} {
		if _, err := m.Upscale(t.Context(), colour, Options{Strength: &strength}); err == nil {
			t.Errorf("no error for strength %g", strength)
		}
	}
}

func abs(v float64) float64 { return max(v, -v) }

func grey(img image.Image) image.Image {
	out := image.NewGray(img.Bounds())
	for y := out.Rect.Min.Y; y < out.Rect.Max.Y; y++ {
		for x := out.Rect.Min.X; x < out.Rect.Max.X; x++ {
			out.Set(x, y, img.At(x, y))
		}
	}
	return out
}

func translucent(img image.Image) image.Image {
	out := image.NewNRGBA(img.Bounds())
	for y := out.Rect.Min.Y; y < out.Rect.Max.Y; y++ {
		for x := out.Rect.Min.X; x < out.Rect.Max.X; x++ {
			out.Set(x, y, img.At(x, y))
			out.Pix[out.PixOffset(x, y)+3] = uint8(100 + 3*x)
		}
	}
	return out
}

func deep(img image.Image) *image.NRGBA64 {
	out := image.NewNRGBA64(img.Bounds())
	for y := out.Rect.Min.Y; y < out.Rect.Max.Y; y++ {
		for x := out.Rect.Min.X; x < out.Rect.Max.X; x++ {
			out.Set(x, y, img.At(x, y))
		}
	}
	return out
}
