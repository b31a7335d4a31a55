// Package pictures finds the pictures that a command line names, says where what is made of
// them goes and how large it is, and reads pictures to learn from.
//
// Read it in this order: inputs.go, the pictures that arguments stand for; filter.go, what of a folder is a picture and
// is taken; naming.go, where an enlargement goes and in which format;
// sizes.go, how large it is; sources.go, pictures to learn from and to score, of IDX files too.
package pictures

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/internal/imagefile"
)

// Input is one picture to be read.
type Input struct {
	// Path is the file as it was named or found. "-" is standard input.
	Path string
	// Place is the path below root, or the base name when there is none: the end of Path,
	// wherever that can be, so that of a million pictures there is one text each.
	Place string
	Root  string // the folder that the file was found in; empty when the file was named itself
	Link  bool   // tells that the file is a symbolic link
	// Several tells that the file holds several pictures, which are all to be taken; it is known where that decides
	// what the output is called, of GIFs.
	Several bool
	// Format is that of the file by its content, where its name does not tell it. It is
	// empty where the name does, and for what is no picture that can be read.
	Format imagefile.Format
}

// Finder lists the pictures that arguments stand for.
type Finder struct {
	// Recursive takes folders with all below them: --recursive, false.
	Recursive bool
	// Filter chooses among the pictures of folders: all.
	Filter Filter
	Avoid  string // a folder, without links, that is not entered: that of the outputs; empty: none
}

// Expand is that of a Finder without a filter.
func Expand(arg string, recursive bool) ([]Input, []Other, error) {
	return Finder{Recursive: recursive}.Expand(arg)
}

// Expand lists the pictures that an argument stands for: a file, the pictures of a folder (below it, too, if
// recursive), or those a pattern matches, where the shell has not expanded it. Folders are listed in name order.
// The pictures of folders that are of kinds that cannot be read are listed apart. It fails when there are none that
// can, even with another filter.
func (f Finder) Expand(arg string) ([]Input, []Other, error) {
	if arg == "" {
		return nil, nil, console.Usage(`an input has an empty name (""); leave it out or name a file`)
	}
	if paths.IsStandard(arg) {
		return []Input{{Path: arg, Place: "stdin"}}, nil, nil
	}
	info, err := os.Stat(arg)
	if errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(arg, "*?[") {
		return f.matching(arg)
	}
	if err != nil || !info.IsDir() {
		named, err := os.Lstat(arg)
		in := Input{Path: arg, Place: filepath.Base(arg), Link: err == nil && named.Mode()&fs.ModeSymlink != 0}
		if !isNamedPicture(arg) {
			in.Format, _, _ = imagefile.Identify(arg) // its opening will tell what is wrong
		}
		return []Input{in}, nil, nil
	}
	return f.within(arg)
}

// matching lists what a pattern stands for; a folder it matches is mirrored like one that is named.
func (f Finder) matching(pattern string) (list []Input, others []Other, err error) {
	matches, err := filepath.Glob(pattern)
	if err != nil || len(matches) == 0 {
		return nil, nil, console.Failf(console.ExitInput, "%s: no file matches this pattern", pattern)
	}
	for _, m := range matches {
		if strings.HasPrefix(filepath.Base(m), ".") {
			continue
		}
		if paths.IsFolder(m) {
			if f.Avoid != "" && paths.Real(m) == f.Avoid || !f.Filter.enters(filepath.Base(m)) {
				continue
			}
		} else if !f.Filter.takes(filepath.Base(m)) {
			continue
		}
		more, less, err := f.Expand(m)
		if err != nil {
			return nil, nil, err
		}
		list, others = append(list, more...), append(others, less...)
	}
	return list, others, nil
}

// within lists the pictures of a folder.
func (f Finder) within(folder string) (list []Input, others []Other, err error) {
	any := false
	root := filepath.Clean(folder) + string(filepath.Separator) // followed when it is a link
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		place, relErr := filepath.Rel(folder, path)
		if strings.HasSuffix(path, place) {
			place = path[len(path)-len(place):]
		}
		switch {
		case err != nil:
			// It is opened, and reported like a bad picture.
			list = append(list, Input{Path: path, Place: place, Root: folder})
			return fs.SkipDir
		case relErr != nil:
			return relErr
		case path == root:
			return nil
		case e.IsDir():
			if !f.Recursive || strings.HasPrefix(e.Name(), ".") || !f.Filter.enters(filepath.ToSlash(place)) ||
				f.Avoid != "" && paths.Real(path) == f.Avoid {
				return fs.SkipDir
			}
		case !strings.HasPrefix(e.Name(), "."):
			in := Input{Path: path, Place: place, Root: folder, Link: e.Type()&fs.ModeSymlink != 0}
			taken := f.Filter.takes(filepath.ToSlash(place))
			if isNamedPicture(path) {
				any = true
			} else if !taken {
				return nil
			} else if kind := in.identify(); kind.Title != "" {
				others = append(others, Other{in, kind})
				return nil
			} else if in.Format == "" {
				return nil
			}
			if taken {
				list = append(list, in)
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, nil, err
	case len(list) > 0 || any || len(f.Filter.Exclude) > 0:
		return list, others, nil
	case len(others) > 0:
		return nil, nil, console.Failf(console.ExitInput, "%s: no picture in this folder can be read: %s; %s", folder,
			Tally(others), others[0].Kind.Advice)
	}
	return nil, nil, console.Failf(console.ExitInput, "%s: no pictures in this folder (known: PNG JPEG GIF WebP "+
		"TIFF BMP)", folder)
}

// MarkSeveral finds the files that hold several pictures among the GIFs of a list, or among all.
func MarkSeveral(list []Input, all bool) {
	for i := range list {
		in := &list[i]
		if named, _ := formatOf(in.Place); !paths.IsStandard(in.Path) &&
			(all || named.OnlyAnimates() || in.Format.OnlyAnimates()) {
			in.Several = imagefile.HoldsSeveral(in.Path)
		}
	}
}

// IsSeveral tells whether an argument stands for what is found, not for a file that it names:
// a folder, or a pattern that the shell has not expanded.
func IsSeveral(arg string) bool {
	_, err := os.Stat(arg)
	return paths.IsFolder(arg) || errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(arg, "*?[")
}

// IsIDX tells whether path is named like an IDX file.
func IsIDX(path string) bool {
	name := strings.TrimSuffix(filepath.Base(path), ".gz")
	return strings.HasSuffix(name, ".idx") || strings.HasSuffix(name, "-ubyte")
}
