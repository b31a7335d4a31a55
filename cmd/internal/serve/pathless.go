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

// pathless returns the message of err with ofServer in place of each path, which only the operator should see.
func pathless(err error) string {
	text := console.Message(err)
	paths := pathsIn(err)
	slices.SortFunc(paths, func(a, b string) int { return len(b) - len(a) }) // longest first: files before their folder
	for _, path := range paths {
		for _, name := range []string{path, strconv.Quote(path)} {
			for _, shown := range []string{name, safefile.Shortened(name)} {
				text = strings.ReplaceAll(text, shown, ofServer)
			}
		}
	}
	return withoutPaths(text)
}

// ofServer takes the place of a path in a message.
const ofServer = "a file of the server"

// absolute matches an absolute path of Unix or of Windows, at the start or after a space, "(" or "=", up to a space or
// one of :;,). It does not match quoted paths, such as a file name in a request.
var absolute = regexp.MustCompile(`(^|[ (=])(/|[A-Za-z]:\\)[^\s:;,)]+`)

func withoutPaths(text string) string { return absolute.ReplaceAllString(text, "${1}"+ofServer) }

// pathsIn returns the paths in err and in the errors that it wraps, but not file names without a folder.
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
