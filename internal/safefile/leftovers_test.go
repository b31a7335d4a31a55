package safefile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestRemoveLeftovers(t *testing.T) {
	dir := t.TempDir()
	hour := time.Now().Add(-time.Hour)
	add := func(name string, age time.Time) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Join(dir, name), age, age); err != nil {
			t.Fatal(err)
		}
	}
	add(".superres-0123456789abcdef.tmp", hour)
	add(".superres-00000000000000ff.tmp", time.Now())
	spared := []string{"a.png", ".superres-notes.tmp", ".superres-0123456789ABCDEF.tmp", ".superres-0123456789abcdef.tmpx", "x.superres-0123456789abcdef.tmp"}
	for _, name := range spared {
		add(name, hour)
	}
	folder := filepath.Join(dir, ".superres-1111111111111111.tmp")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	_ = os.Symlink(filepath.Join(dir, "a.png"), filepath.Join(dir, ".superres-2222222222222222.tmp"))

	used, err := osDisk{}.Create(filepath.Join(dir, ".superres-3333333333333333.tmp"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	used.Close() // what follows, giving it its name, is use still

	want := 2 // neither of the two others is in use
	if f, err := os.Open(filepath.Join(dir, "a.png")); err != nil || lock(f) == unknown {
		want = 1 // there are no locks here: the old one alone
	} else {
		f.Close()
	}
	if n, err := RemoveLeftovers(dir, time.Minute); n != want || err != nil {
		t.Errorf("removed %d, %v; want %d", n, err, want)
	}
	used.Release()
	if n, err := RemoveLeftovers(dir, 0); n != 3-want || err != nil {
		t.Errorf("removed %d, %v; want %d more", n, err, 3-want)
	}
	for _, name := range append(spared, filepath.Base(folder)) {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	none := filepath.Join(dir, "none")
	_, err = RemoveLeftovers(none, 0)
	checkRefusal(t, err, ErrOutput, none, "cannot be looked through for old temporary files: ")
}

func TestCheckFolder(t *testing.T) {
	dir := t.TempDir()
	if err := CheckFolder(dir); err != nil {
		t.Error(err)
	}
	if left := leftovers(t, dir); len(left) > 0 {
		t.Errorf("left over: %q", left)
	}
	none := filepath.Join(dir, "none")
	checkRefusal(t, CheckFolder(none), ErrOutput, none, "cannot be written: ")
}

func TestSameFile(t *testing.T) {
	dir := t.TempDir()
	a, b, hard, soft := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "hard"), filepath.Join(dir, "soft")
	for _, name := range []string{a, b} {
		if err := os.WriteFile(name, []byte("same bytes"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Link(a, hard), os.Symlink(a, soft)); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{a, a, true}, {a, filepath.Join(dir, ".", "a"), true}, {a, hard, true}, {a, soft, true}, {hard, soft, true},
		{a, b, false}, {a, filepath.Join(dir, "none"), false}, {filepath.Join(dir, "none"), filepath.Join(dir, "none"), false},
	} {
		if got := SameFile(c.a, c.b); got != c.want {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
}
