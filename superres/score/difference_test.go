package score

import (
	"image"
	"image/color"
	"math"
	"testing"

	"superres/internal/testimage"
)

// The differences of pictures in which they are known: of one channel, of grey against
// colour, of 16 bits, of what a transparent pixel hides.
func TestDiffer(t *testing.T) {
	nrgba := func(colours ...color.NRGBA) image.Image {
		m := image.NewNRGBA(image.Rect(0, 0, len(colours), 1))
		for x, c := range colours {
			m.SetNRGBA(x, 0, c)
		}
		return m
	}
	grey16 := func(v uint16) image.Image {
		m := image.NewGray16(image.Rect(0, 0, 1, 1))
		m.SetGray16(0, 0, color.Gray16{Y: v})
		return m
	}
	red := color.NRGBA{200, 100, 100, 255}
	for name, c := range map[string]struct {
		ref, test image.Image
		want      Difference
	}{
		"equal":         {nrgba(red, red), nrgba(red, red), Difference{0, 0}},
		"one channel":   {nrgba(red, red), nrgba(red, color.NRGBA{200, 100, 112, 255}), Difference{2, 12}},
		"grey":          {nrgba(red, red), testimage.Gray(2, 1, func(x, y int) uint8 { return 100 }), Difference{100. / 3, 100}},
		"16 bits":       {grey16(257), grey16(257 + 514), Difference{2, 2}},
		"hidden colour": {nrgba(red, color.NRGBA{0, 0, 0, 0}), nrgba(red, color.NRGBA{255, 255, 255, 0}), Difference{0, 0}},
	} {
		got, err := Differ(c.ref, c.test, 1)
		if err != nil || math.Abs(got.Mean-c.want.Mean) > 1e-4 || math.Abs(got.Max-c.want.Max) > 1e-4 || name != "16 bits" && got.Max != c.want.Max {
			t.Errorf("%s: got %+v, %v, expected %+v", name, got, err, c.want)
		}
	}
	if _, err := Differ(grey16(1), testimage.Gray(2, 1, func(x, y int) uint8 { return 1 }), 1); err == nil {
		t.Error("a larger test picture, and no error")
	}
}
