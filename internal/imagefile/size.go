package imagefile

import (
	"fmt"
	"image"

	"superres/internal/safefile"
)

// Size is the width and height of a picture, a canvas or a frame, in pixels. Its sides and their product have been
// checked against limits, so that memory for the pixels may be allocated. Only Limits.CheckSize converts numbers from a
// file to a Size. The zero value has no pixels.
type Size struct{ w, h int }

// CheckSize returns the size of w×h pixels, for any w and h. It fails with a safefile.Fault without a file name: an
// ErrInput if a side is less than 1, an ErrLimit if a side exceeds l.Side or the number of pixels l.Pixels.
func (l Limits) CheckSize(w, h int64) (Size, error) {
	l = l.orDefaults()
	switch {
	case w < 1 || h < 1:
		return Size{}, refuse(safefile.ErrInput, "has no pixels (its size is %d×%d); copy or export it again", w, h)
	case w > int64(l.Side) || h > int64(l.Side):
		return Size{}, refuse(safefile.ErrLimit,
			"%d×%d has a side beyond the limit of %d pixels; crop or split it first", w, h, l.Side)
	case w > l.Pixels/h: // a division, which cannot overflow
		got, limit := megapixels(w*h, l.Pixels)
		what := ""
		if l.fileBytes > 0 {
			what = fmt.Sprintf(" for a file of %d bytes", l.fileBytes)
		}
		return Size{}, refuse(safefile.ErrLimit, "%d×%d is %s, the limit is %s%s", w, h, got, limit,
			what).With(MorePixels)
	}
	return Size{int(w), int(h)}, nil
}

func (s Size) Sides() (w, h int) { return s.w, s.h }

func (s Size) Pixels() int64 { return int64(s.w) * int64(s.h) }

func (s Size) Bounds() image.Rectangle { return image.Rect(0, 0, s.w, s.h) }

// Part returns the size of a rectangle of w×h pixels with its upper left corner at (x, y). ok is false if the rectangle
// has no pixels or is not completely inside s. The arguments may be any numbers.
func (s Size) Part(x, y, w, h int64) (part Size, ok bool) {
	if w < 1 || h < 1 || x < 0 || y < 0 || w > int64(s.w) || h > int64(s.h) ||
		x > int64(s.w)-w || y > int64(s.h)-h {
		return Size{}, false
	}
	return Size{int(w), int(h)}, true
}

// NewSamples returns new memory for s.Pixels() pixels, each with the given number of channels; all samples are 0.
func NewSamples[T uint8 | uint16](s Size, channels int) []T {
	return make([]T, int64(channels)*s.Pixels())
}

// sizeOf returns the size of a decoded picture, which was checked when its header was read.
func sizeOf(img image.Image) Size {
	size := img.Bounds().Size()
	return Size{size.X, size.Y}
}

func (s Size) swapped() Size { return Size{s.h, s.w} }
