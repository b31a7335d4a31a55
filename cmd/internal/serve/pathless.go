package serve

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
)

// pathless returns the message of err without the paths of this machine, which are nobody's business but the
// operator's.
func pathless(err error) string {
	text := console.Message(err)
	paths := pathsIn(err)
	slices.SortFunc(paths, func(a, b string) int { return len(b) - len(a) }) // a folder behind what is in it
	for _, path := range paths {
		for _, name := range []string{path, strconv.Quote(path)} {
			for _, shown := range []string{name, safefile.Shortened(name)} {
				text = strings.ReplaceAll(text, shown, ofServer)
			}
		}
	}
	return withoutPaths(text)
}

// ofServer stands for a path in a message.
const ofServer = "a file of the server"

// absolute matches absolute paths of Unix and of Windows, without spaces, at the beginning of a word. Quoted ones, such
// as a name that a request had, are left alone.
var absolute = regexp.MustCompile(`(^|[ (=])(/|[A-Za-z]:\\)[^\s:;,)]+`)

// withoutPaths returns text with ofServer in place of what looks like an absolute path.
func withoutPaths(text string) string { return absolute.ReplaceAllString(text, "${1}"+ofServer) }

// pathsIn returns the paths in the errors of which err is made, without plain names of files.
func pathsIn(err error) (list []string) {
	add := func(paths ...string) {
		for _, path := range paths {
			if strings.ContainsRune(path, filepath.Separator) {
				list = append(list, path)
			}
		}
	}
	switch err := err.(type) {
	case nil:
	case *safefile.Fault:
		add(err.Name)
	case *fs.PathError:
		add(err.Path)
	case *os.LinkError:
		add(err.Old, err.New)
	case *exec.Error:
		add(err.Name)
	}
	if inner := errors.Unwrap(err); inner != nil {
		return append(list, pathsIn(inner)...)
	}
	if many, is := err.(interface{ Unwrap() []error }); is {
		for _, inner := range many.Unwrap() {
			list = append(list, pathsIn(inner)...)
		}
	}
	return list
}
