package pictures

import (
	"path"
	"slices"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/settings"
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
