package upscale

import (
	"fmt"
	"path/filepath"
	"slices"

	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/internal/enlarging"
)

// idle returns a line for each flag that the user set but that has no effect on the pictures of b. Such flags are not
// refused, as scripts often give the same flags to all calls.
func (opt Options) idle(b *batch, e *enlarging.Enlarger) (lines []string) {
	if b.total() == 0 {
		return nil
	}
	say := func(flag, format string, args ...any) { // adds a line if the user set flag
		if slices.Contains(opt.said, flag) {
			lines = append(lines, "--"+flag+" "+fmt.Sprintf(format, args...))
		}
	}
	if !b.formats.has["jpeg"] {
		say("quality", "is for JPEG files, and no output is one")
	}
	if !b.formats.has[string(pictures.Container)] {
		for _, name := range []string{"codec", "crf"} {
			say(name, "is for videos, and none is named")
		}
	}
	if !slices.ContainsFunc(opt.Inputs, pictures.IsSeveral) {
		for _, name := range []string{"include", "exclude"} {
			say(name, "is for the pictures of folders, and none is named")
		}
	}
	if b.total() == 1 && len(b.results) == 0 {
		say("on-result", "is for several pictures, and one is named")
	}
	if !slices.ContainsFunc(opt.Inputs, paths.IsFolder) {
		say("recursive", "is for folders, and none is named")
	}
	if one, is := b.sole(); is && opt.Naming.Out != "" &&
		(one.piped() || one.output == filepath.Clean(opt.Naming.Out)) {
		say("name", "is for outputs without a name, and -o %s is one", opt.Naming.Out)
	}
	if one, is := b.sole(); is && (one.piped() || one.fromStandard()) {
		say("keep-dates", "is for files, and a pipe has none")
	}
	if name, is := e.Interpolates(); is {
		say("strength", "changes what a model adds to interpolation, and %s adds nothing", name)
	}
	if opt.Video {
		for _, name := range []string{"metadata", "provenance", "first-frame"} {
			say(name, "is for files of pictures, and a stream of frames has nothing of it")
		}
	}
	return lines
}
