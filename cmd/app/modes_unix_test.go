//go:build unix

package app

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/must"
)

// An output made from files that only their owner may read is readable by the owner only, whatever command makes it;
// the permissions of other outputs follow the umask.
func TestModes(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o022))
	y := mat.NewDense(8, 60, nil)
	y.Apply(func(i, j int, _ float64) float64 { return float64((i*j*7+i+3*j)%11) - 5 }, y)
	for mode, want := range map[fs.FileMode]fs.FileMode{0o600: 0o600, 0o644: 0o644, 0o400: 0o600} {
		dir := t.TempDir()
		consoletest.PutMatrix(t, filepath.Join(dir, "Y.npy"), y)
		consoletest.Blobs(t, dir, 40, 32, "in/a.png", "in/b.png")
		for _, name := range []string{"Y.npy", "in/a.png"} { // everybody may read in/b.png; the stricter mode counts
			must.Succeed(t, os.Chmod(filepath.Join(dir, name), mode))
		}
		for _, line := range []string{
			"learn Y.npy -o D.npy --codes X.npz --trace t.csv --iterations 2 -q",
			"diff in/a.png in/b.png -o diff.html -q",
			"train in --atoms 20 --iterations 1 --patches 100 -o m.npz -q",
			"upscale in -m nearest -o out --resume -q",
			"upscale in/a.png -m nearest -o alone.png -q",
			"dict m.npz -o atoms.png -q",
		} {
			tested.Succeeds(t, dir, strings.Fields(line)...)
		}
		picture := string(consoletest.Read(t, dir, "in/b.png"))
		tested.Call(t, dir, picture, "upscale", "-", "-m", "nearest", "-o", "pipe.png", "-q")
		made := 0
		for _, name := range consoletest.Tree(t, dir) {
			info := must.Get(os.Stat(filepath.Join(dir, name)))(t)
			if info.IsDir() || strings.HasPrefix(name, "in/") || name == "Y.npy" {
				continue
			}
			made++
			now := want
			if name == "out/b_2x.png" || name == "pipe.png" {
				now = 0o644
			}
			if got := info.Mode().Perm(); got != now {
				t.Errorf("from files of %v, %s: %v, expected %v", mode, name, got, now)
			}
		}
		if made != 11 {
			t.Errorf("%d files were made", made)
		}
	}
}
