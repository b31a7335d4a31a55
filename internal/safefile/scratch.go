package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Scratch opens a new file in a folder for what is put aside while something is made; "" is
// that of the system. Where the system allows it, the file has no name any more, so that it is
// gone with the program, however that ends; done closes and removes it. Errors are an
// ErrOutput.
func Scratch(dir string) (f *os.File, done func(), err error) {
	if dir == "" {
		dir = os.TempDir()
	}
	const tries = 100
	for range tries {
		name := filepath.Join(dir, fmt.Sprintf("%s%016x%s", tempPrefix, rand.Uint64(), tempSuffix))
		f, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			break
		}
		gone := os.Remove(name) == nil
		return f, func() {
			f.Close()
			if !gone {
				_ = os.Remove(name) // else RemoveLeftovers finds it
			}
		}, nil
	}
	return nil, nil, Unwritable(dir, err)
}
