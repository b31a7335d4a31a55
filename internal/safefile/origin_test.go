package safefile

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"superres/internal/must"
)

// A file that is made from another one gets its date where that is asked for, new or over an old file, also where
// another program writes it.
func TestDatesOfAnOrigin(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	must.Succeed(t, os.WriteFile(path("in"), []byte("in"), 0o600))
	changed := time.Unix(1_100_000_000, 0)
	must.Succeed(t, os.Chtimes(path("in"), changed, changed))
	info := must.Get(os.Stat(path("in")))(t)
	must.Succeed(t, os.WriteFile(path("old"), []byte("old"), 0o600))
	from := Origin{Info: info, KeepDates: true}
	must.Succeed(t, WriteAtomicFrom(from, path("new"), false, writes("new")))
	must.Succeed(t, WriteAtomicFrom(from, path("old"), true, writes("new")))
	must.Succeed(t, MakeAtomicFrom(from, path("made"), false, func(temp string) error {
		return os.WriteFile(temp, []byte("new"), 0o600)
	}))
	must.Succeed(t, WriteAtomicFrom(Origin{Info: info}, path("today"), false, writes("new")))
	must.Succeed(t, WriteAtomicFrom(Origin{KeepDates: true}, path("piped"), false, writes("new")))
	for name, want := range map[string]bool{"new": true, "old": true, "made": true, "today": false, "piped": false} {
		made := must.Get(os.Stat(path(name)))(t)
		if got := made.ModTime().Equal(changed); got != want {
			t.Errorf("%s: changed at %v", name, made.ModTime())
		}
		if content(t, path(name)) != "new" {
			t.Errorf("%s has other bytes", name)
		}
	}
	if left := leftovers(t, dir); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
}
