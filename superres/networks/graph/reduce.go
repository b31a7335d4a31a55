package graph

import "superres/superres/networks/fail"

// Pool returns one pixel per window: the greatest sample of each channel in the window if IsMax, else the mean.
type Pool struct {
	IsMax bool
	// Height and Width are the size of a window, Stride is the distance between neighbouring windows.
	Height, Width, Stride int
	// Pad is how many samples windows reach beyond each edge: fewer than their side. IsMax ignores samples there.
	Pad Edges
	// CountPad says that samples beyond the edges count as 0 in the mean; else the mean leaves them out.
	CountPad bool
}

// Reduction is a way to reduce many numbers to one.
type Reduction int

// The reductions.
const (
	Mean Reduction = iota
	Sum
	Norm // the square root of the sum of squares
	Maximum
)

// Reduce reduces each channel to one number if OfPicture is set, each pixel if OfChannels is, all to one if both are.
type Reduce struct {
	By                    Reduction
	OfPicture, OfChannels bool
}

// ReduceEach divides the channels of a pixel into groups of Size neighbours and replaces every channel by the reduction
// of its group. Size divides the number of channels.
type ReduceEach struct {
	By   Reduction
	Size int
}

// Normalize subtracts the mean of samples and divides by √(variance + Epsilon). Each of Groups equal groups of channels
// has its own mean and variance: over the whole picture if OfPicture is set, else of each pixel separately.
type Normalize struct {
	Groups    int
	OfPicture bool
	Epsilon   float32
}

// Softmax replaces each channel of a pixel by its exponential, divided by the sum of the exponentials of its group. A
// group is Size neighbouring channels; Size divides the number of channels.
type Softmax struct{ Size int }

// shape implements Op: the sides are the numbers of whole windows in the padded picture. No window may be all padding.
func (p Pool) shape(in []Shape) Shape {
	s := onlyInput(in)
	switch {
	case min(p.Height, p.Width, p.Stride) < 1 || max(p.Height, p.Width, p.Stride) > MaxSide:
		panic(fail.With("windows of %d×%d, %d apart, expected at most %d", p.Width, p.Height, p.Stride, MaxSide))
	case !p.Pad.within(0, MaxSide) || max(p.Pad.Top, p.Pad.Bottom) >= p.Height ||
		max(p.Pad.Left, p.Pad.Right) >= p.Width:
		panic(fail.With("padding %v of windows of %d×%d", p.Pad, p.Width, p.Height))
	}
	s.W = floorDiv(s.W+p.Pad.Left+p.Pad.Right-p.Width, p.Stride) + 1
	s.H = floorDiv(s.H+p.Pad.Top+p.Pad.Bottom-p.Height, p.Stride) + 1
	return s
}

// shape implements Op. What is reduced has size 1 in the result.
func (r Reduce) shape(in []Shape) Shape {
	s := onlyInput(in)
	fail.When(r.By < Mean || r.By > Maximum || !r.OfPicture && !r.OfChannels, "of nothing, or by an unknown reduction")
	if r.OfPicture {
		s.W, s.H = 1, 1
	}
	if r.OfChannels {
		s.Channels = 1
	}
	return s
}

func (r ReduceEach) shape(in []Shape) Shape {
	s := Softmax{r.Size}.shape(in)
	fail.When(r.By < Mean || r.By > Maximum, "by an unknown reduction")
	return s
}

func (n Normalize) shape(in []Shape) Shape {
	s := onlyInput(in)
	fail.When(n.Groups < 1 || s.Channels%n.Groups != 0 || !(n.Epsilon >= 0),
		"of %d channels in %d groups, with %g", s.Channels, n.Groups, n.Epsilon)
	return s
}

func (f Softmax) shape(in []Shape) Shape {
	s := onlyInput(in)
	fail.When(f.Size < 1 || s.Channels%f.Size != 0, "of each %d of %d channels", f.Size, s.Channels)
	return s
}
