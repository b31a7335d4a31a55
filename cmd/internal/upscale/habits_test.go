package upscale

import (
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/internal/imagefile"
)

// What people are used to from other tools: sizes, times, names of outputs as they write them.
func TestHabits(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.png", "b.png", "in/c.png"} {
		consoletest.WritePicture(t, filepath.Join(dir, name), consoletest.Blob(8, 5))
	}
	consoletest.WritePicture(t, filepath.Join(dir, "large.png"), consoletest.Blob(120, 90))
	for args, want := range map[string]struct {
		file string
		size image.Point
	}{
		"a.png -s 4x":                         {"a_4x.png", image.Pt(32, 20)},
		"a.png -s x3":                         {"a_3x.png", image.Pt(24, 15)},
		"a.png -s 4×":                         {"a_4x.png", image.Pt(32, 20)},
		"a.png --scale=250%":                  {"a_2.5x.png", image.Pt(20, 13)},
		"large.png --fit HD":                  {"large_1280x720.png", image.Pt(960, 720)},
		"a.png --timeout 5":                   {"a_2x.png", image.Pt(16, 10)},
		"a.png --timeout=5.5":                 {"a_2x.png", image.Pt(16, 10)},
		"a.png out.png":                       {"out.png", image.Pt(16, 10)},
		"a.png out.jpg -s 3":                  {"out.jpg", image.Pt(24, 15)},
		"a.png new/out.png":                   {"new/out.png", image.Pt(16, 10)},
		"a.png --name {stem}_big.png":         {"a_big.png", image.Pt(16, 10)},
		"a.png --name {stem}.jpeg":            {"a.jpeg", image.Pt(16, 10)},
		"in --name {stem}_{size}.tif -o here": {"here/c_2x.tif", image.Pt(16, 10)},
	} {
		before := consoletest.Tree(t, dir)
		_, stderr, code := call(t, dir, "",
			append([]string{"upscale", "-q", "-m", "bicubic"}, strings.Fields(args)...)...)
		made := slices.DeleteFunc(consoletest.Tree(t, dir), func(f string) bool { return slices.Contains(before, f) })
		if code != 0 || !slices.Equal(made, []string{want.file}) {
			t.Errorf("%s: exit %d, made %v, %s", args, code, made, stderr)
			continue
		}
		pic, err := imagefile.Open(t.Context(), filepath.Join(dir, want.file), imagefile.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if format, _ := imagefile.FormatOf(want.file); pic.Image.Bounds().Size() != want.size || pic.Format != format {
			t.Errorf("%s: %s, %v", args, pic.Format, pic.Image.Bounds())
		}
		clearOf(t, dir, made)
	}
	// Two pictures that are there are two inputs, and so is what is no picture or has an
	// output of its own; with more than two there is no output.
	if _, stderr, code := call(t, dir, "", "upscale", "-q", "a.png", "b.png"); code != 0 ||
		!slices.Contains(consoletest.Tree(t, dir), "b_2x.png") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	program.Refuses(t, dir, []consoletest.Refusal{
		{Args: []string{"upscale", "a.png", "-s", "fast"}, Code: console.ExitUsage,
			Want: "--scale fast: expected 1 to 16, such as 2, 2.5, 4x or 200%"},
		{Args: []string{"upscale", "a.png", "-s", "50%"}, Code: console.ExitUsage,
			Want: "--scale 0.5: expected 1 to 16"},
		{Args: []string{"upscale", "a.png", "--fit", "5K"}, Code: console.ExitUsage, Want: "--fit 5K: expected WxH"},
		{Args: []string{"upscale", "none.png", "out.png"}, Code: console.ExitInput, Want: "none.png: does not exist"},
		{Args: []string{"upscale", "in", "out.png"}, Code: console.ExitUsage, Want: "several pictures need a folder"},
		{Args: []string{"upscale", "a.png", "out.gif"}, Code: console.ExitUsage, Want: "out.gif"},
		{Args: []string{"upscale", "a.png", "--name", "{stem}.webp"}, Code: console.ExitUsage,
			Want: "--name {stem}.webp: .webp files are not written; end it in .png"},
		{Args: []string{"upscale", "a.png", "--name", "{stem}.jpg", "-f", "png"}, Code: console.ExitUsage,
			Want: "say two formats"},
	})
}

// clearOf removes files of a folder.
func clearOf(t *testing.T, dir string, files []string) {
	t.Helper()
	for _, f := range files {
		if err := os.Remove(filepath.Join(dir, f)); err != nil {
			t.Fatal(err)
		}
	}
}
