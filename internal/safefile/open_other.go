//go:build !unix

package safefile

import "os"

// openWithoutWaiting opens a file for reading. These systems keep no FIFOs
// among their files, so there is nothing to wait for.
func openWithoutWaiting(name string) (*os.File, error) {
	return os.Open(name)
}
