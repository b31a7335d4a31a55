package safefile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"superres/internal/must"
)

// writes returns a function that writes s.
func writes(s string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	}
}

// content returns what a file holds, or "" if there is none.
func content(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(b)
}

// leftovers returns the temporary files in dir.
func leftovers(t *testing.T, dir string) []string {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), tempPrefix) {
			names = append(names, e.Name())
		}
	}
	return names
}

// A new file takes a free name, and another one only where that is asked for, also in the working folder.
func TestWriteAtomic(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{filepath.Join(dir, "a.png"), "b.png"} {
		must.Succeed(t, WriteAtomic(name, false, writes("one")))
		err := WriteAtomic(name, false, func(io.Writer) error { panic("no work for a taken name") })
		checkRefusal(t, err, ErrOutput, name, "already exists")
		checkRemedy(t, err, Overwrite)
		if got := content(t, name); got != "one" || !errors.Is(err, fs.ErrExist) {
			t.Errorf("content %q, %v", got, err)
		}
		must.Succeed(t, WriteAtomic(name, true, writes("two")))
		if left := leftovers(t, dir); left != nil || content(t, name) != "two" {
			t.Errorf("content %q, left over: %q", content(t, name), left)
		}
	}
}

// A name that is taken while the file is being made is taken.
func TestWriteAtomicLosesTheRace(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.png")
	err := WriteAtomic(name, false, func(w io.Writer) error {
		must.Succeed(t, os.WriteFile(name, []byte("theirs"), 0o600))
		return writes("ours")(w)
	})
	checkRefusal(t, err, ErrOutput, name, "already exists")
	if got := content(t, name); got != "theirs" {
		t.Errorf("content %q", got)
	}
}

func TestWriteAtomicRefusals(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "a.png"), filepath.Join(dir, "link.png")
	must.Succeed(t, os.WriteFile(file, []byte("old"), 0o600))
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	none := filepath.Join(dir, "none", "a.png")
	for name, want := range map[string]string{
		none:                                 "there is no folder " + filepath.Dir(none) + "; make it first",
		dir:                                  "is a folder; give the name of a file",
		link:                                 "is a symbolic link; give the name of the file itself",
		file + string(filepath.Separator):    "cannot be written: ",
		filepath.Join(file, "b.png"):         "cannot be written: ",
		filepath.Join(dir, "a\x00b"):         "cannot be written: ",
		dir + "/" + strings.Repeat("x", 999): "cannot be written: ",
	} {
		err := WriteAtomic(name, true, writes("new"))
		checkRefusal(t, err, ErrOutput, printable(name), want)
	}
	err := WriteAtomic("", true, writes("new"))
	if !errors.Is(err, ErrOutput) || err.Error() != "the output has no name" {
		t.Errorf("no name: %v", err)
	}
	checkRemedy(t, err, NameOutput)
	if content(t, file) != "old" || leftovers(t, dir) != nil {
		t.Error("a refused write has changed something")
	}
}

func TestWriteAtomicErrorsOfTheWriter(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.png")
	must.Succeed(t, os.WriteFile(name, []byte("old"), 0o600))
	fail := func(err error) error {
		return WriteAtomic(name, true, func(w io.Writer) error {
			_, _ = io.WriteString(w, strings.Repeat("new", 1<<16))
			return err
		})
	}
	for _, c := range []struct {
		err, class error
		name, want string
		remedy     Remedy
	}{
		{errors.New("no\nink"), ErrOutput, name, "cannot be written: no ink; try another name or folder", ""},
		{Refuse(ErrOutput, "", "a side is too long; use PNG"), ErrOutput, name, "a side is too long; use PNG", ""},
		{fmt.Errorf("second thoughts: %w", Refuse(ErrInput, "in.png", "damaged")), ErrInput, "second thoughts: in.png",
			"damaged", ""},
		{context.Canceled, context.Canceled, name, "interrupted", ""},
		{context.DeadlineExceeded, ErrLimit, name, "ran out of time", MoreTime},
		{Refuse(ErrOutput, "", "is too large").With(MoreTime), ErrOutput, name, "is too large", MoreTime},
	} {
		err := fail(c.err)
		checkRefusal(t, err, c.class, c.name, c.want)
		checkRemedy(t, err, c.remedy)
	}

	func() {
		defer func() {
			if p := recover(); p != "halt" {
				t.Errorf("recovered %v", p)
			}
		}()
		_ = WriteAtomic(name, true, func(w io.Writer) error {
			_ = writes("new")(w)
			panic("halt")
		})
	}()
	if content(t, name) != "old" || leftovers(t, dir) != nil {
		t.Error("a failed write has changed something")
	}
}

func TestWriteAtomicConcurrently(t *testing.T) {
	const writers = 16
	for _, overwrite := range []bool{false, true} {
		dir := t.TempDir()
		name := filepath.Join(dir, "a.png")
		errs := make([]error, writers)
		var group sync.WaitGroup
		for i := range writers {
			group.Go(func() {
				errs[i] = WriteAtomic(name, overwrite, writes(strings.Repeat(string(rune('a'+i)), 200000)))
			})
		}
		group.Wait()
		won := 0
		for _, err := range errs {
			if err == nil {
				won++
			} else {
				checkRefusal(t, err, ErrOutput, name, "already exists")
			}
		}
		if want := map[bool]int{false: 1, true: writers}[overwrite]; won != want {
			t.Errorf("overwrite %v: %d have succeeded, want %d", overwrite, won, want)
		}
		got := content(t, name)
		if len(got) != 200000 || strings.Trim(got, got[:1]) != "" {
			t.Errorf("overwrite %v: the file is a mix of %d bytes", overwrite, len(got))
		}
		if left := leftovers(t, dir); left != nil {
			t.Errorf("left over: %q", left)
		}
	}
}

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
