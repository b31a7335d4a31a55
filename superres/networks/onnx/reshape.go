package onnx

import (
	"errors"
	"fmt"
	"slices"

	"superres/superres/networks/graph"
)

// maxDims is the greatest number of dimensions into which samples are split.
const maxDims = 16

// newDims returns the dimensions to which a Reshape, Flatten, Squeeze or Unsqueeze changes the given dimensions.
func (c *call) newDims(dims []int) ([]int, error) {
	switch c.op {
	case "Reshape":
		return c.reshapedDims(dims)
	case "Flatten":
		along := c.int("axis", 1)
		if along < 0 {
			along += len(dims)
		}
		if along < 0 || along > len(dims) {
			return nil, fmt.Errorf("at axis %d of %d", along, len(dims))
		}
		return []int{product(dims[:along]), product(dims[along:])}, nil
	}
	axes, err := c.listOr(1, "axes")
	if err != nil {
		return nil, err
	}
	rank := len(dims)
	if c.op == "Unsqueeze" {
		rank += len(axes)
	}
	if rank > maxDims {
		return nil, fmt.Errorf("to %d dimensions is not supported", rank)
	}
	chosen := make([]bool, rank)
	for _, a := range axes {
		if a, err = axis(a, rank); err != nil {
			return nil, err
		}
		chosen[a] = true
	}
	var out []int
	if c.op == "Unsqueeze" {
		for _, isNew := range chosen {
			switch {
			case isNew:
				out = append(out, 1)
			case len(dims) == 0:
				return nil, errors.New("has an axis twice")
			default:
				out, dims = append(out, dims[0]), dims[1:]
			}
		}
		return out, nil
	}
	for i, size := range dims {
		if chosen[i] && size != 1 {
			return nil, fmt.Errorf("of a dimension of size %d", size)
		}
		if !chosen[i] && (size != 1 || len(axes) > 0) {
			out = append(out, size)
		}
	}
	return out, nil
}

func product(list []int) int {
	n := 1
	for _, v := range list {
		n *= v
	}
	return n
}

// reshapedDims returns the dimensions that a Reshape states. 0 means the input's dimension, −1 all remaining values.
func (c *call) reshapedDims(dims []int) ([]int, error) {
	list, err := c.listOr(1, "shape")
	if err != nil {
		return nil, err
	}
	if len(list) > maxDims {
		return nil, fmt.Errorf("to %d dimensions is not supported", len(list))
	}
	list = slices.Clone(list)
	open, known := -1, 1
	for i, size := range list {
		switch {
		case size == 0 && c.int("allowzero", 0) == 0 && i < len(dims):
			list[i] = dims[i]
		case size == -1 && open < 0:
			open = i
			continue
		case size < 0:
			return nil, fmt.Errorf("to %v", list)
		}
		known *= list[i]
	}
	total := product(dims)
	if open >= 0 {
		if known == 0 || total%known != 0 {
			return nil, fmt.Errorf("of %v to %v", dims, list)
		}
		list[open] = total / known
	} else if known != total {
		return nil, fmt.Errorf("of %v to %v", dims, list)
	}
	return list, nil
}

func foldReshape(c *call) (*tensor, error) {
	from := *c.in[0].constant
	var err error
	if from.dims, err = c.newDims(from.dims); err == nil {
		_, err = count(from.dims)
	}
	return &from, err
}

// reshape computes Reshape, Flatten, Squeeze or Unsqueeze of samples. It may turn squares of pixels into channels.
func (c *call) reshape() ([]*value, error) {
	v := c.in[0]
	dims, err := c.newDims(c.sizes(v))
	if err != nil {
		return nil, err
	}
	if plain, err := c.inUsualLayout(v); err == nil { // a node in the usual layout has no parts to split
		v = plain
	}
	out, err := c.layout(v).reshaped(dims)
	if err != nil {
		if v, failed := c.unshuffled(v); failed == nil {
			out, err = c.layout(v).reshaped(dims)
			return []*value{v.arranged(out)}, err
		}
	}
	return []*value{v.arranged(out)}, err
}

// unshuffled adds a PixelUnshuffle, which turns squares of pixels into channels, and returns v on the new node.
func (c *call) unshuffled(v *value) (*value, error) {
	dims := c.layout(v).merged()
	factors := [3]int{channels: 1}
	for _, p := range slices.Concat(dims...) {
		if p.of != channels && p.step == 1 {
			factors[p.of] = p.size
		}
	}
	f := factors[rows]
	node, err := v.samples.resolve(c.tracer)
	if err != nil || f < 2 || f != factors[columns] {
		return nil, errView
	}
	if node, err = c.builder.Add(c.name, graph.PixelUnshuffle{Factor: f}, node); err != nil {
		return nil, err
	}
	var order []part
	for _, parts := range dims {
		for i, p := range parts {
			switch {
			case p.of == channels:
				p.step *= f * f
			case p.step > 1 && p.step%f == 0:
				p.step /= f
			case p.step > 1:
				return nil, errView
			case p.of == rows:
				p = part{of: channels, size: f, step: f}
			default:
				p = part{of: channels, size: f, step: 1}
			}
			if parts[i] = p; p.of == channels {
				order = append(order, p)
			}
		}
	}
	node, err = c.selectChannels(node, order, c.builder.Shape(node).Channels)
	return c.sampled(node).arranged(c.inOrder(dims)), err
}

