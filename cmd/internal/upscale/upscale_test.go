package upscale

import (
	"bytes"
	"fmt"
	"image/jpeg"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/internal/imagefile/imagetest"
)

func TestUpscaleNames(t *testing.T) {
	for line, want := range map[string]string{ // new files
		"a.png":                                 "a_2x.png",
		"a.png -s 3 -o b.png":                   "b.png",
		"a.png --scale=1.5":                     "a_1.5x.png",
		"-f jpeg a.png":                         "a_2x.jpg",
		"-f bmp a.png":                          "a_2x.bmp",
		"a.png -o b.tif":                        "b.tif",
		"a.png -o out/":                         "out/a_2x.png",
		"in":                                    "in_2x/x_2x.png in_2x/y_2x.png",
		"-r in -o out":                          "out/deep/z_2x.png out/x_2x.png out/y_2x.png",
		"a.png --name {stem}{ext}-{scale}":      "apng-2.png",
		"in/*.png -o out":                       "out/x_2x.png out/y_2x.png",
		". -o out":                              "out/-odd_2x.png out/a_2x.png out/help_2x.png",
		"help -f png":                           "help_2x.png",
		"-r src -o out --include *.png":         "out/b/a_2x.png out/b/deep/a_2x.png out/c/a_2x.png",
		"-r src --exclude deep --exclude *.jpg": "src_2x/b/a_2x.png src_2x/c/a_2x.png",
		"-r src -o out --include *.png --include a.*": "out/a_2x.jpg out/b/a_2x.png out/b/deep/a_2x.png out/c/a_2x.png",
		"-r src -o src/b":                 "src/b/a_2x.jpg src/b/c/a_2x.png", // the outputs are no inputs
		"-r src/* --exclude *.jpg":        "src/b_2x/a_2x.png src/b_2x/deep/a_2x.png src/c_2x/a_2x.png",
		"-r src/b* -o out":                "out/a_2x.png out/deep/a_2x.png",
		"src/a.jpg --name {stem}-{model}": "src/a-nearest.jpg",
		"src/a.jpg --width 20":            "src/a_20x16.jpg",
		"-- -odd.png":                     "-odd_2x.png",
	} {
		dir := t.TempDir()
		putBlobs(t, dir, 9, 7, "a.png", "help", "-odd.png", "in/x.png", "in/y.png", "in/deep/z.png", "src/a.jpg",
			"src/b/a.png", "src/b/deep/a.png", "src/c/a.png")
		before := consoletest.Tree(t, dir)
		succeeds(t, dir, "-q -m nearest "+line)
		made := slices.DeleteFunc(consoletest.Tree(t, dir), func(f string) bool { return slices.Contains(before, f) })
		if got := strings.Join(made, " "); got != want {
			t.Errorf("%s: made %s, expected %s", line, got, want)
		}
	}
}

// The same picture as a file, in a folder and from a pipe gives the same bytes, with any number of workers.
func TestUpscaleGivesTheSameBytes(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	dir := t.TempDir()
	putBlobs(t, dir, 40, 33, "in/a.png")
	succeeds(t, dir, "in/a.png -o one.png -j 1")
	succeeds(t, dir, "in/a.png -o two.png -j 2")
	expect(t, dir, "", "in -o folder", 0)
	want := string(consoletest.Read(t, dir, "one.png"))
	raw := string(consoletest.Read(t, dir, "in/a.png"))
	for _, line := range []string{"-", "- -o -", "in/a.png -o -"} {
		if got, stderr := expect(t, dir, raw, line, 0); got != want || stderr != "" {
			t.Errorf("%s: other bytes, %s", line, stderr)
		}
	}
	for _, f := range []string{"two.png", "folder/a_2x.png"} {
		if string(consoletest.Read(t, dir, f)) != want {
			t.Errorf("%s differs", f)
		}
	}
}

// The parts give the same pictures as the whole, which has nothing left to do after them but what failed.
func TestParts(t *testing.T) {
	dir := t.TempDir()
	for i := range 6 {
		putBlobs(t, dir, 5+i, 6, fmt.Sprintf("in/%d.png", i))
	}
	putText(t, dir, "in/bad.png", "no picture")
	expect(t, dir, "", "-m bicubic -q in -o whole", console.ExitSome)
	const line = "-m bicubic -o out in --resume"
	for i := range 9 {
		call(t, dir, "", strings.Fields(fmt.Sprintf("upscale %s --shard %d/9 -q", line, i))...)
	}
	whole, made := consoletest.Results(t, filepath.Join(dir, "whole")),
		consoletest.Results(t, filepath.Join(dir, "out"))
	if !maps.Equal(whole, made) {
		t.Error("the parts give other pictures than the whole")
	}
	expect(t, dir, "", line, console.ExitSome, "in/bad.png")
	putBlobs(t, dir, 4, 4, "in/bad.png")
	if out, _ := expect(t, dir, "", line+" --json", 0); strings.Count(out, `"event":"skip"`) != 6 ||
		strings.Count(out, `"event":"done"`) != 1 {
		t.Errorf("%s", out)
	}
}

// A result written in strips has the same bytes as one made whole, in every format; if it fails, nothing is left.
func TestStrips(t *testing.T) {
	dir := t.TempDir()
	photo := imagetest.Encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, consoletest.Blob(90, 61), nil) })
	consoletest.Put(t, filepath.Join(dir, "photo.jpg"), photo)
	consoletest.WritePicture(t, filepath.Join(dir, "grey.png"), imagetest.GreyRamp(90, 61))
	// A picture with transparency is made whole.
	consoletest.WritePicture(t, filepath.Join(dir, "clear.png"), imagetest.Ramp(28, 61))
	for _, line := range []string{
		"photo.jpg -o a.jpg", "photo.jpg -o a.png -s 3.3", "photo.jpg -o a.png --depth 16 -m bicubic",
		"grey.png -o a.png", "grey.png -o a.jpg -s 1", "clear.png -o a.png", "clear.png -o a.jpg -m lanczos",
		"photo.jpg -o a.tif -m lanczos", "photo.jpg -o a.png -m digits -s 2",
		"photo.jpg -o a.png --strength 0.5 --denoise 0.4",
	} {
		var results [2]string
		for i, rows := range []string{"0", "9"} {
			expect(t, dir, "", line+" --on-exist overwrite --tile "+rows, 0)
			results[i] = string(consoletest.Read(t, dir, strings.Fields(line)[2]))
		}
		if results[0] != results[1] {
			t.Errorf("%s: other bytes in strips", line)
		}
	}
	program.Interrupted(t, dir, consoletest.AtOnce, "upscale", "photo.jpg", "-o", "new.png", "--tile", "9")
	stderr, code := program.Into(consoletest.Broken{}, "upscale", "photo.jpg", "-o", "-", "--tile", "9")
	if code != console.ExitOutput || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit %d, %s", code, stderr)
	}
	program.RefusesLines(t, dir, "upscale", []consoletest.RefusedLine{
		{"photo.jpg --tile 9 --timeout 1ns", console.ExitLimit, "photo.jpg: takes longer to"}})
}
