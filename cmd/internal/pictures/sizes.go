package pictures

import (
	"fmt"
	"strconv"

	"superres/cmd/internal/console"
	"superres/cmd/internal/settings"
	"superres/internal/enlarging"
	"superres/superres"
)

// SizeOptions returns the options for the size of results, which set fields of to. CheckSize must be called then.
func SizeOptions(to *superres.Options) settings.Table {
	side := func(name string, n *int, help, brief string) *settings.Option {
		return &settings.Option{Name: name, To: settings.Num(n, 0).AtLeast(1).In("pixels"), Group: "size",
			Effect: settings.Elsewhere, Request: true, Help: help, Brief: brief}
	}
	return settings.Table{
		{Name: "scale", Aliases: []string{"s"}, To: settings.Parsed(&to.Scale, "2", readScale), Group: "size",
			Effect: settings.Elsewhere, Request: true,
			Help: "enlarge by `F`, 1 to 16; 4x, x4 and 400% are 4; without a size, networks of other programs " +
				"enlarge " +
				"by their own scale", Brief: "how many times larger: 2, 1.5, 4x, " +
				"300%, up to 16"},
		side("width", &to.Width, "enlarge to `W` pixels across; without --height in proportion, with it to "+
			"exactly that size", "as many pixels wide"),
		side("height", &to.Height, "enlarge to `H` pixels down", ""),
		{Name: "fit", To: settings.Custom("", func(text string) error { return readFit(to, text) }), Group: "size",
			Effect: settings.Elsewhere, Request: true,
			Help:  "enlarge in proportion to the largest that `WxH` holds, which may be HD, FullHD, 4K or 8K",
			Brief: "as large as fits into so many pixels, such as 3840x2160, or 4K"},
	}
}

// CheckSize returns an error if the sizes that are given contradict each other. If one other than --scale is given, it
// removes the default scale.
func CheckSize(to *superres.Options, given settings.Table) error {
	sized, fit := given.Given("width", "height"), given.Given("fit")
	switch {
	case given.Given("scale") && (sized || fit):
		return console.Usage("--scale and --width, --height or --fit: expected one of them")
	case sized && fit:
		return console.Usage("--fit and --width or --height: expected one of them; --fit WxH is the box")
	case sized || fit:
		to.Scale = 0
	}
	return nil
}

// readFit sets to from text, the value of --fit: WxH or the name of a screen.
func readFit(to *superres.Options, text string) (err error) {
	if to.Width, to.Height, err = enlarging.ParseFit(text); err != nil {
		return fmt.Errorf("--fit %s: %w", text, err)
	}
	to.Fit = true
	return nil
}

// readScale returns the scale that text means, in any usual spelling: 4, 4x, x4, 4×, 400%.
func readScale(text string) (float64, error) {
	v, err := enlarging.ParseScale(text)
	switch {
	case err == nil:
	case readFit(new(superres.Options), text) == nil:
		return 0, console.Usage("--scale %s is a size; write --fit %[1]s", text)
	}
	if n, failed := strconv.ParseFloat(text, 64); failed == nil && n > superres.MaxScale {
		return 0, fmt.Errorf("--scale %s: %w; pixels are --width, such as --width 1920", text, err)
	}
	if err != nil {
		return 0, fmt.Errorf("--scale %s: %w", text, err)
	}
	return v, nil
}
