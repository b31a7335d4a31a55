package tiff

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/webp"

	"superres/internal/must"
)

// The files in testdata were written by libtiff 4.5 (tiffcp, Pillow 9.4), libvips 8.14, ImageMagick 6.9 and tifffile,
// of pictures of 21×17 pixels with these samples.
const width, height = 21, 17

func eight(x, y, c int) uint8    { return uint8(x*13 + y*29 + c*71 + x*y) }
func sixteen(x, y, c int) uint16 { return uint16(x*1300 + y*2900 + c*7100 + x*y*11) }
func white(x, y int) bool        { return (x*x+3*y*y)%7 < 3 }

// decode decodes the file of the given name in testdata.
func decode(data []byte) (image.Image, []string, error) {
	return Decode(context.Background(), bytes.NewReader(data), data, Options{
		WebP: func(_ context.Context, data []byte) (image.Image, error) { return webp.Decode(bytes.NewReader(data)) },
	})
}

// wanted returns the colour that a pixel of a file in testdata has by the name of the file, and by how much a level may
// be off.
func wanted(name string, x, y int) (c color.Color, off int) {
	kind, _, _ := strings.Cut(name, "-")
	grey := func(v uint16) color.Color { return color.Gray16{v} }
	depth := func(bits int) color.Color {
		most := 1<<bits - 1
		return grey(uint16((int(sixteen(x, y, 0)>>(16-bits))*65535 + most/2) / most))
	}
	switch {
	case kind == "bilevel" && white(x, y):
		return color.White, 0
	case kind == "bilevel":
		return color.Black, 0
	case name == "rgb-jpeg-rgb":
		return color.RGBA{eight(x, y, 0), eight(x, y, 1), eight(x, y, 2), 255}, 20 << 8 // of noise at quality 95
	case kind == "rgb":
		return color.RGBA{eight(x, y, 0), eight(x, y, 1), eight(x, y, 2), 255}, 0
	case kind == "rgb16":
		return color.RGBA64{sixteen(x, y, 0), sixteen(x, y, 1), sixteen(x, y, 2), 65535}, 0
	case name == "rgba-multiplied":
		return color.RGBA{eight(x, y, 0), eight(x, y, 1), eight(x, y, 2), eight(x, y, 3)}, 0
	case kind == "rgba":
		return color.NRGBA{eight(x, y, 0), eight(x, y, 1), eight(x, y, 2), eight(x, y, 3)}, 0
	case name == "grey-alpha":
		return color.NRGBA{eight(x, y, 0), eight(x, y, 0), eight(x, y, 0), eight(x, y, 3)}, 0
	case kind == "cmyk":
		return color.CMYK{eight(x, y, 0), eight(x, y, 1), eight(x, y, 2), eight(x, y, 3)}, 0
	case kind == "palette":
		i := int(eight(x, y, 0) / 16)
		return color.RGBA{uint8(i * 7), uint8(i * 31), uint8(i * 97), 255}, 0
	case name == "grey-2-bits":
		return depth(2), 0
	case name == "grey-4-bits":
		return depth(4), 0
	case name == "grey-12-bits":
		return depth(12), 0
	case name == "grey-float16":
		return grey(sixteen(x, y, 0)), 32
	}
	return grey(sixteen(x, y, 0)), 1
}

// Files as other programs write them have the pixels that were written.
func TestFiles(t *testing.T) {
	names := must.Get(filepath.Glob("testdata/*.tif"))(t)
	if len(names) < 40 {
		t.Fatalf("%d files", len(names))
	}
	for _, file := range names {
		data := must.Get(os.ReadFile(file))(t)
		name := strings.TrimSuffix(filepath.Base(file), ".tif")
		img, warnings, err := decode(data)
		if err != nil || len(warnings) > 0 {
			t.Errorf("%s: %v %v", name, err, warnings)
			continue
		}
		config := must.Get(DecodeConfig(bytes.NewReader(data)))(t)
		b := img.Bounds()
		if b != image.Rect(0, 0, config.Width, config.Height) || !strings.Contains(name, "palette") &&
			img.ColorModel() != config.ColorModel {
			t.Errorf("%s: %v, the header says %d×%d", name, b, config.Width, config.Height)
		}
		if strings.HasPrefix(name, "runs") || name == "rgb-jpeg" {
			continue // see TestRuns, and package jpeg: its colour is halved
		}
		if b.Dx() != width || b.Dy() != height {
			t.Errorf("%s: %v", name, b)
			continue
		}
		worst, where := 0, image.Point{}
		for y := range height {
			for x := range width {
				want, off := wanted(name, x, y)
				if d := distance(img.At(x, y), want); d > max(off, worst) {
					worst, where = d, image.Pt(x, y)
				}
			}
		}
		if worst > 0 {
			want, _ := wanted(name, where.X, where.Y)
			t.Errorf("%s: at %v %v, expected %v", name, where, img.At(where.X, where.Y), want)
		}
	}
}

// distance is the largest difference of two colours, of 65535.
func distance(a, b color.Color) (d int) {
	r, g, bl, al := a.RGBA()
	r2, g2, b2, a2 := b.RGBA()
	for _, p := range [4][2]uint32{{r, r2}, {g, g2}, {bl, b2}, {al, a2}} {
		d = max(d, int(p[0])-int(p[1]), int(p[1])-int(p[0]))
	}
	return d
}

// All codes of runs, of both colours, as libtiff writes them.
func TestRuns(t *testing.T) {
	const wide = 2700
	for _, name := range []string{"runs-g3", "runs-g3-2d", "runs-g4"} {
		img, _, err := decode(must.Get(os.ReadFile("testdata/" + name + ".tif"))(t))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		grey := img.(*image.Gray)
		for i := range 64 {
			from := min(64*(i%41)+i*23%64, wide)
			to := from + min(64*((i*7+3)%41)+(i*37+5)%64, wide-from)
			for x := range wide {
				black := from <= x && x < to
				if got := grey.GrayAt(x, 2*i).Y == 0; got != black || (grey.GrayAt(x, 2*i+1).Y == 0) == black {
					t.Fatalf("%s: pixel %d of line %d", name, x, 2*i)
				}
			}
		}
	}
}

// A file that ends early is not decoded to other pixels, and damage never to a panic.
func TestDamage(t *testing.T) {
	for _, file := range must.Get(filepath.Glob("testdata/*.tif"))(t) {
		data := must.Get(os.ReadFile(file))(t)
		whole, _, err := decode(data)
		if err != nil {
			t.Fatal(file, err)
		}
		if len(data) > 1000 {
			continue
		}
		for n := 0; n < len(data); n += 3 {
			img, warnings, err := decode(data[:n])
			if err == nil && len(warnings) == 0 && !samePixels(img, whole) {
				t.Errorf("%s: other pixels of its first %d bytes of %d", file, n, len(data))
				break
			}
		}
		for i := 0; i < len(data); i += 2 {
			damaged := bytes.Clone(data)
			damaged[i] ^= 1 << (i / 2 % 8)
			if c, err := DecodeConfig(bytes.NewReader(damaged)); err == nil && c.Width*c.Height < 1<<16 {
				_, _, _ = decode(damaged)
			}
		}
	}
}

func samePixels(a, b image.Image) bool {
	if a.Bounds() != b.Bounds() {
		return false
	}
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			if a.At(x, y) != b.At(x, y) {
				return false
			}
		}
	}
	return true
}
