package graph

import (
	"fmt"
	"slices"

	"superres/superres/networks/fail"
)

// shapeOf returns the shape of the result of op for inputs of the given shapes. It fails if op does not fit the inputs,
// or if the result is empty or too large.
func shapeOf(op Op, in []Shape) (s Shape, err error) {
	err = fail.Catch(func() {
		s = op.shape(in)
		fail.If(s.check())
	})
	return s, err
}

// onlyInput returns the shape of the only input. Like all methods named shape, it fails by a panic with a fail.Failure.
func onlyInput(in []Shape) Shape {
	fail.When(len(in) != 1, "has %d inputs, expected 1", len(in))
	return in[0]
}

func (Input) shape([]Shape) Shape { panic(fail.With("a second input")) }

// shape implements Op. Without padding the result lacks the rows and columns for which a tap would be beyond an edge.
func (c Conv) shape(in []Shape) Shape {
	s := onlyInput(in)
	switch {
	case min(c.Height, c.Width, c.Dilation) < 1 || max(c.Height, c.Width, c.Dilation) > MaxSide:
		panic(fail.With("%d×%d taps %d apart, expected at most %d", c.Height, c.Width, c.Dilation, MaxSide))
	case !c.Pad.within(0, MaxSide*MaxSide):
		panic(fail.With("padding %v", c.Pad))
	case c.Out < 1 || c.Out > MaxChannels || c.Groups < 1 || s.Channels%c.Groups != 0 || c.Out%c.Groups != 0:
		panic(fail.With("%d groups of %d channels in and %d out", c.Groups, s.Channels, c.Out))
	case len(c.Weight) != c.Out*s.Channels/c.Groups*c.Height*c.Width || len(c.Bias) != 0 && len(c.Bias) != c.Out:
		panic(fail.With("%d weights and %d biases for %d channels in and %d out", len(c.Weight), len(c.Bias),
			s.Channels, c.Out))
	}
	s.W += c.Pad.Left + c.Pad.Right - (c.Width-1)*c.Dilation
	s.H += c.Pad.Top + c.Pad.Bottom - (c.Height-1)*c.Dilation
	s.Channels = c.Out
	return s
}

// within reports whether all four numbers are in low..high.
func (e Edges) within(low, high int) bool {
	return min(e.Top, e.Left, e.Bottom, e.Right) >= low && max(e.Top, e.Left, e.Bottom, e.Right) <= high
}

// shape implements Op. Copies of Kernel samples begin Stride samples apart; Pad and Extra change the sides.
func (c ConvTranspose) shape(in []Shape) Shape {
	s := onlyInput(in)
	switch {
	case c.Kernel < 1 || c.Kernel > MaxSide || c.Stride < 1 || c.Stride > MaxScale || c.Pad < 0 || c.Pad >= c.Kernel ||
		c.Extra < 0 || c.Extra >= c.Stride:
		panic(fail.With("%d×%d taps, stride %d, padding %d and %d", c.Kernel, c.Kernel, c.Stride, c.Pad, c.Extra))
	case c.Out < 1 || c.Out > MaxChannels/c.Stride/c.Stride: // lower makes Out·Stride² channels
		panic(fail.With("%d channels for each of %d×%d phases, expected at most %d altogether", c.Out, c.Stride,
			c.Stride, MaxChannels))
	case c.Groups < 1 || s.Channels%c.Groups != 0 || c.Out%c.Groups != 0:
		panic(fail.With("%d groups of %d channels in and %d out", c.Groups, s.Channels, c.Out))
	case len(c.Weight) != s.Channels*c.Out/c.Groups*c.Kernel*c.Kernel || len(c.Bias) != 0 && len(c.Bias) != c.Out:
		panic(fail.With("%d weights and %d biases for %d channels in and %d out", len(c.Weight), len(c.Bias),
			s.Channels, c.Out))
	}
	s.W = (s.W-1)*c.Stride + c.Kernel - 2*c.Pad + c.Extra
	s.H = (s.H-1)*c.Stride + c.Kernel - 2*c.Pad + c.Extra
	s.Channels = c.Out
	return s
}

func (p PReLU) shape(in []Shape) Shape {
	s := onlyInput(in)
	fail.When(len(p.Slope) != 1 && len(p.Slope) != s.Channels, "%d slopes for %d channels", len(p.Slope), s.Channels)
	return s
}

// name returns the name of the function as users and model files know it.
func (f Function) name() string {
	names := []string{"Sigmoid", "Tanh", "SiLU", "GELU", "GELUTanh", "Mish", "ELU", "Softplus", "HardSwish",
		"Abs", "Square", "Exp", "Sqrt", "Reciprocal", "Floor", "Ceil", "Round", "Sign", "Positive"}
	if f < 0 || int(f) >= len(names) {
		return fmt.Sprintf("Function(%d)", int(f))
	}
	return names[f]
}

func (f Function) shape(in []Shape) Shape {
	s := onlyInput(in)
	fail.When(f < 0 || f > Positive, "no such function")
	return s
}

func (c Clip) shape(in []Shape) Shape {
	s := onlyInput(in)
	fail.When(!(c.Min <= c.Max), "from %g to %g", c.Min, c.Max)
	return s
}

func (a Affine) shape(in []Shape) Shape {
	s := onlyInput(in)
	fits := func(n int) bool { return n == 1 || n == s.Channels }
	fail.When(!(fits(len(a.Scale)) && fits(len(a.Offset))),
		"%d factors and %d offsets for %d channels", len(a.Scale), len(a.Offset), s.Channels)
	return s
}

