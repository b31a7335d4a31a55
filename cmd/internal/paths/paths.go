// Package paths tells where files really lie, and how they are named in patterns.
package paths

import (
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Real returns the absolute path of a file without links, or the absolute path
// itself where there is no such file.
func Real(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if direct, err := filepath.EvalSymlinks(path); err == nil {
		return direct
	}
	return path
}

// Folders is Real for the folders of many files: it looks at each folder once. The zero value
// has looked at none. It is safe for concurrent use.
type Folders struct{ real sync.Map } // string: string

// Real is Real of a folder.
func (f *Folders) Real(folder string) string {
	if real, ok := f.real.Load(folder); ok {
		return real.(string)
	}
	real := Real(folder)
	f.real.Store(folder, real)
	return real
}

// Place is where a file, or a link, has its name: Real of its folder, and its name there.
func (f *Folders) Place(path string) string {
	return filepath.Join(f.Real(filepath.Dir(path)), filepath.Base(path))
}

// Key stands for texts, such as a path, among millions, in less memory: no two are known that
// have the same.
type Key [16]byte

// KeyOf returns the key of texts without zero bytes.
func KeyOf(texts ...string) Key {
	var room [512]byte // for most: on the stack
	all := room[:0]
	for _, text := range texts {
		all = append(append(all, text...), 0)
	}
	sum := sha256.Sum256(all)
	return Key(sum[:16])
}

// ThroughLink tells which folder between root and dir, root left out, is a link:
// files of a tree are not written outside of it.
func ThroughLink(root, dir string) (string, bool) {
	rel, err := filepath.Rel(root, dir)
	if err != nil || rel == "." {
		return "", false
	}
	at := root
	for part := range strings.SplitSeq(rel, string(filepath.Separator)) {
		at = filepath.Join(at, part)
		if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return at, true
		}
	}
	return "", false
}

// IsFolder tells whether path is a folder.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// GlobQuote makes a pattern, of filepath.Glob and of --exclude, that matches a path alone.
func GlobQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// Below is a path as it is named from a folder, with slashes.
func Below(folder, path string) string {
	if rel, err := filepath.Rel(folder, path); err == nil {
		path = rel
	}
	return filepath.ToSlash(path)
}

// IsStandard tells whether the name of a file on a command line stands for standard input or standard output.
func IsStandard[T ~string](name T) bool { return name == "-" }
