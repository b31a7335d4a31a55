//go:build !windows

package safefile

import "os"

// openUnseen creates a file and removes its name at once, so that the system deletes the file when it is closed.
func openUnseen(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(name); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
