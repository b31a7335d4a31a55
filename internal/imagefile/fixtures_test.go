package imagefile

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/internal/chroma"
	"superres/internal/must"
)

// Files of every kind of chroma subsampling, and what libjpeg-turbo 2.1.5 (djpeg) and libwebp 1.2.4 (dwebp) make of
// them: FILE and FILE.png. They are bars of black, white and six colours, noise, and gradients, of odd width and
// height, by cjpeg -quality 90 -sample of their names, and cwebp -q 90, with alpha and without, or -lossless.
func TestFilesOfLibraries(t *testing.T) {
	names := must.Get(filepath.Glob("testdata/*.png"))(t)
	if len(names) != 7 {
		t.Fatalf("%d files", len(names))
	}
	for _, name := range names {
		expected := must.Get(png.Decode(bytes.NewReader(must.Get(os.ReadFile(name))(t))))(t)
		name = strings.TrimSuffix(name, ".png")
		data := must.Get(os.ReadFile(name))(t)
		p := must.Get(decodeBytes(data, name, Limits{}))(t)
		halved := slices.Contains([]string{"2x2.jpg", "lossy.webp", "alpha.webp"}, filepath.Base(name))
		isWebP := filepath.Ext(name) == ".webp"
		if p.Subsampled != halved {
			t.Errorf("%s: chroma at half the resolution: %v", name, p.Subsampled)
		}
		if found := p.Quantiser > 5 && p.Quantiser < 12; found != (halved && isWebP) { // about 9 by -q 90
			t.Errorf("%s: quantiser index %g", name, p.Quantiser)
		}
		b := expected.Bounds()
		if p.Image.Bounds() != b {
			t.Fatalf("%s: %v, expected %v", name, p.Image.Bounds(), b)
		}
		most, limit := 0, 1 // package color rounds otherwise than libjpeg
		if isWebP {
			limit = 0
		}
		for i := range b.Dx() * b.Dy() {
			got, want := shownColour(p.Image, i%b.Dx(), i/b.Dx()), shownColour(expected, i%b.Dx(), i/b.Dx())
			for k, v := range got {
				d := int(v) - int(want[k])
				most = max(most, d, -d)
			}
		}
		if most > limit {
			t.Errorf("%s: a sample differs by %d", name, most)
		}
		for n := range min(len(data), 400) { // cut off anywhere
			src := onDisk(bytes.NewReader(data[:n]), int64(n))
			describeJPEG(&source{ctx: t.Context(), file: src, size: src.size}, &Picture{})
			describeWebP(&source{ctx: t.Context(), file: src, size: src.size}, &Picture{})
		}
	}
}

// shownColour returns the red, green, blue and alpha of a pixel, of YCbCr by the full range of JPEG.
func shownColour(img image.Image, x, y int) [4]uint8 {
	if src, ok := img.(*image.YCbCr); ok {
		r, g, b := color.YCbCrToRGB(src.Y[src.YOffset(x, y)], src.Cb[src.COffset(x, y)], src.Cr[src.COffset(x, y)])
		return [4]uint8{r, g, b, 255}
	}
	c := color.NRGBAModel.Convert(img.At(x, y)).(color.NRGBA)
	return [4]uint8{c.R, c.G, c.B, c.A}
}

// Chroma of one or two samples, which libjpeg repeats, and a single row or column.
func TestSmallColour(t *testing.T) {
	for ratio := image.YCbCrSubsampleRatio422; ratio <= image.YCbCrSubsampleRatio410; ratio++ {
		for _, size := range []image.Point{{1, 1}, {1, 9}, {9, 1}, {4, 4}, {5, 2}, {6, 3}} {
			img := image.NewYCbCr(image.Rectangle{Max: size}, ratio)
			for i := range img.Cb {
				img.Cb[i], img.Cr[i] = 90, 200
			}
			got := chroma.Smooth(img)
			for i := range size.X * size.Y {
				if c := got.At(i%size.X, i/size.X); c != (color.YCbCr{Y: 0, Cb: 90, Cr: 200}) {
					t.Fatalf("%v, %v: %v at pixel %d", ratio, size, c, i)
				}
			}
			if ratio == image.YCbCrSubsampleRatio420 {
				fromLimitedRange(img)
			}
		}
	}
}
