package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Scratch opens a new file for intermediate data in dir; "" is the folder of the system for temporary files. No other
// program sees the file, and it is removed when it is closed or the program ends in any way. Errors are an ErrOutput.
func Scratch(dir string) (f *os.File, err error) {
	if dir == "" {
		dir = os.TempDir()
	}
	err = withTempName(dir, func(name string) error { f, err = openUnseen(filepath.Join(dir, name)); return err })
	if err != nil {
		return nil, Unwritable(dir, err)
	}
	return f, nil
}

// TempFolder creates a folder, only for its owner, in the folder of the system for temporary files. The function remove
// removes it with its content; after the program was killed, RemoveLeftovers does so. Errors are an ErrOutput.
func TempFolder() (path string, remove func(), err error) {
	dir := os.TempDir()
	var f *os.File
	err = withTempName(dir, func(name string) (err error) {
		path = filepath.Join(dir, name)
		if err := os.Mkdir(path, 0o700); err != nil {
			return err
		}
		f, err = os.Open(path)
		if err == nil && (lock(f) == inUse || !isStill(f, path)) {
			f.Close()
			err = fs.ErrNotExist
		}
		if errors.Is(err, fs.ErrNotExist) {
			return fs.ErrExist // RemoveLeftovers has removed it before it was locked: try another name
		}
		return err
	})
	if err != nil {
		return "", nil, Unwritable(path, err)
	}
	return path, func() {
		f.Close()
		_ = os.RemoveAll(path) // RemoveLeftovers will remove the rest
	}, nil
}
