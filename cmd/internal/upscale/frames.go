package upscale

import (
	"context"
	"fmt"
	"io"

	"superres/internal/y4m"
	"superres/patches"
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

// made is a frame that was enlarged, or why it was not.
type made struct {
	frame *y4m.Frame
	err   error
}

// all enlarges the frames that next returns, so many together, and hands them over in
// their order. At most as many again are in memory, read or waiting for one before them: else
// one frame that takes long would hold up all. It ends at the first error, also of put, when
// all frames before have been put; or when ctx ends, without waiting for a frame that does not
// come.
func (f *frames) all(ctx context.Context, next func() (*y4m.Frame, error), together int, put func(*y4m.Frame) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	room, queue := make(chan struct{}, 2*together), make(chan chan made, 2*together)
	working := make(chan struct{}, together)
	go func() {
		defer close(queue)
		for n := 1; ; n++ {
			select {
			case room <- struct{}{}:
			case <-ctx.Done():
				return
			}
			frame, err := next()
			if err == io.EOF || ctx.Err() != nil {
				return
			}
			one := make(chan made, 1)
			queue <- one // never waits: it has as much room
			if err != nil {
				one <- made{err: named(err, f.name)}
				return
			}
			select {
			case working <- struct{}{}:
			case <-ctx.Done():
				one <- made{err: ctx.Err()}
				return
			}
			go func() {
				defer func() { <-working }()
				one <- f.one(ctx, n, frame)
			}()
		}
	}()
	for {
		var one chan made
		select {
		case one = <-queue:
		case <-ctx.Done():
		}
		if one == nil { // the end
			return ctx.Err()
		}
		m := <-one // soon, also when ctx ends
		if m.err == nil {
			m.err = put(m.frame)
		}
		if m.err != nil {
			return m.err
		}
		<-room
	}
}

// one enlarges frame n.
func (f *frames) one(ctx context.Context, n int, frame *y4m.Frame) (m made) {
	ctx, clock := newClock(ctx, f.opt.WholeTime)
	name := fmt.Sprintf("%s: frame %d", f.name, n)
	defer func() { m.err = clock.end(m.err, name) }()
	clock.start()
	img, err := f.by.model.Upscale(ctx, f.in.Brightness(frame), f.opt.Size)
	if err != nil {
		return made{err: fmt.Errorf("%s: %w", name, err)}
	}
	out := f.to.NewFrame(frame.Params)
	f.to.PutBrightness(out, img)
	for i := 1; i < f.in.Planes(); i++ {
		if err := ctx.Err(); err != nil {
			return made{err: err}
		}
		plane := patches.NewPlane(f.to.Plane(i))
		f.colour.Rows(plane, f.in.Colour(frame, i), 0, 0)
		f.to.PutColour(out, i, plane)
	}
	return made{frame: out}
}
