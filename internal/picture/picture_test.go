package picture

import (
	"image"
	"image/color"
	"slices"
	"testing"

	"superres/internal/testimage"
	"superres/patches/plane"
)

// Images of all types keep their pixels through Split and Image, also as parts of larger ones.
func TestSplitAndImage(t *testing.T) {
	r := image.Rect(3, 2, 12, 9)
	palette := color.Palette{color.NRGBA{1, 2, 3, 255}, color.NRGBA{200, 100, 50, 255}, color.NRGBA{9, 9, 9, 128}}
	for name, m := range map[string]image.Image{
		"gray":    testimage.Fill(image.NewGray(r), true),
		"gray16":  testimage.Fill(image.NewGray16(r), true),
		"nrgba":   testimage.Fill(image.NewNRGBA(r), false),
		"opaque":  testimage.Fill(image.NewNRGBA(r), true),
		"nrgba64": testimage.Fill(image.NewNRGBA64(r), false),
		"palette": testimage.Fill(image.NewPaletted(r, palette), true),
		"part":    testimage.Fill(image.NewNRGBA(image.Rect(0, 0, 30, 30)), false).SubImage(r),
		"grays":   testimage.Fill(image.NewGray(image.Rect(0, 0, 30, 30)), true).SubImage(r),
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
				if a != b && !(IsDeep(m) == false && a.R>>8 == b.R>>8 && a.G>>8 == b.G>>8 && a.B>>8 == b.B>>8 &&
					a.A == b.A) {
					t.Fatalf("%s at (%d,%d): %v became %v", name, x, y, a, b)
				}
			}
		}
	}
}

// Orient moves each sample to one position, differently in all orientations, and AddOriented moves it back.
func TestOrientations(t *testing.T) {
	p := plane.New(5, 3)
	for i := range p.Pix {
		p.Pix[i] = float32(i)
	}
	seen := map[float32]bool{}
	for form := range int32(Orientations) {
		o := Orient(p, form)
		back := plane.New(p.W, p.H)
		for y := range o.H {
			for x, v := range o.Row(y) {
				back.Pix[SourceOffset(form, x, y, p.W, p.H)] = v
			}
		}
		if !slices.Equal(back.Pix, p.Pix) {
			t.Errorf("orientation %d comes back as %v", form, back.Pix)
		}
		AddOriented(back, o, form, 2)
		for i, v := range p.Pix {
			if back.Pix[i] != 3*v {
				t.Fatalf("orientation %d is added as %v", form, back.Pix)
			}
		}
		if wide := form&Transposed == 0; wide != (o.W == 5) || o.W*o.H != 15 {
			t.Errorf("orientation %d is %d×%d", form, o.W, o.H)
		}
		seen[1000*o.Pix[0]+o.Pix[1]] = true
	}
	if len(seen) != Orientations {
		t.Errorf("%d orientations differ, expected %d", len(seen), Orientations)
	}
}
