package measure

import (
	"image"
	"image/color"
	"math"
	"testing"

	"superres/internal/degrade"
)

// Noise raises the deviation of quiet places to about its own; a texture does not where it leaves a place free.
func TestQuiet(t *testing.T) {
	of := func(img image.Image) float64 { return Quiet(SamplesOf(Parts(img)...)) }
	img := image.NewGray(image.Rect(0, 0, 120, 100))
	for i := range img.Pix {
		img.Pix[i] = 128
		if x, y := i%120, i/120; y < 90 && (x/2+y/2)%2 == 0 {
			img.Pix[i] = 60
		}
	}
	if got := of(img); got != 0 {
		t.Errorf("a texture over nine tenths of a picture: %g, expected 0", got)
	}
	flat := image.NewGray(img.Rect)
	for i := range flat.Pix {
		flat.Pix[i] = 128
	}
	// Noise of 9 levels in each colour is 6.0 in brightness. The deviation of 25 normal samples is below 0.66 in one of
	// a hundred: χ² of 24 degrees of freedom has 10.9 there, and √(10.9/25) = 0.66.
	if got, want := of(degrade.WithNoise(flat, 9, 1)), 9*0.668*0.66; math.Abs(got-want) > 0.05*want {
		t.Errorf("noise of 9 levels: %g, expected %g", got, want)
	}
	flat.SetGray(60, 50, color.Gray{Y: 228})
	if got := of(flat); got != 0 {
		t.Errorf("one bright sample: %g, expected 0", got)
	}
	for i := range flat.Pix {
		flat.Pix[i] = 250
	}
	if got := of(flat); !math.IsInf(got, 1) {
		t.Errorf("white: %g, expected none", got)
	}
}
