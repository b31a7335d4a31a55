package safefile

import "os"

// lockState is the known state of a file lock.
type lockState int

const (
	unknown lockState = iota // the system has no locks, or the file could not be opened
	free                     // the lock was free; the caller holds it now
	inUse                    // another program, or another handle of this program, holds the lock
)

// tryLock tries to lock the regular file or, if isFolder, the folder called name; the program that created it holds
// this lock until it ends. If name cannot be opened, state is unknown. The caller calls release to give up the lock.
func tryLock(name string, isFolder bool) (state lockState, release func()) {
	how := os.O_WRONLY
	if isFolder {
		how = os.O_RDONLY
	}
	f, err := os.OpenFile(name, how, 0)
	if err != nil {
		return unknown, func() {}
	}
	if state = lock(f); state == unknown {
		f.Close() // Windows does not remove open files
		return unknown, func() {}
	}
	return state, func() { f.Close() }
}

// Lock locks an open file until it is closed, and reports whether it could. False: another program, or this program
// with another handle, holds the lock. On systems without locks it returns true.
func Lock(f *os.File) bool { return lock(f) != inUse }
