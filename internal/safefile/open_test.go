package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"superres/internal/must"
)

func TestOpenRegular(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a")
	must.Succeed(t, os.WriteFile(name, []byte("12345"), 0o600))
	f, size, err := OpenRegular(name)
	if err != nil || size != 5 {
		t.Fatalf("%d bytes, %v", size, err)
	}
	f.Close()

	none := filepath.Join(dir, "none")
	_, _, err = OpenRegular(none)
	checkRefusal(t, err, ErrInput, none, "does not exist; check the name")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the cause is lost in %v", err)
	}
	_, _, err = OpenRegular(dir)
	checkRefusal(t, err, ErrInput, dir, "is a folder, not a file; name a file in it")
}

// A file is read whole or refused, and to read never waits.
func TestReadRegular(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "x")
	must.Succeed(t, os.WriteFile(name, []byte("twelve bytes"), 0o666))
	if data, err := ReadRegular(name, 12); err != nil || string(data) != "twelve bytes" {
		t.Errorf("%q, %v", data, err)
	}
	if _, err := ReadRegular(name, 11); !errors.Is(err, ErrLimit) {
		t.Errorf("too large: %v", err)
	}
	if _, err := ReadRegular(dir, 12); !errors.Is(err, ErrInput) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := ReadRegular(name+"y", 12); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
}
