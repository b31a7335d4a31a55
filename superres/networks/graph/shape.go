package graph

import (
	"errors"
	"fmt"
	"slices"
)

// onlyInput returns the shape of the input of an operation with one input.
func onlyInput(in []Shape) (Shape, error) {
	if len(in) != 1 {
		return Shape{}, fmt.Errorf("has %d inputs, expected 1", len(in))
	}
	return in[0], nil
}

func (Input) shape([]Shape) (Shape, error) { return Shape{}, errors.New("a second input") }

// shape implements Op. Without padding the result lacks the rows and columns for which a tap would be beyond an edge.
func (c Conv) shape(in []Shape) (Shape, error) {
	s, err := onlyInput(in)
	if err != nil {
		return s, err
	}
	switch {
	case min(c.Height, c.Width, c.Dilation) < 1 || max(c.Height, c.Width, c.Dilation) > MaxSide:
		return s, fmt.Errorf("%d×%d taps %d apart, expected at most %d", c.Height, c.Width, c.Dilation, MaxSide)
	case !c.Pad.within(0, MaxSide*MaxSide):
		return s, fmt.Errorf("padding %v", c.Pad)
	case c.Out < 1 || c.Out > MaxChannels || c.Groups < 1 || s.Channels%c.Groups != 0 || c.Out%c.Groups != 0:
		return s, fmt.Errorf("%d groups of %d channels in and %d out", c.Groups, s.Channels, c.Out)
	case len(c.Weight) != c.Out*s.Channels/c.Groups*c.Height*c.Width || len(c.Bias) != 0 && len(c.Bias) != c.Out:
		return s, fmt.Errorf("%d weights and %d biases for %d channels in and %d out", len(c.Weight), len(c.Bias),
			s.Channels, c.Out)
	}
	s.W += c.Pad.Left + c.Pad.Right - (c.Width-1)*c.Dilation
	s.H += c.Pad.Top + c.Pad.Bottom - (c.Height-1)*c.Dilation
	s.Channels = c.Out
	return s, nil
}

// within reports whether all four numbers are in low..high.
func (e Edges) within(low, high int) bool {
	return min(e.Top, e.Left, e.Bottom, e.Right) >= low && max(e.Top, e.Left, e.Bottom, e.Right) <= high
}

// shape implements Op. Copies of Kernel samples begin Stride samples apart; Pad and Extra change the sides.
func (c ConvTranspose) shape(in []Shape) (Shape, error) {
	s, err := onlyInput(in)
	if err != nil {
		return s, err
	}
	switch {
	case c.Kernel < 1 || c.Kernel > MaxSide || c.Stride < 1 || c.Stride > MaxScale || c.Pad < 0 || c.Pad >= c.Kernel ||
		c.Extra < 0 || c.Extra >= c.Stride:
		return s, fmt.Errorf("%d×%d taps, stride %d, padding %d and %d", c.Kernel, c.Kernel, c.Stride, c.Pad, c.Extra)
	case c.Out < 1 || c.Out > MaxChannels/c.Stride/c.Stride:
		return s, fmt.Errorf("%d channels for each of %d×%d phases, expected at most %d altogether", c.Out, c.Stride,
			c.Stride, MaxChannels)
	case c.Groups < 1 || s.Channels%c.Groups != 0 || c.Out%c.Groups != 0:
		return s, fmt.Errorf("%d groups of %d channels in and %d out", c.Groups, s.Channels, c.Out)
	case len(c.Weight) != s.Channels*c.Out/c.Groups*c.Kernel*c.Kernel || len(c.Bias) != 0 && len(c.Bias) != c.Out:
		return s, fmt.Errorf("%d weights and %d biases for %d channels in and %d out", len(c.Weight), len(c.Bias),
			s.Channels, c.Out)
	}
	s.W = (s.W-1)*c.Stride + c.Kernel - 2*c.Pad + c.Extra
	s.H = (s.H-1)*c.Stride + c.Kernel - 2*c.Pad + c.Extra
	s.Channels = c.Out
	return s, nil
}

