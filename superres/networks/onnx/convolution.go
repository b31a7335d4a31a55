package onnx

import (
	"slices"

	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

// pair returns the two numbers of an attribute, or byDefault for both if there is no such attribute.
func (c *call) pair(name string, byDefault int) []int {
	list := c.list(name)
	if list == nil {
		list = []int{byDefault, byDefault}
	}
	fail.When(len(list) != 2, "has %d %s, expected 2", len(list), name)
	return list
}

// pads returns the attribute pads, the numbers of samples beyond the edges: of a picture top, left, bottom and right.
// It returns four zeros if there is no such attribute.
func (c *call) pads() []int {
	if list := c.list("pads"); list != nil {
		return list
	}
	return make([]int, 4)
}

// filter holds the parameters that Conv and ConvTranspose have in common.
type filter struct {
	weight, bias     []float32
	dims             []int // of weight, as in the file
	dilation, stride int
	groups           int
	pads             []int // top, left, bottom, right
}

// filter returns the parameters of a Conv or ConvTranspose, and fails unless its weights and biases are constants. It
// counts both as used by the graph, which shares their memory.
func (c *call) filter() (k filter) {
	dilations, strides, shape := c.pair("dilations", 1), c.pair("strides", 1), c.list("kernel_shape")
	k.groups, k.pads = c.int("group", 1), c.pads()
	k.dilation, k.stride = dilations[0], strides[0]
	w := c.in[1].constant
	switch {
	case w == nil || w.reals == nil || len(w.dims) != 4:
		panic(fail.With("with weights that are no constant of 4 dimensions is not supported"))
	case shape != nil && (len(shape) != 2 || shape[0] != w.dims[2] || shape[1] != w.dims[3]):
		panic(fail.With("has weights of %v numbers for %v taps", w.dims, shape))
	case len(k.pads) != 4:
		panic(fail.With("has %d pads, expected 4", len(k.pads)))
	case dilations[0] != dilations[1] || strides[0] != strides[1]:
		panic(fail.With("with different dilations or strides across and down is not supported"))
	case k.stride < 1 || k.stride > graph.MaxScale || k.dilation < 1 || k.dilation > graph.MaxSide:
		panic(fail.With("has stride %d and dilation %d", k.stride, k.dilation))
	}
	k.weight, k.dims = w.reals, w.dims
	w.retain()
	if c.in[2] != nil {
		b := c.in[2].constant
		fail.When(b == nil || b.reals == nil || len(b.dims) != 1,
			"with biases that are no constant of 1 dimension is not supported")
		k.bias = b.reals
		b.retain()
	}
	return k
}

// conv computes Conv. Weights of three or five dimensions, and weights from the picture, have their own functions.
func (c *call) conv() []*value {
	if w := c.in[1].constant; w != nil && (len(w.dims) == 3 || len(w.dims) == 5) {
		return c.convAlong(w)
	} else if w == nil {
		return c.convBySamples()
	}
	k := c.filter()
	op := graph.Conv{Out: k.dims[0], Height: k.dims[2], Width: k.dims[3], Dilation: k.dilation, Groups: k.groups,
		Pad:    graph.Edges{Top: k.pads[0], Left: k.pads[1], Bottom: k.pads[2], Right: k.pads[3]},
		Weight: k.weight, Bias: k.bias}
	down, across := (op.Height-1)*k.dilation, (op.Width-1)*k.dilation
	switch mode := c.text("auto_pad", "NOTSET"); mode {
	case "NOTSET", "":
	case "VALID":
		op.Pad = graph.Edges{}
	case "SAME_UPPER", "SAME_LOWER":
		fail.When(k.stride != 1, "of stride %d with a padding that is not stated is not supported", k.stride)
		op.Pad = graph.Edges{Top: down / 2, Left: across / 2, Bottom: down - down/2, Right: across - across/2}
		if mode == "SAME_LOWER" {
			op.Pad = graph.Edges{Top: op.Pad.Bottom, Left: op.Pad.Right, Bottom: op.Pad.Top, Right: op.Pad.Left}
		}
	default:
		panic(fail.With("with padding %q is not supported", mode))
	}
	input, err := c.node(c.in[0])
	if err != nil && op.Height*op.Width == 1 && k.stride == 1 && k.groups == 1 && op.Pad == (graph.Edges{}) {
		return c.pointwise(k)
	}
	fail.If(err)
	s := c.builder.Shape(input)
	fail.When(k.groups < 1 || k.dims[1]*k.groups != s.Channels,
		"has weights of %v numbers for %d channels in %d groups", k.dims, s.Channels, k.groups)
	return []*value{c.sampled(fail.Need(c.builder.AddStrided(c.name, op, k.stride, input)))}
}

// convTranspose computes ConvTranspose, with square taps and without dilation. output_padding makes the result larger
// by cutting off less of its last rows and columns.
func (c *call) convTranspose() []*value {
	k, more := c.filter(), c.pair("output_padding", 0)
	mode := c.text("auto_pad", "NOTSET")
	_, stated := c.attributes["output_shape"]
	fail.When(stated || mode != "NOTSET" && mode != "" && mode != "VALID",
		"with a padding that is not stated is not supported")
	input := fail.Need(c.node(c.in[0]))
	s := c.builder.Shape(input)
	switch {
	case k.groups < 1 || k.groups > graph.MaxChannels || k.dims[0] != s.Channels:
		panic(fail.With("has weights of %v numbers for %d channels in %d groups", k.dims, s.Channels, k.groups))
	case k.dims[2] != k.dims[3] || k.dilation != 1:
		panic(fail.With("with taps in no square, or with dilation, is not supported"))
	case min(k.pads[0], k.pads[1], k.pads[2], k.pads[3], more[0], more[1]) < 0 || max(more[0], more[1]) > graph.MaxSide:
		panic(fail.With("with the pads %v and %v is not supported", k.pads, more))
	}
	op := graph.ConvTranspose{Out: k.dims[1] * k.groups, Kernel: k.dims[2], Stride: k.stride, Groups: k.groups,
		Weight: k.weight, Bias: k.bias}
	cut := graph.Edges{Top: k.pads[0], Left: k.pads[1], Bottom: k.pads[2] - more[0], Right: k.pads[3] - more[1]}
	return []*value{c.sampled(fail.Need(c.builder.AddTransposed(c.name, op, cut, input)))}
}

// pointwise computes Conv with 1×1 taps for samples that have no usual layout, such as those in windows, by linear. The
// channels are dimension 1 in ONNX, and the last one for linear.
func (c *call) pointwise(k filter) []*value {
	v := c.in[0]
	last := []int{0, 2, 3, 1}
	errView.When(len(c.layout(v)) != 4)
	w := &tensor{dims: k.dims[:2], reals: k.weight}
	out := c.linear(v.arranged(c.layout(v).transposed(last)), w, true, 1) // true: w is outputs × inputs
	if k.bias != nil {
		out = c.arithmetic('+', out[0], &value{constant: &tensor{dims: []int{len(k.bias)}, reals: k.bias}})
	}
	return []*value{out[0].arranged(c.layout(out[0]).transposed([]int{0, 3, 1, 2}))}
}

// convAlong computes Conv along the channels of each pixel: in one dimension, as in channel attention (ECA-Net, CVPR
// 2020), or in three, along rows and columns as well, as in channel-spatial attention (HAN, ECCV 2020).
func (c *call) convAlong(w *tensor) []*value {
	v, rank := c.in[0], len(w.dims)-2
	fault := fail.With("of %d dimensions is supported along all channels alone, without dilation, strides or groups, "+
		"of a result of the same size", rank)
	pads, dims, node := c.list("pads"), c.layout(v), c.samples(v)
	if len(dims) != rank+2 || len(pads) != 2*rank || w.reals == nil ||
		slices.Max(w.dims) > graph.MaxSide || c.builder.Shape(node).Channels > graph.MaxChannels {
		panic(fault)
	}
	steps := slices.Concat(c.attributes["dilations"].numbers, c.attributes["strides"].numbers)
	for i, size := range w.dims {
		if i < 2 && size != 1 || i >= 2 && pads[i-2]+pads[i-2+rank] != size-1 {
			panic(fault)
		}
	}
	s, taps := c.builder.Shape(node), w.dims[2]
	of, whole := []dimension{channels, rows, columns}, []int{s.Channels, s.H, s.W}
	for i := range whole {
		p, isOf := part{size: 1, step: 1}, true
		if i < rank && whole[i] > 1 {
			p, isOf = singlePart(dims[2+i], of[i])
		}
		if !isOf || p.step != 1 || p.size != whole[i] {
			panic(fault)
		}
	}
	isStrided := slices.ContainsFunc(steps, func(n int64) bool { return n != 1 })
	if isStrided || slices.Min(pads) < 0 || c.int("group", 1) != 1 {
		panic(fault)
	}
	n := s.Channels
	op := graph.Conv{Out: n, Height: 1, Width: 1, Dilation: 1, Groups: 1}
	if rank == 3 {
		op.Height, op.Width = w.dims[3], w.dims[4]
		op.Pad = graph.Edges{Top: pads[1], Left: pads[2], Bottom: pads[4], Right: pads[5]}
	}
	each := op.Height * op.Width
	c.spendCopies(n * n * each)
	op.Weight = make([]float32, n*n*each)
	for out := range n { // output `out` is a sum of the channels around channel `out`
		for k := range taps {
			if in := out + k - pads[0]; in >= 0 && in < n {
				copy(op.Weight[(out*n+in)*each:], w.reals[k*each:(k+1)*each])
			}
		}
	}
	if c.in[2] != nil {
		b := c.in[2].constant
		if b == nil || len(b.reals) != 1 {
			panic(fault)
		}
		op.Bias = slices.Repeat(b.reals, n)
	}
	return []*value{c.sampled(c.put(op, node)).arranged(dims)}
}
