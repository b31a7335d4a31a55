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

// RemoveLeftovers removes from the folder dir the temporary files, and the folders of TempFolder, that killed programs
// have left, and returns their number. A program holds the lock of what it makes: what this machine made, as its name
// says, goes as soon as its lock is free. Other machines, which may share the folder, need not show their locks here,
// and some systems have none: files that may be theirs go when they were last written at least olderThan ago, so that
// an age well above the time for one file spares files of running programs. Folders that may be theirs stay.
//
// It continues after a file that cannot be removed, and returns the first such error, an ErrOutput.
func RemoveLeftovers(dir string, olderThan time.Duration) (removed int, err error) {
	return removeTemps(dir, olderThan, false)
}

// isLeft reports whether no running program needs e, a temporary file or folder in dir that the process by made. The
// caller must call release after removing the file; until then no other program can begin to use the file.
func isLeft(dir string, e fs.DirEntry, by maker, olderThan time.Duration) (left bool, release func()) {
	if !e.IsDir() && !e.Type().IsRegular() {
		return false, func() {}
	}
	locked, release := tryLock(filepath.Join(dir, e.Name()), e.IsDir())
	switch {
	case locked == free && by.host == self.host:
		return true, release
	case locked == inUse || e.IsDir():
		return false, release
	}
	info, err := e.Info()
	return err == nil && time.Since(info.ModTime()) >= olderThan, release
}

// removeTemps is RemoveLeftovers. With own, it removes the temporary files of this process as well; false: it does not.
func removeTemps(dir string, olderThan time.Duration, own bool) (removed int, err error) {
	entries, err := tempsIn(dir)
	if err != nil {
		return 0, &Fault{Name: dir, Class: ErrOutput, Cause: err,
			Reason: fmt.Sprintf("cannot be looked through for old temporary files: %v; check the name and the mode",
				bareReason(err))}
	}
	var first error
	for _, e := range entries {
		by, _ := parseTemp(e.Name())
		left, release := own && by == self, func() {}
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
				Reason: fmt.Sprintf("is an old temporary file that cannot be removed: %v; remove it by hand",
					bareReason(err))}
		}
	}
	return removed, first
}

// used is the set of folders in which this process has made temporary files, by their absolute paths.
var used struct {
	sync.Mutex
	folders map[string]bool
}

// noteFolder adds dir, a folder in which a temporary file is made, to used. "" is the working folder.
func noteFolder(dir string) {
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

// ClearFolders is RemoveLeftovers for all folders in which this process has made temporary files since the last
// call. Files that cannot be removed stay. With own, it also removes the temporary files of this process, which
// must not be writing any file that is still wanted. It is for the end of a program. Concurrent calls are safe.
func ClearFolders(olderThan time.Duration, own bool) {
	used.Lock()
	folders := used.folders
	used.folders = nil
	used.Unlock()
	for dir := range folders {
		_, _ = removeTemps(dir, olderThan, own)
	}
}

// tempsIn returns the entries of dir that are named like temporary files. It reads a large folder in parts.
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

// SameFile reports whether the names a and b lead to one existing file, through symbolic or hard links, so that writing
// to one would change the other.
func SameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
