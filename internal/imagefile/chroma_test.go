package imagefile

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"superres/internal/chroma"
	"superres/internal/must"
)

// Files of every kind of colour resolution, and what libjpeg-turbo 2.1.5 (djpeg) and libwebp
// 1.2.4 (dwebp) make of them: FILE and FILE.png. They are bars of black, white and six
// colours, noise, and gradients, of odd width and height, by cjpeg -quality 90 -sample of
// their names, and cwebp -q 90, with alpha and without, or -lossless.
func TestColourOfLibraries(t *testing.T) {
	want, err := filepath.Glob("testdata/*.png")
	if err != nil || len(want) != 7 {
		t.Fatalf("%d files, %v", len(want), err)
	}
	for _, name := range want {
		file := must.Get(os.Open(name))(t)
		expected, err := png.Decode(file)
		file.Close()
		if err != nil {
			t.Fatal(err)
		}
		data := must.Get(os.ReadFile(strings.TrimSuffix(name, ".png")))(t)
		p := must.Get(decodeBytes(data, name, Limits{}))(t)
		most, differ, far := 0, 0, 0 // far: by more than 2
		b := expected.Bounds()
		if p.Image.Bounds() != b {
			t.Fatalf("%s: %v, expected %v", name, p.Image.Bounds(), b)
		}
		for y := range b.Dy() {
			for x := range b.Dx() {
				got, want := plain(p.Image, x, y), plain(expected, x, y)
				for i, v := range got {
					if d := int(v) - int(want[i]); d != 0 {
						differ, most = differ+1, max(most, d, -d)
						if d > 2 || d < -2 {
							far++
						}
					}
				}
			}
		}
		t.Logf("%s: %d of %d samples differ, %d of them by more than 2, by %d at most", name, differ, 4*b.Dx()*b.Dy(),
			far, most)
		// The cosine transforms round otherwise, with colour at full resolution, too: Go's is
		// within 2 of djpeg -dct float.
		limit := 3
		if strings.Contains(name, "webp") {
			limit = 0
		}
		if most > limit || far > 4*b.Dx()*b.Dy()/500 {
			t.Errorf("%s: %d samples differ by more than 2, by %d at most", name, far, most)
		}
	}
}

func plain(img image.Image, x, y int) [4]uint8 {
	if src, ok := img.(*image.YCbCr); ok {
		r, g, b := color.YCbCrToRGB(src.Y[src.YOffset(x, y)], src.Cb[src.COffset(x, y)], src.Cr[src.COffset(x, y)])
		return [4]uint8{r, g, b, 255}
	}
	c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
	return [4]uint8{c.R, c.G, c.B, c.A}
}

// Colour of one or two samples, which libjpeg repeats, and a single row or column.
func TestSmallColour(t *testing.T) {
	for _, ratio := range []image.YCbCrSubsampleRatio{image.YCbCrSubsampleRatio420, image.YCbCrSubsampleRatio422,
		image.YCbCrSubsampleRatio440, image.YCbCrSubsampleRatio411, image.YCbCrSubsampleRatio410} {
		for _, size := range []image.Point{{1, 1}, {1, 9}, {9, 1}, {4, 4}, {5, 2}, {6, 3}} {
			img := image.NewYCbCr(image.Rectangle{Max: size}, ratio)
			for i := range img.Cb {
				img.Cb[i], img.Cr[i] = 90, 200
			}
			got := chroma.Smooth(img)
			for y := range size.Y {
				for x := range size.X {
					if got.At(x, y) != (color.YCbCr{Y: 0, Cb: 90, Cr: 200}) {
						t.Fatalf("%v, %v: %v at %d,%d", ratio, size, got.At(x, y), x, y)
					}
				}
			}
			if ratio == image.YCbCrSubsampleRatio420 {
				fromLimitedRange(img)
			}
		}
	}
}
