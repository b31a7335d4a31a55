//go:build unix

package safefile

import (
	"os"
	"syscall"
)

// Links returns the number of names (hard links) of the open file f, or 0 if unknown.
func Links(f *os.File) uint64 {
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return uint64(stat.Nlink) // Nlink has another type on some systems
}
