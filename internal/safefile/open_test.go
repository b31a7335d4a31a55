package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

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
