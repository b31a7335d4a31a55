// Package paths resolves links in paths, hashes paths, encodes them for JSON and quotes them for patterns.
package paths

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode/utf8"
)

// Real returns the absolute path of a file with all links resolved. If that fails, as for no file, all links stay.
func Real(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if direct, err := filepath.EvalSymlinks(path); err == nil {
		return direct
	}
	return path
}

// Folders resolves links in the folders of many files, each folder only once. It is safe for concurrent use.
type Folders struct{ real sync.Map } // maps a folder to its real path

// Real returns the same as the function Real, but resolves each folder only once.
func (f *Folders) Real(folder string) string {
	if real, ok := f.real.Load(folder); ok {
		return real.(string)
	}
	real := Real(folder)
	f.real.Store(folder, real)
	return real
}

// Place returns the path of a file with the links in its folder resolved. A link that is the file itself stays.
func (f *Folders) Place(path string) string {
	return filepath.Join(f.Real(filepath.Dir(path)), filepath.Base(path))
}

// Key is a hash of texts, such as a path: the first 16 bytes of a SHA-256, which take less memory than the texts.
type Key [16]byte

// KeyOf returns the key of texts, none of which may contain a zero byte. Different lists of texts have different keys.
func KeyOf(texts ...string) Key {
	var buffer [512]byte // on the stack, and large enough for most texts
	joined := buffer[:0]
	for _, text := range texts {
		joined = append(append(joined, text...), 0)
	}
	sum := sha256.Sum256(joined)
	return Key(sum[:16])
}

// ThroughLink returns the first symbolic link among the folders on the path from root, excluded, to dir, and whether
// there is one. Such a link could lead out of root.
func ThroughLink(root, dir string) (string, bool) {
	rel, err := filepath.Rel(root, dir)
	if err != nil || rel == "." {
		return "", false
	}
	folder := root
	for part := range strings.SplitSeq(rel, string(filepath.Separator)) {
		folder = filepath.Join(folder, part)
		if info, err := os.Lstat(folder); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return folder, true
		}
	}
	return "", false
}

// IsFolder reports whether path is a folder.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// GlobQuote returns a pattern for filepath.Glob and --exclude that matches nothing but path.
func GlobQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// Below returns path relative to folder, with slashes. If there is no such path, it returns path itself, with slashes.
func Below(folder, path string) string {
	if rel, err := filepath.Rel(folder, path); err == nil {
		path = rel
	}
	return filepath.ToSlash(path)
}

// IsStandard reports whether the name of a file on a command line means standard input or output.
func IsStandard[T ~string](name T) bool { return name == "-" }

// Name is a file name or an argument of a command line that can be written as JSON without loss. File names may contain
// any bytes but zero, while strings in JSON are UTF-8. So a byte that is not part of valid UTF-8 is encoded as a zero
// byte and two hexadecimal digits: "a\xff.png" becomes "a\u0000ff.png" in JSON. All other names are written unchanged.
//
// Note: no name contains a zero byte, so the encoding is unique. Readers of JSON keep it, unlike half a surrogate pair.
type Name string

// Names returns texts converted to Names; nil for nil.
func Names(texts []string) []Name {
	if texts == nil {
		return nil
	}
	list := make([]Name, len(texts))
	for i, text := range texts {
		list[i] = Name(text)
	}
	return list
}

// MarshalText returns n with each zero byte, and each byte not part of valid UTF-8, as a zero byte and two
// hexadecimal digits. The error is always nil.
func (n Name) MarshalText() ([]byte, error) {
	text := make([]byte, 0, len(n))
	for rest := string(n); rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		if r == 0 || r == utf8.RuneError && size == 1 {
			text = fmt.Appendf(text, "\x00%02x", rest[0])
		} else {
			text = append(text, rest[:size]...)
		}
		rest = rest[size:]
	}
	return text, nil
}

// UnmarshalText sets *n to the name that MarshalText encoded as text, with two hexadecimal digits after each zero byte.
func (n *Name) UnmarshalText(text []byte) error {
	before, rest, found := strings.Cut(string(text), "\x00")
	name := before
	for found {
		var b [1]byte
		if len(rest) < 2 {
			return fmt.Errorf("the name %q ends after a zero byte, expected two hexadecimal digits", text)
		}
		if _, err := hex.Decode(b[:], []byte(rest[:2])); err != nil {
			return fmt.Errorf("the name %q has a zero byte before %q, expected two hexadecimal digits", text, rest[:2])
		}
		before, rest, found = strings.Cut(rest[2:], "\x00")
		name += string(b[:]) + before
	}
	*n = Name(name)
	return nil
}
