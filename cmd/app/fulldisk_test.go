//go:build linux

package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console"

	"superres/cmd/internal/console/consoletest"
)

// smallDisk mounts a file system of a size in bytes, or skips the test where that is not possible.
func smallDisk(t *testing.T, size int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("superres", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		t.Skipf("no small disk can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// On a disk that becomes full every file is the old one or the new one, the error says why, and no other file is left.
func TestFullDisk(t *testing.T) {
	disk := smallDisk(t, 2<<20)
	dir := t.TempDir()
	for i := range 12 {
		consoletest.WritePicture(t, filepath.Join(dir, fmt.Sprintf("in/%02d.png", i)), consoletest.Blob(300, 100+i))
		consoletest.Put(t, filepath.Join(disk, fmt.Sprintf("%02d_2x.tif", i)), []byte("old"))
	}
	in := filepath.Join(dir, "in")
	tested.Succeeds(t, dir, "upscale", in, "-f", "tiff", "-o", filepath.Join(dir, "want"), "-m", "bicubic", "-q")
	want := consoletest.Results(t, filepath.Join(dir, "want"))
	_, stderr, code := call(t, dir, "", "upscale", in, "-f", "tiff", "-o", disk, "-m", "bicubic", "--on-exist",
		"overwrite", "-q")
	old, made := 0, 0
	for f, data := range consoletest.Results(t, disk) {
		switch data {
		case "old":
			old++
		case want[f]:
			made++
		default:
			t.Errorf("%s has %d bytes of neither", f, len(data))
		}
	}
	if code != console.ExitSome || old+made != 12 || old == 0 || made == 0 ||
		strings.Count(stderr, "no space left on device; free some space") != old {
		t.Errorf("exit %d, %d old and %d new files: %s", code, old, made, stderr)
	}
	if files := consoletest.Tree(t, disk); len(files) != 12 {
		t.Errorf("left: %v", files)
	}
	// The other outputs: of one picture, of a dictionary, of a model, of a report.
	consoletest.Put(t, filepath.Join(disk, "filling"), make([]byte, 1<<20)[:freeBytes(t, disk)-1<<12])
	y := mat.NewDense(40, 200, nil)
	y.Apply(func(i, j int, _ float64) float64 { return float64((i*j*7+i+3*j)%11) - 5 }, y)
	consoletest.PutMatrix(t, filepath.Join(dir, "Y.npy"), y)
	before := consoletest.Tree(t, disk)
	for _, args := range [][]string{
		{"upscale", filepath.Join(in, "00.png"), "-m", "nearest", "-f", "bmp", "-o", filepath.Join(disk, "a.bmp")},
		{"learn", "Y.npy", "--atoms", "80", "--iterations", "1", "-o", filepath.Join(disk, "D.npy")},
		{"train", in, "--atoms", "300", "--iterations", "1", "--patches", "900", "-o", filepath.Join(disk, "m.npz")},
		{"dict", "export", "coupled", "-o", filepath.Join(disk, "d.csv")},
	} {
		_, stderr, code := call(t, dir, "", append(args, "-q")...)
		if code != console.ExitOutput || strings.Count(stderr, "\n") != 1 ||
			!strings.Contains(stderr, "no space left on device; free some space") {
			t.Errorf("%v: exit %d, %s", args, code, stderr)
		}
		if after := consoletest.Tree(t, disk); fmt.Sprint(after) != fmt.Sprint(before) {
			t.Errorf("%v: left %v", args, after)
		}
	}
	if _, err := os.Stat(filepath.Join(disk, "filling")); err != nil {
		t.Error(err)
	}
}

// freeBytes returns the free space of a disk.
func freeBytes(t *testing.T, disk string) int {
	t.Helper()
	var s syscall.Statfs_t
	if err := syscall.Statfs(disk, &s); err != nil {
		t.Fatal(err)
	}
	return int(s.Bavail) * int(s.Bsize)
}
