package superres

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"path/filepath"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"superres/internal/golden"
	"superres/internal/testimage"
)

// sheet returns a drawing of what pictures on screens are made of: text, thin lines, a disc, a gradient, a
// checkerboard and single pixels.
func sheet() image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, 96, 72))
	draw.Draw(m, m.Bounds(), image.White, image.Point{}, draw.Src)
	ink := image.NewUniform(color.NRGBA{20, 30, 120, 255})
	text := font.Drawer{Dst: m, Src: ink, Face: basicfont.Face7x13, Dot: fixed.P(3, 12)}
	text.DrawString("Super 8x")
	for i := range 96 {
		m.Set(i, 16+i/8, color.NRGBA{200, 40, 40, 255}) // a shallow line
		m.Set(i, 71-i/2, color.NRGBA{0, 0, 0, 255})     // a steep one
		for y := 32; y < 40; y++ {
			m.Set(i, y, color.NRGBA{uint8(255 * i / 95), 128, uint8(255 - 255*i/95), 255}) // a gradient
		}
	}
	for y := range 72 {
		for x := range 96 {
			if r := math.Hypot(float64(x)-76, float64(y)-54); r < 13 {
				m.Set(x, y, color.NRGBA{240, 180, 20, 255})
			}
			if x >= 4 && x < 28 && y >= 44 && y < 68 && (x/2+y/2)%2 == 0 {
				m.Set(x, y, color.NRGBA{0, 90, 60, 255})
			}
			if x >= 34 && x < 54 && y >= 58 && y < 70 && x%4 == 0 && y%4 == 0 {
				m.Set(x, y, color.NRGBA{90, 0, 90, 255})
			}
		}
	}
	return m
}

// stroke returns one bent white stroke on black, as digits are.
func stroke() image.Image {
	return testimage.Gray(14, 14, func(x, y int) uint8 {
		u, v := float64(x)-6.5, float64(y)-6.5
		d := math.Abs(math.Hypot(u, v*0.8) - 4)
		return uint8(255 * math.Max(0, math.Min(1, 1.6-d)))
	})
}

// What embedded models and plain interpolations make of a photograph, two drawings and a soft-edged disc is compared
// with golden files.
func TestGolden(t *testing.T) {
	hopper := golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png"))
	for _, c := range []struct {
		name, model string
		img         image.Image
		scale       float64
	}{
		{"hopper_nearest.png", "nearest", hopper, 2},
		{"hopper_bicubic.png", "bicubic", hopper, 2},
		{"hopper_photo.png", "photo", hopper, 2},
		{"sheet_bicubic.png", "bicubic", sheet(), 2},
		{"sheet_lanczos.png", "lanczos", sheet(), 2},
		{"sheet_photo_3x.png", "photo", sheet(), 3},
		{"stroke_digits.png", "digits", stroke(), 2},
		{"disc_photo.png", "photo", disc(24, 8, color.NRGBA{240, 140, 20, 0}, color.NRGBA{0, 255, 0, 0}), 2},
	} {
		got := upscale(t, builtin(t, c.model), c.img, c.scale)
		golden.Compare(t, c.name, got, golden.Tolerance{Levels: 1, Share: 0.01})
	}
}
