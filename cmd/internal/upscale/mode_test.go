//go:build unix

package upscale

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/must"
)

// An output of a private picture is private, alone, in a folder and with a journal; an overwritten file keeps its
// mode, and the output of a pipe has the usual one.
func TestModesOfOutputs(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o022))
	dir := t.TempDir()
	for name, mode := range map[string]fs.FileMode{"in/closed.png": 0o600, "in/open.png": 0o664, "old.png": 0o640} {
		consoletest.WritePicture(t, filepath.Join(dir, name), consoletest.Blob(9, 7))
		must.Succeed(t, os.Chmod(filepath.Join(dir, name), mode))
	}
	pipe := string(consoletest.Read(t, filepath.Join(dir, "in/open.png")))
	for _, args := range [][]string{
		{"in/closed.png", "-o", "alone.png"}, {"in", "-o", "folder"}, {"in", "-o", "journal", "--resume"},
		{"in/closed.png", "-o", "old.png", "--on-exist", "overwrite"}, {"-", "-o", "pipe.png"},
	} {
		if _, stderr, code := call(t, dir, pipe,
			append([]string{"upscale", "-m", "nearest", "-q"}, args...)...); code != 0 {
			t.Fatalf("%v: exit %d, %s", args, code, stderr)
		}
	}
	for name, want := range map[string]fs.FileMode{
		"alone.png": 0o600, "folder/closed_2x.png": 0o600, "folder/open_2x.png": 0o644,
		"journal/closed_2x.png": 0o600, "journal/open_2x.png": 0o644, "old.png": 0o640, "pipe.png": 0o644,
	} {
		info := must.Get(os.Stat(filepath.Join(dir, name)))(t)
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