func (p PReLU) shape(in []Shape) (Shape, error) {
	s, err := onlyInput(in)
	if err == nil && len(p.Slope) != 1 && len(p.Slope) != s.Channels {
		err = fmt.Errorf("%d slopes for %d channels", len(p.Slope), s.Channels)
	}
	return s, err
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

func (f Function) shape(in []Shape) (Shape, error) {
	s, err := onlyInput(in)
	if err == nil && (f < 0 || f > Positive) {
		err = errors.New("no such function")
	}
	return s, err
}

func (c Clip) shape(in []Shape) (Shape, error) {
	s, err := onlyInput(in)
	if err == nil && !(c.Min <= c.Max) {
		err = fmt.Errorf("from %g to %g", c.Min, c.Max)
	}
	return s, err
}

func (a Affine) shape(in []Shape) (Shape, error) {
	s, err := onlyInput(in)
	fits := func(n int) bool { return n == 1 || n == s.Channels }
	if err == nil && !(fits(len(a.Scale)) && fits(len(a.Offset))) {
		err = fmt.Errorf("%d factors and %d offsets for %d channels", len(a.Scale), len(a.Offset), s.Channels)
	}
	return s, err
}

func (Add) shape(in []Shape) (Shape, error)   { return combined(in, 2) }
func (Sub) shape(in []Shape) (Shape, error)   { return combined(in, 2) }
func (Mul) shape(in []Shape) (Shape, error)   { return combined(in, 2) }
func (Div) shape(in []Shape) (Shape, error)   { return combined(in, 2) }
func (Max) shape(in []Shape) (Shape, error)   { return combined(in, 2) }
func (Min) shape(in []Shape) (Shape, error)   { return combined(in, 2) }
func (Where) shape(in []Shape) (Shape, error) { return combined(in, 3) }

// combined returns the shape of the result of Add and operations like it on n inputs. It fails unless all inputs have
// the same shape, apart from inputs of one channel or one pixel.
func combined(in []Shape, n int) (s Shape, err error) {
	if len(in) != n {
		return s, fmt.Errorf("has %d inputs, expected %d", len(in), n)
	}
	for _, other := range in {
		s = Shape{max(s.W, other.W), max(s.H, other.H), max(s.Channels, other.Channels)}
	}
	for _, other := range in {
		isPixel := other.W == 1 && other.H == 1
		if !isPixel && (other.W != s.W || other.H != s.H) || other.Channels != 1 && other.Channels != s.Channels {
			return s, fmt.Errorf("of %d×%d×%d and %d×%d×%d", in[0].W, in[0].H, in[0].Channels, in[1].W, in[1].H,
				in[1].Channels)
		}
	}
	return s, nil
}

// shape implements Op. All inputs have equal sides; the result has all their channels.
func (Concat) shape(in []Shape) (Shape, error) {
	if len(in) == 0 {
		return Shape{}, errors.New("has no inputs")
	}
	s := in[0]
	for _, other := range in[1:] {
		if s.W != other.W || s.H != other.H {
			return s, fmt.Errorf("of %d×%d and %d×%d samples", s.W, s.H, other.W, other.H)
		}
		if s.Channels += other.Channels; s.Channels > MaxChannels {
			return s, fmt.Errorf("has more than %d channels", MaxChannels)
		}
	}
	return s, nil
}

// shape implements Op. The result has as many channels as the list.
func (c Select) shape(in []Shape) (Shape, error) {
	s, err := onlyInput(in)
	if err == nil && len(c.Channels) > MaxChannels && s.W*s.H > 1 { // scores of a single window may have more
		err = fmt.Errorf("has more than %d channels", MaxChannels)
	}
	if err == nil && slices.ContainsFunc(c.Channels, func(i int) bool { return i < 0 || i >= s.Channels }) {
		err = fmt.Errorf("of channels that its input, of %d, lacks", s.Channels)
	}
	s.Channels = len(c.Channels)
	return s, err
}

// shape implements Op. Factor² channels become one channel with Factor times the sides.
func (p PixelShuffle) shape(in []Shape) (Shape, error) {
	s, err := onlyInput(in)
	r := p.Factor
	if err == nil && (r < 1 || r > MaxScale || s.Channels%(r*r) != 0) {
		err = fmt.Errorf("%d channels by %d, expected 1 to %d, whose square divides them", s.Channels, r, MaxScale)
	}
	if err != nil {
		return s, err
	}
	return Shape{s.W * r, s.H * r, s.Channels / (r * r)}, nil
}

// shape implements Op. It is the inverse of PixelShuffle, but Extend rounds the sides up to multiples of Factor.
func (p PixelUnshuffle) shape(in []Shape) (Shape, error) {
	s, err := onlyInput(in)
	r := p.Factor
	if err == nil && (r < 1 || r > MaxScale || !p.Extend && (s.W%r != 0 || s.H%r != 0)) {
		err = fmt.Errorf("%d×%d samples by %d", s.W, s.H, r)
	}
	if err != nil {
		return s, err
	}
	return Shape{(s.W + r - 1) / r, (s.H + r - 1) / r, s.Channels * r * r}, nil
}

// shape implements Op. It fails for factors that Resize does not allow, and for sides that Down does not divide.
func (r Resize) shape(in []Shape) (Shape, error) {
	if len(in) == 2 && r.Up == 0 && r.Down == 0 {
		s, to := in[0], in[1]
		if to.W > s.W*MaxResize || to.H > s.H*MaxResize || s.W > to.W*MaxResize || s.H > to.H*MaxResize {
			return s, fmt.Errorf("%d×%d to %d×%d", s.W, s.H, to.W, to.H)
		}
		return Shape{to.W, to.H, s.Channels}, r.check()
	}
	s, err := onlyInput(in)
	switch {
	case err != nil:
		return s, err
	case r.Up < 1 || r.Down < 1 || r.Up > MaxScale || r.Down > MaxScale || r.Up > 1 && r.Down > 1 &&
		(r.Up >= r.Down || r.AlignCorners):
		return s, fmt.Errorf("by %d/%d", r.Up, r.Down)
	case s.W%r.Down != 0 || s.H%r.Down != 0:
		return s, fmt.Errorf("%d×%d samples by 1/%d", s.W, s.H, r.Down)
	case r.AlignCorners && (s.W < 2 || s.H < 2):
		return s, fmt.Errorf("aligns the corners of %d×%d samples", s.W, s.H)
	}
	return Shape{s.W * r.Up / r.Down, s.H * r.Up / r.Down, s.Channels}, r.check()
}

// MaxResize is the greatest ratio between a side of one input of a Resize and the same side of its other input.
const MaxResize = 1024

// check fails for an unknown interpolation, and for Bicubic if the parameter A is not in −1..0.
func (r Resize) check() error {
	if r.By < Nearest || r.By > Bicubic || r.By == Bicubic && !(r.A >= -1 && r.A <= 0) {
		return errors.New("by an unknown interpolation")
	}
	return nil
}

// shape implements Op. Negative edges make the result smaller.
func (p Pad) shape(in []Shape) (Shape, error) {
	s, err := onlyInput(in)
	if err == nil && (!p.within(-1<<20, 1<<10) || p.Mode < PadZero || p.Mode > PadReflect) {
		err = fmt.Errorf("by %v", p.Edges)
	}
	if err == nil && p.Mode == PadReflect && (max(p.Left, p.Right) >= s.W || max(p.Top, p.Bottom) >= s.H) {
		err = errors.New("mirrors more than there is")
	}
	s.W, s.H = s.W+p.Left+p.Right, s.H+p.Top+p.Bottom
	return s, err
}
