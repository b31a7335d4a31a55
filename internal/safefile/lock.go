package safefile

import "os"

// lockState is the known state of the lock of a file.
type lockState int

const (
	unknown lockState = iota // this system has no locks, or the file could not be opened
	free                     // nobody had it; the caller has it now
	inUse
)

// tryLock tries to take the lock of the named regular file or folder, which its maker holds until it ends. The caller
// calls release to give up the lock.
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
		f.Close() // Windows removes no file that is open
		return unknown, func() {}
	}
	return state, func() { f.Close() }
}

// Lock takes the lock of an open file until it is closed, and reports whether it could: false means that
// another program, or another opening of the file, holds it. It returns true on systems without locks.
func Lock(f *os.File) bool { return lock(f) != inUse }
