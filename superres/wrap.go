package superres

import (
	"context"
	"image"

	"superres/internal/chroma"
	"superres/internal/picture"
	"superres/superres/stage"
)

// A picture whose edges meet, such as a tile of a texture, or a panorama of 360°, is enlarged with a margin from its
// opposite edges, as wide as the model looks, which is cut off again. The margin begins where an edge of a pixel of the
// picture and of one of the result coincide, so that all pixels of the result lie as they do without it.

// Margin returns the width and height in pixels of the margin around a picture of size in, enlarged to out, whose edges
// meet: 0 where opt does not say so.
func (m *Model) Margin(in, out image.Point, opt Options) (margin image.Point) {
	reach := m.Reach(in.X, in.Y, out.X, out.Y)
	if opt.Mix != nil {
		reach = max(reach, opt.Mix.Model.Reach(in.X, in.Y, out.X, out.Y))
	}
	along := func(wraps bool, in, out int) int {
		if !wraps {
			return 0
		}
		step := stage.Step(in, out)
		return (reach + step - 1) / step * step
	}
	return image.Pt(along(opt.WrapX, in.X, out.X), along(opt.WrapY, in.Y, out.Y))
}

// wraps reports whether img is to be enlarged with a margin.
func (o Options) wraps(img image.Image) bool {
	return (o.WrapX || o.WrapY) && o.Chroma == nil && !img.Bounds().Empty()
}

// upscaleWrapped is Upscale for a picture whose edges meet.
func (m *Model) upscaleWrapped(ctx context.Context, img image.Image, opt Options) (image.Image, error) {
	wide, opt, part, err := m.wrap(img, opt)
	if err != nil {
		return nil, err
	}
	large, err := m.Upscale(ctx, wide, opt)
	if err != nil {
		return nil, err
	}
	return picture.Wrapped(large, part), nil
}

// streamWrapped is Stream for a picture whose edges meet.
func (m *Model) streamWrapped(ctx context.Context, img image.Image, opt Options, emit func(image.Image) error) error {
	wide, opt, part, err := m.wrap(img, opt)
	if err != nil {
		return err
	}
	top := 0 // of the next strip
	return m.Stream(ctx, wide, opt, func(strip image.Image) error {
		rows := strip.Bounds().Add(image.Pt(0, top))
		if top = rows.Max.Y; !rows.Overlaps(part) {
			return nil
		}
		return emit(picture.Wrapped(strip, rows.Intersect(part).Sub(rows.Min)))
	})
}

// wrap returns img with its margin, the options for enlarging that, and the part of its enlargement that is the result.
func (m *Model) wrap(img image.Image, opt Options) (wide image.Image, of Options, part image.Rectangle, err error) {
	if ycc, ok := img.(*image.YCbCr); ok {
		opt.Subsampled = opt.Subsampled || ycc.SubsampleRatio == image.YCbCrSubsampleRatio420
		img = chroma.Smooth(img)
	}
	in := img.Bounds().Size()
	w, h, err := m.ResultSize(in.X, in.Y, opt)
	if err != nil {
		return nil, opt, part, err
	}
	margin := m.Margin(in, image.Pt(w, h), opt)
	if opt.Mix != nil {
		mix := *opt.Mix
		if mix.Area.Empty() {
			mix.Area = image.Rectangle{Max: in}
		}
		mix.Area = mix.Area.Add(margin)
		opt.Mix = &mix
	}
	whole := image.Pt((in.X+2*margin.X)*w/in.X, (in.Y+2*margin.Y)*h/in.Y)
	opt.SetSize(whole.X, whole.Y)
	opt.WrapX, opt.WrapY = false, false
	at := image.Pt(margin.X*w/in.X, margin.Y*h/in.Y)
	part = image.Rectangle{Min: at, Max: at.Add(image.Pt(w, h))}
	return picture.Wrapped(img, image.Rectangle{Min: margin.Mul(-1), Max: in.Add(margin)}), opt, part, nil
}
