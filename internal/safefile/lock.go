package safefile

import "os"

// lockState is what is known of the lock of a file.
type lockState int

const (
	unknown lockState = iota // there are no locks here
	free                     // nobody had it; the caller has it now
	inUse
)

// tryLock takes the lock of the named regular file, which a writer that was killed
// has given up. release gives it up.
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

// Lock takes the lock of an open file until it is closed, and tells whether it could:
// false means that another program, or another opening of the file, has it. Where
// there are no locks all is well.
func Lock(f *os.File) bool { return lock(f) != inUse }

// Occupy says to others that a program is at work in a folder, of which there may be several,
// until leave is called or the program ends. Where there are no locks it says nothing.
func Occupy(dir string) (leave func()) {
	f, err := os.Open(dir)
	if err != nil {
		return func() {}
	}
	share(f)
	return func() { f.Close() }
}

// Occupied tells whether a program is at work in a folder, by what Occupy says: another, or
// this one.
func Occupied(dir string) bool {
	f, err := os.Open(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	return lock(f) == inUse
}
