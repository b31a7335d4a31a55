package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/serve"
)

var tested = consoletest.Program{Program: program}

func TestMain(m *testing.M) {
	if serve.IsWorker() {
		os.Exit(serve.Work())
	}
	tested.Main(m)
}

var call = tested.Call

func TestLists(t *testing.T) {
	for command, want := range map[string]string{
		"learners": "Aharon", "coders": "sparsity=0", "models": "×2 from box", "version": "superres " +
			console.Version, "--version": "superres " + console.Version, "help": "EXAMPLES",
	} {
		if stdout, stderr := tested.Succeeds(t, ".", command); stderr != "" || !strings.Contains(stdout, want) {
			t.Errorf("%s: %s%s", command, stdout, stderr)
		}
	}
	for _, c := range []string{"upscale", "serve", "eval", "train", "learn", "recover", "mnist", "models", "learners",
		"coders", "version"} {
		if stdout, stderr := tested.Succeeds(t, ".", c, "--help"); stderr != "" ||
			!strings.Contains(stdout, "EXAMPLES\n   superres "+c) {
			t.Errorf("%s --help: %s%s", c, stdout, stderr)
		}
	}
}

// What standard output does not take is an error of every command, of help as well.
func TestFullStandardOutput(t *testing.T) {
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), consoletest.Blob(9, 7))
	t.Chdir(dir)
	for _, args := range []string{"", "--help", "upscale --help", "help", "version",
		"upscale a.png --json --on-exist overwrite", "upscale a.png --dry-run", "upscale a.png -o -", "models"} {
		errs, code := tested.Into(consoletest.Broken{}, strings.Fields(args)...)
		if code != 5 || !strings.Contains(errs, "standard output cannot be written: pipe is closed") {
			t.Errorf("%q: exit %d, %s", args, code, errs)
		}
	}
}

// A picture instead of a command is enlarged, as one that is dropped on the program; the name of a command is
// the command, whatever file has it.
func TestPictureAlone(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"photo.png", "version", "scan", "in/b.png"} {
		consoletest.WritePicture(t, filepath.Join(dir, name), consoletest.Blob(9, 7))
	}
	for args, want := range map[string]string{
		"photo.png": "photo_2x.png", "photo.png -s 3 -o large.png": "large.png", "scan": "scan_2x.png",
		"in/": "in_2x/b_2x.png", filepath.Join(dir, "in") + " -s 3": "in_3x/b_3x.png",
		"photo.png -m bicubic small.png": "small.png",
	} {
		before := consoletest.Tree(t, dir)
		_, stderr, code := call(t, dir, "", strings.Fields(args)...)
		made := slices.DeleteFunc(consoletest.Tree(t, dir), func(f string) bool { return slices.Contains(before, f) })
		if code != 0 || !slices.Equal(made, []string{want}) {
			t.Errorf("%s: exit %d, made %v, %s", args, code, made, stderr)
		}
	}
	for _, args := range []string{"version", "-v", "--version"} {
		if stdout, stderr, code := call(t, dir, "", args); code != 0 ||
			!strings.HasPrefix(stdout, "superres "+console.Version+" (") {
			t.Errorf("%s: exit %d, %s%s", args, code, stdout, stderr)
		}
	}
	tested.RefusesLines(t, dir, "", []consoletest.RefusedLine{
		{"none.jpg", 4, "none.jpg: does not exist; check the name"},
		{"in", 2, `unknown command "in"`},
		{"upscal", 2, `did you mean "upscale"?`},
	})
}
