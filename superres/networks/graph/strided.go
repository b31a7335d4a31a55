package graph

import (
	"fmt"

	"superres/superres/networks/fail"
)

// AddStrided adds the nodes that compute every stride-th row and column of c's result, and returns the last node: a
// PixelUnshuffle turns blocks of stride×stride pixels into channels, and the convolution from Strided follows. The
// sides of the input must be multiples of the stride, unless an incomplete block at the end yields a row or column of
// the result like a whole block: for example, with 3 taps, padding 1 and stride 2.
func (b *Builder) AddStrided(name string, c Conv, stride, input int) (int, error) {
	if stride == 1 {
		return b.Add(name, c, input)
	}
	shape := b.shapes[input]
	// canExtend is true if each further block, even an incomplete one, adds one row or column to the result.
	canExtend := (c.Pad.Left+c.Pad.Right-(c.Width-1)*c.Dilation)%max(stride, 1) == 0 &&
		(c.Pad.Top+c.Pad.Bottom-(c.Height-1)*c.Dilation)%max(stride, 1) == 0
	switch {
	case stride < 1 || stride > MaxScale || shape.Channels*stride*stride > MaxChannels:
		return 0, fmt.Errorf("Conv %q: stride %d of %d channels, expected 1 to %d, and %d channels/stride²", name,
			stride, shape.Channels, MaxScale, MaxChannels)
	case !canExtend && (shape.W%stride != 0 || shape.H%stride != 0):
		return 0, fmt.Errorf("Conv %q: stride %d, by which %d×%d samples are not divisible", name, stride, shape.W,
			shape.H)
	}
	if err := fail.Catch(func() { c.shape([]Shape{shape}) }); err != nil {
		return 0, fmt.Errorf("Conv %q: %w", name, err)
	}
	s, err := Strided(c, stride, shape.Channels)
	if err != nil {
		return 0, err
	}
	pixels, err := b.Add(name, PixelUnshuffle{stride, canExtend}, input)
	if err != nil {
		return 0, err
	}
	return b.Add(name, s, pixels)
}

// Strided returns a convolution that computes every stride-th row and column of c's result from c's input after a
// PixelUnshuffle by stride. in is the number of input channels of c. Strided fails if c has not as many weights as its
// shape needs, or if the result would have more than MaxWeights.
func Strided(c Conv, stride, in int) (Conv, error) {
	down := strideAlong(c.Height, c.Dilation, stride, c.Pad.Top, c.Pad.Bottom)
	across := strideAlong(c.Width, c.Dilation, stride, c.Pad.Left, c.Pad.Right)
	s := Conv{Out: c.Out, Height: down.taps, Width: across.taps, Dilation: 1, Groups: c.Groups, Bias: c.Bias,
		Pad: Edges{Top: down.before, Left: across.before, Bottom: down.behind, Right: across.behind}}
	pairs := c.Out * in / c.Groups // pairs of an output and an input of its group
	count := pairs * stride * stride * s.Height * s.Width
	if count > MaxWeights || len(c.Weight) != pairs*c.Height*c.Width {
		return s, fmt.Errorf("%d weights for %d channels in and %d out, or more than %d with a stride", len(c.Weight),
			in, c.Out, MaxWeights)
	}
	s.Weight = make([]float32, count)
	for pair := range pairs {
		for y := range c.Height {
			blockY, offsetY := down.split(y)
			for x := range c.Width {
				blockX, offsetX := across.split(x)
				channel := (pair*stride+offsetY)*stride + offsetX
				s.Weight[(channel*s.Height+blockY)*s.Width+blockX] = c.Weight[(pair*c.Height+y)*c.Width+x]
			}
		}
	}
	return s, nil
}

// strided describes the taps of a convolution along one side of a picture as taps on blocks of stride samples.
type strided struct {
	taps, before, behind  int // the number of taps on blocks, and the padding in blocks
	dilation, stride, pad int // of the original convolution
}

// strideAlong returns the strided form of a convolution along one side, padded by `before` in front and `behind` after,
// with taps on blocks of stride samples and padding in blocks.
func strideAlong(taps, dilation, stride, before, behind int) strided {
	s := strided{dilation: dilation, stride: stride, pad: before}
	s.before = -floorDiv(-before, stride)                              // the first tap is in the block -s.before
	s.taps = floorDiv((taps-1)*dilation-before, stride) + s.before + 1 // up to the block of the last tap
	// The result has `more` samples more than there are blocks.
	more := floorDiv(before+behind-(taps-1)*dilation-1, stride) + 1
	s.behind = more + s.taps - 1 - s.before
	return s
}

// split returns the block that tap i reads, and the sample within that block.
func (s strided) split(i int) (block, offset int) {
	i = i*s.dilation - s.pad + s.before*s.stride
	return i / s.stride, i % s.stride
}

// AddTransposed adds the transposed convolution c and crops its result by cut; it returns the last node. If the
// fields Pad and Extra of c can express the crop, they do; otherwise a node crops, and no number in cut may be
// negative. A negative number at the bottom or on the right adds rows or columns, as Extra does.
func (b *Builder) AddTransposed(name string, c ConvTranspose, cut Edges, input int) (int, error) {
	extra := cut.Top - cut.Bottom
	if cut.Top == cut.Left && cut.Bottom == cut.Right && cut.Top < c.Kernel && extra >= 0 && extra < c.Stride {
		c.Pad, c.Extra = cut.Top, extra
		return b.Add(name, c, input)
	}
	if !cut.within(0, MaxSide) {
		return 0, fmt.Errorf("ConvTranspose %q: with the padding %v is not supported", name, cut)
	}
	node, err := b.Add(name, c, input)
	if err != nil {
		return 0, err
	}
	return b.Add(name, Pad{Edges: Edges{Top: -cut.Top, Left: -cut.Left, Bottom: -cut.Bottom, Right: -cut.Right}}, node)
}

// floorDiv returns ⌊a/b⌋ for positive b.
func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
