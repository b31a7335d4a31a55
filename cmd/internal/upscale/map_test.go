package upscale

import (
	"bytes"
	"image"
	"image/color/palette"
	"image/png"
	"path/filepath"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/imagefile/imagetest"
)

// --map draws a map of the size of the result, which stays the same, also where it would be written in strips. It is
// for one still picture, and replaces no file.
func TestMap(t *testing.T) {
	dir := t.TempDir()
	consoletest.Blobs(t, dir, 20, 14, "a.png", "in/b.png", "in/c.png")
	succeeds(t, dir, "-q a.png -o plain.png")
	succeeds(t, dir, "-q a.png -o whole.png --map m1.png")
	succeeds(t, dir, "-q a.png -o strips.png --tile 5 --map m2.png")
	plain := consoletest.Read(t, dir, "plain.png")
	for _, other := range []string{"whole.png", "strips.png"} {
		if !bytes.Equal(consoletest.Read(t, dir, other), plain) {
			t.Errorf("%s is another picture", other)
		}
	}
	first := consoletest.Read(t, dir, "m1.png")
	img, err := png.Decode(bytes.NewReader(first))
	if _, ok := img.(*image.Paletted); err != nil || !ok || img.Bounds().Size() != image.Pt(40, 28) {
		t.Errorf("the map is a %T: %v", img, err)
	}
	if !bytes.Equal(consoletest.Read(t, dir, "m2.png"), first) {
		t.Error("the map depends on --tile")
	}
	expect(t, dir, "", "-q in -o out --map m3.png", 2, "--map takes one still picture")
	expect(t, dir, "", "-q a.png -o again.png --map m1.png", 5, "m1.png")
	frame := func() *image.Paletted { return image.NewPaletted(image.Rect(0, 0, 9, 8), palette.Plan9) }
	consoletest.Put(t, filepath.Join(dir, "moving.gif"), imagetest.GIF(t, frame(), frame()))
	expect(t, dir, "", "-q moving.gif -o moving.png --map m4.png", 2, "a map of what is sure is for a still picture")
}
