package networks

import (
	"errors"
	"fmt"
	"math"

	"superres/internal/kernel"
	"superres/internal/lines"
)

// conv builds a convolution, with float32 for "sums". Its weights are in the order of graph.Conv without groups, its
// scales for positive and, with integers, for negative sums in floats.
func (b *builder) conv(n *specNode, in []values) (lines.Op, values, error) {
	if err := expect(in, 1, false); err != nil {
		return nil, values{}, err
	}
	f, err := b.filter(n, in[0])
	if err != nil {
		return nil, values{}, err
	}
	conv := n.convolution(f)
	if n.Op == "sums" {
		return &lines.Sums{Conv: conv}, values{floats: true, step: f.Outputs}, nil
	}
	return &conv, values{most: int64(n.Most)}, nil
}

// convolution returns the convolution with a filter.
func (n *specNode) convolution(f *kernel.Filter) lines.Conv {
	return lines.Conv{Filter: f, Dilation: n.Dilation, Columns: n.columns(), Pad: n.edges()}
}

// columns returns the number of columns that a run of taps spans.
func (n *specNode) columns() int { return (n.Width-1)*n.Dilation + 1 }

// edges returns what is added to the edges.
func (n *specNode) edges() lines.Edges {
	return lines.Edges{Top: n.Top, Left: n.Left, Bottom: n.Bottom, Right: n.Right}
}

// filter takes the weights of a convolution, and proves that no sum overflows 32 bits.
func (b *builder) filter(n *specNode, in values) (*kernel.Filter, error) {
	isSums := n.Op == "sums"
	outputs := kernel.PadTo(n.Channels, kernel.Lanes)
	switch {
	case min(n.Height, n.Width, n.Dilation) < 1 || max(n.Height, n.Width, n.Dilation) > maxTaps ||
		(max(n.Height, n.Width)-1)*n.Dilation >= maxTaps:
		return nil, fmt.Errorf("%d×%d taps, %d apart", n.Height, n.Width, n.Dilation)
	case min(n.Top, n.Left, n.Bottom, n.Right) < 0 || max(n.Top, n.Left, n.Bottom, n.Right) > maxTaps:
		return nil, errors.New("padded too much")
	case outputs > kernel.MaxOutputs || n.Most < 1 && !isSums:
		return nil, fmt.Errorf("%d outputs, of at most %d", n.Channels, n.Most)
	}
	weights, err := take(&b.rest.weights, n.Channels*in.channels*n.Height*n.Width)
	if err != nil {
		return nil, err
	}
	bias, err := take(&b.rest.bias, n.Channels)
	if err != nil {
		return nil, err
	}
	positive, err := take(&b.rest.floats, n.Channels)
	if err != nil {
		return nil, err
	}
	negative := positive
	if !isSums {
		if negative, err = take(&b.rest.floats, n.Channels); err != nil {
			return nil, err
		}
	}
	per, largest := len(weights)/n.Channels, in.largest(n.Op)
	for o := range n.Channels {
		sum := max(int64(bias[o]), -int64(bias[o]))
		for _, w := range weights[o*per : (o+1)*per] {
			sum += max(int64(w), -int64(w)) * largest
		}
		if sum > math.MaxInt32 {
			return nil, errors.New("its weights make sums of more than 32 bits")
		}
		if !(isScale(positive[o]) && isScale(negative[o])) {
			return nil, errors.New("its outputs are multiplied by 1 or more")
		}
	}
	f := layOut(n, in, weights)
	if in.most <= kernel.WideTileInput {
		f.Most = int16(in.most)
	} else {
		f.IsWide = largest < in.most || n.isTiled()
	}
	if n.Op == "depthwise" {
		f = layOutDepthwise(n, in, weights)
	}
	copy(f.Bias, bias)
	copy(f.PositiveScale, positive)
	copy(f.NegativeScale, negative)
	if !isSums {
		f.Clip = int16(n.Most)
	}
	if n.isTiled() {
		f.PrepareWinograd() // filters it does not suit stay correct, but slower
	}
	return f, nil
}

// isTiled reports whether a convolution may be computed by Winograd's tiles.
func (n *specNode) isTiled() bool {
	return (n.Op == "conv" || n.Op == "sums") && n.Height == 3 && n.Width == 3 && n.Dilation == 1
}

// largest returns the largest magnitude of samples of which a convolution makes a sum of 32 bits.
func (v values) largest(op string) int64 {
	if op == "depthwise" {
		return v.most
	}
	return min(v.most, kernel.WideInput)
}

// tileInput returns the largest magnitude of samples of which a convolution makes tiles.
func (v values) tileInput() int64 { return min(v.most, kernel.WideTileInput) }

func isScale(v float32) bool { return math.Abs(float64(v)) < 1 }

// layOut returns a filter of the given weights in the order of the kernels.
func layOut(n *specNode, in values, weights []int16) *kernel.Filter {
	f := kernel.NewFilter(n.Height, n.columns()*in.step, in.step, n.Channels)
	for o := range n.Channels {
		for c := range in.channels {
			for y := range n.Height {
				for x := range n.Width {
					w := weights[((o*in.channels+c)*n.Height+y)*n.Width+x]
					f.SetWeight(y, x*n.Dilation*in.step+c, o, w)
				}
			}
		}
	}
	return f
}

// layOutDepthwise returns a filter of the given weights in the order of kernel.ConvolveDepthwise, which takes a word
// for each weight.
func layOutDepthwise(n *specNode, in values, weights []int16) *kernel.Filter {
	f := kernel.NewFilter(n.Height, 2*n.columns(), in.step, in.step)
	for o := range n.Channels {
		for y := range n.Height {
			for x := range n.Width {
				f.SetWeight(y, 2*x*n.Dilation, o, weights[(o*n.Height+y)*n.Width+x])
			}
		}
	}
	return f
}

// depthwise builds a convolution of each channel by itself. Its numbers are those of a convolution of one channel in.
func (b *builder) depthwise(n *specNode, in []values) (lines.Op, values, error) {
	if err := expect(in, 1, false); err != nil {
		return nil, values{}, err
	}
	if in[0].channels != n.Channels || in[0].step%kernel.Lanes != 0 {
		return nil, values{}, fmt.Errorf("%d channels in and %d out", in[0].channels, n.Channels)
	}
	one := in[0]
	one.channels = 1
	f, err := b.filter(n, one)
	if err != nil {
		return nil, values{}, err
	}
	return &lines.Depthwise{Conv: n.convolution(f)}, values{most: int64(n.Most)}, nil
}
