package upscale

import (
	"context"
	"fmt"
	"io"
	"superres/patches/plane"

	"superres/internal/y4m"
	"superres/superres/resample"
)

// frames enlarges the frames of a stream, each for itself: by one model, which the
// beginning has chosen (see shimmer.go), so that the same frame always gives the same bytes.
//
// Samples stay what they are in the stream, Y, Cb and Cr, in the range it has. Y goes through
// the model as a grey picture does whose black and white are the least and the greatest code,
// so that what goes beyond the range of video is kept. Cb and Cr are interpolated, from where
// they lie to where they are to lie in the result, which are not the same places for every
// layout.
type frames struct {
	enlarger
	in, to y4m.Header
	name   string // of the input
	by     choice
	colour *resample.Scaler // nil: there is none
}

func newFrames(e enlarger, in, to y4m.Header, name string) *frames {
	f := &frames{enlarger: e, in: in, to: to, name: name}
	if !in.Layout.Grey {
		w, h := in.Plane(1)
		toW, toH := to.Plane(1)
		f.colour = resample.NewAt(w, h, toW, toH, e.engines.first.model.Kernel,
			colourAxis(in.Width, to.Width, in.Layout.Across, in.Layout.Left), colourAxis(in.Height, to.Height, in.Layout.Down, in.Layout.Top))
	}
	return f
}

// colourAxis says where the samples of colour lie on those of the smaller frame, along a side
// that becomes longer from in to out samples of brightness. Each is for so many of these, and
// lies in their middle, at a = of/2 of their edge, or on the first, at a = ½. So sample i lies
// at of·i + a in the result, which is (of·i + a)·in/out in the frame, where sample u lies at
// of·u + a:
//
//	u = i·in/out + (in/out − 1)·a/of.
func colourAxis(in, out, of int, first bool) resample.Axis {
	ratio := float64(in) / float64(out)
	a := float64(of) / 2
	if first {
		a = 0.5
	}
	return resample.Axis{First: (ratio - 1) * a / float64(of), Step: ratio}
}

// all enlarges the frames that next returns, so many together, and hands them over in
// their order: see inOrder.
func (f *frames) all(ctx context.Context, next func() (*y4m.Frame, error), together int, put func(*y4m.Frame) error) error {
	return inOrder(ctx, func() (*y4m.Frame, error) {
		frame, err := next()
		if err != nil && err != io.EOF {
			err = named(err, f.name)
		}
		return frame, err
	}, together, framesAhead(together), f.one, put)
}

// framesAhead is how many frames are in memory, of which so many are in work: most take as long
// as the one before them, so that half as many again suffice for none to wait.
func framesAhead(together int) int { return together + (together+1)/2 }

// one enlarges frame n.
func (f *frames) one(ctx context.Context, n int, frame *y4m.Frame) (_ *y4m.Frame, err error) {
	ctx, clock := newClock(ctx, f.opt.WholeTime)
	name := fmt.Sprintf("%s: frame %d", f.name, n)
	defer func() { err = clock.end(err, name) }()
	clock.start()
	img, err := f.by.model.Upscale(ctx, f.in.Brightness(frame), f.opt.Size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	out := f.to.NewFrame(frame.Params)
	f.to.PutBrightness(out, img)
	for i := 1; i < f.in.Planes(); i++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		plane := plane.New(f.to.Plane(i))
		f.colour.Rows(plane, f.in.Colour(frame, i), 0, 0)
		f.to.PutColour(out, i, plane)
	}
	return out, nil
}
