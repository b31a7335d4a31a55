package enlarging

import (
	"strconv"

	"superres/superres"
)

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
	return ScaleText(opt) + "x"
}

// ScaleText returns the scale in opt as text, or "" if opt has a width or height instead.
func ScaleText(opt superres.Options) string {
	if opt.Scale == 0 {
		return ""
	}
	return strconv.FormatFloat(opt.Scale, 'g', -1, 64)
}
