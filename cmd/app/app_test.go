package app

import (
	"bytes"
	"context"
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
		"learners": "Aharon", "coders": "sparsity=0", "models": "×2 from box", "version": "superres " + console.Version, "--version": "superres " + console.Version, "help": "EXAMPLES",
	} {
		if stdout, stderr, code := call(t, ".", "", command); code != 0 || stderr != "" || !strings.Contains(stdout, want) {
			t.Errorf("%s: exit %d, %s%s", command, code, stdout, stderr)
		}
	}
	for _, c := range []string{"upscale", "serve", "eval", "train", "learn", "recover", "mnist", "models", "learners", "coders", "version"} {
		stdout, stderr, code := call(t, ".", "", c, "--help")
		if code != 0 || stderr != "" || !strings.Contains(stdout, "EXAMPLES\n   superres "+c) {
			t.Errorf("%s --help: exit %d, %s%s", c, code, stdout, stderr)
		}
	}
}

// What standard output does not take is an error of every command, of help as well.
func TestFullStandardOutput(t *testing.T) {
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), consoletest.Blob(9, 7))
	t.Chdir(dir)
	for _, args := range []string{"", "--help", "upscale --help", "help", "version", "upscale a.png --json --on-exist overwrite", "upscale a.png --dry-run", "upscale a.png -o -"} {
		var errs bytes.Buffer
		code := Run(context.Background(), strings.NewReader(""), consoletest.Broken{}, &errs, append([]string{"superres"}, strings.Fields(args)...))
		if code != 5 || !strings.Contains(errs.String(), "standard output cannot be written") {
			t.Errorf("%q: exit %d, %s", args, code, errs.String())
		}
	}
}

// The last of many promises: what goes wrong with standard output is an output
// error.
func TestStandardOutputFails(t *testing.T) {
	var errs bytes.Buffer
	code := Run(context.Background(), strings.NewReader(""), consoletest.Broken{}, &errs, []string{"superres", "models"})
	if code != 5 || !strings.Contains(errs.String(), "standard output cannot be written: pipe is closed") {
		t.Errorf("exit %d, %s", code, errs.String())
	}
}

// A picture in the place of a command is enlarged, as one that is dropped on the program;
// the name of a command is the command, whatever file has it.
func TestPictureAlone(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"photo.png", "version", "scan", "in/b.png"} {
		consoletest.WritePicture(t, filepath.Join(dir, name), consoletest.Blob(9, 7))
	}
	for args, want := range map[string]string{
		"photo.png": "photo_2x.png", "photo.png -s 3 -o large.png": "large.png", "scan": "scan_2x.png", "in/": "in_2x/b_2x.png", filepath.Join(dir, "in") + " -s 3": "in_3x/b_3x.png",
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
		if stdout, stderr, code := call(t, dir, "", args); code != 0 || !strings.HasPrefix(stdout, "superres "+console.Version+" (") {
			t.Errorf("%s: exit %d, %s%s", args, code, stdout, stderr)
		}
	}
	tested.Refuses(t, dir, []consoletest.Refusal{
		{Args: []string{"none.jpg"}, Code: 4, Want: "none.jpg: does not exist; check the name"},
		{Args: []string{"in"}, Code: 2, Want: `unknown command "in"`},
		{Args: []string{"upscal"}, Code: 2, Want: `did you mean "upscale"?`},
	})
}