func (Add) shape(in []Shape) Shape   { return combined(in, 2) }
func (Sub) shape(in []Shape) Shape   { return combined(in, 2) }
func (Mul) shape(in []Shape) Shape   { return combined(in, 2) }
func (Div) shape(in []Shape) Shape   { return combined(in, 2) }
func (Max) shape(in []Shape) Shape   { return combined(in, 2) }
func (Min) shape(in []Shape) Shape   { return combined(in, 2) }
func (Where) shape(in []Shape) Shape { return combined(in, 3) }

// combined returns the shape of the result of Add and operations like it on n inputs. It fails unless all inputs have
// the same shape, apart from inputs of one channel or one pixel.
func combined(in []Shape, n int) (s Shape) {
	fail.When(len(in) != n, "has %d inputs, expected %d", len(in), n)
	for _, other := range in {
		s = Shape{max(s.W, other.W), max(s.H, other.H), max(s.Channels, other.Channels)}
	}
	for _, other := range in {
		isPixel := other.W == 1 && other.H == 1
		fail.When(!isPixel && (other.W != s.W || other.H != s.H) || other.Channels != 1 && other.Channels != s.Channels,
			"of %d×%d×%d and %d×%d×%d", in[0].W, in[0].H, in[0].Channels, in[1].W, in[1].H, in[1].Channels)
	}
	return s
}

// shape implements Op. All inputs have equal sides; the result has all their channels.
func (Concat) shape(in []Shape) Shape {
	fail.When(len(in) == 0, "has no inputs")
	s := in[0]
	for _, other := range in[1:] {
		fail.When(s.W != other.W || s.H != other.H, "of %d×%d and %d×%d samples", s.W, s.H, other.W, other.H)
		s.Channels += other.Channels
		fail.When(s.Channels > MaxChannels, "has more than %d channels", MaxChannels)
	}
	return s
}

// shape implements Op. The result has as many channels as the list.
func (c Select) shape(in []Shape) Shape {
	s := onlyInput(in)
	fail.When(len(c.Channels) > MaxChannels && s.W*s.H > 1, // scores of a single window may have more
		"has more than %d channels", MaxChannels)
	fail.When(slices.ContainsFunc(c.Channels, func(i int) bool { return i < 0 || i >= s.Channels }),
		"of channels that its input, of %d, lacks", s.Channels)
	s.Channels = len(c.Channels)
	return s
}

// shape implements Op. Factor² channels become one channel with Factor times the sides.
func (p PixelShuffle) shape(in []Shape) Shape {
	s := onlyInput(in)
	r := p.Factor
	fail.When(r < 1 || r > MaxScale || s.Channels%(r*r) != 0,
		"%d channels by %d, expected 1 to %d, whose square divides them", s.Channels, r, MaxScale)
	return Shape{s.W * r, s.H * r, s.Channels / (r * r)}
}

// shape implements Op. It is the inverse of PixelShuffle, but Extend rounds the sides up to multiples of Factor.
func (p PixelUnshuffle) shape(in []Shape) Shape {
	s := onlyInput(in)
	r := p.Factor
	fail.When(r < 1 || r > MaxScale || !p.Extend && (s.W%r != 0 || s.H%r != 0), "%d×%d samples by %d", s.W, s.H, r)
	return Shape{(s.W + r - 1) / r, (s.H + r - 1) / r, s.Channels * r * r}
}

// shape implements Op. With two inputs, the result has the sides of the second. shape fails for factors that Resize
// does not allow, sides that Down does not divide, a ratio above MaxResize, and corners to align where a side is 1.
func (r Resize) shape(in []Shape) Shape {
	if len(in) == 2 && r.Up == 0 && r.Down == 0 {
		s, to := in[0], in[1]
		fail.When(to.W > s.W*MaxResize || to.H > s.H*MaxResize || s.W > to.W*MaxResize || s.H > to.H*MaxResize,
			"%d×%d to %d×%d", s.W, s.H, to.W, to.H)
		r.check()
		return Shape{to.W, to.H, s.Channels}
	}
	s := onlyInput(in)
	switch {
	case r.Up < 1 || r.Down < 1 || r.Up > MaxScale || r.Down > MaxScale || r.Up > 1 && r.Down > 1 &&
		(r.Up >= r.Down || r.AlignCorners):
		panic(fail.With("by %d/%d", r.Up, r.Down))
	case s.W%r.Down != 0 || s.H%r.Down != 0:
		panic(fail.With("%d×%d samples by 1/%d", s.W, s.H, r.Down))
	case r.AlignCorners && (s.W < 2 || s.H < 2):
		panic(fail.With("aligns the corners of %d×%d samples", s.W, s.H))
	}
	r.check()
	return Shape{s.W * r.Up / r.Down, s.H * r.Up / r.Down, s.Channels}
}

// MaxResize is the greatest ratio between a side of one input of a Resize and the same side of its other input.
const MaxResize = 1024

// check fails for an unknown interpolation, and for Bicubic if the parameter A is not in −1..0.
func (r Resize) check() {
	fail.When(r.By < Nearest || r.By > Bicubic || r.By == Bicubic && !(r.A >= -1 && r.A <= 0),
		"by an unknown interpolation, or with a parameter of %g, expected −1 to 0", r.A)
}

// shape implements Op. Negative edges make the result smaller. The limits keep files from making it too large.
func (p Pad) shape(in []Shape) Shape {
	s := onlyInput(in)
	fail.When(!p.within(-1<<20, 1<<10) || p.Mode < PadZero || p.Mode > PadReflect, "by %v", p.Edges)
	fail.When(p.Mode == PadReflect && (max(p.Left, p.Right) >= s.W || max(p.Top, p.Bottom) >= s.H),
		"mirrors more than there is")
	s.W, s.H = s.W+p.Left+p.Right, s.H+p.Top+p.Bottom
	return s
}
