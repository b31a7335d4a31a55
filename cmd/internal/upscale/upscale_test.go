package upscale

import (
	"bytes"
	"fmt"
	"image/jpeg"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/internal/imagefile"
	"superres/internal/imagefile/imagetest"
)

// Results have the names, formats and sizes that options say, in the usual spellings of other tools too.
func TestUpscaleNames(t *testing.T) {
	for line, want := range map[string]string{ // new files, and where it matters their sizes
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
		"-r src -o src/b":                     "src/b/a_2x.jpg src/b/c/a_2x.png", // the outputs are no inputs
		"-r src/* --exclude *.jpg":            "src/b_2x/a_2x.png src/b_2x/deep/a_2x.png src/c_2x/a_2x.png",
		"-r src/b* -o out":                    "out/a_2x.png out/deep/a_2x.png",
		"src/a.jpg --name {stem}-{model}":     "src/a-nearest.jpg",
		"src/a.jpg --width 20":                "src/a_20x16.jpg",
		"-- -odd.png":                         "-odd_2x.png",
		"a.png -s 4x":                         "a_4x.png=36x28",
		"a.png -s x3":                         "a_3x.png=27x21",
		"a.png -s 4×":                         "a_4x.png=36x28",
		"a.png --scale=250%":                  "a_2.5x.png=23x18",
		"a.png -s 1.5":                        "a_1.5x.png=14x11",
		"a.png --width 10":                    "a_10x8.png=10x8",
		"a.png --height 100":                  "a_129x100.png=129x100",
		"a.png --width 40 --height 7":         "a_40x7.png=40x7",
		"a.png --fit 100x50":                  "a_64x50.png=64x50",
		"a.png --fit 50×100":                  "a_50x39.png=50x39",
		"a.png --fit 9X7":                     "a_9x7.png=9x7",
		"more/narrow.png --fit HD":            "more/narrow_4x720.png=4x720",
		"more/narrow.png -m photo":            "more/narrow_2x.png=2x400",
		"a.png --timeout 5":                   "a_2x.png",
		"a.png --timeout=5.5":                 "a_2x.png",
		"a.png --name {stem}.jpeg":            "a.jpeg",
		"in --name {stem}_{size}.tif -o here": "here/x_2x.tif here/y_2x.tif",
	} {
		dir := t.TempDir()
		consoletest.Blobs(t, dir, 9, 7, "a.png", "help", "-odd.png", "in/x.png", "in/y.png", "in/deep/z.png",
			"src/a.jpg", "src/b/a.png", "src/b/deep/a.png", "src/c/a.png")
		consoletest.Blobs(t, dir, 1, 200, "more/narrow.png")
		before := consoletest.Tree(t, dir)
		succeeds(t, dir, "-q -m nearest "+line)
		var made, sized []string
		for _, name := range consoletest.Tree(t, dir) {
			if slices.Contains(before, name) {
				continue
			}
			pic := opened(t, dir, name)
			size := pic.Image.Bounds().Size()
			made, sized = append(made, name), append(sized, fmt.Sprintf("%s=%dx%d", name, size.X, size.Y))
			if format, _ := imagefile.FormatOf(name); pic.Format != format {
				t.Errorf("%s: %s has the format %s", line, name, pic.Format)
			}
		}
		if strings.Join(made, " ") != want && strings.Join(sized, " ") != want {
			t.Errorf("%s: made %s, expected %s", line, sized, want)
		}
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
