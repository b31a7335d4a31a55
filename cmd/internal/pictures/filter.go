package pictures

import (
	"path"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
)

// FilterFlags choose among the pictures of folders.
var FilterFlags = []cli.Flag{
	&cli.StringSliceFlag{Name: "include", Usage: "of folders and quoted patterns, take only what matches `PATTERN`: *, ? and [a-z] within a name, ** for any folders; without a slash it is for names in any folder; may be repeated"},
	&cli.StringSliceFlag{Name: "exclude", Usage: "leave out what matches `PATTERN`, folders too; may be repeated"},
}

// Filter chooses files below a folder by their place in it, a path with slashes.
type Filter struct {
	// Include are the patterns of which a file must match one: --include, none, which is
	// any.
	Include []string
	// Exclude are the patterns of which neither a file nor its folders may match one:
	// --exclude, none.
	Exclude []string
}

// ReadFilter reads FilterFlags.
func ReadFilter(c *cli.Context) (Filter, error) {
	f := Filter{Include: c.StringSlice("include"), Exclude: c.StringSlice("exclude")}
	for name, patterns := range map[string][]string{"include": f.Include, "exclude": f.Exclude} {
		for _, p := range patterns {
			if _, err := path.Match(p, ""); err != nil || strings.Trim(p, "/") == "" {
				return f, console.Usage("--%s %q: expected a pattern such as '*.jpg' or 'scans/**'", name, p)
			}
		}
	}
	return f, nil
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

// matches tells whether a pattern fits a place: its last part when the pattern has
// no slash, all of it otherwise.
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
