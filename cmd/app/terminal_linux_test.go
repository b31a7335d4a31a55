package app

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
)

// No picture and no matrix is written to a terminal.
func TestNoBinaryOnTerminal(t *testing.T) {
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), consoletest.Blob(9, 7))
	consoletest.Put(t, filepath.Join(dir, "Y.csv"), []byte("1,2,3,4,5\n4,5,6,8,9\n"))
	before := consoletest.Tree(t, dir)
	picture := string(consoletest.Read(t, dir, "a.png"))
	for _, args := range []string{"upscale a.png -o -", "upscale -", "a.png -o -", "learn Y.csv -o -",
		"dict show coupled -o -", "dict export coupled -o -"} {
		screen, code := tested.OnTerminal(t, dir, picture, strings.Fields(args)...)
		if want := "superres: standard output is a terminal, and the result is no text: give it a file with -o " +
			"FILE, or with > FILE behind the command\n"; code != console.ExitUsage || screen != want {
			t.Errorf("%s: exit %d, %q", args, code, screen)
		}
	}
	if after := consoletest.Tree(t, dir); !slices.Equal(before, after) {
		t.Errorf("left %v", after)
	}
	if screen, code := tested.OnTerminal(t, dir, "", "upscale", "a.png", "-o", "-", "--dry-run"); code != 0 ||
		!strings.HasPrefix(screen, "a.png 9x7 -> - 18x14, ") {
		t.Errorf("exit %d, %q", code, screen)
	}
}

// In the end a terminal gets a line that says what was made, with a bar or without.
func TestLineOnTerminal(t *testing.T) {
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), consoletest.Blob(9, 7))
	for _, dumb := range []string{"", "dumb"} {
		t.Setenv("TERM", dumb)
		screen, code := tested.OnTerminal(t, dir, "", "a.png", "--on-exist", "overwrite")
		if line := screen[strings.LastIndexByte(strings.TrimSuffix(screen, "\n"), '\r')+1:]; code != 0 ||
			!strings.HasPrefix(line, "a_2x.png, 18×14, 0.") || !strings.HasSuffix(line, " s\n") {
			t.Errorf("TERM=%q: exit %d, %q", dumb, code, screen)
		}
		if screen, code := tested.OnTerminal(t, dir, "", "a.png", "--on-exist", "overwrite", "-q"); code != 0 ||
			screen != "" {
			t.Errorf("exit %d, %q", code, screen)
		}
	}
}
