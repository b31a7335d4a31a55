package safefile

import "os"

// lockState is the known state of the lock of a file.
type lockState int

const (
	unknown lockState = iota // this system has no locks, or the file could not be opened
	free                     // nobody had it; the caller has it now
	inUse
)

// tryLock tries to take the lock of the named regular file, which its writer holds until it ends. The caller calls
// release to give up the lock.
func tryLock(name string) (state lockState, release func()) {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
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

// Occupy marks a folder as used by this program until leave is called or the program ends. Several programs
// may mark one folder. It does nothing on systems without locks.
func Occupy(dir string) (leave func()) {
	f, err := os.Open(dir)
	if err != nil {
		return func() {}
	}
	share(f)
	return func() { f.Close() }
}

// Occupied reports whether a program, which may be this one, has marked a folder by Occupy.
func Occupied(dir string) bool {
	f, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	return lock(f) == inUse
}
