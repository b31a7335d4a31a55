package onnx

import (
	"errors"
	"fmt"

	"superres/superres/networks/graph"
)

// pair returns a list of two numbers of an attribute; by default both are the same.
func (c *call) pair(name string, byDefault int) (list []int, err error) {
	if list, err = c.list(name); err == nil && list == nil {
		list = []int{byDefault, byDefault}
	}
	if err == nil && len(list) != 2 {
		err = fmt.Errorf("has %d %s, expected 2", len(list), name)
	}
	return list, err
}

// filter is what Conv and ConvTranspose have in common.
type filter struct {
	weight, bias     []float32
	dims             []int
	dilation, stride int
	groups           int
	pads             []int // top, left, bottom, right
}

func (c *call) filter() (k filter, err error) {
	k.groups = c.int("group", 1)
	var dilations, strides, shape []int
	if dilations, err = c.pair("dilations", 1); err != nil {
		return k, err
	}
	if strides, err = c.pair("strides", 1); err != nil {
		return k, err
	}
	if k.pads, err = c.list("pads"); err != nil {
		return k, err
	}
	if k.pads == nil {
		k.pads = make([]int, 4)
	}
	if shape, err = c.list("kernel_shape"); err != nil {
		return k, err
	}
	k.dilation, k.stride = dilations[0], strides[0]
	w := c.in[1].constant
	switch {
	case w == nil || w.reals == nil || len(w.dims) != 4:
		err = errors.New("with weights that are no constant of 4 dimensions is not supported")
	case shape != nil && (len(shape) != 2 || shape[0] != w.dims[2] || shape[1] != w.dims[3]):
		err = fmt.Errorf("has weights of %v numbers for %v taps", w.dims, shape)
	case len(k.pads) != 4:
		err = fmt.Errorf("has %d pads, expected 4", len(k.pads))
	case dilations[0] != dilations[1] || strides[0] != strides[1]:
		err = errors.New("with different dilations or strides across and down is not supported")
	case k.stride < 1 || k.stride > graph.MaxScale || k.dilation < 1 || k.dilation > graph.MaxSide:
		err = fmt.Errorf("has stride %d and dilation %d", k.stride, k.dilation)
	}
	if err != nil {
		return k, err
	}
	k.weight, k.dims = w.reals, w.dims
	w.keep()
	if c.in[2] != nil {
		b := c.in[2].constant
		if b == nil || b.reals == nil || len(b.dims) != 1 {
			return k, errors.New("with biases that are no constant of 1 dimension is not supported")
		}
		k.bias = b.reals
		b.keep()
	}
	return k, nil
}

func (c *call) conv() ([]*value, error) {
	if w := c.in[1].constant; w != nil && len(w.dims) == 3 {
		return c.convAlong(w)
	} else if w == nil {
		return c.convBySamples()
	}
	k, err := c.filter()
	if err != nil {
		return nil, err
	}
	op := graph.Conv{Out: k.dims[0], Height: k.dims[2], Width: k.dims[3], Dilation: k.dilation, Groups: k.groups,
		Pad:    graph.Edges{Top: k.pads[0], Left: k.pads[1], Bottom: k.pads[2], Right: k.pads[3]},
		Weight: k.weight, Bias: k.bias}
	down, across := (op.Height-1)*k.dilation, (op.Width-1)*k.dilation
	switch mode := c.text("auto_pad", "NOTSET"); mode {
	case "NOTSET", "":
	case "VALID":
		op.Pad = graph.Edges{}
	case "SAME_UPPER", "SAME_LOWER":
		if k.stride != 1 {
			return nil, fmt.Errorf("of stride %d with a padding that is not stated is not supported", k.stride)
		}
		op.Pad = graph.Edges{Top: down / 2, Left: across / 2, Bottom: down - down/2, Right: across - across/2}
		if mode == "SAME_LOWER" {
			op.Pad = graph.Edges{Top: op.Pad.Bottom, Left: op.Pad.Right, Bottom: op.Pad.Top, Right: op.Pad.Left}
		}
	default:
		return nil, fmt.Errorf("with padding %q is not supported", mode)
	}
	input, err := c.node(c.in[0])
	if err != nil {
		if op.Height*op.Width == 1 && k.stride == 1 && k.groups == 1 && op.Pad == (graph.Edges{}) {
			return c.pointwise(k)
		}
		return nil, err
	}
	s := c.builder.Shape(input)
	if k.groups < 1 || k.dims[1]*k.groups != s.Channels {
		return nil, fmt.Errorf("has weights of %v numbers for %d channels in %d groups", k.dims, s.Channels, k.groups)
	}
	node, err := c.builder.AddStrided(c.name, op, k.stride, input)
	return []*value{c.sampled(node)}, err
}

