//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package safefile

import (
	"errors"
	"os"
	"syscall"
)

// lock takes the lock of an open file, which lasts until the file and what was
// duplicated from it are closed, if only by the end of the program.
func lock(f *os.File) lockState { return flock(f, syscall.LOCK_EX) }

// share takes a lock of an open file that others may have as well, but not the one of lock.
func share(f *os.File) lockState { return flock(f, syscall.LOCK_SH) }

func flock(f *os.File, how int) lockState {
	state := unknown
	conn, err := f.SyscallConn()
	if err != nil {
		return unknown
	}
	err = conn.Control(func(fd uintptr) {
		switch err := syscall.Flock(int(fd), how|syscall.LOCK_NB); {
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

// duplicate returns a duplicate of an open file, which keeps its lock once the file is closed.
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
