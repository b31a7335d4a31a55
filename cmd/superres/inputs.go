package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// input is one picture to be read: its path ("-": standard input), and its place
// below the folder it was found in, which is its base name when it was named
// itself.
type input struct{ path, place string }

var pictureExtensions = []string{".png", ".jpg", ".jpeg", ".gif", ".bmp", ".tif", ".tiff", ".webp"}

// isPicture tells by its extension whether a file in a folder is a picture.
func isPicture(name string) bool {
	return slices.Contains(pictureExtensions, strings.ToLower(filepath.Ext(name))) && !strings.HasPrefix(filepath.Base(name), ".")
}

// expand lists the pictures that an argument stands for: a file, the pictures of a
// folder (below it, too, if recursive), or those a pattern matches, where the
// shell has not expanded it. Folders are listed in name order.
func expand(arg string, recursive bool) ([]input, error) {
	if arg == "-" {
		return []input{{arg, "stdin"}}, nil
	}
	info, err := os.Stat(arg)
	if errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(arg, "*?[") {
		matches, err := filepath.Glob(arg)
		if err != nil || len(matches) == 0 {
			return nil, codedError{fmt.Errorf("%s: no file matches this pattern", arg), exitInput}
		}
		var list []input
		for _, m := range matches {
			if strings.HasPrefix(filepath.Base(m), ".") {
				continue
			}
			more, err := expand(m, recursive)
			if err != nil {
				return nil, err
			}
			list = append(list, more...)
		}
		return list, nil
	}
	if err != nil || !info.IsDir() {
		return []input{{arg, filepath.Base(arg)}}, nil // its opening will tell what is wrong
	}
	var list []input
	root := filepath.Clean(arg) + string(filepath.Separator) // followed when it is a link
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			place, _ := filepath.Rel(arg, path)
			list = append(list, input{path, place}) // to be opened and reported like a bad picture
			return fs.SkipDir
		}
		if e.IsDir() {
			if path != root && (!recursive || strings.HasPrefix(e.Name(), ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if isPicture(path) {
			place, err := filepath.Rel(arg, path)
			if err != nil {
				return err
			}
			list = append(list, input{path, place})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, codedError{fmt.Errorf("%s: no pictures in this folder (looked for %s)", arg, strings.Join(pictureExtensions, " ")), exitInput}
	}
	return list, nil
}

// isFolder tells whether path is a folder.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// isIDX tells whether path is named like an IDX file.
func isIDX(path string) bool {
	name := strings.TrimSuffix(filepath.Base(path), ".gz")
	return strings.HasSuffix(name, ".idx") || strings.HasSuffix(name, "-ubyte")
}
