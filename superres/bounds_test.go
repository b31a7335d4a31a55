package superres

import (
	"bytes"
	"image"
	"image/png"
	"math"
	"os"
	"testing"

	"superres/internal/degrade"
	"superres/internal/must"
	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres/resample"
)

// Of the pixels of pictures that no model was trained on, about nine of ten are within their bounds, at each scale, and
// where bounds are large errors are.
func TestBounds(t *testing.T) {
	m := builtin(t, "photo")
	img := must.Get(png.Decode(bytes.NewReader(must.Get(os.ReadFile("../testdata/hopper.png"))(t))))(t)
	truth := picture.Split(img).Luma()
	for scale := 2; scale <= 4; scale++ {
		whole := truth.Crop(0, 0, truth.W/scale*scale, truth.H/scale*scale)
		low := resample.Cubic.Reduce(whole, scale)
		small := image.NewGray(image.Rect(0, 0, low.W, low.H))
		for i, v := range low.Pix {
			small.Pix[i] = uint8(math.Round(255 * float64(picture.Clamp(v))))
		}
		result := upscale(t, m, small, float64(scale))
		bounds, got := Choice{}.Signs(small, result).ErrorBounds(), picture.Split(result).Luma()
		within, sure, unsure := 0, 0.0, 0.0 // the sums of errors where bounds are below and above their middle
		middle := mean(bounds)
		for i, v := range got.Pix {
			off := 255 * math.Abs(float64(v-whole.Pix[i]))
			if off <= float64(bounds.Pix[i]) {
				within++
			}
			if float64(bounds.Pix[i]) < middle {
				sure += off
			} else {
				unsure += off
			}
		}
		if share := float64(within) / float64(len(got.Pix)); share < 0.84 || share > 0.97 {
			t.Errorf("×%d: %.1f %% are within their bounds", scale, 100*share)
		}
		if unsure < 1.5*sure {
			t.Errorf("×%d: errors of %.0f where bounds are large, %.0f where they are small", scale, unsure, sure)
		}
		noisy := Choice{Strength: 0.4, Robust: 1}.Signs(small, result).ErrorBounds()
		if mean(noisy) < 1.2*middle {
			t.Errorf("×%d: bounds of %.2f with noise, %.2f without", scale, mean(noisy), middle)
		}
	}
	flat := degrade.WithNoise(image.NewGray(image.Rect(0, 0, 20, 20)), 0, 1)
	for _, v := range (Choice{}).Signs(flat, upscale(t, m, flat, 2.5)).ErrorBounds().Pix {
		if v > 5 {
			t.Fatalf("a bound of %g in a flat picture", v)
		}
	}
}

func mean(p *plane.Plane) (sum float64) {
	for _, v := range p.Pix {
		sum += float64(v) / float64(len(p.Pix))
	}
	return sum
}

// A map has the bounds as indices, and colours that grow brighter.
func TestBoundsMap(t *testing.T) {
	m := BoundsMap(&plane.Plane{W: 3, H: 1, Pix: []float32{0.5, 3, 90}})
	if m.Pix[0] != 4 || m.Pix[1] != 24 || m.Pix[2] != 255 {
		t.Errorf("indices %v", m.Pix)
	}
	before := -1.0
	for _, c := range m.Palette {
		r, g, b, _ := c.RGBA()
		if now := 0.299*float64(r) + 0.587*float64(g) + 0.114*float64(b); now <= before {
			t.Fatalf("the colours do not grow brighter at %v", c)
		} else {
			before = now
		}
	}
}

// Means are taken over squares, with edge samples repeated.
func TestMeanAround(t *testing.T) {
	p := &plane.Plane{W: 5, H: 4, Pix: make([]float32, 20)}
	for i := range p.Pix {
		p.Pix[i] = float32(i * i % 17)
	}
	got := meanAround(p, 2)
	for y := range p.H {
		for x := range p.W {
			want := 0.0
			for v := y - 2; v <= y+2; v++ {
				for u := x - 2; u <= x+2; u++ {
					want += float64(p.Row(min(max(v, 0), 3))[min(max(u, 0), 4)]) / 25
				}
			}
			if math.Abs(want-float64(got.Row(y)[x])) > 1e-4 {
				t.Errorf("(%d, %d): %g, expected %g", x, y, got.Row(y)[x], want)
			}
		}
	}
}
