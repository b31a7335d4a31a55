package superres

import (
	"image"
	"image/color"
	"math"
	"testing"
)

func gray(w, h int, f func(x, y int) uint8) *image.Gray {
	m := image.NewGray(image.Rect(0, 0, w, h))
	for i := range m.Pix {
		m.Pix[i] = f(i%w, i/w)
	}
	return m
}

func TestCompare(t *testing.T) {
	a := gray(20, 16, func(x, y int) uint8 { return uint8(10*x + y) })
	same, err := Compare(a, a, 2, 2)
	if err != nil || !math.IsInf(same.PSNR, 1) || math.Abs(same.SSIM-1) > 1e-12 || same.NFE != 0 {
		t.Errorf("a picture against itself: %+v %v", same, err)
	}
	// A step of 51 in R, G and B is 219/255·51 = 43.8 in Y, which rounds; the border is
	// left out.
	b := gray(20, 16, func(x, y int) uint8 { return 100 })
	c := gray(20, 16, func(x, y int) uint8 {
		if x == 0 {
			return 0
		}
		return 151
	})
	got, err := Compare(b, c, 2, 2)
	step := math.Round(16+219*151/255.) - math.Round(16+219*100/255.)
	if want := 20 * math.Log10(255/step); err != nil || math.Abs(got.PSNR-want) > 1e-9 {
		t.Errorf("PSNR %g, expected %g (%v)", got.PSNR, want, err)
	}
	if want := (19*51*51 + 100*100) / (20 * 100 * 100.); math.Abs(got.NFE-want) > 1e-6 {
		t.Errorf("NFE %g, expected %g", got.NFE, want)
	}
	// SSIM of two constants is the luminance term alone.
	x, y := math.Round(16+219*100/255.), math.Round(16+219*151/255.)
	if want := (2*x*y + 6.5025) / (x*x + y*y + 6.5025); math.Abs(got.SSIM-want) > 1e-9 {
		t.Errorf("SSIM %g, expected %g", got.SSIM, want)
	}
}

func TestCompareRefusesOtherSizes(t *testing.T) {
	a := gray(21, 17, func(x, y int) uint8 { return 1 })
	for _, c := range []struct {
		w, h int
		ok   bool
	}{{20, 16, true}, {21, 17, true}, {19, 16, false}, {22, 17, false}, {20, 15, false}} {
		_, err := Compare(a, gray(c.w, c.h, func(x, y int) uint8 { return 2 }), 2, 2)
		if (err == nil) != c.ok {
			t.Errorf("%d×%d: %v", c.w, c.h, err)
		}
	}
	if _, err := Compare(gray(4, 9, func(x, y int) uint8 { return 1 }), gray(4, 9, func(x, y int) uint8 { return 1 }), 2, 2); err == nil {
		t.Error("nothing is left within the border, and no error")
	}
}

// The colour weights of Y.
func TestLimitedY(t *testing.T) {
	for _, c := range []struct {
		c    color.NRGBA
		want float32
	}{{color.NRGBA{255, 255, 255, 255}, 235}, {color.NRGBA{0, 0, 0, 255}, 16}, {color.NRGBA{255, 0, 0, 255}, 81}, {color.NRGBA{0, 255, 0, 255}, 145}, {color.NRGBA{0, 0, 255, 255}, 41}} {
		m := image.NewNRGBA(image.Rect(0, 0, 1, 1))
		m.SetNRGBA(0, 0, c.c)
		if got := limitedY(split(m)).Pix[0]; got != c.want {
			t.Errorf("%v: Y %g, expected %g", c.c, got, c.want)
		}
	}
}
