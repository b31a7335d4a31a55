package onnx

import (
	"slices"

	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

// maxDims is the greatest number of dimensions into which samples are split.
const maxDims = 16

// newDims returns the dimensions to which a Reshape, Flatten, Squeeze or Unsqueeze changes the given dimensions. A
// Squeeze without axes removes all dimensions of size 1.
func (c *call) newDims(dims []int) []int {
	switch c.op {
	case "Reshape":
		return c.reshapedDims(dims)
	case "Flatten":
		along := c.int("axis", 1)
		if along < 0 {
			along += len(dims)
		}
		fail.When(along < 0 || along > len(dims), "at axis %d of %d", along, len(dims))
		return []int{product(dims[:along]), product(dims[along:])}
	}
	axes := c.listOr(1, "axes")
	rank := len(dims)
	if c.op == "Unsqueeze" {
		rank += len(axes)
	}
	fail.When(rank > maxDims, "to %d dimensions is not supported", rank)
	chosen := make([]bool, rank)
	for _, a := range axes {
		chosen[axis(a, rank)] = true
	}
	var out []int
	if c.op == "Unsqueeze" {
		for _, isNew := range chosen {
			switch {
			case isNew:
				out = append(out, 1)
			case len(dims) == 0:
				panic(fail.With("has an axis twice"))
			default:
				out, dims = append(out, dims[0]), dims[1:]
			}
		}
		return out
	}
	for i, size := range dims {
		fail.When(chosen[i] && size != 1, "of a dimension of size %d", size)
		if !chosen[i] && (size != 1 || len(axes) > 0) {
			out = append(out, size)
		}
	}
	return out
}

func product(list []int) int {
	n := 1
	for _, v := range list {
		n *= v
	}
	return n
}

// reshapedDims returns the dimensions that a Reshape states. 0 means the input's, unless allowzero is set, −1 the rest.
func (c *call) reshapedDims(dims []int) []int {
	list := c.listOr(1, "shape")
	fail.When(len(list) > maxDims, "to %d dimensions is not supported", len(list))
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
			panic(fail.With("to %v", list))
		}
		known *= list[i]
	}
	total := product(dims)
	if open >= 0 {
		fail.When(known == 0 || total%known != 0, "of %v to %v", dims, list)
		list[open] = total / known
	} else if known != total {
		panic(fail.With("of %v to %v", dims, list))
	}
	return list
}

func foldReshape(c *call) *tensor {
	from := *c.in[0].constant
	from.dims = c.newDims(from.dims)
	fail.Need(count(from.dims))
	return &from
}

// reshape computes Reshape, Flatten, Squeeze or Unsqueeze of samples. If parts of a layout do not allow the new sizes,
// it tries to turn squares of pixels into channels first.
func (c *call) reshape() []*value {
	v := c.in[0]
	dims := c.newDims(c.sizes(v))
	if plain, err := c.inUsualLayout(v); err == nil { // a node in the usual layout has no parts to split
		v = plain
	}
	out, err := c.layout(v).reshaped(dims)
	if err != nil && fail.Catch(func() { v = c.unshuffled(v) }) == nil {
		out, err = c.layout(v).reshaped(dims)
	}
	fail.If(err)
	return []*value{v.arranged(out)}
}

// unshuffled adds a PixelUnshuffle, which turns squares of pixels into channels, and returns v on the new node. The
// side of a square is the size of the inner part of the rows, which must be the same for the columns.
func (c *call) unshuffled(v *value) *value {
	dims := c.layout(v).merged()
	factors := [3]int{channels: 1}
	for _, p := range slices.Concat(dims...) {
		if p.of != channels && p.step == 1 {
			factors[p.of] = p.size
		}
	}
	f := factors[rows]
	errView.When(f < 2 || f != factors[columns])
	node := c.put(graph.PixelUnshuffle{Factor: f}, c.samples(v))
	var order []part
	for _, parts := range dims {
		for i, p := range parts {
			switch {
			case p.of == channels:
				p.step *= f * f
			case p.step > 1 && p.step%f == 0:
				p.step /= f
			case p.step > 1:
				panic(errView)
			case p.of == rows: // in the new channels, the row of the square is outside of the column
				p = part{of: channels, size: f, step: f}
			default:
				p = part{of: channels, size: f, step: 1}
			}
			if parts[i] = p; p.of == channels {
				order = append(order, p)
			}
		}
	}
	node = fail.Need(c.selectChannels(node, order, c.builder.Shape(node).Channels))
	return c.sampled(node).arranged(c.inOrder(dims))
}

