package safefile

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// disk is the part of the file system that WriteAtomic uses. Tests replace it by a disk that fails on demand.
type disk interface {
	Lstat(name string) (fs.FileInfo, error)
	// Create opens a new file with the mode perm less the umask. It fails if the name exists, even as a dead link.
	Create(name string, perm fs.FileMode) (file, error)
	Link(from, to string) error
	Rename(from, to string) error
	Remove(name string) error
	Chtimes(name string, modified time.Time) error
	// SyncDir has the system write the names in the folder dir, "" for the working folder, to the disk if it can.
	SyncDir(dir string)
}

// file is the part of an open file that WriteAtomic uses.
type file interface {
	io.Writer
	Name() string
	Sync() error
	Chmod(fs.FileMode) error
	Close() error
	// Release lets RemoveLeftovers remove the file. From Create until Release the file is protected, even after Close.
	Release()
}

// createTemp creates a new, empty, hidden file in the folder dir, which is "" or ends in a separator.
func createTemp(d disk, dir string, perm fs.FileMode) (f file, err error) {
	err = withTempName(dir, func(name string) error { f, err = d.Create(dir+name, perm); return err })
	return f, err
}

// withTempName calls create with a new name for a temporary file in the folder dir ("": the working folder), up to 100
// times while create fails because the name exists. It returns the last error of create.
func withTempName(dir string, create func(name string) error) (err error) {
	noteFolder(dir) // for ClearFolders
	const tries = 100
	for range tries {
		if err = create(tempName()); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return err
}

// osDisk is the file system of the machine.
type osDisk struct{}

func (osDisk) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(name) }
func (osDisk) Link(from, to string) error             { return os.Link(from, to) }
func (osDisk) Rename(from, to string) error           { return os.Rename(from, to) }
func (osDisk) Remove(name string) error               { return os.Remove(name) }

func (osDisk) Chtimes(name string, modified time.Time) error {
	return os.Chtimes(name, time.Time{}, modified) // the time of the last access is kept
}

// Create implements disk. It locks a temporary file at once, so that RemoveLeftovers leaves the file alone.
func (osDisk) Create(name string, perm fs.FileMode) (file, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, err
	}
	if _, is := parseTemp(filepath.Base(name)); !is { // RemoveLeftovers leaves this name alone, so no lock is needed
		return osFile{f, nil}, nil
	}
	hold, err := duplicate(f)
	if err != nil {
		f.Close()
		os.Remove(name)
		return nil, err
	}
	out := osFile{f, hold}
	if lock(f) == inUse || !isStill(f, name) {
		// RemoveLeftovers has removed the file before it was locked: try another name.
		f.Close()
		out.Release()
		os.Remove(name)
		return nil, &fs.PathError{Op: "create", Path: name, Err: fs.ErrExist}
	}
	return out, nil
}

// isStill reports whether name still refers to the open file f.
func isStill(f *os.File, name string) bool {
	made, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(name)
	return err == nil && os.SameFile(made, there)
}

// osFile is a file of osDisk.
type osFile struct {
	*os.File
	hold *os.File // a duplicate that keeps the lock until Release; nil: no lock
}

func (f osFile) Release() { f.hold.Close() }

// SyncDir implements disk: it puts the names in dir on the disk. Errors are ignored, since some systems open no
// folders.
func (osDisk) SyncDir(dir string) {
	if dir == "" {
		dir = "."
	}
	f, err := os.Open(dir)
	if err != nil {
		return
	}
	_ = f.Sync()
	f.Close()
}
