package atoms

import (
	"bytes"
	"image"
	"image/color"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/mosaic"
	"superres/internal/golden"
)

// The picture, pixel by pixel.
func TestDictMosaic(t *testing.T) {
	dir := t.TempDir()
	putHalves(t, filepath.Join(dir, "bare.npz"), "low", "high")
	ok(t, dir, "dict", "show", "bare.npz", "-o", "a.png", "--zoom", "3", "-q")
	img := golden.Open(t, filepath.Join(dir, "a.png"))
	// Cells of 12+1+12 by 12 pixels, 6 apart, in two columns.
	if img.Bounds().Size() != image.Pt(2*(25+6)+6, 2*(12+6)+6) {
		t.Fatalf("%v", img.Bounds())
	}
	grey := func(v uint8) color.Color { return color.NRGBAModel.Convert(color.Gray{v}) }
	blue := color.NRGBAModel.Convert(mosaic.Palette[mosaic.Ground])
	for _, c := range []struct {
		x, y int
		want color.Color
		what string
	}{
		{0, 0, blue, "the ground"}, {18, 10, blue, "the gap between the halves"},
		{40, 40, blue, "the place of a fourth atom"},
		{6, 6, grey(255), "the edge, low"}, {12, 6, grey(1), "the edge, low, right"},
		{17, 17, grey(1), "its last pixel"},
		{19, 6, grey(255), "the edge, high"}, {25, 6, grey(1), "the edge, high, right"},
		{30, 17, grey(1), "its last pixel"},
		{37, 6, grey(128), "the dot, low"}, {43, 12, grey(255), "the dot itself"}, {50, 6, grey(128), "the dot, high"},
		{61, 17, grey(255), "the dot itself, high"},
		{12, 30, grey(7), "nearly the edge: 128 − round(127·0.95)"},
		{22, 24, grey(213), "nearly the edge, high: 128 + round(127·2/3)"},
	} {
		if got := color.NRGBAModel.Convert(img.At(c.x, c.y)); got != c.want {
			t.Errorf("%s at %d, %d: %v, expected %v", c.what, c.x, c.y, got, c.want)
		}
	}

	// By use: the dot first, for a picture of dots.
	ok(t, dir, "dict", "import", "bare.npz", "-o", "m.npz", "--sparsity", "1", "-q")
	white := image.NewGray(image.Rect(0, 0, 2, 2))
	white.SetGray(1, 1, color.Gray{255})
	consoletest.WritePicture(t, filepath.Join(dir, "dot.png"), white)
	png, stderr := ok(t, dir, "dict", "show", "m.npz", "dot.png", "-o", "-", "--zoom", "3")
	consoletest.Put(t, filepath.Join(dir, "b.png"), []byte(png))
	if got := golden.Open(t, filepath.Join(dir, "b.png")).At(12, 12); color.NRGBAModel.Convert(got) != grey(255) ||
		!strings.Contains(stderr, "1 of 3 atoms used") {
		t.Errorf("%v, %s", got, stderr)
	}

	// Dictionaries: squares, shapes, columns; the zoom fits a screen.
	consoletest.PutMatrix(t, filepath.Join(dir, "nine.npy"), mat.NewDense(9, 2, nil))
	consoletest.PutMatrix(t, filepath.Join(dir, "six.csv"), mat.NewDense(6, 1, []float64{1, 2, 3, 4, 5, -6}))
	for _, c := range []struct {
		args string
		want image.Point
	}{
		{"nine.npy --zoom 2", image.Pt(4+2*(6+4), 4+6+4)},
		{"six.csv --zoom 2", image.Pt(4+2+4, 4+12+4)},
		{"six.csv --zoom 2 --shape 2x3", image.Pt(4+4+4, 4+6+4)},
		{"six.csv", image.Pt(8+16+8, 8+96+8)},
	} {
		ok(t, dir, append([]string{"dict", "show", "-o", "c.png", "--on-exist", "overwrite"},
			strings.Fields(c.args)...)...)
		if got := consoletest.Size(t, filepath.Join(dir, "c.png")); got != c.want {
			t.Errorf("%s: %v, expected %v", c.args, got, c.want)
		}
	}
	for model := range coupledBuiltins(t) {
		ok(t, dir, "dict", "show", model, "-o", model+".png")
		if s := consoletest.Size(t, filepath.Join(dir, model+".png")); s.X > 1600 || s.Y > 1600 || s.X < 800 {
			t.Errorf("%s: %v", model, s)
		}
	}
	if _, stderr := ok(t, dir, "dict", "show", "m.npz", "-o", "a.jpg", "-q"); stderr != "" ||
		!bytes.HasPrefix(consoletest.Read(t, dir, "a.jpg"), []byte("\xff\xd8")) {
		t.Error(stderr)
	}
}
