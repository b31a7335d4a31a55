// Package pictures finds the pictures that a command line names, decides where their enlargements go and what they are
// called, and reads pictures to learn from.
//
// Read it in this order: inputs.go, the pictures that arguments stand for; filter.go, the choice of files in a folder;
// naming.go, path and format of an enlargement; containers.go, video files; books.go, comics; filesink.go, the file of
// a result; sources.go, pictures to learn from or to score, including IDX files.
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

// Input is a picture to read.
type Input struct {
	// Path is the path of the file, as the user named it or as it was found; "-" is standard input.
	Path string
	// Place is the path below Root, or the base name if Root is empty. If possible it is the end of the string Path and
	// shares its memory, so that only one text is stored for each of a million pictures.
	Place string
	Root  string // the folder in which the file was found; empty: the user named the file
	Link  bool   // the file is a symbolic link
	// Several says that the file contains several pictures, all to be enlarged. It is set only if the name of the
	// output depends on it: for GIFs and WebPs, or for all files if the output is GIF.
	Several bool
	// Width and Height are the size of the enlargement, for the output's name; 0: unknown, or the name has a scale.
	Width, Height int32
	Large         bool // the picture is already as large as requested; false: it is smaller, or its size is unknown
	// Whole says that the output's name contains the input's whole name, since another file has the same stem.
	Whole bool
	// Format is the format of the content if the extension of the file does not show it; empty: the extension shows it,
	// or the file is not a readable picture.
	Format imagefile.Format
}

func (in *Input) SetSize(size image.Point) { in.Width, in.Height = int32(size.X), int32(size.Y) }

// Finder finds the pictures that the arguments of a command line stand for.
type Finder struct {
	// Recursive includes pictures in folders below a folder: --recursive. False: only pictures directly in the folder.
	Recursive bool
	// Filter selects among the pictures in folders; the zero Filter takes all.
	Filter Filter
	Avoid  string // real path of the output folder, which is not searched; empty: none
	// Videos receives the videos in folders, which are left out, since one video takes as long as a thousand pictures.
	// nil: videos are not searched for.
	Videos *[]Input
	// Reads is called for a file of a kind that superres cannot read. It returns the format of the result if another
	// program converts the file; else "", perhaps with new advice in kind. nil: no other program is used.
	Reads func(path string, kind *foreign.Kind) imagefile.Format
}

// identify sets in.Format: to the format of the content if superres reads the picture, to the format of the result if
// another program converts it, else to "". It returns the kind of a picture that no program reads. For a document or
// another file, and for a file that cannot be opened, the kind is empty.
func (f Finder) identify(in *Input) foreign.Kind {
	format, kind, err := imagefile.Identify(in.Path)
	if in.Format = format; err != nil || kind.Document {
		return foreign.Kind{}
	}
	if kind.Title != "" && f.Reads != nil { // a picture that superres does not read
		if in.Format = f.Reads(in.Path, &kind); in.Format != "" {
			return foreign.Kind{}
		}
	}
	return kind
}

// Expand calls Finder.Expand without a filter.
func Expand(arg string, recursive bool) ([]Input, []Other, error) {
	return Finder{Recursive: recursive}.Expand(arg)
}

// Expand returns the pictures that arg stands for: standard input; a file, which need not exist; the pictures in a
// folder, in order of name; or the files that match a pattern that the shell has not expanded. Unreadable pictures in
// folders are returned separately, as Others. Expand fails for a folder without readable pictures, but not if they may
// be there and the filter has left them out.
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
			f.identify(&in) // an error will be reported when the file is opened
		}
		return []Input{in}, nil, nil
	}
	return f.listFolder(arg)
}

// matching returns the pictures that match pattern; a folder that matches is treated like a folder that was named. It
// leaves out names that begin with a dot, the folder f.Avoid, and what f.Filter leaves out.
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

// listFolder returns the pictures in folder, and the pictures there that cannot be read, others.
func (f Finder) listFolder(folder string) (list []Input, others []Other, err error) {
	named, videos := false, 0 // a name of a picture was seen, even if left out; the number of videos before
	if f.Videos != nil {
		videos = len(*f.Videos)
	}
	root := filepath.Clean(folder) + string(filepath.Separator) // with the separator at the end, a link is followed
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		place, relErr := filepath.Rel(folder, path)
		if strings.HasSuffix(path, place) { // the same text, but in the memory of path: see Input.Place
			place = path[len(path)-len(place):]
		}
		switch {
		case err != nil:
			// A folder that cannot be read is listed, so that opening it reports the error.
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
				named = true
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
	case len(list) > 0 || named || len(f.Filter.Exclude) > 0:
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

// MarkSeveral sets Several for each file in list with several pictures. To find out it opens all files or, if all is
// false, those that are GIF or WebP by extension or content. It leaves out standard input.
func MarkSeveral(list []Input, all bool) {
	for i := range list {
		in := &list[i]
		if named, _ := formatOf(in.Place); !paths.IsStandard(in.Path) &&
			(all || named.SplitsAnimations() || in.Format.SplitsAnimations()) {
			in.Several = imagefile.HoldsSeveral(in.Path)
		}
	}
}

// IsSeveral reports whether arg is a folder, or a pattern not expanded by the shell; false: arg names one file.
func IsSeveral(arg string) bool {
	_, err := os.Stat(arg)
	return paths.IsFolder(arg) || errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(arg, "*?[")
}

// IsIDX reports whether path has the name of an IDX file; it does not open the file.
func IsIDX(path string) bool {
	name := strings.TrimSuffix(filepath.Base(path), ".gz")
	return strings.HasSuffix(name, ".idx") || strings.HasSuffix(name, "-ubyte")
}

// FindIDX returns the path of the first file in folder called one of names, with or without .gz, or "" if none exists.
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
