package safefile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"superres/internal/must"
)

// CheckWritable says no where WriteAtomic would, and leaves nothing behind.
func TestCheckWritable(t *testing.T) {
	dir := t.TempDir()
	old, locked := filepath.Join(dir, "old"), filepath.Join(dir, "locked")
	for name, mode := range map[string]os.FileMode{old: 0o644, locked: 0o444} {
		must.Succeed(t, os.WriteFile(name, []byte("old"), mode))
	}
	for _, c := range []struct {
		name      string
		overwrite bool
		ok        bool
	}{
		{filepath.Join(dir, "new"), false, true}, {old, true, true}, {old, false, false},
		{locked, true, false}, {dir, true, false}, {filepath.Join(dir, "none", "new"), false, false},
	} {
		if err := CheckWritable(c.name, c.overwrite); (err == nil) != c.ok || err != nil && !errors.Is(err, ErrOutput) {
			t.Errorf("%s, overwrite %v: %v", c.name, c.overwrite, err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestCheckFolder(t *testing.T) {
	dir := t.TempDir()
	must.Succeed(t, CheckFolder(dir))
	if left := leftovers(t, dir); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
	none := filepath.Join(dir, "none")
	checkRefusal(t, CheckFolder(none), ErrOutput, none, "cannot be written: ")
}
