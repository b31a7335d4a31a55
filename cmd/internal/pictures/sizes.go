package pictures

import (
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/superres"
)

// SizeFlags say how large results are to be.
var SizeFlags = []cli.Flag{
	&cli.StringFlag{Name: "scale", Aliases: []string{"s"}, Value: "2", DefaultText: "2", Usage: "enlarge by `F`, 1 to 16; 4x, x4 and 400% are 4"},
	&cli.IntFlag{Name: "width", Usage: "enlarge to `W` pixels across; without --height in proportion, with it to exactly that size"},
	&cli.IntFlag{Name: "height", Usage: "enlarge to `H` pixels down"},
	&cli.StringFlag{Name: "fit", Usage: "enlarge in proportion to the largest that `WxH` holds, which may be HD, FullHD, 4K or 8K"},
}

// ReadSize reads SizeFlags into the options of an enlargement.
func ReadSize(c *cli.Context) (superres.Options, error) {
	var opt superres.Options
	given := func(name string) bool { return c.IsSet(name) }
	switch sized := given("width") || given("height"); {
	case given("scale") && (sized || given("fit")):
		return opt, console.Usage("--scale and --width, --height or --fit: expected one of them")
	case sized && given("fit"):
		return opt, console.Usage("--fit and --width or --height: expected one of them; --fit WxH is the box")
	case sized:
		for _, name := range []string{"width", "height"} {
			if n := c.Int(name); given(name) && n < 1 {
				return opt, console.Usage("--%s %d: expected 1 or more pixels", name, n)
			}
		}
		opt.Width, opt.Height = c.Int("width"), c.Int("height")
	case given("fit"):
		text := c.String("fit")
		if named, is := screens[strings.ToLower(text)]; is {
			text = named
		}
		w, h, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(text, "×", "x")), "x")
		var err1, err2 error
		opt.Width, err1 = strconv.Atoi(w)
		opt.Height, err2 = strconv.Atoi(h)
		if err1 != nil || err2 != nil || opt.Width < 1 || opt.Height < 1 {
			return opt, console.Usage("--fit %s: expected WxH, such as 1920x1080, or HD, FullHD, 4K or 8K", text)
		}
		opt.Fit = true
	default:
		var err error
		if opt.Scale, err = readScale(c.String("scale")); err != nil {
			return opt, err
		}
		if !(opt.Scale >= superres.MinScale && opt.Scale <= superres.MaxScale) {
			return opt, console.Usage("--scale %g: expected %d to %d", opt.Scale, superres.MinScale, superres.MaxScale)
		}
	}
	return opt, nil
}

// screens are the names of sizes of screens, in pixels.
var screens = map[string]string{"hd": "1280x720", "720p": "1280x720", "fullhd": "1920x1080", "1080p": "1920x1080", "1440p": "2560x1440", "4k": "3840x2160", "2160p": "3840x2160", "8k": "7680x4320"}

// readScale reads a scale as people write it: 4, 4x, x4, 4×, 400%.
func readScale(text string) (float64, error) {
	number, unit := strings.ToLower(strings.TrimSpace(text)), 1.0
	if share, is := strings.CutSuffix(number, "%"); is {
		number, unit = share, 100
	} else {
		number = strings.ReplaceAll(number, "×", "x")
		number = strings.TrimPrefix(strings.TrimSuffix(number, "x"), "x")
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil {
		return 0, console.Usage("--scale %s: expected %d to %d, such as 2, 2.5, 4x or 200%%", text, superres.MinScale, superres.MaxScale)
	}
	return v / unit, nil
}

// SizeText is what is asked for, in a file name: 2x, 800w, 600h, 800x600.
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

// scaleText is the scale asked for, or empty for a size.
func scaleText(opt superres.Options) string {
	if opt.Scale == 0 {
		return ""
	}
	return strconv.FormatFloat(opt.Scale, 'g', -1, 64)
}
