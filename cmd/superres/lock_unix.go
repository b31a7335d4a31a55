//go:build unix

package main

import (
	"os"
	"syscall"
)

// lock keeps other processes from locking f until it is closed. It reports false
// when another one has.
func lock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != syscall.EWOULDBLOCK
}
