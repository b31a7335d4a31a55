package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
)

// input is one picture to be read.
type input struct {
	path  string // "-": standard input
	place string // below root; the base name when there is none
	root  string // the folder it was found in; empty when it was named itself
}

var pictureExtensions = []string{".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp"}

// isPicture tells by its extension whether a file in a folder is a picture.
func isPicture(name string) bool {
	return slices.Contains(pictureExtensions, strings.ToLower(filepath.Ext(name))) && !strings.HasPrefix(filepath.Base(name), ".")
}

// finder lists the pictures that arguments stand for.
type finder struct {
	recursive bool
	filter    filter
	avoid     string // a folder, without links, that is not entered: that of the outputs
}

// expand lists the pictures that an argument stands for, and fails when there are none.
func expand(arg string, recursive bool) ([]input, error) {
	return finder{recursive: recursive}.expand(arg)
}

// expand lists the pictures that an argument stands for: a file, the pictures of a
// folder (below it, too, if recursive), or those a pattern matches, where the
// shell has not expanded it. Folders are listed in name order. It fails when there are
// none, even with another filter.
func (f finder) expand(arg string) ([]input, error) {
	if arg == "" {
		return nil, console.Usage(`an input has an empty name (""); leave it out or name a file`)
	}
	if arg == "-" {
		return []input{{path: arg, place: "stdin"}}, nil
	}
	info, err := os.Stat(arg)
	if errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(arg, "*?[") {
		return f.matching(arg)
	}
	if err != nil || !info.IsDir() {
		return []input{{path: arg, place: filepath.Base(arg)}}, nil // its opening will tell what is wrong
	}
	return f.within(arg)
}

// matching lists what a pattern stands for; a folder it matches is mirrored like one
// that is named.
func (f finder) matching(pattern string) ([]input, error) {
	matches, err := filepath.Glob(pattern)
	if err != nil || len(matches) == 0 {
		return nil, console.Fail(console.ExitInput, fmt.Errorf("%s: no file matches this pattern", pattern))
	}
	var list []input
	for _, m := range matches {
		if strings.HasPrefix(filepath.Base(m), ".") {
			continue
		}
		if paths.IsFolder(m) {
			if f.avoid != "" && paths.Real(m) == f.avoid || !f.filter.enters(filepath.Base(m)) {
				continue
			}
		} else if !f.filter.takes(filepath.Base(m)) {
			continue
		}
		more, err := f.expand(m)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	return list, nil
}

// within lists the pictures of a folder.
func (f finder) within(folder string) ([]input, error) {
	var list []input
	any := false
	root := filepath.Clean(folder) + string(filepath.Separator) // followed when it is a link
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		place, relErr := filepath.Rel(folder, path)
		switch {
		case err != nil:
			list = append(list, input{path, place, folder}) // to be opened and reported like a bad picture
			return fs.SkipDir
		case relErr != nil:
			return relErr
		case path == root:
			return nil
		case e.IsDir():
			if !f.recursive || strings.HasPrefix(e.Name(), ".") || !f.filter.enters(filepath.ToSlash(place)) || f.avoid != "" && paths.Real(path) == f.avoid {
				return fs.SkipDir
			}
		case isPicture(path):
			any = true
			if f.filter.takes(filepath.ToSlash(place)) {
				list = append(list, input{path, place, folder})
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(list) == 0 && !any && len(f.filter.exclude) == 0 {
		return nil, console.Fail(console.ExitInput, fmt.Errorf("%s: no pictures in this folder (looked for %s)", folder, strings.Join(pictureExtensions, " ")))
	}
	return list, nil
}

// isIDX tells whether path is named like an IDX file.
func isIDX(path string) bool {
	name := strings.TrimSuffix(filepath.Base(path), ".gz")
	return strings.HasSuffix(name, ".idx") || strings.HasSuffix(name, "-ubyte")
}
