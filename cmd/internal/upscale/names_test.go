package upscale

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/imagefile"
	"superres/internal/must"
)

// An interruption of several pictures says by which command the rest is done, and that command does it.
func TestInterruptionSaysHowToGoOn(t *testing.T) {
	dir := t.TempDir()
	consoletest.Blobs(t, dir, 9, 7, "in/a.png", "in/b.png", "in/c.png", "in/d's.png")
	for args, want := range map[string]string{
		"upscale in -o out":                      "to do the rest, give the same command with --on-exist skip\n",
		"upscale in -o out2 --resume":            "the same command does the rest\n",
		"upscale in -o out4 --on-exist skip":     "the same command does the rest\n",
		"upscale in -o new --on-exist overwrite": "the same command starts over; with --resume it does only the rest\n",
	} {
		flags := "--progress plain -j 1 -m bicubic"
		t.Chdir(dir)
		text, code := program.Stopped("[1/4]", strings.Fields(args+" "+flags)...)
		if code != 130 || !strings.Contains(text, "superres: interrupted; ") ||
			!strings.Contains(text, "\nsuperres: "+want) {
			t.Errorf("%s: exit %d, %s", args, code, text)
		}
	}
	expect(t, dir, "", "in -o out -m bicubic --on-exist skip", 0, " skipped, in ")
	if got := consoletest.Tree(t, filepath.Join(dir, "out")); len(got) != 4 {
		t.Errorf("made %v", got)
	}
}

// Results of --fit, --width and --height are named by the size that each has, of videos and damaged files too, and
// --resume and --on-exist find them by these names.
func TestNamesOfSizes(t *testing.T) {
	dir := t.TempDir()
	consoletest.Blobs(t, dir, 9, 7, "in/wide.png")
	consoletest.Blobs(t, dir, 7, 9, "in/tall.png")
	putText(t, dir, "in/video.y4m", stream(t, "W20 H10", 1, moving))
	putText(t, dir, "in/damaged.png", "\x89PNG\r\n\x1a\n")
	for _, c := range []struct{ line, want string }{
		{"--fit 50x50", "out/tall_39x50.png out/wide_50x39.png"},
		{"--width 18", "out/tall_18x23.png out/wide_18x14.png"},
		{"--height 18", "out/tall_14x18.png out/wide_23x18.png"},
		{"--width 18 --height 18", "out/tall_18x18.png out/wide_18x18.png"},
	} {
		line := "in -o out -m bicubic --exclude video.y4m --exclude damaged.png " + c.line
		expect(t, dir, "", line+" --resume -q", 0)
		for _, name := range strings.Fields(c.want) {
			pic := must.Get(imagefile.Open(t.Context(), filepath.Join(dir, name), imagefile.Limits{}))(t)
			got := pic.Image.Bounds().Size()
			if !strings.Contains(name, strings.ReplaceAll(got.String()[1:len(got.String())-1], ",", "x")) {
				t.Errorf("%s: %s has %v pixels", c.line, name, got)
			}
		}
		expect(t, dir, "", line+" --resume", 0, "0 done, 2 skipped")
		expect(t, dir, "", line+" --on-exist skip", 0, "0 done, 2 skipped")
		expect(t, dir, "", line, 5, strings.Fields(c.want)[0]+" exists")
	}
	expect(t, dir, "", "in/video.y4m --width 40 -m bicubic -q", 0)
	expect(t, dir, "", "in/wide.png in/damaged.png --width 18 -m bicubic -q", 3, "damaged PNG")
	if files := consoletest.Tree(t, filepath.Join(dir, "in")); !slices.Contains(files, "video_40x20.y4m") ||
		!slices.Contains(files, "wide_18x14.png") {
		t.Errorf("made %v", files)
	}
}
