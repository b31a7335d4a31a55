package upscale

import (
	"bytes"
	"image"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/disintegration/imaging"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/golden"
	"superres/internal/must"
	"superres/internal/synthetic"
)

// noisy returns img with noise of standard deviation sigma, in levels of 255.
func noisy(img image.Image, sigma float64) image.Image {
	rng := rand.New(rand.NewPCG(1, 2))
	out := imaging.Clone(img)
	for i := range out.Pix {
		if i%4 != 3 {
			out.Pix[i] = uint8(min(max(math.Round(float64(out.Pix[i])+sigma*rng.NormFloat64()), 0), 255))
		}
	}
	return out
}

// halfNoisy returns img with noise in its right half.
func halfNoisy(img image.Image) image.Image {
	b, out := img.Bounds(), imaging.Clone(img)
	right := image.Rect(b.Dx()/2, 0, b.Dx(), b.Dy())
	return imaging.Paste(out, noisy(imaging.Crop(out, right), 15), right.Min)
}

// Noise that varies over a picture is reported and removed where it is, with a better result than one strength for
// all, at every effort, also when the file is written in strips.
func TestVaryingNoise(t *testing.T) {
	golden.NotShort(t, "computes for long")
	dir := t.TempDir()
	truth := imaging.Resize(golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png")), 640, 480,
		imaging.CatmullRom)
	consoletest.WritePicture(t, filepath.Join(dir, "half.png"), halfNoisy(imaging.Resize(truth, 320, 240, imaging.Box)))
	found := regexp.MustCompile(`noise of 0\.\d to (9|1\d)\.\d levels, by photo-real(-fast)? at levels of`)
	off := func(flags string) float64 {
		t.Helper()
		_, stderr := expect(t, dir, "", "half.png --verbose -o out.png --on-exist overwrite "+flags, 0)
		if found.MatchString(stderr) == strings.Contains(flags, "--denoise") {
			t.Errorf("%q: told %s", flags, stderr)
		}
		got := imaging.Clone(golden.Open(t, filepath.Join(dir, "out.png")))
		sum := 0.0
		for i, v := range got.Pix {
			d := float64(v) - float64(truth.Pix[i])
			sum += d * d
		}
		return sum
	}
	for _, effort := range []string{"fast", "best", "max"}[:consoletest.Full(2, 3)] {
		varying := off("--effort " + effort)
		for _, level := range []string{"0", "0.3", "0.1", "0.4"}[:consoletest.Full(2, 4)] {
			if same := off("--denoise " + level + " --effort " + effort); varying > 0.95*same {
				t.Errorf("effort %s: error %.0f, the same at level %s everywhere %.0f", effort, varying, level, same)
			}
		}
	}
	off("")
	whole := consoletest.Read(t, dir, "out.png")
	if off("--tile 40"); !bytes.Equal(consoletest.Read(t, dir, "out.png"), whole) {
		t.Error("in strips it is another")
	}
	stdout, _ := expect(t, dir, "", "--dry-run --json half.png", 0)
	plans, _ := decodeEvents(t, stdout)
	if p := plans[0]; !p.Varies || p.NoiseLeast <= 0 || p.NoiseLeast >= p.Noise || p.Level <= 0 {
		t.Errorf("%+v", p)
	}
}

// Flaws are measured in the pixels of a picture, reported, and decide the model unless options do.
func TestFlaws(t *testing.T) {
	golden.NotShort(t, "computes for long")
	dir := t.TempDir()
	photograph := golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png"))
	smooth := imaging.Resize(photograph, 200, 0, imaging.CatmullRom)
	drawn := synthetic.Sample(rand.New(rand.NewPCG(3, 1)), 200, 200, 2).Image
	var file bytes.Buffer
	must.Succeed(t, jpeg.Encode(&file, smooth, &jpeg.Options{Quality: 60}))
	consoletest.Put(t, filepath.Join(dir, "compressed.jpg"), file.Bytes())
	decoded := must.Get(jpeg.Decode(&file))(t)
	for name, img := range map[string]image.Image{"clean.png": drawn, "noisy.png": noisy(smooth, 10),
		"saved-again.png": imaging.Crop(decoded, image.Rect(3, 2, 199, 190))} {
		consoletest.WritePicture(t, filepath.Join(dir, name), img)
	}
	made := func(line string) (data []byte, told string) {
		t.Helper()
		_, told = expect(t, dir, "", "--provenance=false --verbose -o out.png --on-exist overwrite "+line, 0)
		return consoletest.Read(t, dir, "out.png"), told
	}
	for _, c := range []struct{ name, want, by string }{
		{"clean.png", "no flaws found", "photo"}, {"noisy.png", "noise of ", "photo-real"},
		{"compressed.jpg", "JPEG compression of quality 60", "photo-real"}, {"saved-again.png",
			"JPEG compression of quality 60", "photo-real"},
	} {
		auto, told := made(c.name)
		if !strings.Contains(told, c.want) || !regexp.MustCompile(" by "+c.by+"(,| at level )").MatchString(told) {
			t.Errorf("%s: told\n%s\nexpected %q by %s", c.name, told, c.want, c.by)
		}
		plain, _ := made(c.name + " -m photo")
		if same := bytes.Equal(auto, plain); same != (c.by == "photo") {
			t.Errorf("%s: by auto as by photo: %v", c.name, same)
		}
		if none, told := made(c.name + " --denoise 0"); !bytes.Equal(none, plain) ||
			!strings.Contains(told, "by photo,") {
			t.Errorf("%s: --denoise 0 is not what photo makes\n%s", c.name, told)
		}
	}
	some, _ := made("noisy.png --denoise 0.2")
	more, _ := made("noisy.png --denoise 0.6")
	if bytes.Equal(some, more) {
		t.Error("--denoise 0.2 and 0.6 make the same")
	}
	if named, _ := made("noisy.png --denoise 0.2 -m photo-real"); !bytes.Equal(named, some) {
		t.Error("--denoise 0.2 makes something else by name")
	}
}
