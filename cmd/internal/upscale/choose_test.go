package upscale

import (
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
)

func TestSizesOfFiles(t *testing.T) {
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), consoletest.Blob(9, 7))
	for _, c := range []struct {
		args string
		want image.Point
	}{
		{"--width 10", image.Pt(10, 8)}, {"--height 100", image.Pt(129, 100)}, {"--width 40 --height 7",
			image.Pt(40, 7)},
		{"--fit 100x50", image.Pt(64, 50)}, {"--fit 50×100", image.Pt(50, 39)}, {"--fit 9X7",
			image.Pt(9, 7)}, {"-s 1.5", image.Pt(14, 11)},
	} {
		args := append([]string{"upscale", "a.png", "-o", "out.png", "--on-exist", "overwrite"},
			strings.Fields(c.args)...)
		if _, stderr, code := call(t, dir, "", args...); code != 0 ||
			consoletest.Size(t, filepath.Join(dir, "out.png")) != c.want {
			t.Errorf("%s: exit %d, %v, expected %v\n%s", c.args, code,
				consoletest.Size(t, filepath.Join(dir, "out.png")), c.want, stderr)
		}
	}
	os.Remove(filepath.Join(dir, "out.png"))
	for args, want := range map[string]string{
		"--width 8":                   "a.png: 9×7 would become 8×6, and nothing is made smaller",
		"--width 150":                 "more than 16 times as large",
		"--fit 8x8":                   "nothing is made smaller",
		"--fit 8":                     "--fit 8: expected WxH",
		"--fit 0x5":                   "--fit 0x5: expected WxH",
		"--width 0":                   "--width 0: expected 1 or more",
		"--width 10 -s 2":             "expected one of them",
		"--width 10 --fit 20x20":      "expected one of them",
		"--width 10 --name {scale}":   "use {size}",
		"--name {stm}":                `did you mean "{stem}"?`,
		"--shard 2/2":                 "parts are numbered from 0",
		"--include [":                 `--include "["`,
		"--resume -o -":               "begin anew",
		"--json -o -":                 "both go to standard output",
		"--include *.x b":             "b: ", // files that are named are taken
		"--dry-run --fit 8x8":         "nothing is made smaller",
		"--on-exist ask --dry-run":    "(known: fail skip overwrite)",
		"-o a.png/x/ --on-exist skip": "not a directory",
	} {
		before := consoletest.Tree(t, dir)
		_, stderr, code := call(t, dir, "", append([]string{"upscale", "a.png"}, strings.Fields(args)...)...)
		if code == 0 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %s", args, code, stderr)
		}
		if args != "--include *.x b" && !slices.Equal(before, consoletest.Tree(t, dir)) {
			t.Errorf("%s left files", args)
		}
	}
}
