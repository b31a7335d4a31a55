//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package safefile

import (
	"errors"
	"os"
	"syscall"
)

// lock takes the lock of the open file f, which lasts until f and its duplicates are closed, if only by the end of the
// program. It returns free where it took the lock.
func lock(f *os.File) lockState { return flock(f, syscall.LOCK_EX) }

// share takes a shared lock of the open file f: others may share it, but nobody can take the lock of the function lock.
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
