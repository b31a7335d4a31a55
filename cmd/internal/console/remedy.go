package console

import (
	"strings"

	"superres/internal/enlarging"
	"superres/internal/imagefile"
	"superres/internal/safefile"
)

// remedies holds the advice that follows the text of an error. Other packages only name a Remedy and know no flags.
var remedies = map[safefile.Remedy]string{
	safefile.Overwrite:      "use --on-exist overwrite or another name",
	safefile.NameOutput:     "give one with -o",
	safefile.StandardInput:  "give it as standard input and use - for its name",
	safefile.StandardOutput: "use - for standard output",
	safefile.MoreTime:       "use --timeout",

	imagefile.MorePixels:   "use --max-pixels",
	imagefile.MoreMemory:   "use --max-memory",
	imagefile.FirstFrame:   "use --first-frame, or save the one to enlarge as a PNG",
	imagefile.FirstPage:    "use --first-frame, or save the one to enlarge as a file of its own",
	imagefile.FirstPicture: "give them as files, or use --first-frame",
	imagefile.KnownFormat:  "use --format",
	imagefile.KnownName:    "use --format or another name",
	imagefile.KnownQuality: "use --quality 95",
	imagefile.LargerScale:  "use a larger --scale",
	imagefile.FewerPages:   "use a smaller --scale, or a file of fewer pages",
	imagefile.PNGOrSmaller: "use --format png, or a smaller --scale or size",

	enlarging.MoreTime:            "use --timeout, or --effort fast",
	enlarging.Smaller:             "use a smaller --scale or size",
	enlarging.MoreMemoryOrSmaller: "use --max-memory, or a smaller --scale or size",
	enlarging.AnimationFormat:     "use --format png or gif, or --first-frame",
	enlarging.PageFormat:          "use --format tiff, or --first-frame",
}

// advised returns the text of err, with the advice from remedies after the text of each *safefile.Fault that err wraps.
func advised(err error) string {
	var told strings.Builder
	rest := err.Error()
	var visit func(error) // visits the faults in the order of their texts
	visit = func(err error) {
		if f, ok := err.(*safefile.Fault); ok && remedies[f.Remedy] != "" {
			if before, after, ok := strings.Cut(rest, f.Error()); ok {
				told.WriteString(before + f.Error() + "; " + remedies[f.Remedy])
				rest = after
			}
			return // faults inside f get no advice
		}
		switch err := err.(type) {
		case interface{ Unwrap() error }:
			if inner := err.Unwrap(); inner != nil {
				visit(inner)
			}
		case interface{ Unwrap() []error }:
			for _, inner := range err.Unwrap() {
				visit(inner)
			}
		}
	}
	visit(err)
	return told.String() + rest
}
