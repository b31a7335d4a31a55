package app

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"superres/cmd/internal/console"
	"superres/internal/imagefile/imagetest"

	"superres/cmd/internal/console/consoletest"
)

// FuzzFlags runs random command lines, one argument a line: the program always ends with one of its exit codes and a
// plain message, and leaves the pictures unchanged.
func FuzzFlags(f *testing.F) {
	for _, line := range []string{
		"", "upscale", "upscale a.png", "upscale a.png -s 7.3 -o b.png", "upscale -s", "upscale --scale=1e309 a.png",
		"upscale -s NaN a.png",
		"upscale --width 99999999999999999999 a.png", "upscale --fit 3x a.png", "upscale --fit -3x-4 a.png",
		"upscale -- -s", "upscale - - -o -",
		"upscale a.png -o a.png --on-exist overwrite", "upscale . -r --shard 3/2", "upscale . --shard 0/7 --resume",
		"upscale a.png --name {stem}{ext}{{",
		"upscale a.png --include [ --exclude ]", "upscale a.png --timeout -1s", "upscale a.png -j 99999",
		"upscale a.png -j= -s=", "upscale a.png --max-memory 1",
		"upscale a.png --coder omp:sparsity=1,tolerance=NaN -m coupled",
		"upscale a.png -m photo --effort fast --depth 16 -f tiff -o x.tif",
		"upscale -s 2 -s 3 a.png", "upscale --json --dry-run a.png", "upscale -ss a.png", "upscale ---s 2 a.png",
		"upscale -s=2=3 a.png", "upscale -h=1", "upscale --", "-s4 a.png", "a.png 4x", "a.png -q 90", "-vrs=3 a.png",
		"a.png –s 4", "a.png --size 9x", "a.png -n", "a.png -i", "a.png 3x5", "a.png new", "-g", "a.png --input=b.png",
		"train . -o m.npz --patch 0", "learn a.csv -o D.npy --learner rop:penalty=x",
		"learn a.csv -o D.npy --iterations 1",
		"eval a.png", "eval a.png a.png --protocol x", "mnist a.csv", "models photo", "models m.npz", "dict",
		"dict photo", "dict coupled -o d.png", "learners x", "coders", "version --json", "help", "help upscale x",
		"recover --panel 1,1", "compare --protocol x", "nonsense", "--version", "-",
	} {
		f.Add(strings.ReplaceAll(line, " ", "\n"))
	}
	picture := imagetest.Sound(f)["colour.png"]
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\n")
		if slices.ContainsFunc(args, func(a string) bool {
			return strings.ContainsAny(a, "/\\") || strings.Contains(a, "..")
		}) {
			t.Skip("not out of the folder")
		}
		dir := t.TempDir()
		t.Chdir(dir)
		consoletest.Put(t, "a.png", picture)
		consoletest.Put(t, "a.csv", []byte("1,2,3\n4,5,6\n"))
		// Long work is interrupted: only the flags are tested.
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		var out, errs bytes.Buffer
		code := Run(ctx, bytes.NewReader(picture), &out, &errs, append([]string{"superres"}, args...))
		if code < console.ExitOK || code > console.ExitLimit || code != 0 &&
			!strings.HasPrefix(lastLine(errs.String()), "superres: ") {
			t.Errorf("%q: exit %d, %q", args, code, errs.String())
		}
		if text := errs.String(); strings.Contains(text, "panic") || strings.Contains(text, "goroutine ") {
			t.Errorf("%q: %s", args, text)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "a.png")); err != nil || !bytes.Equal(got, picture) {
			t.Errorf("%q: the input was changed (%v)", args, err)
		}
	})
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	return lines[len(lines)-1]
}
