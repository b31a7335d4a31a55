package safefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// RemoveLeftovers removes from the folder dir the temporary files that killed runs of
// WriteAtomic have left, and returns their number. Only regular files under
// such a name are touched. Where the file system has locks, those of runs at
// work are known by them, and all others are removed at once; elsewhere those
// last written at least olderThan ago are, so an age well above the time of one
// file spares the files of runs at work.
//
// It goes on after a file that cannot be removed and returns the first such
// error, an ErrOutput.
func RemoveLeftovers(dir string, olderThan time.Duration) (removed int, err error) {
	entries, err := tempsIn(dir)
	if err != nil {
		return 0, &Fault{Name: dir, Class: ErrOutput, Cause: err,
			Reason: fmt.Sprintf("cannot be looked through for old temporary files: %v; check the name and the mode", bare(err))}
	}
	var first error
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // gone meanwhile, or not ours
		}
		name := filepath.Join(dir, e.Name())
		state, release := tryLock(name)
		if state == inUse || state == unknown && time.Since(info.ModTime()) < olderThan {
			continue
		}
		err = os.Remove(name)
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
			if isTemp(e.Name()) {
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
