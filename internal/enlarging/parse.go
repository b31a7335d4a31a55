package enlarging

import (
	"image"
	"strconv"
	"strings"

	"superres/internal/usage"
	"superres/superres"
)

// The functions below parse settings from text. Their errors say what was expected, but not for which setting.

// parseScale returns the scale that text stands for: 4, 4x, x4, 4×, 400%. It fails outside MinScale to MaxScale.
func parseScale(text string) (float64, error) {
	number, unit := strings.ToLower(strings.TrimSpace(text)), 1.0
	if share, is := strings.CutSuffix(number, "%"); is {
		number, unit = share, 100
	} else {
		number = strings.ReplaceAll(number, "×", "x")
		number = strings.TrimPrefix(strings.TrimSuffix(number, "x"), "x")
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil {
		return 0, usage.Errorf("expected %d to %d, such as 2, 2.5, 4x or 200%%", superres.MinScale, superres.MaxScale)
	}
	switch v /= unit; {
	case v > 0 && v < superres.MinScale:
		return 0, usage.Errorf("nothing is made smaller; expected %d to %d", superres.MinScale, superres.MaxScale)
	case !(v >= superres.MinScale && v <= superres.MaxScale):
		return 0, usage.Errorf("expected %d to %d", superres.MinScale, superres.MaxScale)
	}
	return v, nil
}

// screens maps names of screens to their sizes in pixels.
var screens = map[string]string{"hd": "1280x720", "720p": "1280x720", "fullhd": "1920x1080", "1080p": "1920x1080",
	"1440p": "2560x1440", "4k": "3840x2160", "2160p": "3840x2160", "8k": "7680x4320"}

// parseFit returns the width and height in pixels that text stands for: WxH or the name of a screen.
func parseFit(text string) (width, height int, err error) {
	if named, is := screens[strings.ToLower(text)]; is {
		text = named
	}
	w, h, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(text, "×", "x")), "x")
	var err1, err2 error
	width, err1 = strconv.Atoi(w)
	height, err2 = strconv.Atoi(h)
	if err1 != nil || err2 != nil || width < 1 || height < 1 {
		return 0, 0, usage.Errorf("expected WxH, such as 1920x1080, or HD, FullHD, 4K or 8K")
	}
	return width, height, nil
}

// ParseRegion returns the region of the upright picture that text gives as X,Y,W,H: its first pixel, width and
// height. It fails if X or Y is negative, W or H is not positive, or a number exceeds 2^20.
func ParseRegion(text string) (r image.Rectangle, err error) {
	var v [4]int // all 0, so refused below, if text has more or fewer than four words
	words := strings.Split(text, ",")
	for i := 0; i < len(v) && len(words) == len(v) && err == nil; i++ {
		v[i], err = strconv.Atoi(words[i])
	}
	const most = 1 << 20
	if err != nil || min(v[0], v[1]) < 0 || min(v[2], v[3]) < 1 || max(v[0], v[1], v[2], v[3]) > most {
		return r, usage.Errorf("expected X,Y,W,H in pixels of the picture")
	}
	return image.Rect(v[0], v[1], v[0]+v[2], v[1]+v[3]), nil
}

// SizeText returns the requested size as text for the name of a folder: 2x, 800w, 600h, 800x600, 12mp.
func SizeText(opt superres.Options) string {
	switch {
	case opt.Width > 0 && opt.Height > 0:
		return strconv.Itoa(opt.Width) + "x" + strconv.Itoa(opt.Height)
	case opt.Width > 0:
		return strconv.Itoa(opt.Width) + "w"
	case opt.Height > 0:
		return strconv.Itoa(opt.Height) + "h"
	case opt.Megapixels > 0:
		return strconv.FormatFloat(opt.Megapixels, 'g', -1, 64) + "mp"
	}
	return ScaleText(opt) + "x"
}

// SizeRule returns how a result relates to the size in SizeText: fit, inside it; cover, at least as large; size, equal.
func SizeRule(opt superres.Options) string {
	switch {
	case opt.Fit:
		return "fit"
	case opt.Cover:
		return "cover"
	}
	return "size"
}

// ScaleText returns the scale in opt as text, or "" if opt has a size in pixels instead.
func ScaleText(opt superres.Options) string {
	if opt.Scale == 0 {
		return ""
	}
	return strconv.FormatFloat(opt.Scale, 'g', -1, 64)
}
