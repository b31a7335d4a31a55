//go:build !unix

package safefile

import "os"

// openWithoutWaiting opens a file for reading. On these systems a FIFO is not a file, so there is nothing to wait for.
func openWithoutWaiting(name string) (*os.File, error) {
	return os.Open(name)
}
