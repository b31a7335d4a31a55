package upscale

import (
	"path/filepath"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/internal/imagefile/imagetest"
)

// Flags that mean nothing in a call are said, in a line each; those that mean something
// are not.
func TestIdleFlags(t *testing.T) {
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), consoletest.Blob(9, 7))
	consoletest.WritePicture(t, filepath.Join(dir, "in/b.png"), consoletest.Blob(9, 7))
	consoletest.WritePicture(t, filepath.Join(dir, "digit.png"), imagetest.GreyRamp(14, 14))
	const digits = "a.png: is enlarged by digits, which knows small grey pictures of digits alone; for photographs leave out --model"
	for args, want := range map[string]string{
		"a.png --quality 80 -o z.png":                "--quality is for JPEG files, and no output is one",
		"a.png --quality 80 -o z.jpg":                "",
		"a.png --include *.png":                      "--include is for the pictures of folders, and none is named",
		"a.png --exclude b* --quality 9":             "--quality is for JPEG files, and no output is one\nsuperres: --exclude is for the pictures of folders, and none is named",
		"digi?.png --exclude a.png --recursive":      "--recursive is for folders, and none is named",
		"a.png -r":                                   "--recursive is for folders, and none is named",
		"a.png --name {stem} -o z.png":               "--name is for outputs without a name, and -o z.png is one",
		"a.png --name {stem}_big -o out/":            "",
		"a.png --strength 0.5 -m bicubic":            "--strength changes what a model adds to interpolation, and bicubic adds nothing",
		"a.png --strength 0.5":                       "",
		"a.png -m digits":                            digits,
		"digit.png -m digits":                        "",
		"a.png --quality 80 -o z.png -q":             "",
		"a.png --quality 80 -f bmp --json":           "--quality is for JPEG files, and no output is one",
		"in --quality 80 --dry-run":                  "--quality is for JPEG files, and no output is one",
		"in --on-unreadable fail -r --include *.png": "",
		"a.png --on-unreadable fail":                 "--on-unreadable is for the pictures of folders, and none is named",
	} {
		_, stderr, code := call(t, dir, "",
			append([]string{"upscale", "--on-exist", "overwrite"}, strings.Fields(args)...)...)
		if want != "" {
			want = "superres: " + want + "\n"
		}
		if code != 0 || stderr != want {
			t.Errorf("%s: exit %d, %q, expected %q", args, code, stderr, want)
		}
	}
	program.Refuses(t, dir, []consoletest.Refusal{
		{Args: []string{"upscale", "a.png", "-f", "png", "-o", "new.jpg"}, Code: console.ExitUsage,
			Want: "-o new.jpg and --format png say two formats"},
	})
}
