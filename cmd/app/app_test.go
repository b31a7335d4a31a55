package app

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	_ "image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/serve"
	"superres/internal/golden"
	"superres/internal/kernel"
	"superres/internal/must"
)

var tested = consoletest.Program{Program: program}

func TestMain(m *testing.M) {
	if serve.IsWorker() {
		os.Exit(serve.Work())
	}
	tested.Main(m)
}

var call = tested.Call

// A write to standard output that fails is an error of every command, and of help.
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

// Where no assembly runs, upscale --verbose and version say so. That upscale says it on a terminal is tested for Linux.
func TestPlainGoIsTold(t *testing.T) {
	defer kernel.Use(0)()
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), consoletest.Blob(9, 7))
	const text = ": plain Go computes the same bytes"
	for args, told := range map[string]bool{
		"version": true, "upscale -v a.png": true,
		"upscale -v -q -o b.png a.png": false, "upscale -o c.png a.png": false,
	} {
		stdout, stderr, code := call(t, dir, "", strings.Fields(args)...)
		if code != 0 || strings.Contains(stdout+stderr, text) != told {
			t.Errorf("%s: exit %d, %s%s", args, code, stdout, stderr)
		}
	}
}

// A photograph of 24 megapixels is enlarged by 4 within the default limit.
func TestLargePhotograph(t *testing.T) {
	dir := t.TempDir()
	f := must.Get(os.Create(filepath.Join(dir, "photo.jpg")))(t)
	defer f.Close()
	must.Succeed(t, jpeg.Encode(f, image.NewYCbCr(image.Rect(0, 0, 6000, 4000), image.YCbCrSubsampleRatio420), nil))
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

// TestReadme runs the first command of the README: it makes a picture of twice the size.
func TestReadme(t *testing.T) {
	root := golden.Root(t)
	text := consoletest.Read(t, root, "README.md")
	m := regexp.MustCompile("(?s)```sh\ngo run ./cmd/superres (.*?)\n```.*```sh\ngo test ./...\n```").FindSubmatch(text)
	if m == nil {
		t.Fatal("the README has not got the two commands that set everything up")
	}
	out := filepath.Join(t.TempDir(), "out.png")
	args := strings.Fields(string(m[1]))
	args[slices.Index(args, "-o")+1] = out
	if _, stderr, code := call(t, root, "", args...); code != 0 || consoletest.Size(t, out) != image.Pt(256, 256) {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// TestReadmePicture enlarges the crops in testdata/crops by the program, lays the results out as the first picture of
// the README, and compares that with testdata/crops.jpg. With -update it writes that file.
func TestReadmePicture(t *testing.T) {
	const (
		margin, header = 6, 34
		width, height  = 4 * 68, 4 * 40 // of an enlarged crop
	)
	root, dir := golden.Root(t), t.TempDir()
	crops, models := []string{"face", "facade", "print", "leaves"}, []string{"bicubic", "lanczos", "photo"}
	sheet := image.NewNRGBA(image.Rect(0, 0, 3*(width+margin)-margin, header+4*(height+margin)-margin))
	draw.Draw(sheet, sheet.Bounds(), image.White, image.Point{}, draw.Src)
	regular := must.Get(opentype.Parse(goregular.TTF))(t)
	face := must.Get(opentype.NewFace(regular, &opentype.FaceOptions{Size: 20, DPI: 72}))(t)
	for column, model := range models {
		left := column * (width + margin)
		label := font.Drawer{Dst: sheet, Src: image.NewUniform(color.Gray{40}), Face: face, Dot: fixed.P(left+2, 22)}
		label.DrawString(strings.Replace(model, "photo", "superres", 1))
		for row, crop := range crops {
			out := filepath.Join(dir, crop+".png")
			_, stderr, code := call(t, root, "", "upscale", "-q", "-s", "4", "-m", model, "--on-exist", "overwrite",
				"-o", out, "testdata/crops/"+crop+".png")
			if code != 0 {
				t.Fatalf("exit %d, %s", code, stderr)
			}
			at := image.Rect(0, 0, width, height).Add(image.Pt(left, header+row*(height+margin)))
			draw.Draw(sheet, at, golden.Open(t, out), image.Point{}, draw.Src)
		}
	}
	var file bytes.Buffer
	must.Succeed(t, png.Encode(&file, sheet))
	want := filepath.Join(root, "testdata", "crops.jpg")
	if flag.Lookup("update").Value.String() == "true" {
		consoletest.Put(t, filepath.Join(dir, "sheet.png"), file.Bytes())
		_, stderr, code := call(t, dir, "", "upscale", "-s", "1", "-m", "nearest", "--quality", "94",
			"--provenance=false", "--on-exist", "overwrite", "-o", want, "sheet.png")
		if code != 0 {
			t.Fatalf("exit %d, %s", code, stderr)
		}
	}
	jpeg := must.Get(os.Open(want))(t)
	defer jpeg.Close()
	shown, _, err := image.Decode(jpeg)
	if err != nil || shown.Bounds() != sheet.Bounds() {
		t.Fatalf("%s is not %v: %v; run with -update", want, sheet.Bounds(), err)
	}
	// The file loses what a JPEG of high quality loses, which is 1 level of 255 on average.
	if mean := difference(shown, sheet); mean > 2 {
		t.Errorf("%s differs by %.1f levels on average from what the program makes; run with -update", want, mean)
	}
}

// difference returns the mean absolute difference of the colours of two pictures of one size, in levels of 255.
func difference(a, b image.Image) float64 {
	sum, r := 0.0, a.Bounds()
	for y := r.Min.Y; y < r.Max.Y; y++ {
		for x := r.Min.X; x < r.Max.X; x++ {
			p, q := color.NRGBAModel.Convert(a.At(x, y)).(color.NRGBA),
				color.NRGBAModel.Convert(b.At(x, y)).(color.NRGBA)
			for _, d := range []int{int(p.R) - int(q.R), int(p.G) - int(q.G), int(p.B) - int(q.B)} {
				sum += float64(max(d, -d))
			}
		}
	}
	return sum / float64(3*r.Dx()*r.Dy())
}
