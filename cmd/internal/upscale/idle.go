package upscale

import (
	"fmt"
	"image"
	"path/filepath"
	"slices"

	"superres/cmd/internal/models"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
)

// idle says, in a line each, which of the flags that were given mean nothing to the pictures
// of a call. None of them is refused: a script gives the same flags to whatever it is called
// with.
func (opt Options) idle(b *batch, first engine) (lines []string) {
	if b.total() == 0 {
		return nil
	}
	say := func(flag, format string, args ...any) {
		if slices.Contains(opt.said, flag) {
			lines = append(lines, "--"+flag+" "+fmt.Sprintf(format, args...))
		}
	}
	if !b.formats.has["jpeg"] {
		say("quality", "is for JPEG files, and no output is one")
	}
	if !slices.ContainsFunc(opt.Inputs, pictures.IsSeveral) {
		for _, name := range []string{"include", "exclude", "on-unreadable"} {
			say(name, "is for the pictures of folders, and none is named")
		}
	}
	if !slices.ContainsFunc(opt.Inputs, paths.IsFolder) {
		say("recursive", "is for folders, and none is named")
	}
	if one, is := b.sole(); is && opt.Naming.Out != "" && (one.output == "-" || one.output == filepath.Clean(opt.Naming.Out)) {
		say("name", "is for outputs without a name, and -o %s is one", opt.Naming.Out)
	}
	if len(first.model.Stages) == 0 {
		say("strength", "changes what a model adds to interpolation, and %s adds nothing", first.name)
	}
	if opt.Frames {
		for _, name := range []string{"metadata", "provenance", "first-frame"} {
			say(name, "is for files of pictures, and a stream of frames has nothing of it")
		}
	}
	return lines
}

// unfit tells of a model that has learned nothing of such a picture, or says nothing.
func unfit(c choice, img image.Image) string {
	if c.name != models.Digits || isDigit(img) {
		return ""
	}
	return "is enlarged by digits, which knows small grey pictures of digits alone; for photographs leave out --model"
}

// isDigit tells whether a picture may be one of a digit, by its size and its colours.
func isDigit(img image.Image) bool {
	const most = 64 * 64 // pixels; those of MNIST have 784
	b := img.Bounds()
	if b.Dx()*b.Dy() > most {
		return false
	}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if r, g, b, _ := img.At(x, y).RGBA(); r != g || g != b {
				return false
			}
		}
	}
	return true
}
