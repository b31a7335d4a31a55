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
// that of the system. Nobody else sees it, and it is gone with its closing, however the program
// ends. Errors are an ErrOutput.
func Scratch(dir string) (f *os.File, err error) {
	if dir == "" {
		dir = os.TempDir()
	}
	const tries = 100
	for range tries {
		name := filepath.Join(dir, fmt.Sprintf("%s%016x%s", tempPrefix, rand.Uint64(), tempSuffix))
		if f, err = openUnseen(name); err == nil {
			return f, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return nil, Unwritable(dir, err)
}
