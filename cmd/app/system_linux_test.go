package app

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/internal/must"
)

// smallDisk mounts a file system of size bytes and returns its folder, or skips the test if that is not possible.
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

// On a disk that becomes full every file has its old or its new content, the error says why, and no other file is left.
func TestFullDisk(t *testing.T) {
	disk := smallDisk(t, 2<<20)
	dir := t.TempDir()
	for i := range 12 {
		consoletest.WritePicture(t, filepath.Join(dir, fmt.Sprintf("in/%02d.png", i)), consoletest.Blob(300, 100+i))
		consoletest.Put(t, filepath.Join(disk, fmt.Sprintf("%02d_2x.bmp", i)), []byte("old"))
	}
	in := filepath.Join(dir, "in")
	tested.Succeeds(t, dir, "upscale", in, "-f", "bmp", "-o", filepath.Join(dir, "want"), "-m", "bicubic", "-q")
	want := consoletest.Results(t, filepath.Join(dir, "want"))
	_, stderr, code := call(t, dir, "", "upscale", in, "-f", "bmp", "-o", disk, "-m", "bicubic", "--on-exist",
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
	// The same for the outputs of other commands: one picture, a dictionary, a model, a report.
	consoletest.Put(t, filepath.Join(disk, "filling"), make([]byte, 1<<20)[:freeBytes(t, disk)-1<<12])
	y := mat.NewDense(40, 200, nil)
	y.Apply(func(i, j int, _ float64) float64 { return float64((i*j*7+i+3*j)%11) - 5 }, y)
	consoletest.PutMatrix(t, filepath.Join(dir, "Y.npy"), y)
	before := consoletest.Tree(t, disk)
	for _, args := range [][]string{
		{"upscale", filepath.Join(in, "00.png"), "-m", "nearest", "-f", "bmp", "-o", filepath.Join(disk, "a.bmp")},
		{"learn", "Y.npy", "--atoms", "80", "--iterations", "1", "-o", filepath.Join(disk, "D.npy")},
		{"train", in, "--atoms", "300", "--iterations", "1", "--patches", "900", "-o", filepath.Join(disk, "m.npz")},
		{"dict", "coupled", "-o", filepath.Join(disk, "d.png")},
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

// freeBytes returns the free space in bytes of the file system at disk.
func freeBytes(t *testing.T, disk string) int {
	t.Helper()
	var s syscall.Statfs_t
	must.Succeed(t, syscall.Statfs(disk, &s))
	return int(s.Bavail) * int(s.Bsize)
}

// No picture and no matrix is written to a terminal.
func TestNoBinaryOnTerminal(t *testing.T) {
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), consoletest.Blob(9, 7))
	consoletest.Put(t, filepath.Join(dir, "Y.csv"), []byte("2,1,3,4,5\n5,4,6,8,9\n"))
	before := consoletest.Tree(t, dir)
	picture := string(consoletest.Read(t, dir, "a.png"))
	for _, args := range []string{"upscale a.png -o -", "upscale -", "a.png -o -", "learn Y.csv -o -",
		"dict coupled -o -"} {
		screen, code := tested.OnTerminal(t, dir, picture, strings.Fields(args)...)
		if want := "superres: standard output is a terminal, and the result is no text: give it a file with -o " +
			"FILE, or with > FILE behind the command\n"; code != console.ExitUsage || screen != want {
			t.Errorf("%s: exit %d, %q", args, code, screen)
		}
	}
	if after := consoletest.Tree(t, dir); !slices.Equal(before, after) {
		t.Errorf("left %v", after)
	}
	if screen, code := tested.OnTerminal(t, dir, "", "upscale", "a.png", "-o", "-", "--dry-run"); code != 0 ||
		!strings.HasPrefix(screen, "a.png 9×7 -> - 18×14, ") {
		t.Errorf("exit %d, %q", code, screen)
	}
}

// With a bar or without, the last line on a terminal says what was made.
func TestLineOnTerminal(t *testing.T) {
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), consoletest.Blob(9, 7))
	for _, dumb := range []string{"", "dumb"} {
		t.Setenv("TERM", dumb)
		screen, code := tested.OnTerminal(t, dir, "", "a.png", "--on-exist", "overwrite")
		if line := screen[strings.LastIndexByte(strings.TrimSuffix(screen, "\n"), '\r')+1:]; code != 0 ||
			!strings.HasPrefix(line, "a_2x.png, 18×14, 0.") || !strings.HasSuffix(line, " s\n") {
			t.Errorf("TERM=%q: exit %d, %q", dumb, code, screen)
		}
		if screen, code := tested.OnTerminal(t, dir, "", "a.png", "--on-exist", "overwrite", "-q"); code != 0 ||
			screen != "" {
			t.Errorf("exit %d, %q", code, screen)
		}
	}
}
