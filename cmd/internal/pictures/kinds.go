package pictures

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"superres/internal/imagefile"
	"superres/internal/imagefile/foreign"
)

// Other is a picture of a folder that is of a kind that cannot be read.
type Other struct {
	Input
	// Kind is what it is.
	Kind foreign.Kind
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
