// Package paths tells where files really lie, and how they are named in patterns.
package paths

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
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
