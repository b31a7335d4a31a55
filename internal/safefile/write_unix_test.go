//go:build unix

package safefile

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"superres/internal/must"
)

// A file that is made of another is open to no more people, from its first byte on; one that
// is replaced keeps its mode.
func TestModeOfTheInput(t *testing.T) {
	for _, c := range []struct{ in, umask, want fs.FileMode }{
		{0o600, 0o022, 0o600}, {0o600, 0, 0o600}, {0o644, 0, 0o644}, {0o640, 0o022, 0o640}, {0o777, 0o022, 0o644},
		{0o666, 0o077, 0o600}, {0o400, 0, 0o600}, {0o444, 0o022, 0o644},
	} {
		dir := t.TempDir()
		in, out, there := filepath.Join(dir, "in"), filepath.Join(dir, "out"), filepath.Join(dir, "there")
		for name, mode := range map[string]fs.FileMode{in: c.in, there: 0o604} {
			must.Succeed(t, os.WriteFile(name, nil, 0o600))
			must.Succeed(t, os.Chmod(name, mode))
		}
		info, err := os.Stat(in)
		must.Succeed(t, err)
		before := syscall.Umask(int(c.umask))
		err = WriteAtomicFrom(Origin{Info: info}, out, false, func(w io.Writer) error {
			for _, name := range leftovers(t, dir) {
				if got := modeOf(t, filepath.Join(dir, name)); got != c.want {
					t.Errorf("%v: %v while it is written", c.in, got)
				}
			}
			return writes("new")(w)
		})
		again := WriteAtomicFrom(Origin{Info: info}, there, true, writes("new"))
		plain := WriteAtomicFrom(Origin{}, filepath.Join(dir, "plain"), false, writes("new"))
		syscall.Umask(before)
		if err != nil || again != nil || plain != nil {
			t.Fatal(err, again, plain)
		}
		if got := modeOf(t, out); got != c.want {
			t.Errorf("out of %v with the umask %v: %v, want %v", c.in, c.umask, got, c.want)
		}
		if got := modeOf(t, there); got != 0o604 {
			t.Errorf("out of %v over 0604: %v", c.in, got)
		}
		if got := modeOf(t, filepath.Join(dir, "plain")); got != 0o666&^c.umask {
			t.Errorf("out of no file with the umask %v: %v", c.umask, got)
		}
	}
}

func modeOf(t *testing.T, name string) fs.FileMode {
	t.Helper()
	info := must.Get(os.Lstat(name))(t)
	return info.Mode().Perm()
}
