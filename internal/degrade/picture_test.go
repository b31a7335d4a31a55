package degrade

import (
	"bytes"
	"image"
	"image/color"
	"math"
	"testing"
)

func TestWithNoise(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 200, 100))
	for i := range 200 * 100 {
		img.SetNRGBA(i%200, i/200, color.NRGBA{100, 120, 140, uint8(i)})
	}
	got := WithNoise(img, 6, 1)
	if !bytes.Equal(WithNoise(img, 6, 1).Pix, got.Pix) || bytes.Equal(WithNoise(img, 6, 2).Pix, got.Pix) {
		t.Error("noise is not by its seed")
	}
	var sum, squares float64
	for i, v := range got.Pix {
		d := float64(v) - float64(img.Pix[i])
		if i%4 == 3 && d != 0 {
			t.Fatal("transparency was changed")
		}
		sum, squares = sum+d, squares+d*d
	}
	if deviation := math.Sqrt(squares / 60000); math.Abs(sum/60000) > 0.1 || math.Abs(deviation-6) > 0.1 {
		t.Errorf("mean %.2f, deviation %.2f, want 0 and 6", sum/60000, deviation)
	}
}