func (c *call) convTranspose() ([]*value, error) {
	k, err := c.filter()
	if err != nil {
		return nil, err
	}
	more, err := c.pair("output_padding", 0)
	if err != nil {
		return nil, err
	}
	mode := c.text("auto_pad", "NOTSET")
	if _, stated := c.attributes["output_shape"]; stated || mode != "NOTSET" && mode != "" && mode != "VALID" {
		return nil, errors.New("with a padding that is not stated is not supported")
	}
	input, err := c.node(c.in[0])
	if err != nil {
		return nil, err
	}
	s := c.builder.Shape(input)
	switch {
	case k.groups < 1 || k.groups > graph.MaxChannels || k.dims[0] != s.Channels:
		return nil, fmt.Errorf("has weights of %v numbers for %d channels in %d groups", k.dims, s.Channels, k.groups)
	case k.dims[2] != k.dims[3] || k.dilation != 1:
		return nil, errors.New("with taps in no square, or with dilation, is not supported")
	case min(k.pads[0], k.pads[1], k.pads[2], k.pads[3], more[0], more[1]) < 0 || max(more[0], more[1]) > graph.MaxSide:
		return nil, fmt.Errorf("with the pads %v and %v is not supported", k.pads, more)
	}
	op := graph.ConvTranspose{Out: k.dims[1] * k.groups, Kernel: k.dims[2], Stride: k.stride, Groups: k.groups,
		Weight: k.weight, Bias: k.bias}
	cut := graph.Edges{Top: k.pads[0], Left: k.pads[1], Bottom: k.pads[2] - more[0], Right: k.pads[3] - more[1]}
	node, err := c.builder.AddTransposed(c.name, op, cut, input)
	return []*value{c.sampled(node)}, err
}

// pointwise is a convolution of 1×1 taps of samples that no node has as they are, such as those of windows.
func (c *call) pointwise(k filter) ([]*value, error) {
	v := c.in[0]
	last := []int{0, 2, 3, 1}
	if len(c.layout(v)) != 4 {
		return nil, errView
	}
	w := &tensor{dims: k.dims[:2], reals: k.weight}
	out, err := c.linear(v.arranged(c.layout(v).transposed(last)), w, true, 1)
	if err == nil && k.bias != nil {
		out, err = c.arithmetic('+', out[0], &value{constant: &tensor{dims: []int{len(k.bias)}, reals: k.bias}})
	}
	if err != nil {
		return nil, err
	}
	return []*value{out[0].arranged(c.layout(out[0]).transposed([]int{0, 3, 1, 2}))}, nil
}

// convAlong is a convolution of one dimension along the channels of each pixel, as in efficient channel attention (Wang
// et al.: ECA-Net, CVPR 2020).
func (c *call) convAlong(w *tensor) ([]*value, error) {
	pads, err := c.list("pads")
	dims := c.layout(c.in[0])
	if err != nil || len(dims) != 3 {
		return nil, errors.New("of one dimension is supported along the channels alone")
	}
	p, isChannels := only(dims[2], channels)
	n, taps := dims.sizes()[2], w.size()
	for _, name := range []string{"dilations", "strides"} {
		if list, err := c.list(name); err != nil || len(list) > 0 && list[0] != 1 || c.int("group", 1) != 1 {
			return nil, errors.New("of one dimension with dilation, a stride or groups is not supported")
		}
	}
	isEven := len(pads) == 2 && pads[0]+pads[1] == taps-1 && pads[0] >= 0 && pads[1] >= 0
	if !isChannels || p.step != 1 || w.reals == nil || w.dims[0] != 1 || w.dims[1] != 1 || !isEven || c.in[2] != nil {
		return nil, errors.New("of one dimension is supported along the channels alone, without a bias")
	}
	if err := c.copy(n * n); err != nil {
		return nil, err
	}
	matrix := &tensor{dims: []int{n, n}, reals: make([]float32, n*n)}
	for out := range n {
		for k, v := range w.reals {
			if in := out + k - pads[0]; in >= 0 && in < n {
				matrix.reals[in*n+out] = v
			}
		}
	}
	return c.linear(c.in[0], matrix, false, 1)
}
