package ncnn

import (
	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

// The values of a padding that ask for a result as large as the picture. If a side needs an odd number of samples, one
// more is after the picture (sameUpper) or before it (sameLower).
const (
	sameUpper = -233
	sameLower = -234
)

// kernel holds the parameters of all kinds of convolution. left, top, right and below are the padding, which may be
// sameUpper or sameLower. weights is how many weights the file states; bias is 0 if there are no biases.
type kernel struct {
	out, groups             int
	width, height           int
	dilation, stride, bias  int
	left, top, right, below int
	weights                 int
	activation              int
	parameters              []float32 // of the activation
}

// kernel reads the parameters of a convolution by ncnn's keys. Vertical ones default to the horizontal ones, and the
// padding on the right and below to the padding on the left and above.
func (c *call) kernel() (k kernel) {
	k = kernel{out: c.int(0, 0), groups: c.int(7, 1), width: c.int(1, 0), dilation: c.int(2, 1), stride: c.int(3, 1),
		left: c.int(4, 0), bias: c.int(5, 0), weights: c.int(6, 0), activation: c.int(9, 0), parameters: c.floats(10)}
	k.height, k.top, k.right = c.int(11, k.width), c.int(14, k.left), c.int(15, k.left)
	k.below = c.int(16, k.top)
	switch {
	case c.int(8, 0) != 0:
		panic(fail.With("of integers of 8 bits is not supported; use the files of 16 or 32 bits"))
	case c.int(12, k.dilation) != k.dilation:
		panic(fail.With("with two different dilations is not supported"))
	case c.int(13, k.stride) != k.stride:
		panic(fail.With("with two different strides is not supported"))
	case k.out < 1 || k.out > graph.MaxChannels || k.groups < 1 || k.groups > graph.MaxChannels || k.out%k.groups != 0:
		panic(fail.With("%d channels in %d groups, expected at most %d", k.out, k.groups, graph.MaxChannels))
	case min(k.width, k.height) < 1 || max(k.width, k.height) > graph.MaxSide || k.dilation < 1 ||
		k.dilation > graph.MaxSide || k.stride < 1 || k.stride > graph.MaxScale:
		panic(fail.With("%d×%d taps %d apart with stride %d, expected at most %d, and stride %d", k.width, k.height,
			k.dilation, k.stride, graph.MaxSide, graph.MaxScale))
	}
	return k
}

// read reads the weights and the biases from the .bin.
func (c *call) read(k kernel) (weights, biases []float32) {
	if weights = c.bin.tagged(k.weights); k.bias != 0 {
		biases = c.bin.floats(k.out)
	}
	return weights, biases
}

// convolution adds a Convolution, and the activation that it states.
func (c *call) convolution() []graph.Operand {
	k, s := c.kernel(), c.shape()
	fail.When(c.float(18, 0) != 0 || c.int(19, 0) != 0,
		"with a border that is not 0, or with weights that are computed, is not supported")
	op := graph.Conv{Out: k.out, Height: k.height, Width: k.width, Dilation: k.dilation, Groups: k.groups,
		Pad: graph.Edges{Top: k.top, Left: k.left, Bottom: k.below, Right: k.right}}
	if k.left == sameUpper || k.left == sameLower {
		fail.When(k.stride != 1, "of stride %d with a padding that is not stated is not supported", k.stride)
		down, across := (k.height-1)*k.dilation, (k.width-1)*k.dilation
		op.Pad = graph.Edges{Top: down / 2, Left: across / 2, Bottom: down - down/2, Right: across - across/2}
		if k.left == sameLower {
			op.Pad = graph.Edges{Top: op.Pad.Bottom, Left: op.Pad.Right, Bottom: op.Pad.Top, Right: op.Pad.Left}
		}
	}
	want := k.out * (s.Channels / k.groups) * k.width * k.height
	fail.When(k.weights != want,
		"has %d weights, expected %d for %d channels in and %d out", k.weights, want, s.Channels, k.out)
	op.Weight, op.Bias = c.read(k)
	return c.activate(k, fail.Need(c.graph.AddStrided(c.name, op, k.stride, c.in[0].Node)))
}

// deconvolution adds a Deconvolution, a transposed convolution with square taps, and the activation that it states.
func (c *call) deconvolution() []graph.Operand {
	k, s := c.kernel(), c.shape()
	extraRight := c.int(18, 0)
	extraBelow := c.int(19, extraRight)
	fail.When(c.int(20, 0) != 0 || c.int(21, 0) != 0 ||
		min(k.left, k.top, k.right, k.below, extraRight, extraBelow) < 0,
		"to a size or with a padding that is not stated is not supported")
	fail.When(k.width != k.height || k.dilation != 1, "with taps in no square, or with dilation, is not supported")
	out, in, taps := k.out/k.groups, s.Channels/k.groups, k.width*k.width
	fail.When(k.weights != k.groups*out*in*taps,
		"has %d weights, expected %d for %d channels in and %d out", k.weights, k.groups*out*in*taps, s.Channels, k.out)
	weights, biases := c.read(k)
	op := graph.ConvTranspose{Out: k.out, Kernel: k.width, Stride: k.stride, Groups: k.groups, Bias: biases,
		Weight: make([]float32, len(weights))}
	for g := range k.groups { // the file is ordered by outputs first, ConvTranspose by inputs
		for o := range out {
			for i := range in {
				from := ((g*out+o)*in + i) * taps
				copy(op.Weight[((g*in+i)*out+o)*taps:], weights[from:from+taps])
			}
		}
	}
	cut := graph.Edges{Top: k.top, Left: k.left, Bottom: k.below - extraBelow, Right: k.right - extraRight}
	return c.activate(k, fail.Need(c.graph.AddTransposed(c.name, op, cut, c.in[0].Node)))
}

// activate adds the activation that k states, if any, to node, the convolution.
func (c *call) activate(k kernel, node int) []graph.Operand {
	kind, list := k.activation, k.parameters
	wanted := []int{0, 0, 1, 2, 0, 0, 2} // the number of parameters of each kind
	fail.When(kind < 0 || kind >= len(wanted), "with an activation of number %d is not supported", kind)
	fail.When(len(list) < wanted[kind], "has %d parameters of its activation, expected %d", len(list), wanted[kind])
	out := graph.Operand{Node: node}
	switch kind {
	case 1:
		return c.add(graph.PReLU{Slope: []float32{0}}, out)
	case 2:
		return c.add(graph.PReLU{Slope: list[:1]}, out)
	case 3:
		return c.add(graph.Clip{Min: list[0], Max: list[1]}, out)
	case 4:
		return c.add(graph.Sigmoid, out)
	case 5:
		return c.add(graph.Mish, out)
	case 6:
		return c.addHardSwish(out, list[0], list[1])
	}
	return []graph.Operand{out}
}
