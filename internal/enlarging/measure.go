package enlarging

import (
	"context"
	"errors"
	"image"

	"superres/internal/imagefile"
	"superres/internal/y4m"
	"superres/superres"
)

// ResultSize returns the size in pixels of the enlarged picture or video in src; for a file with several pictures, the
// size of the first result. It reads only the header. It returns zeros for a pipe, which cannot be read twice, and if
// the size is unknown or refused, as for a damaged file; Enlarge then reports the reason. isLarge says that the picture
// already has the requested size or a larger one; out is then the size of the picture.
func (e *Enlarger) ResultSize(ctx context.Context, src Source) (out image.Point, isLarge bool) {
	content, err := src.Open()
	if err != nil {
		return out, false
	}
	defer content.Close()
	if content.At == nil {
		return out, false
	}
	in, known := content.size(ctx, e.limits())
	if !known {
		return out, false
	}
	if out.X, out.Y, err = e.clean.model.ResultSize(in.X, in.Y, e.Size); errors.Is(err, superres.ErrSmaller) {
		return in, true
	} else if err != nil {
		return image.Point{}, false
	}
	return out, out == in
}

// size returns the size in pixels of the upright picture or the video in the content. known is false if the header does
// not state the size or the picture exceeds limits.
func (c *Content) size(ctx context.Context, limits imagefile.Limits) (size image.Point, known bool) {
	if c.StartsWith(videoMagic) {
		in, err := y4m.NewReader(c, limits)
		if err != nil {
			return size, false
		}
		return image.Pt(in.Width, in.Height), true
	}
	limits.Accept = func(cfg image.Config, _ int64) error {
		size, known = image.Pt(cfg.Width, cfg.Height), true
		return errEnough
	}
	_, _ = c.decode(ctx, "", limits) // ends at the header, with errEnough or the error that Enlarge reports
	return size, known
}
