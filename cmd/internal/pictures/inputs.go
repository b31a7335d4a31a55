// Package pictures finds the pictures that a command line names, decides where their enlargements go and how large
// they are, and reads pictures to learn from.
//
// Read it in this order: inputs.go, the pictures that arguments stand for; filter.go, which files of a folder are
// taken; naming.go, where an enlargement goes and in which format; containers.go, video files, and books.go, comics;
// filesink.go, the file of a result; sources.go, pictures to learn from or to score, also of IDX files.
package pictures

import (
	"errors"
	"image"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/internal/imagefile"
	"superres/internal/imagefile/foreign"
)

// Input is a picture to be read.
type Input struct {
	// Path is the path of the file as it was named or found; "-" is standard input.
	Path string
	// Place is the path below Root, or the base name if Root is empty. If possible it is the end of Path and shares
	// the memory of Path, so that a million pictures have one text each.
	Place string
	Root  string // the folder in which the file was found; empty: the file was named itself
	Link  bool   // the file is a symbolic link; false: it is not
	// Several says that the file holds several pictures, all to be taken. It is set only where it decides the name of
	// the output: for GIFs, or for all files if GIF is the output format.
	Several bool
	// Width and Height are the size of the enlargement in pixels, for its name. They are 0 where they are not known, or
	// where a scale names it.
	Width, Height int32
	// Large says that the picture is as large already as it is to become. False: it is not, or that is not known.
	Large bool
	// Whole says that the output is named by the whole name of the file, since another file has the same stem. False:
	// by the stem.
	Whole bool
	// Format is the format of the content if the name of the file does not tell it; empty: the name tells it, or the
	// file is not a picture that can be read.
	Format imagefile.Format
}

// SetSize sets Width and Height to size.
func (in *Input) SetSize(size image.Point) { in.Width, in.Height = int32(size.X), int32(size.Y) }

// Finder finds the pictures that arguments of a command line stand for.
type Finder struct {
	// Recursive also takes the pictures of folders below a folder: --recursive. False takes only its own.
	Recursive bool
	// Filter selects among the pictures of folders; the zero Filter takes all.
	Filter Filter
	Avoid  string // real path of a folder that is not entered, that of the outputs; empty: none
	// Videos receives the videos of folders, which are left out: one takes as long as a thousand pictures. nil: they
	// are not looked for.
	Videos *[]Input
	// Reads returns the format for the results of a file of a kind that another program reads; "": none does, and the
	// advice of kind may have become another. nil: none reads any.
	Reads func(path string, kind *foreign.Kind) imagefile.Format
}

// identify sets the format of an input: for a picture that superres reads, the format of its content, and for one that
// another program reads, the format that the result is to have. For a file that nobody reads it returns the kind. If it
// does neither, the file is a document, not a picture, or cannot be opened.
func (f Finder) identify(in *Input) foreign.Kind {
	format, kind, err := imagefile.Identify(in.Path)
	if in.Format = format; err != nil || kind.Document {
		return foreign.Kind{}
	}
	if kind.Title != "" && f.Reads != nil {
		if in.Format = f.Reads(in.Path, &kind); in.Format != "" {
			return foreign.Kind{}
		}
	}
	return kind
}

// Expand is Finder.Expand without a filter.
func Expand(arg string, recursive bool) ([]Input, []Other, error) {
	return Finder{Recursive: recursive}.Expand(arg)
}

// Expand returns the pictures that arg stands for: a file, the pictures of a folder, in order of name, or those that
// match a pattern which the shell has not expanded. Pictures in folders whose kind cannot be read are returned apart.
// It fails if a folder has no readable picture, whatever the filter.
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
			f.identify(&in) // an error will be reported when it is opened
		}
		return []Input{in}, nil, nil
	}
	return f.listFolder(arg)
}

// matching returns the pictures that pattern stands for. A folder that it matches is treated like one that is named.
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

// listFolder returns the pictures of folder.
func (f Finder) listFolder(folder string) (list []Input, others []Other, err error) {
	any, videos := false, 0
	if f.Videos != nil {
		videos = len(*f.Videos)
	}
	root := filepath.Clean(folder) + string(filepath.Separator) // with the separator, a link is followed
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		place, relErr := filepath.Rel(folder, path)
		if strings.HasSuffix(path, place) {
			place = path[len(path)-len(place):]
		}
		switch {
		case err != nil:
			// What cannot be read is listed, so that opening it reports the error.
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
			} else if f.Videos != nil && isVideo(path) {
				*f.Videos = append(*f.Videos, in)
				return nil
			} else if kind := f.identify(&in); kind.Title != "" {
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
			Tally(others), strings.Join(Advice(others), "; "))
	}
	if f.Videos != nil && len(*f.Videos) > videos {
		return nil, nil, console.Failf(console.ExitInput, "%s: no pictures in this folder, and %s", folder,
			TellVideos((*f.Videos)[videos:]))
	}
	return nil, nil, console.Failf(console.ExitInput, "%s: no pictures in this folder (known: PNG JPEG GIF WebP "+
		"TIFF BMP AVIF)", folder)
}

// MarkSeveral sets Several for each file in list that holds several pictures. It looks only into GIFs and
// WebPs, or, if all is true, into all files.
func MarkSeveral(list []Input, all bool) {
	for i := range list {
		in := &list[i]
		if named, _ := formatOf(in.Place); !paths.IsStandard(in.Path) &&
			(all || named.SplitsAnimations() || in.Format.SplitsAnimations()) {
			in.Several = imagefile.HoldsSeveral(in.Path)
		}
	}
}

// IsSeveral reports whether arg is a folder or a pattern that the shell has not expanded; false: it names one file.
func IsSeveral(arg string) bool {
	_, err := os.Stat(arg)
	return paths.IsFolder(arg) || errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(arg, "*?[")
}

// IsIDX reports whether path has the name of an IDX file; the file is not opened.
func IsIDX(path string) bool {
	name := strings.TrimSuffix(filepath.Base(path), ".gz")
	return strings.HasSuffix(name, ".idx") || strings.HasSuffix(name, "-ubyte")
}

// FindIDX returns the path of the first of names that is in folder, with .gz or without, or "" if none is.
func FindIDX(folder string, names ...string) string {
	for _, name := range names {
		for _, ext := range []string{".gz", ""} {
			path := filepath.Join(folder, name+ext)
			if _, err := os.Stat(path); err == nil {
				return path
			}
		}
	}
	return ""
}