// inUsualLayout returns the samples of v as [1, channels, height, width]. It adds nodes if they have another layout.
func (c *call) inUsualLayout(v *value) (*value, error) {
	node, err := c.node(v)
	return c.sampled(node), err
}

// order returns the permutation of rank dimensions that a Transpose states; if it states none, the reverse order.
func (c *call) order(rank int) []int {
	order := c.list("perm")
	if order == nil {
		for i := range rank {
			order = append(order, rank-1-i)
		}
	}
	isPermutation := len(order) == rank
	for i, d := range slices.Sorted(slices.Values(order)) {
		isPermutation = isPermutation && i == d
	}
	fail.When(!isPermutation, "by %v of %d dimensions", order, rank)
	return order
}

// foldTranspose rearranges the dimensions of a constant.
func foldTranspose(c *call) *tensor {
	from := c.in[0].constant
	order := c.order(len(from.dims))
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

func (c *call) transpose() []*value {
	dims := c.layout(c.in[0])
	return []*value{c.in[0].arranged(dims.transposed(c.order(len(dims))))}
}

// depthToSpace computes DepthToSpace, a pixel shuffle: channels become squares of pixels. In mode DCR the place in the
// square is the outer index of the channels, in mode CRD the inner one.
func (c *call) depthToSpace() []*value {
	mode := c.text("mode", "DCR")
	fail.When(mode != "DCR" && mode != "CRD", "in mode %q is not supported", mode)
	node := fail.Need(c.node(c.in[0]))
	return []*value{c.sampled(fail.Need(c.builder.AddShuffle(c.name, c.int("blocksize", 0), mode == "DCR", node)))}
}

// spaceToDepth computes SpaceToDepth: squares of pixels become channels.
func (c *call) spaceToDepth() []*value {
	node := fail.Need(c.node(c.in[0]))
	return []*value{c.sampled(fail.Need(c.builder.AddUnshuffle(c.name, c.int("blocksize", 0), true, node)))}
}

// maxRepeats is the greatest number of times that a dimension is repeated.
const maxRepeats = 1 << 20

// expand computes Expand: it repeats dimensions of size 1 until they have the size that the second input says.
func (c *call) expand() []*value {
	want := c.listOr(1, "shape")
	v := c.layout(c.in[0])
	sizes := v.sizes()
	dims := broadcast(sizes, want)
	fail.When(len(dims) != len(sizes), "of %v to %v", sizes, want)
	for d, size := range dims {
		fail.When(size < 1 || size > sizes[d]*maxRepeats, "of %v to %v", sizes, want)
		if size == sizes[d] {
			continue
		}
		v = fail.Need(v.repeated(d, size, true)) // true or false: with one sample, both are the same
	}
	return []*value{c.in[0].arranged(v)}
}

// tile computes Tile: it repeats the array along its dimensions.
func (c *call) tile() []*value {
	times := c.listOr(1, "repeats")
	v := c.layout(c.in[0])
	fail.When(len(times) != len(v), "of %d dimensions %v times", len(v), times)
	for d, n := range times {
		fail.When(n < 1 || n > maxRepeats, "of %d dimensions %v times", len(v), times)
		if n == 1 {
			continue
		}
		v = fail.Need(v.repeated(d, n, false)) // false: the whole dimension after itself, not each sample
	}
	return []*value{c.in[0].arranged(v)}
}

// foldTile repeats a constant along each dimension as often as the second input says.
func foldTile(c *call) *tensor {
	times := fail.Need(c.in[1].constant.numbers())
	from := c.in[0].constant
	dims := slices.Clone(from.dims)
	fail.When(len(times) != len(dims), "of %d dimensions %v times", len(dims), times)
	for d, n := range times {
		fail.When(n < 0 || dims[d] > graph.MaxWeights/max(n, 1), "of %v numbers %v times", dims, times)
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
