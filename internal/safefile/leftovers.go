package safefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// RemoveLeftovers removes from the folder dir the temporary files, and the folders of
// TempFolder, that killed programs have left, and returns their number. Whose they are is
// said by their names: what a process of this machine made goes once that process has ended.
// A file that was made in another container of this machine goes where its lock, which is
// seen here, is free. Of other machines, on a folder that is shared, nothing is known: their
// files go when they were last written at least olderThan ago, so an age well above the time
// of one file spares those of runs at work. Folders of others stay.
//
// It goes on after a file that cannot be removed and returns the first such
// error, an ErrOutput.
func RemoveLeftovers(dir string, olderThan time.Duration) (removed int, err error) {
	return removeTemps(dir, olderThan, false)
}

// isLeft tells whether nobody needs a temporary file or folder any more. release is to be called
// once it is removed: until then nobody else can begin to use it.
func isLeft(dir string, e fs.DirEntry, by maker, olderThan time.Duration) (left bool, release func()) {
	state := by.state()
	if e.IsDir() || state == running || !e.Type().IsRegular() {
		return e.IsDir() && state == gone, func() {}
	}
	locked, release := tryLock(filepath.Join(dir, e.Name()))
	switch {
	case locked == inUse:
		return false, release
	case state == gone, state == beside && locked == free:
		return true, release
	}
	info, err := e.Info()
	return err == nil && time.Since(info.ModTime()) >= olderThan, release
}

// removeTemps is RemoveLeftovers; with own, what this process has made goes as well.
func removeTemps(dir string, olderThan time.Duration, own bool) (removed int, err error) {
	entries, err := tempsIn(dir)
	if err != nil {
		return 0, &Fault{Name: dir, Class: ErrOutput, Cause: err,
			Reason: fmt.Sprintf("cannot be looked through for old temporary files: %v; check the name and the mode", bare(err))}
	}
	var first error
	for _, e := range entries {
		by, _ := parseTemp(e.Name())
		left, release := own && by == self(), func() {}
		if !left {
			left, release = isLeft(dir, e, by, olderThan)
		}
		if !left {
			release()
			continue
		}
		name := filepath.Join(dir, e.Name())
		remove := os.Remove
		if e.IsDir() {
			remove = os.RemoveAll
		}
		err := remove(name)
		release()
		switch {
		case err == nil:
			removed++
		case first == nil && !errors.Is(err, fs.ErrNotExist):
			first = &Fault{Name: name, Class: ErrOutput, Cause: err,
				Reason: fmt.Sprintf("is an old temporary file that cannot be removed: %v; remove it by hand", bare(err))}
		}
	}
	return removed, first
}

// used are the folders in which this process has made temporary files, by their whole paths.
var used struct {
	sync.Mutex
	folders map[string]bool
}

// note remembers a folder in which a temporary file is made; "" is the working one.
func note(dir string) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return
	}
	used.Lock()
	defer used.Unlock()
	if used.folders == nil {
		used.folders = map[string]bool{}
	}
	used.folders[path] = true
}

// ClearFolders is RemoveLeftovers for all folders in which this process has made temporary
// files since the last call, which it forgets. What cannot be removed stays. With own, the
// process is about to end and has given up what it was at: its own temporary files go too.
// It is for the end of a program; concurrent use is safe, but with own no file may be in work
// that is still wanted.
func ClearFolders(olderThan time.Duration, own bool) {
	used.Lock()
	folders := used.folders
	used.folders = nil
	used.Unlock()
	for dir := range folders {
		_, _ = removeTemps(dir, olderThan, own)
	}
}

// tempsIn lists what is named like a temporary file. It has little of a large folder in
// memory at a time.
func tempsIn(dir string) (list []fs.DirEntry, err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for {
		entries, err := f.ReadDir(1000)
		for _, e := range entries {
			if _, is := parseTemp(e.Name()); is {
				list = append(list, e)
			}
		}
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// SameFile reports whether two names lead to one existing file, through links
// of either kind, so that writing to one would change the other.
func SameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
