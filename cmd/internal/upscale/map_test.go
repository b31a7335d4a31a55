package upscale

import (
	"bytes"
	"fmt"
	"image"
	"image/color/palette"
	"image/png"
	"math"
	"path/filepath"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/imagefile/imagetest"
	"superres/internal/must"
)

// --map draws a map of the size of the result, which stays the same, also where it would be written in strips. It is
// for one still picture, and replaces no file.
func TestMap(t *testing.T) {
	dir := t.TempDir()
	putBlobs(t, dir, 20, 14, "a.png", "in/b.png", "in/c.png")
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
	// The levels of the legend are the stops of the palette.
	for level, want := range map[float64]string{0: "0 0 0", 1.28: "45 20 130", 5.12: "190 40 100", 11.5: "250 150 30",
		20.4: "255 240 120", 32: "255 255 255"} {
		r, g, b, _ := img.(*image.Paletted).Palette[min(int(math.Round(8*level)), 255)].RGBA()
		var near [3]float64
		_, err := fmt.Sscan(want, &near[0], &near[1], &near[2])
		must.Succeed(t, err)
		for i, v := range [3]uint32{r, g, b} {
			if math.Abs(float64(v>>8)-near[i]) > 5 {
				t.Errorf("the legend at %g: %d %d %d, expected %s", level, r>>8, g>>8, b>>8, want)
			}
		}
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
