package pictures

import (
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/settings"
	"superres/internal/imagefile"
	"superres/internal/imagefile/foreign"
)

// Filter chooses files below a folder by their place in it, a path with slashes.
type Filter struct {
	Include []string // patterns of which a file must match one; none: any file
	Exclude []string // patterns of which neither a file nor its folders may match one
}

// Options are --include and --exclude.
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

// checkPattern returns a function that refuses patterns that cannot match.
func checkPattern(name string) func(string) error {
	return func(p string) error {
		if _, err := path.Match(p, ""); err != nil || strings.Trim(p, "/") == "" {
			return console.Usage("--%s %q: expected a pattern such as '*.jpg' or 'scans/**'", name, p)
		}
		return nil
	}
}

// takes tells whether a file is taken.
func (f Filter) takes(place string) bool {
	fits := func(p string) bool { return !strings.HasSuffix(p, "/") && matches(p, place) }
	return (len(f.Include) == 0 || slices.ContainsFunc(f.Include, fits)) && !slices.ContainsFunc(f.Exclude, fits)
}

// enters tells whether a folder may hold files that are taken.
func (f Filter) enters(place string) bool {
	return !slices.ContainsFunc(f.Exclude, func(p string) bool { return matches(strings.TrimSuffix(p, "/"), place) })
}

// matches tells whether a pattern fits a place: its last part when the pattern has no slash, all of it otherwise.
func matches(pattern, place string) bool {
	if !strings.Contains(pattern, "/") && pattern != "**" {
		ok, err := path.Match(pattern, path.Base(place))
		return ok && err == nil
	}
	return matchParts(strings.Split(strings.TrimPrefix(pattern, "/"), "/"), strings.Split(place, "/"))
}

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

// Other is a picture of a folder that is of a kind that cannot be read.
type Other struct {
	Input
	Kind foreign.Kind // what it is
}

// Reason is why it is left out, and what to do.
func (o Other) Reason() string { return o.Kind.Title + " cannot be read; " + o.Kind.Advice }

// Tally counts others by their kinds, the most frequent first: "2 HEIC, 1 DNG".
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

// Skipped is one line about the others that are left out, or nothing when there are none.
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

// TellSkipped says what is left out, if w is not nil.
func TellSkipped(w io.Writer, others []Other) {
	if text := Skipped(others); w != nil && text != "" {
		fmt.Fprintln(w, "superres:", text)
	}
}

// extensions are those of pictures that can be read.
var extensions = []string{".png", ".jpg", ".jpeg", ".jpe", ".jfif", ".gif", ".bmp", ".tif", ".tiff", ".webp"}

// isNamedPicture tells by its extension whether a file is a picture that can be read.
func isNamedPicture(name string) bool {
	return slices.Contains(extensions, strings.ToLower(filepath.Ext(name)))
}

// identify finds the format of a file in a folder by its content, or the kind that cannot be read; neither is no
// picture, or one that cannot be looked into. Documents are no pictures.
func (in *Input) identify() foreign.Kind {
	format, kind, err := imagefile.Identify(in.Path)
	if err != nil || kind.Document {
		return foreign.Kind{}
	}
	in.Format = format
	return kind
}
