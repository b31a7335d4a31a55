package upscale

import (
	"image"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/imagefile"
	"superres/internal/must"
)

// Options accept the usual spellings of other tools: for sizes, times and names of outputs.
func TestHabits(t *testing.T) {
	dir := t.TempDir()
	putBlobs(t, dir, 8, 5, "a.png", "b.png", "in/c.png")
	putBlobs(t, dir, 9, 7, "odd.png")
	putBlobs(t, dir, 120, 90, "large.png")
	putBlobs(t, dir, 1, 200, "narrow.png")
	for line, want := range map[string]struct {
		file string
		w, h int
	}{
		"a.png -s 4x":                         {"a_4x.png", 32, 20},
		"a.png -s x3":                         {"a_3x.png", 24, 15},
		"a.png -s 4×":                         {"a_4x.png", 32, 20},
		"a.png --scale=250%":                  {"a_2.5x.png", 20, 13},
		"large.png --fit HD":                  {"large_960x720.png", 960, 720},
		"a.png --timeout 5":                   {"a_2x.png", 16, 10},
		"a.png --timeout=5.5":                 {"a_2x.png", 16, 10},
		"a.png out.png":                       {"out.png", 16, 10},
		"a.png out.jpg -s 3":                  {"out.jpg", 24, 15},
		"a.png new/out.png":                   {"new/out.png", 16, 10},
		"a.png --name {stem}_big.png":         {"a_big.png", 16, 10},
		"a.png --name {stem}.jpeg":            {"a.jpeg", 16, 10},
		"in --name {stem}_{size}.tif -o here": {"here/c_2x.tif", 16, 10},
		"odd.png --width 10":                  {"odd_10x8.png", 10, 8},
		"odd.png --height 100":                {"odd_129x100.png", 129, 100},
		"odd.png --width 40 --height 7":       {"odd_40x7.png", 40, 7},
		"odd.png --fit 100x50":                {"odd_64x50.png", 64, 50},
		"odd.png --fit 50×100":                {"odd_50x39.png", 50, 39},
		"odd.png --fit 9X7":                   {"odd_9x7.png", 9, 7},
		"odd.png -s 1.5":                      {"odd_1.5x.png", 14, 11},
		"narrow.png -m photo":                 {"narrow_2x.png", 2, 400},
	} {
		before := consoletest.Tree(t, dir)
		expect(t, dir, "", "-q -m bicubic "+line, 0)
		made := slices.DeleteFunc(consoletest.Tree(t, dir), func(f string) bool { return slices.Contains(before, f) })
		if !slices.Equal(made, []string{want.file}) {
			t.Errorf("%s: made %v", line, made)
			continue
		}
		path := filepath.Join(dir, want.file)
		pic := must.Get(imagefile.Open(t.Context(), path, imagefile.Limits{}))(t)
		format, _ := imagefile.FormatOf(want.file)
		if size := pic.Image.Bounds().Size(); size != image.Pt(want.w, want.h) || pic.Format != format {
			t.Errorf("%s: %s, %v", line, pic.Format, size)
		}
		must.Succeed(t, os.Remove(path))
	}
	// Two pictures that are there are two inputs.
	succeeds(t, dir, "-q a.png b.png -m bicubic")
	if !slices.Contains(consoletest.Tree(t, dir), "b_2x.png") {
		t.Error("the second is no input")
	}
}
