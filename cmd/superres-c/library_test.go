package main

import (
	"bytes"
	"errors"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/upscale"
	"superres/internal/must"
	"superres/superres"
	"superres/superres/files"
	"superres/superres/models"
)

// A program in C makes the bytes of the command, of a file and of pixels, from several threads.
func TestLibrary(t *testing.T) {
	if os.Getenv("SUPERRES_FULL") == "" {
		t.Skip("not without SUPERRES_FULL=1: a shared library is compiled with all that is in it, in a minute")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the test in C has the threads of POSIX")
	}
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler cc (Debian: gcc)")
	}
	dir := t.TempDir()
	run := func(name string, args ...string) string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		return string(out)
	}
	run("go", "build", "-buildmode=c-shared", "-o", filepath.Join(dir, "libsuperres.so"), ".")
	program := filepath.Join(dir, "test")
	run(compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", "-D_POSIX_C_SOURCE=200809L", "-I", ".", "-o", program,
		"test.c", "-L", dir, "-lsuperres", "-pthread", "-Wl,-rpath,"+dir)
	result, pixels := filepath.Join(dir, "result.png"), filepath.Join(dir, "pixels")
	photo := must.Get(filepath.Abs("../../testdata/hopper.png"))(t)
	version := run(program, photo, "scale=1.5&effort=fast", result, pixels)
	if strings.TrimSpace(version) != superres.Version {
		t.Errorf("version %q, expected %s", version, superres.Version)
	}

	program = filepath.Join(dir, "command.png")
	consoletest.Of(upscale.Command).Succeeds(t, dir, "upscale", "-s", "1.5", "--effort", "fast", "-o", program, photo)
	if a, b := must.Get(os.ReadFile(result))(t), must.Get(os.ReadFile(program))(t); !bytes.Equal(a, b) {
		t.Errorf("%d bytes that are not the %d of the command", len(a), len(b))
	}

	small := image.NewNRGBA(image.Rect(0, 0, 24, 16))
	for y := range 16 {
		for x := range 24 {
			blue := byte(20)
			if x < y {
				blue = 200
			}
			copy(small.Pix[small.PixOffset(x, y):], []byte{byte(10 * x), byte(15 * y), blue, 0xff})
		}
	}
	m := must.Get(models.Open(models.Auto))(t)
	large := must.Get(m.Upscale(t.Context(), small, superres.Options{Scale: 3}))(t)
	var want []byte
	for i, v := range large.(*image.NRGBA).Pix {
		if i%4 < 3 {
			want = append(want, v)
		}
	}
	if got := must.Get(os.ReadFile(pixels))(t); !bytes.Equal(got, want) {
		t.Errorf("%d samples that are not the %d of package superres", len(got), len(want))
	}
}

// The memory of a picture is estimated from its size, before there are pixels.
func TestPlanNeedsNoPixels(t *testing.T) {
	opt := must.Get(parse(nil))(t)
	for _, c := range []struct {
		p    picture
		want error
	}{
		{picture{120000, 40000, 40000, 3}, files.ErrLimit}, {picture{1 << 40, 1, 1 << 20, 1}, nil},
		{picture{60000, 60000, 60000, 1}, files.ErrLimit}, {picture{72, 24, 16, 3}, nil},
		{picture{71, 24, 16, 3}, files.ErrOptions}, {picture{1 << 62, 1, 4, 1}, files.ErrOptions},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, _, err := c.p.plan(opt); !errors.Is(err, c.want) || c.want == nil && err != nil {
			t.Errorf("%+v: %v, expected %v", c.p, err, c.want)
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 256<<20 {
			t.Errorf("%+v: %d MiB", c.p, took>>20)
		}
	}
}
