package upscale

import (
	"bytes"
	"image"
	"math"
	"path/filepath"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/degrade"
	"superres/internal/must"
	"superres/internal/picture"
)

// A noisy picture is nearer to what it was after superres restore, which is upscale at scale 1; by a model for clean
// pictures it stays as it is.
func TestRestore(t *testing.T) {
	dir := t.TempDir()
	decode := func(parts ...string) image.Image {
		img, _, err := image.Decode(bytes.NewReader(consoletest.Read(t, parts...)))
		must.Succeed(t, err)
		return img
	}
	clean := decode("../../../testdata/hopper.png")
	noisy := degrade.WithNoise(clean, 12, 1)
	consoletest.WritePicture(t, filepath.Join(dir, "noisy.png"), noisy)
	consoletest.WritePicture(t, filepath.Join(dir, "scans", "noisy.png"), noisy)
	for _, args := range [][]string{{"restore", "noisy.png"}, {"restore", "scans"},
		{"upscale", "-s", "1", "noisy.png", "-o", "again.png"},
		{"restore", "-m", "photo", "noisy.png", "-o", "same.png"}} {
		if _, stderr, code := call(t, dir, "", append(args, "-q")...); code != 0 {
			t.Fatalf("%v: exit %d: %s", args, code, stderr)
		}
	}
	restored := consoletest.Read(t, dir, "noisy_restored.png")
	for _, other := range []string{"scans_restored/noisy_restored.png", "again.png"} {
		if !bytes.Equal(consoletest.Read(t, dir, other), restored) {
			t.Errorf("%s is another picture", other)
		}
	}
	apart := func(a, b image.Image) (sum float64) {
		x, y := picture.Split(a).Luma(), picture.Split(b).Luma()
		for i, v := range x.Pix {
			sum += math.Pow(255*float64(v-y.Pix[i]), 2)
		}
		return sum / float64(len(x.Pix))
	}
	before, after := apart(clean, noisy), apart(clean, decode(dir, "noisy_restored.png"))
	if after > before/2 {
		t.Errorf("a squared error of %.1f, of %.1f before", after, before)
	}
	if left := apart(noisy, decode(dir, "same.png")); left != 0 {
		t.Errorf("photo changes a picture by %.1f", left)
	}
}
