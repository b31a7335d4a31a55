package app

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
)

// texture is a picture of a kind, with something to see everywhere.
func texture(kind string, w, h int) image.Image {
	r := image.Rect(0, 0, w, h)
	level := func(i, c int) uint8 { return uint8(i%w/3+i/w/5+40*c)&127 + uint8(i*7919>>3)&7 }
	switch kind {
	case "gray":
		m := image.NewGray(r)
		for i := range m.Pix {
			m.Pix[i] = level(i, 0)
		}
		return m
	case "gray16":
		m := image.NewGray16(r)
		for i := range m.Pix {
			m.Pix[i] = level(i/2, i%2)
		}
		return m
	case "palette":
		m := image.NewPaletted(r, color.Palette{color.NRGBA{1, 2, 3, 255}, color.NRGBA{200, 100, 50, 255}})
		for i := range m.Pix {
			m.Pix[i] = level(i, 0) / 64
		}
		return m
	case "rgb16":
		m := image.NewNRGBA64(r)
		for i := range m.Pix {
			m.Pix[i] = level(i/8, i/2%4) | uint8(0xff*(i%8/6))
		}
		return m
	}
	m := image.NewNRGBA(r)
	for i := range m.Pix {
		m.Pix[i] = level(i/4, i%4)
		if i%4 == 3 && (kind != "rgba" || i/4%w > w/3) {
			m.Pix[i] = 255
		}
	}
	return m
}

// A photograph of 24 megapixels is enlarged by 4 within the default limit.
func TestLargePhotograph(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "photo.jpg"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := jpeg.Encode(f, image.NewYCbCr(image.Rect(0, 0, 6000, 4000), image.YCbCrSubsampleRatio420), nil); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"jpeg", "png"} {
		stdout, stderr, code := call(t, dir, "", "upscale", "photo.jpg", "-s", "4", "-m", "photo", "-f", format, "--dry-run", "--json")
		var plan struct {
			Width, Height int
			Memory        int64
		}
		if err := json.NewDecoder(strings.NewReader(stdout)).Decode(&plan); err != nil || code != 0 || plan.Width != 24000 || plan.Height != 16000 || plan.Memory > 1<<30 {
			t.Errorf("%s: exit %d, %+v, %v, %s", format, code, plan, err, stderr)
		}
	}
}

// The estimate of the memory that a picture takes is 0.9 to 2 times what is measured,
// for small pictures and for larger ones, of all kinds.
func TestMemoryEstimate(t *testing.T) {
	if testing.Short() {
		t.Skip("not with -short: the race detector, which is run so, has memory of its own")
	}
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("this system does not tell the peak of a process")
	}
	dir := t.TempDir()
	cases := []struct {
		kind  string
		w, h  int
		flags string
	}{
		{"rgba", 1500, 1100, "-s 4"},
		{"rgb", 1500, 1100, "-s 4 -m bicubic --tile 40"}, // written in strips
		{"gray", 16, 16, "-m bicubic"},
		{"gray", 28, 28, "-m digits"},
		{"rgb", 16, 16, ""},
		{"rgb", 120, 90, "--effort fast"},
		{"rgb", 90, 60, "-s 3"},
		{"rgb", 64, 48, "-s 2.5 --effort fast"},
		{"rgb", 48, 40, "-s 6 --effort fast"},
		{"rgb", 60, 45, "-s 4"},
		{"rgb", 120, 90, "-m coupled"},
		{"rgb", 100, 80, "-m photo-real"},
		{"rgba", 160, 120, "--effort fast"},
		{"gray16", 200, 150, "--effort fast"},
		{"rgb16", 160, 120, "--effort max"},
		{"jpeg", 200, 150, "--effort fast -m photo"},
		{"rgb", 2000, 10, "--effort fast"},
		{"rgb", 10, 2000, "--effort fast"},
		{"rgb", 900, 700, "-m bicubic"},
		{"rgb", 900, 700, "-m lanczos -s 1.5"},
		{"palette", 1200, 800, "-m bicubic"},
		{"rgba", 900, 700, "-m bicubic"},
		{"gray", 1800, 1500, "-m bicubic -f bmp"},
		{"rgb16", 900, 700, "-m bicubic"},
	}
	for _, c := range cases[consoletest.Full(1, 0):] { // the first is in several bands
		name := fmt.Sprintf("%s %dx%d %s", c.kind, c.w, c.h, c.flags)
		in := filepath.Join(dir, "in.png")
		encode := func(f *os.File) error { return png.Encode(f, texture(c.kind, c.w, c.h)) }
		if c.kind == "jpeg" {
			in = filepath.Join(dir, "in.jpg")
			encode = func(f *os.File) error { return jpeg.Encode(f, texture(c.kind, c.w, c.h), nil) }
		}
		f, err := os.Create(in)
		if err != nil {
			t.Fatal(err)
		}
		if err := encode(f); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		args := append([]string{"upscale", in, "--on-exist", "overwrite", "--json"}, strings.Fields(c.flags)...)
		checkEstimate(t, dir, name, 0.9, planned(t, dir, args...), nil, args...)
	}
}

// planned is the memory that a plan says a picture takes.
func planned(t *testing.T, dir string, args ...string) int64 {
	t.Helper()
	stdout, stderr, code := call(t, dir, "", append(args, "--dry-run")...)
	var plan struct{ Memory int64 }
	if err := json.NewDecoder(strings.NewReader(stdout)).Decode(&plan); err != nil || code != 0 {
		t.Fatalf("%v: exit %d, %v, %s", args, code, err, stderr)
	}
	return plan.Memory
}

// checkEstimate compares an estimate with the peak of the program, run with a file as
// standard input if it is not nil: it is at least so many times that, and at most 2.
func checkEstimate(t *testing.T, dir, name string, least float64, estimate int64, stdin func() *os.File, args ...string) {
	t.Helper()
	var got int64
	ratio := 3.0
	for range 3 { // when garbage is collected is chance: what counts is the largest of a few
		if ratio <= 2 {
			break
		}
		cmd := consoletest.Process(dir, args...)
		cmd.Env = append(cmd.Env, "GOGC=30", consoletest.NotePeak(filepath.Join(dir, "peak")))
		if stdin != nil {
			f := stdin()
			defer f.Close()
			cmd.Stdin = f
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		got = max(got, consoletest.Peak(t, filepath.Join(dir, "peak")))
		ratio = float64(estimate) / float64(got)
	}
	t.Logf("%s: estimated %d MiB, measured %d MiB, ratio %.2f", name, estimate>>20, got>>20, ratio)
	if ratio < least || ratio > 2 {
		t.Errorf("%s: estimated %d MiB, measured %d MiB, ratio %.2f", name, estimate>>20, got>>20, ratio)
	}
}
