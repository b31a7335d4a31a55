package app

import (
	"bytes"
	"errors"
	"image"
	"image/jpeg"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/serve"
	"superres/internal/golden"
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

// Wrong input, wrong usage, wrong models: one clear line, the right exit code, no new file.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), consoletest.Blob(9, 7))
	tested.RefusesLines(t, dir, "", []consoletest.RefusedLine{
		{"completion bsh", 2, `did you mean "bash"?`},
		{"models foto", 6, `did you mean "photo"?`},
		{"version extra", 2, "takes no argument"},
		{"help nosuch", 2, `unknown command "nosuch"`},
		{"help dict shwo", 2, `did you mean "show"?`},
		{"--versoin", 2, `did you mean "--version"?`},
		{"-m photo upscale a.png", 2, `unknown flag "-m"`},
		{"man upscale", 2, "man takes no argument"},
		{"-q upscale a.png", 2, "all others come after the command"},
		{"upscael a.png", 2, `did you mean "upscale"?`},
	})
}

// A photograph of 24 megapixels is enlarged by 4 within the default limit.
func TestLargePhotograph(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "photo.jpg"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := jpeg.Encode(f, image.NewYCbCr(image.Rect(0, 0, 6000, 4000), image.YCbCrSubsampleRatio420),
		nil); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"jpeg", "png"} {
		stdout, _ := tested.Succeeds(t, dir, "upscale", "photo.jpg", "-s", "4", "-m", "photo", "-f", format,
			"--dry-run", "--json")
		line, _, _ := strings.Cut(stdout, "\n")
		plan := consoletest.Decode[struct {
			Width, Height int
			Memory        int64
		}](t, line)
		if plan.Width != 24000 || plan.Height != 16000 || plan.Memory > 1<<30 {
			t.Errorf("%s: %+v", format, plan)
		}
	}
}

// Where standard output is closed, what could not be written to it is an error of the output; what a shell throws
// away is none.
func TestClosedStandardOutput(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no shell")
	}
	picture := golden.Root(t) + "/testdata/hopper.png"
	for _, line := range []string{
		"version", "version --json", "--version", "--help", "upscale --help", "upscale --help all",
		"models", "models photo",
		"learners", "coders",
		"man", "completion bash", "dict show coupled", "eval -m nearest PICTURE", "eval -m nearest --json PICTURE",
		"upscale -m nearest --dry-run PICTURE",
		"upscale -m nearest --dry-run --json PICTURE",
	} {
		args := strings.Fields(strings.ReplaceAll(line, "PICTURE", picture))
		for redirected, want := range map[string]int{">&-": console.ExitOutput, ">/dev/null": 0,
			"1<>/dev/null 2>&1": 0} {
			cmd := consoletest.Process(t.TempDir(), args...)
			cmd.Args = append([]string{"sh", "-c", `exec "$0" "$@" ` + redirected}, cmd.Args...)
			cmd.Path = shell
			var errs bytes.Buffer
			cmd.Stderr = &errs
			if err := cmd.Run(); err != nil {
				if _, ok := errors.AsType[*exec.ExitError](err); !ok {
					t.Fatal(err)
				}
			}
			said := strings.Contains(errs.String(), "standard output is closed")
			if code := cmd.ProcessState.ExitCode(); code != want || said != (want != 0) {
				t.Errorf("%s %s: exit %d, %s", line, redirected, code, errs.String())
			}
		}
	}
}
