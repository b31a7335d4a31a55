//go:build !windows

package serve

import "os"

// unseen makes a file and takes its name away at once.
func unseen() (*os.File, error) {
	f, err := os.CreateTemp("", "superres-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
