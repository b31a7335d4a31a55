package picture

import (
	"image"
	"image/color"
	"math/rand/v2"
	"testing"
)

// fill sets every pixel of an image at random.
func fill[T interface {
	image.Image
	Set(x, y int, c color.Color)
}](m T, opaque bool) T {
	rng := rand.New(rand.NewPCG(1, 2))
	b := m.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			a := uint16(0xffff)
			if !opaque {
				a = 0x101 * uint16(1+rng.IntN(255))
			}
			m.Set(x, y, color.NRGBA64{uint16(rng.Uint32()), uint16(rng.Uint32()), uint16(rng.Uint32()), a})
		}
	}
	return m
}

// Taken apart and put together, a picture of each type keeps its pixels, also when
// it is a part of a larger one.
func TestSplitAndImage(t *testing.T) {
	r := image.Rect(3, 2, 12, 9)
	palette := color.Palette{color.NRGBA{1, 2, 3, 255}, color.NRGBA{200, 100, 50, 255}, color.NRGBA{9, 9, 9, 128}}
	for name, m := range map[string]image.Image{
		"gray":    fill(image.NewGray(r), true),
		"gray16":  fill(image.NewGray16(r), true),
		"nrgba":   fill(image.NewNRGBA(r), false),
		"opaque":  fill(image.NewNRGBA(r), true),
		"nrgba64": fill(image.NewNRGBA64(r), false),
		"palette": fill(image.NewPaletted(r, palette), true),
		"part":    fill(image.NewNRGBA(image.Rect(0, 0, 30, 30)), false).SubImage(r),
		"grays":   fill(image.NewGray(image.Rect(0, 0, 30, 30)), true).SubImage(r),
		"ycbcr":   image.NewYCbCr(r, image.YCbCrSubsampleRatio420),
	} {
		p := Split(m)
		got := p.Image()
		if got.Bounds() != image.Rect(0, 0, 9, 7) {
			t.Fatalf("%s: %v", name, got.Bounds())
		}
		if g := len(p.Channels) == 1; g != (name == "gray" || name == "gray16" || name == "grays") {
			t.Errorf("%s: grey %v", name, g)
		}
		for y := range 7 {
			for x := range 9 {
				a := color.NRGBA64Model.Convert(m.At(3+x, 2+y)).(color.NRGBA64)
				b := color.NRGBA64Model.Convert(got.At(x, y)).(color.NRGBA64)
				if a != b && !(IsDeep(m) == false && a.R>>8 == b.R>>8 && a.G>>8 == b.G>>8 && a.B>>8 == b.B>>8 && a.A == b.A) {
					t.Fatalf("%s at (%d,%d): %v became %v", name, x, y, a, b)
				}
			}
		}
	}
}
