package safefile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// RemoveLeftovers removes from the folder dir the temporary files, and the folders from TempFolder, that killed
// programs have left, and returns their number. A running program holds a lock on each of its own. Files whose names
// show that this machine created them are removed as soon as the lock is free. Locks of other machines that share the
// folder may be invisible here, and some systems have no locks. So other files are removed only if last written at
// least olderThan ago, which should be well above the time that a program needs for a file. Other folders are kept.
//
// If a file cannot be removed, the others still are; then RemoveLeftovers returns the first such error, an ErrOutput.
func RemoveLeftovers(dir string, olderThan time.Duration) (removed int, err error) {
	return removeTemps(dir, olderThan, false)
}

// isLeft reports whether no running program needs e, a temporary file or folder in dir created by the process owner:
// its lock is free and owner ran on this machine, or it is a file last written at least olderThan ago, and not
// locked. The caller must call release after removing or leaving e; until then no other program can begin to use e.
func isLeft(dir string, e fs.DirEntry, owner maker, olderThan time.Duration) (left bool, release func()) {
	if !e.IsDir() && !e.Type().IsRegular() {
		return false, func() {}
	}
	locked, release := tryLock(filepath.Join(dir, e.Name()), e.IsDir())
	switch {
	case locked == free && owner.host == self.host:
		return true, release
	case locked == inUse || e.IsDir():
		return false, release
	}
	info, err := e.Info()
	return err == nil && time.Since(info.ModTime()) >= olderThan, release
}

// removeTemps does the work of RemoveLeftovers. If own is true, it also removes the temporary files of this process.
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

// used holds the absolute paths of the folders in which this process has created temporary files.
var used struct {
	sync.Mutex
	folders map[string]bool
}

// noteFolder adds dir, a folder for a temporary file, to used. "" is the working folder.
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

// ClearFolders calls RemoveLeftovers, with olderThan, for all folders in which this process has created temporary files
// since the last call, and ignores errors. If own is true, it also removes the temporary files of this process, which
// must not be writing a file that is still needed. Call it at the end of a program. Concurrent calls are safe.
func ClearFolders(olderThan time.Duration, own bool) {
	used.Lock()
	folders := used.folders
	used.folders = nil
	used.Unlock()
	for dir := range folders {
		_, _ = removeTemps(dir, olderThan, own)
	}
}

// tempsIn returns the entries in dir that have names of temporary files. It reads a large folder in parts.
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

// SameFile reports whether a and b name one existing file, also through links, so that writing to a would change b.
func SameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// maker is the process that created a temporary file, as the name of the file says.
type maker struct {
	host    string // a hash of the host name
	process string // a random number
}

// self identifies this process.
var self = func() maker {
	name, _ := os.Hostname() // without a name, all machines without one count as the same
	sum := sha256.Sum256([]byte(name))
	return maker{hex.EncodeToString(sum[:4]), fmt.Sprintf("%08x", rand.Uint32())}
}()

// The name of a temporary file is tempPrefix, then, with dashes between them, the host and the process of its maker
// and a random number, each of 8 hexadecimal digits, then tempSuffix.
const (
	tempPrefix = ".superres-"
	tempSuffix = ".tmp"
)

// tempName returns a new name for a temporary file of this process.
func tempName() string {
	return fmt.Sprintf("%s%s-%s-%08x%s", tempPrefix, self.host, self.process, rand.Uint32(), tempSuffix)
}

// parseTemp reports whether name has the form of tempName, and returns the maker in it.
func parseTemp(name string) (by maker, ok bool) {
	text, ok1 := strings.CutPrefix(name, tempPrefix)
	text, ok2 := strings.CutSuffix(text, tempSuffix)
	fields := strings.Split(text, "-")
	if !ok1 || !ok2 || len(fields) != 3 {
		return maker{}, false
	}
	for _, f := range fields {
		if len(f) != 8 || strings.Trim(f, "0123456789abcdef") != "" {
			return maker{}, false
		}
	}
	return maker{fields[0], fields[1]}, true
}
