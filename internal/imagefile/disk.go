package imagefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
)

// disk is what WriteAtomic needs of the file system. There is one for use;
// tests have another, which fails on demand.
type disk interface {
	Lstat(name string) (fs.FileInfo, error)
	// Create makes and opens a new file; it fails if the name exists, even as
	// a link to nothing. The system takes the umask off perm.
	Create(name string, perm fs.FileMode) (file, error)
	Link(from, to string) error
	Rename(from, to string) error
	Remove(name string) error
	// SyncDir asks for the names in a folder, "" being the working one, to be
	// on the disk too. It is a wish: many systems cannot.
	SyncDir(dir string)
}

// file is what WriteAtomic needs of an open file.
type file interface {
	io.Writer
	Name() string
	Sync() error
	Chmod(fs.FileMode) error
	Close() error
}

// createTemp makes a new, empty, hidden file in the folder dir, which is "" or
// ends in a separator.
func createTemp(d disk, dir string, perm fs.FileMode) (file, error) {
	const tries = 100
	var err error
	for range tries {
		var f file
		f, err = d.Create(fmt.Sprintf("%s%s%016x%s", dir, tempPrefix, rand.Uint64(), tempSuffix), perm)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, err
}

// osDisk is the file system of the machine.
type osDisk struct{}

func (osDisk) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(name) }
func (osDisk) Link(from, to string) error             { return os.Link(from, to) }
func (osDisk) Rename(from, to string) error           { return os.Rename(from, to) }
func (osDisk) Remove(name string) error               { return os.Remove(name) }

func (osDisk) Create(name string, perm fs.FileMode) (file, error) {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return nil, err
	}
	return f, nil
}

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
