package graph

import (
	"errors"
	"fmt"
)

// Pool takes the greatest, or the mean, of the samples of each channel in windows.
type Pool struct {
	IsMax bool
	// Height and Width are those of a window, Stride the distance of neighbouring windows.
	Height, Width, Stride int
	// Pad is the number of samples beyond each edge that windows reach, less than the window. They are never greatest.
	Pad Edges
	// CountPad counts them as samples of 0 of the mean; else it is that of the samples within the picture.
	CountPad bool
}

// Reduction is a way to make one number of many.
type Reduction int

// The reductions.
const (
	Mean Reduction = iota
	Sum
	Norm // the square root of the sum of squares
	Maximum
)

// Reduce makes one sample of all of a channel, if OfPicture, of all channels of a pixel, if OfChannels, or of both.
type Reduce struct {
	By                    Reduction
	OfPicture, OfChannels bool
}

// ReduceEach makes one number of each Size neighbouring channels of a pixel, of which the number of channels is a
// multiple: all of them get it.
type ReduceEach struct {
	By   Reduction
	Size int
}

// Normalize subtracts the mean of samples and divides by the square root of their variance and Epsilon. The channels
// are in Groups, each of which has a mean of its own: of the whole picture, if OfPicture, or of every pixel.
type Normalize struct {
	Groups    int
	OfPicture bool
	Epsilon   float32
}

// Softmax is the exponential function, divided by its sum over each Size neighbouring channels, of which the number of
// channels is a multiple.
type Softmax struct{ Size int }

// Name implements Op.
func (Pool) Name() string { return "Pool" }

func (p Pool) shape(in []Shape) (Shape, error) {
	s, err := one(in)
	switch {
	case err != nil:
		return s, err
	case min(p.Height, p.Width, p.Stride) < 1 || max(p.Height, p.Width, p.Stride) > MaxSide:
		return s, fmt.Errorf("windows of %d×%d, %d apart, expected at most %d", p.Width, p.Height, p.Stride, MaxSide)
	case !p.Pad.within(0, MaxSide) || max(p.Pad.Top, p.Pad.Bottom) >= p.Height ||
		max(p.Pad.Left, p.Pad.Right) >= p.Width:
		return s, fmt.Errorf("padding %v of windows of %d×%d", p.Pad, p.Width, p.Height)
	}
	s.W = floorDiv(s.W+p.Pad.Left+p.Pad.Right-p.Width, p.Stride) + 1
	s.H = floorDiv(s.H+p.Pad.Top+p.Pad.Bottom-p.Height, p.Stride) + 1
	return s, nil
}

// Name implements Op.
func (Reduce) Name() string { return "Reduce" }

func (r Reduce) shape(in []Shape) (Shape, error) {
	s, err := one(in)
	if err == nil && (r.By < Mean || r.By > Maximum || !r.OfPicture && !r.OfChannels) {
		err = errors.New("of nothing, or by an unknown reduction")
	}
	if r.OfPicture {
		s.W, s.H = 1, 1
	}
	if r.OfChannels {
		s.Channels = 1
	}
	return s, err
}

// Name implements Op.
func (ReduceEach) Name() string { return "ReduceEach" }

func (r ReduceEach) shape(in []Shape) (Shape, error) {
	s, err := Softmax{r.Size}.shape(in)
	if err == nil && (r.By < Mean || r.By > Maximum) {
		err = errors.New("by an unknown reduction")
	}
	return s, err
}

// Name implements Op.
func (Normalize) Name() string { return "Normalize" }

func (n Normalize) shape(in []Shape) (Shape, error) {
	s, err := one(in)
	if err == nil && (n.Groups < 1 || s.Channels%n.Groups != 0 || !(n.Epsilon >= 0)) {
		err = fmt.Errorf("of %d channels in %d groups, with %g", s.Channels, n.Groups, n.Epsilon)
	}
	return s, err
}

// Name implements Op.
func (Softmax) Name() string { return "Softmax" }

func (f Softmax) shape(in []Shape) (Shape, error) {
	s, err := one(in)
	if err == nil && (f.Size < 1 || s.Channels%f.Size != 0) {
		err = fmt.Errorf("of each %d of %d channels", f.Size, s.Channels)
	}
	return s, err
}