// inUsualLayout returns the samples of v in the layout [1, channels, height, width]. It adds a node to bring them there
// if they have another layout.
func (c *call) inUsualLayout(v *value) (*value, error) {
	node, err := c.node(v)
	return c.sampled(node), err
}

// order returns the permutation of rank dimensions that a Transpose states, or implies if it states none.
func (c *call) order(rank int) ([]int, error) {
	order, err := c.list("perm")
	if err != nil {
		return nil, err
	}
	if order == nil {
		for i := range rank {
			order = append(order, rank-1-i)
		}
	}
	sorted := slices.Clone(order)
	slices.Sort(sorted)
	for i, d := range sorted {
		if i != d || len(sorted) != rank {
			return nil, fmt.Errorf("by %v of %d dimensions", order, rank)
		}
	}
	if len(sorted) != rank {
		return nil, fmt.Errorf("by %v of %d dimensions", order, rank)
	}
	return order, nil
}

// foldTranspose rearranges the dimensions of a constant.
func foldTranspose(c *call) (*tensor, error) {
	from := c.in[0].constant
	order, err := c.order(len(from.dims))
	if err != nil {
		return nil, err
	}
	dims := make([]int, len(order))
	steps := strides(from.dims)
	for i, d := range order {
		dims[i] = from.dims[d]
	}
	return c.rearranged(from, dims, func(index []int) (offset int) {
		for i, k := range index {
			offset += k * steps[order[i]]
		}
		return offset
	})
}

func (c *call) transpose() ([]*value, error) {
	dims := c.layout(c.in[0])
	order, err := c.order(len(dims))
	if err != nil {
		return nil, err
	}
	return []*value{c.in[0].arranged(dims.transposed(order))}, nil
}

// depthToSpace computes DepthToSpace, a pixel shuffle: channels become squares of pixels. The modes order channels.
func (c *call) depthToSpace() ([]*value, error) {
	mode := c.text("mode", "DCR")
	if mode != "DCR" && mode != "CRD" {
		return nil, fmt.Errorf("in mode %q is not supported", mode)
	}
	node, err := c.node(c.in[0])
	if err == nil {
		node, err = c.builder.AddShuffle(c.name, c.int("blocksize", 0), mode == "DCR", node)
	}
	return []*value{c.sampled(node)}, err
}

// spaceToDepth computes SpaceToDepth: squares of pixels become channels.
func (c *call) spaceToDepth() ([]*value, error) {
	node, err := c.node(c.in[0])
	if err == nil {
		node, err = c.builder.AddUnshuffle(c.name, c.int("blocksize", 0), true, node)
	}
	return []*value{c.sampled(node)}, err
}

// maxRepeats is the greatest number of times that a dimension is repeated.
const maxRepeats = 1 << 20

// expand computes Expand: it repeats dimensions of size 1.
func (c *call) expand() ([]*value, error) {
	want, err := c.listOr(1, "shape")
	if err != nil {
		return nil, err
	}
	v := c.layout(c.in[0])
	sizes := v.sizes()
	dims, err := broadcast(sizes, want)
	if err != nil || len(dims) != len(sizes) {
		return nil, fmt.Errorf("of %v to %v", sizes, want)
	}
	for d, size := range dims {
		if size < 1 || size > sizes[d]*maxRepeats {
			return nil, fmt.Errorf("of %v to %v", sizes, want)
		}
		if size == sizes[d] {
			continue
		}
		if v, err = v.repeated(d, size, true); err != nil {
			return nil, err
		}
	}
	return []*value{c.in[0].arranged(v)}, nil
}

// tile computes Tile: it repeats the array along its dimensions.
func (c *call) tile() ([]*value, error) {
	times, err := c.listOr(1, "repeats")
	if err != nil {
		return nil, err
	}
	v := c.layout(c.in[0])
	if len(times) != len(v) {
		return nil, fmt.Errorf("of %d dimensions %v times", len(v), times)
	}
	for d, n := range times {
		if n < 1 || n > maxRepeats {
			return nil, fmt.Errorf("of %d dimensions %v times", len(v), times)
		}
		if n == 1 {
			continue
		}
		if v, err = v.repeated(d, n, false); err != nil {
			return nil, err
		}
	}
	return []*value{c.in[0].arranged(v)}, nil
}

// foldTile repeats a constant along each dimension as often as the second input says.
func foldTile(c *call) (*tensor, error) {
	times, err := c.in[1].constant.numbers()
	if err != nil {
		return nil, err
	}
	from := c.in[0].constant
	dims := slices.Clone(from.dims)
	if len(times) != len(dims) {
		return nil, fmt.Errorf("of %d dimensions %v times", len(dims), times)
	}
	for d, n := range times {
		if n < 0 || dims[d] > graph.MaxWeights/max(n, 1) {
			return nil, fmt.Errorf("of %v numbers %v times", dims, times)
		}
		dims[d] *= n
	}
	steps := strides(from.dims)
	return c.rearranged(from, dims, func(index []int) (offset int) {
		for d, i := range index {
			offset += i % from.dims[d] * steps[d]
		}
		return offset
	})
}
