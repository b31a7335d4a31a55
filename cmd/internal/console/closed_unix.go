//go:build unix

package console

import (
	"os"

	"golang.org/x/sys/unix"
)

// wasClosed reports whether f is /dev/null opened for reading and writing, as Go opens it for a closed standard stream.
func wasClosed(f *os.File) bool {
	is, err := f.Stat()
	if err != nil {
		return false
	}
	null, err := os.Stat(os.DevNull)
	if err != nil || !os.SameFile(is, null) {
		return false
	}
	flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFL, 0)
	return err == nil && flags&unix.O_ACCMODE == unix.O_RDWR
}
