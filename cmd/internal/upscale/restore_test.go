package upscale

import (
	"bytes"
	"path/filepath"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/degrade"
	"superres/internal/golden"
)

// superres restore is upscale at scale 1, with names of its own, and takes noise away; by a model for clean pictures a
// picture stays as it is. How near results are to what a picture was is tested in package superres.
func TestRestore(t *testing.T) {
	dir := t.TempDir()
	noisy := degrade.WithNoise(golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png")), 12, 1)
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
	for name, isSame := range map[string]bool{"same.png": true, "noisy_restored.png": false} {
		if where := differ(opened(t, dir, name).Image, noisy); (where == "") != isSame {
			t.Errorf("%s: differs from the noisy picture: %q", name, where)
		}
	}
}
