package pictures

import (
	"strconv"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/settings"
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
func readFit(to *superres.Options, text string) error {
	if named, is := screens[strings.ToLower(text)]; is {
		text = named
	}
	w, h, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(text, "×", "x")), "x")
	var err1, err2 error
	to.Width, err1 = strconv.Atoi(w)
	to.Height, err2 = strconv.Atoi(h)
	if err1 != nil || err2 != nil || to.Width < 1 || to.Height < 1 {
		return console.Usage("--fit %s: expected WxH, such as 1920x1080, or HD, FullHD, 4K or 8K", text)
	}
	to.Fit = true
	return nil
}

// screens maps names of screens to their sizes in pixels.
var screens = map[string]string{"hd": "1280x720", "720p": "1280x720", "fullhd": "1920x1080", "1080p": "1920x1080",
	"1440p": "2560x1440", "4k": "3840x2160", "2160p": "3840x2160", "8k": "7680x4320"}

// readScale returns the scale that text means, in any usual spelling: 4, 4x, x4, 4×, 400%.
func readScale(text string) (float64, error) {
	number, unit := strings.ToLower(strings.TrimSpace(text)), 1.0
	if share, is := strings.CutSuffix(number, "%"); is {
		number, unit = share, 100
	} else {
		number = strings.ReplaceAll(number, "×", "x")
		number = strings.TrimPrefix(strings.TrimSuffix(number, "x"), "x")
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	switch v /= unit; {
	case err != nil && readFit(new(superres.Options), text) == nil:
		return 0, console.Usage("--scale %s is a size; write --fit %[1]s", text)
	case err != nil:
		return 0, console.Usage("--scale %s: expected %d to %d, such as 2, 2.5, 4x or 200%%", text,
			superres.MinScale, superres.MaxScale)
	case v > 0 && v < superres.MinScale:
		return 0, console.Usage("--scale %g: nothing is made smaller; expected %d to %d", v, superres.MinScale,
			superres.MaxScale)
	case !(v >= superres.MinScale && v <= superres.MaxScale):
		return 0, console.Usage("--scale %g: expected %d to %d; pixels are --width, such as --width 1920", v,
			superres.MinScale, superres.MaxScale)
	}
	return v, nil
}

// SizeText returns the size that opt asks for, as part of the name of a folder: 2x, 800w, 600h, 800x600.
func SizeText(opt superres.Options) string {
	switch {
	case opt.Width > 0 && opt.Height > 0:
		return strconv.Itoa(opt.Width) + "x" + strconv.Itoa(opt.Height)
	case opt.Width > 0:
		return strconv.Itoa(opt.Width) + "w"
	case opt.Height > 0:
		return strconv.Itoa(opt.Height) + "h"
	}
	return scaleText(opt) + "x"
}

// scaleText returns the scale in opt as text, or "" if opt has a width or height instead.
func scaleText(opt superres.Options) string {
	if opt.Scale == 0 {
		return ""
	}
	return strconv.FormatFloat(opt.Scale, 'g', -1, 64)
}
