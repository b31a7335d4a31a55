package safefile

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"superres/internal/heap"
	"superres/internal/must"
)

// A regular file is opened, or read whole; all else is refused, with the cause where the system has one.
func TestOpenRegular(t *testing.T) {
	dir := t.TempDir()
	name, none := filepath.Join(dir, "a"), filepath.Join(dir, "none")
	must.Succeed(t, os.WriteFile(name, []byte("twelve bytes"), 0o600))
	f, size, err := OpenRegular(name)
	if err != nil || size != 12 {
		t.Fatalf("%d bytes, %v", size, err)
	}
	f.Close()
	if data, err := ReadRegular(name, 12); err != nil || string(data) != "twelve bytes" {
		t.Errorf("%q, %v", data, err)
	}
	_, err = ReadRegular(name, 11)
	checkRefusal(t, err, ErrLimit, name, "has 12 bytes, expected at most 11")
	for refused, want := range map[string]string{
		none: "does not exist; check the name", dir: "is a folder, not a file; name a file in it",
	} {
		_, _, opened := OpenRegular(refused)
		_, read := ReadRegular(refused, 12)
		for _, err := range []error{opened, read} {
			checkRefusal(t, err, ErrInput, refused, want)
			if refused == none && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the cause is lost in %v", err)
			}
		}
	}
}

// archive returns a zip archive of the given number of empty members.
func archive(t *testing.T, members int) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := range members {
		must.Get(z.Create(fmt.Sprintf("%x", i)))(t)
	}
	must.Succeed(t, z.Close())
	return b.Bytes()
}

// An archive of a few thousand members is opened; one with a directory that is most of the file is refused before it
// takes many times its size in memory.
func TestOpenZip(t *testing.T) {
	small := archive(t, 10_000)
	z := must.Get(OpenZip(bytes.NewReader(small), int64(len(small))))(t)
	if len(z.File) != 10_000 || z.File[9_999].Name != "270f" {
		t.Errorf("%d members", len(z.File))
	}
	many := archive(t, 60_000)
	took := heap.Within(int64(len(many)), func() {
		_, err := OpenZip(bytes.NewReader(many), int64(len(many)))
		if err == nil || !strings.Contains(err.Error(), "the directory of the archive has more than") {
			t.Error(err)
		}
	})
	if took > int64(len(many)) {
		t.Errorf("%d KB for %d KB", took>>10, len(many)>>10)
	}
}

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
