package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Scratch opens a new file in a folder for what is put aside while something is made; "" is
// that of the system. Nobody else sees it, and it is gone with its closing, however the program
// ends. Errors are an ErrOutput.
func Scratch(dir string) (f *os.File, err error) {
	if dir == "" {
		dir = os.TempDir()
	}
	note(dir)
	const tries = 100
	for range tries {
		name := filepath.Join(dir, tempName())
		if f, err = openUnseen(name); err == nil {
			return f, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return nil, Unwritable(dir, err)
}

// TempFolder makes a new folder below that of the system for temporary files, for its owner
// alone. It is for the caller to remove, with all that is in it; RemoveLeftovers does so when
// the program was killed. Errors are an ErrOutput.
func TempFolder() (path string, err error) {
	dir := os.TempDir()
	note(dir)
	path = filepath.Join(dir, tempName())
	if err := os.Mkdir(path, 0o700); err != nil {
		return "", Unwritable(path, err)
	}
	return path, nil
}
