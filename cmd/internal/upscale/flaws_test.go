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
)

// noisy is a picture with noise of a deviation.
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

// The flaws of a picture are found in its samples, and told, and decide what enlarges it
// where nothing is asked for.
func TestFlaws(t *testing.T) {
	dir := t.TempDir()
	photograph := golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png"))
	smooth := imaging.Resize(photograph, 300, 0, imaging.CatmullRom)
	var file bytes.Buffer
	if err := jpeg.Encode(&file, smooth, &jpeg.Options{Quality: 60}); err != nil {
		t.Fatal(err)
	}
	consoletest.Put(t, filepath.Join(dir, "compressed.jpg"), file.Bytes())
	decoded, err := jpeg.Decode(&file)
	if err != nil {
		t.Fatal(err)
	}
	for name, img := range map[string]image.Image{"clean.png": smooth, "noisy.png": noisy(smooth, 10), "saved again.png": imaging.Crop(decoded, image.Rect(3, 2, 299, 290))} {
		consoletest.WritePicture(t, filepath.Join(dir, name), img)
	}
	made := func(args ...string) (data []byte, told string) {
		t.Helper()
		_, stderr, code := call(t, dir, "", append([]string{"upscale", "--provenance=false", "--verbose", "-o", "out.png", "--on-exist", "overwrite"}, args...)...)
		if code != 0 {
			t.Fatalf("%q: exit %d\n%s", args, code, stderr)
		}
		return consoletest.Read(t, dir, "out.png"), stderr
	}
	for _, c := range []struct{ name, want, by string }{
		{"clean.png", "no flaws found", "photo"}, {"noisy.png", "noise of ", "photo-real"},
		{"compressed.jpg", "JPEG compression of quality 60", "photo-real"}, {"saved again.png", "JPEG compression of quality 60", "photo-real"},
	} {
		auto, told := made(c.name)
		if !strings.Contains(told, c.want) || !regexp.MustCompile(" by "+c.by+"(,| at level )").MatchString(told) {
			t.Errorf("%s: told\n%s\nexpected %q by %s", c.name, told, c.want, c.by)
		}
		plain, _ := made(c.name, "-m", "photo")
		if same := bytes.Equal(auto, plain); same != (c.by == "photo") {
			t.Errorf("%s: by auto as by photo: %v", c.name, same)
		}
		if none, told := made(c.name, "--denoise", "0"); !bytes.Equal(none, plain) || !strings.Contains(told, "by photo,") {
			t.Errorf("%s: --denoise 0 is not what photo makes\n%s", c.name, told)
		}
		if named, _ := made(c.name, "-m", "photo-real"); c.by == "photo-real" && !bytes.Equal(named, auto) {
			t.Errorf("%s: photo-real makes something else where it is named", c.name)
		}
	}
	some, _ := made("noisy.png", "--denoise", "0.2")
	more, _ := made("noisy.png", "--denoise", "0.6")
	if bytes.Equal(some, more) {
		t.Error("--denoise 0.2 and 0.6 make the same")
	}
	if named, _ := made("noisy.png", "--denoise", "0.2", "-m", "photo-real"); !bytes.Equal(named, some) {
		t.Error("--denoise 0.2 makes something else by name")
	}
	program.Refuses(t, dir, []consoletest.Refusal{
		{Args: []string{"upscale", "clean.png", "--denoise", "2"}, Code: 2, Want: "--denoise 2: expected auto, or 0 to 1"},
		{Args: []string{"upscale", "clean.png", "--strength", "2"}, Code: 2, Want: "--strength 2: expected 0 to 1.3"},
		{Args: []string{"upscale", "clean.png", "--denoise", "much"}, Code: 2, Want: "--denoise much: expected auto, or 0 to 1"},
		{Args: []string{"upscale", "clean.png", "--denoise", "0.5", "-m", "bicubic"}, Code: 2, Want: "the model bicubic takes no noise away"},
	})
}
