//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package safefile

import (
	"errors"
	"os"
	"syscall"
)

// lock locks the open file f, without waiting, until f and its duplicates are closed, at the latest when the program
// ends. It returns free if it has taken the lock, and unknown if the file system has no locks.
func lock(f *os.File) lockState {
	state := unknown
	conn, err := f.SyscallConn()
	if err != nil {
		return unknown
	}
	err = conn.Control(func(fd uintptr) {
		switch err := syscall.Flock(int(fd), syscall.LOCK_EX|syscall.LOCK_NB); {
		case err == nil:
			state = free
		case errors.Is(err, syscall.EWOULDBLOCK):
			state = inUse
		}
	})
	if err != nil {
		return unknown
	}
	return state
}

// duplicate returns a duplicate of the open file f, which keeps the lock of f after f is closed.
func duplicate(f *os.File) (*os.File, error) {
	var fd2 int
	conn, err := f.SyscallConn()
	if err == nil {
		err2 := conn.Control(func(fd uintptr) {
			if fd2, err = syscall.Dup(int(fd)); err == nil {
				syscall.CloseOnExec(fd2)
			}
		})
		err = errors.Join(err, err2)
	}
	if err != nil {
		return nil, os.NewSyscallError("dup", err)
	}
	return os.NewFile(uintptr(fd2), f.Name()), nil
}
