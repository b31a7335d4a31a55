package pictures

import (
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"superres/cmd/internal/console"
	"superres/internal/imagefile/foreign"
	"superres/internal/settings"
)

// Filter selects files in a folder by place, the path of a file relative to the folder, with slashes.
type Filter struct {
	Include []string // patterns; a file must match one of them; empty: all files match
	Exclude []string // patterns; neither a file nor a folder above it may match one
}

// Options returns the options --include and --exclude, which set the fields of f.
func (f *Filter) Options() settings.Table {
	option := func(name string, to *[]string, help string) *settings.Option {
		return &settings.Option{Name: name, To: settings.List(to, checkPattern(name)), Group: "files",
			Effect: settings.Neutral, Help: help}
	}
	return settings.Table{
		option("include", &f.Include, "of folders and quoted patterns, take only what matches `PATTERN`: *, ? and "+
			"[a-z] within a name, ** for any folders; without a slash it is for names in any folder; may be repeated"),
		option("exclude", &f.Exclude, "leave out what matches `PATTERN`, folders too; may be repeated"),
	}
}

// checkPattern returns a function that refuses patterns that can never match. name is the name of the option.
func checkPattern(name string) func(string) error {
	return func(p string) error {
		if _, err := path.Match(p, ""); err != nil || strings.Trim(p, "/") == "" {
			return console.Usage("--%s %q: expected a pattern such as '*.jpg' or 'scans/**'", name, p)
		}
		return nil
	}
}

// takes reports whether the filter selects the file at place. Patterns that end in a slash are for folders alone.
func (f Filter) takes(place string) bool {
	fits := func(p string) bool { return !strings.HasSuffix(p, "/") && matches(p, place) }
	return (len(f.Include) == 0 || slices.ContainsFunc(f.Include, fits)) && !slices.ContainsFunc(f.Exclude, fits)
}

// enters reports whether the folder at place may contain selected files; false: the folder is excluded.
func (f Filter) enters(place string) bool {
	return !slices.ContainsFunc(f.Exclude, func(p string) bool { return matches(strings.TrimSuffix(p, "/"), place) })
}

// matches reports whether pattern matches place: the base name if pattern has no slash and is not **, else all of it.
func matches(pattern, place string) bool {
	if !strings.Contains(pattern, "/") && pattern != "**" {
		ok, err := path.Match(pattern, path.Base(place))
		return ok && err == nil
	}
	return matchParts(strings.Split(strings.TrimPrefix(pattern, "/"), "/"), strings.Split(place, "/"))
}

// matchParts is matches for a pattern and a place that are split at their slashes. ** matches any number of parts.
func matchParts(pattern, place []string) bool {
	switch {
	case len(pattern) == 0:
		return len(place) == 0
	case pattern[0] == "**":
		return matchParts(pattern[1:], place) || len(place) > 0 && matchParts(pattern, place[1:])
	case len(place) == 0:
		return false
	}
	ok, err := path.Match(pattern[0], place[0])
	return ok && err == nil && matchParts(pattern[1:], place[1:])
}

// Other is a picture in a folder that superres cannot read because of its kind, such as a HEIC file.
type Other struct {
	Input
	Kind foreign.Kind
}

// Reason returns a text that says why the picture is left out, and what the user can do.
func (o Other) Reason() string { return o.Kind.Title + " cannot be read; " + o.Kind.Advice }

// Tally returns the number of others of each kind, as in "2 HEIC, 1 DNG": frequent kinds first, equal ones by title.
func Tally(others []Other) string {
	counts := map[string]int{}
	var titles []string
	for _, o := range others {
		if counts[o.Kind.Title]++; counts[o.Kind.Title] == 1 {
			titles = append(titles, o.Kind.Title)
		}
	}
	slices.SortFunc(titles, func(a, b string) int {
		if d := counts[b] - counts[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	for i, t := range titles {
		titles[i] = fmt.Sprintf("%d %s", counts[t], t)
	}
	return strings.Join(titles, ", ")
}

// Advice returns texts on what the user can do about others, each text once.
func Advice(others []Other) (list []string) {
	for _, o := range others {
		if !slices.Contains(list, o.Kind.Advice) {
			list = append(list, o.Kind.Advice)
		}
	}
	return list
}

// Skipped returns a line about others, the pictures left out, or "" if there are none.
func Skipped(others []Other) string {
	switch n := len(others); n {
	case 0:
		return ""
	case 1:
		return "1 file is of a kind that cannot be read: " + Tally(others)
	default:
		return fmt.Sprintf("%d files are of kinds that cannot be read: %s", n, Tally(others))
	}
}

// TellSkipped prints to w how many pictures, others, are left out. It prints nothing if w is nil or others is empty.
func TellSkipped(w io.Writer, others []Other) {
	if text := Skipped(others); w != nil && text != "" {
		fmt.Fprintln(w, "superres:", text)
	}
}

// extensions are the file name extensions of the pictures that can be read.
var extensions = []string{".png", ".jpg", ".jpeg", ".jpe", ".jfif", ".gif", ".bmp", ".tif", ".tiff", ".webp", ".avif"}

// isNamedPicture reports whether name has the extension of a picture that can be read.
func isNamedPicture(name string) bool {
	return slices.Contains(extensions, strings.ToLower(filepath.Ext(name)))
}
