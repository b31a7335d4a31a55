package superres

import (
	"image"
	"image/color"
	"testing"
)

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
