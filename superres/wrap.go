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

// upscaleWrapped is Upscale for a picture whose edges meet.
func (m *Model) upscaleWrapped(ctx context.Context, img image.Image, opt Options) (image.Image, error) {
	if ycc, ok := img.(*image.YCbCr); ok {
		opt.Subsampled = opt.Subsampled || ycc.SubsampleRatio == image.YCbCrSubsampleRatio420
		img = chroma.Smooth(img)
	}
	in := img.Bounds().Size()
	w, h, err := m.ResultSize(in.X, in.Y, opt)
	if err != nil {
		return nil, err
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
	large, err := m.Upscale(ctx, picture.Wrapped(img, image.Rectangle{Min: margin.Mul(-1), Max: in.Add(margin)}), opt)
	if err != nil {
		return nil, err
	}
	at := image.Pt(margin.X*w/in.X, margin.Y*h/in.Y)
	return picture.Wrapped(large, image.Rectangle{Min: at, Max: at.Add(image.Pt(w, h))}), nil
}
