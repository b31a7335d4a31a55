package imagefile

import (
	"fmt"
	"image"

	"superres/internal/safefile"
)

// accept calls l.Accept with the size of the upright picture, given its stored header cfg, its EXIF orientation and the
// bytes that its file and metadata take, held. It returns an error from Accept as an ErrLimit.
func (l Limits) accept(cfg image.Config, orientation int, held int64) error {
	if l.Accept == nil {
		return nil
	}
	if swapsSides(orientation) {
		cfg.Width, cfg.Height = cfg.Height, cfg.Width
	}
	if err := l.Accept(cfg, held); err != nil {
		return &safefile.Fault{Class: safefile.ErrLimit, Cause: err, Reason: err.Error()}
	}
	return nil
}

// megapixels returns pixels and the smaller limit as texts: in megapixels, or in pixels if both would read the same.
func megapixels(pixels, limit int64) (got, max string) {
	got, max = fourDigits(float64(pixels)/1e6), fourDigits(float64(limit)/1e6)
	if got == max {
		return fmt.Sprintf("%d pixels", pixels), fmt.Sprint(limit)
	}
	return got + " megapixels", max
}

// fourDigits returns v with four significant digits, or rounded to an integer from 1000 on.
func fourDigits(v float64) string {
	if v >= 1000 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.4g", v)
}

// tooManyBytes returns the fault for the input called name, whose size in bytes exceeds limit; a size of 0 is unknown.
func tooManyBytes(name string, size, limit int64) error {
	what := "has"
	if size > 0 {
		what = fmt.Sprintf("has %s MiB,", fourDigits(float64(size)/(1<<20)))
	}
	f := safefile.Refuse(safefile.ErrLimit, name, "%s more than the limit of %s MiB", what,
		fourDigits(float64(limit)/(1<<20)))
	if limit < MaxBytes { // the caller has lowered it to save memory
		return f.With(MoreMemory)
	}
	f.Reason += "; save it smaller or compressed"
	return f
}
