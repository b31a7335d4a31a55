package upscale

import (
	"path/filepath"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/imagefile/imagetest"
)

// Flags without effect in a call are reported, one line each; others are not.
func TestIdleFlags(t *testing.T) {
	dir := t.TempDir()
	consoletest.Blobs(t, dir, 9, 7, "a.png", "in/b.png")
	consoletest.WritePicture(t, filepath.Join(dir, "digit.png"), imagetest.GreyRamp(14, 14))
	const (
		quality  = "superres: --quality is for JPEG files, and no output is one\n"
		folders  = " is for the pictures of folders, and none is named\n"
		strength = "superres: --strength changes what a model adds to interpolation, and bicubic adds nothing\n"
		digits   = "superres: a.png: is enlarged by digits, which knows small grey pictures of digits alone; " +
			"photographs need another model\n"
		recursive = "superres: --recursive is for folders, and none is named\n"
	)
	for line, want := range map[string]string{
		"a.png --quality 80 -o z.png":           quality,
		"a.png --quality 80 -o z.jpg":           "",
		"a.png --include *.png":                 "superres: --include" + folders,
		"a.png --exclude b* --quality 9":        quality + "superres: --exclude" + folders,
		"digi?.png --exclude a.png --recursive": recursive,
		"a.png -r":                              recursive,
		"a.png --name {stem} -o z.png": "superres: --name is for outputs without a name, and -o " +
			"z.png is one\n",
		"a.png --name {stem}_big -o out/":  "",
		"a.png --strength 0.5 -m bicubic":  strength,
		"a.png --strength 0.5":             "",
		"a.png -m digits":                  digits,
		"digit.png -m digits":              "",
		"a.png --quality 80 -o z.png -q":   "",
		"a.png --quality 80 -f bmp --json": quality,
		"in --quality 80 --dry-run":        quality,
		"in -r --include *.png":            "",
		"a.png -o z.png --keep-dates":      "",
	} {
		if _, stderr := expect(t, dir, "", "--on-exist overwrite "+line, 0); stderr != want {
			t.Errorf("%s: %q, expected %q", line, stderr, want)
		}
	}
}
