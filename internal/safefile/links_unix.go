//go:build unix

package safefile

import (
	"os"
	"syscall"
)

// Links returns how many names an open file has, hard links counted; 0 where that is not known.
func Links(f *os.File) uint64 {
	info, err := f.Stat()
	if err != nil {
		return 0
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0
	}
	return uint64(stat.Nlink) // of another type on some systems
}
