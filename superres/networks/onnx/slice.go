package onnx

import (
	"slices"

	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

// slicing is the indexes start, start+step, … along an axis that are below end; if step is negative, above it.
type slicing struct{ axis, start, end, step int }

// size returns the number of indexes.
func (s slicing) size() int {
	if s.step > 0 {
		return max((s.end-s.start+s.step-1)/s.step, 0)
	}
	return max((s.start-s.end-s.step-1)/-s.step, 0)
}

// slicings returns the indexes that a Slice keeps along each of its axes, for an array of the given dimensions.
// Negative starts and ends count from the end of an axis; those beyond its ends are limited.
func (c *call) slicings(dims []int) (list []slicing) {
	var lists [4][]int // starts, ends, axes, steps
	for i, name := range []string{"starts", "ends", "axes", "steps"} {
		lists[i] = c.listOr(1+i, name)
	}
	n := len(lists[0])
	fail.When(len(lists[1]) != n || lists[2] != nil && len(lists[2]) != n || lists[3] != nil && len(lists[3]) != n,
		"has starts, ends, axes and steps of several lengths")
	for i := range n {
		s := slicing{axis: i, start: lists[0][i], end: lists[1][i], step: 1}
		if lists[2] != nil {
			s.axis = lists[2][i]
		}
		if lists[3] != nil {
			s.step = lists[3][i]
		}
		s.axis = axis(s.axis, len(dims))
		isTwice := slices.ContainsFunc(list, func(other slicing) bool { return other.axis == s.axis })
		fail.When(s.step == 0 || isTwice, "has a step of 0, or an axis twice")
		side := dims[s.axis]
		if s.start < 0 {
			s.start += side
		}
		if s.end < 0 {
			s.end += side
		}
		if s.step > 0 {
			s.start, s.end = min(max(s.start, 0), side), min(max(s.end, 0), side)
		} else {
			s.start, s.end = min(max(s.start, -1), side-1), min(max(s.end, -1), side-1)
		}
		list = append(list, s)
	}
	return list
}

func foldSlice(c *call) *tensor {
	return c.sliced(c.in[0].constant, c.slicings(c.in[0].constant.dims)...)
}

// sliced returns the part of a constant that all slicings keep.
func (t *tracer) sliced(from *tensor, list ...slicing) *tensor {
	dims, steps, first := slices.Clone(from.dims), strides(from.dims), 0
	for _, s := range list {
		dims[s.axis] = s.size()
		first += s.start * steps[s.axis]
		steps[s.axis] *= s.step
	}
	return t.rearranged(from, dims, func(index []int) int {
		offset := first
		for d, i := range index {
			offset += i * steps[d]
		}
		return offset
	})
}

// sliceSamples computes Slice of samples: some channels, a picture without edges, or every nth row or column.
func (c *call) sliceSamples() []*value {
	v := c.in[0]
	for _, part := range c.slicings(c.sizes(v)) {
		fail.When(part.size() < 1, "keeps no samples")
		v = c.narrow(v, part)
	}
	return []*value{v}
}

// narrow returns the values of v at the indexes of a slicing: the rows, columns or channels, or numbers of a constant.
func (c *call) narrow(v *value, by slicing) *value {
	if v.constant != nil {
		return &value{constant: c.sliced(v.constant, by)}
	}
	dims, n := c.layout(v), by.size()
	if n == dims.sizes()[by.axis] && by.step == 1 {
		return v
	}
	if p := merged(dims[by.axis]); by.step > 1 && len(p) == 2 && p[0].of != channels && p[1].of == channels &&
		p[1].size == by.step && by.start < by.step && n == p[0].size { // everyNth turned pixels of this axis into p[1]
		split := slices.Concat(dims[:by.axis], layout{p[:1], p[1:]}, dims[by.axis+1:])
		one := c.selectIndexes(v.arranged(split), by.axis+1, []int{by.start})
		return one.arranged(slices.Delete(one.dims, by.axis+1, by.axis+2))
	}
	for _, of := range []dimension{rows, columns} {
		switch p, is := singlePart(dims[by.axis], of); {
		case is && p.step == 1 && by.step == 1:
			return c.crop(v, by, p)
		case is && p.step == 1 && by.step > 1 && v.dims == nil:
			return c.everyNth(v, by, of)
		}
	}
	list := make([]int, n)
	for i := range list {
		list[i] = by.start + i*by.step
	}
	return c.selectIndexes(v, by.axis, list)
}

// crop does what narrow does if the axis is all rows, or all columns, of the picture: it cuts off edges.
func (c *call) crop(v *value, by slicing, p part) *value {
	node := c.samples(v)
	s := c.builder.Shape(node)
	var edges graph.Edges
	switch {
	case p.of == rows && p.size == s.H:
		edges.Top, edges.Bottom = -by.start, by.end-s.H
	case p.of == columns && p.size == s.W:
		edges.Left, edges.Right = -by.start, by.end-s.W
	default:
		panic(errView)
	}
	out := slices.Clone(c.layout(v))
	out[by.axis] = []part{{of: p.of, size: by.size(), step: 1}}
	return c.sampled(c.put(graph.Pad{Edges: edges}, node)).arranged(out)
}

// everyNth does what narrow does for every step-th row of a picture (columns likewise) that has the usual layout. It
// turns squares of step×step pixels into channels, and selects the channels of the kept row of each square. In the
// layout of the result, the columns of a square, which are channels now, are the inner part of the picture's columns.
func (c *call) everyNth(v *value, by slicing, of dimension) *value {
	node := c.samples(v)
	s, f := c.builder.Shape(node), by.step
	whole := s.H / f
	if of == columns {
		whole = s.W / f
	}
	fail.When(s.W%f != 0 || s.H%f != 0 || by.start >= f || by.size() != whole,
		"of every %dth row or column is supported from edge to edge of a multiple alone", f)
	node = c.put(graph.PixelUnshuffle{Factor: f}, node)
	out := usualLayout(c.builder.Shape(node))
	axis := 4 // where out gets the rows of the squares; their columns are 5
	if of == columns {
		axis = 5
	}
	out = append(out, []part{{of: channels, size: f, step: f}}, []part{{of: channels, size: f, step: 1}})
	out[1] = []part{{of: channels, size: s.Channels, step: f * f}}
	kept := c.selectIndexes(c.sampled(node).arranged(out), axis, []int{by.start})
	out = kept.dims
	other := 5 - by.axis // 3, the columns, if rows were selected, else 2; 9-axis is the same for the squares
	out[other] = slices.Concat(out[other], out[9-axis])
	return kept.arranged(out[:4])
}

// selectIndexes returns the values of v at the indexes in list along a dimension, which must be made of channels. If it
// has several parts, repeats channels, or lies across another part, it brings v into the usual layout first.
func (c *call) selectIndexes(v *value, along int, list []int) *value {
	dims, n := c.layout(v), len(list)
	p, isChannels := singlePart(dims[along], channels)
	node := c.samples(v)
	count := c.builder.Shape(node).Channels
	fits := isChannels && p.step > 0 && p.height == 0 // and each other part lies within one step of p, or beyond p
	for _, q := range slices.Concat(dims...) {
		if q.of == channels && q.step > 0 && q.size > 1 {
			fits = fits && (q.step >= p.step && q.step < p.step*p.size || q.step*q.size <= p.step ||
				q.step%(p.step*p.size) == 0)
		}
	}
	if !fits {
		fail.When(v.dims == nil, "of some rows or columns (axis %d) is not supported, only of channels", along)
		plain, err := c.inUsualLayout(v)
		errView.When(err != nil || len(c.sizes(plain)) != len(dims))
		return c.selectIndexes(plain, along, list)
	}
	fail.When(n > graph.MaxChannels || count/p.size*n > graph.MaxChannels,
		"of more than %d channels", graph.MaxChannels)
	var kept []int
	for first := 0; first < count; first += p.size * p.step { // for each index of the parts outside of p
		for _, i := range list {
			for inner := range p.step {
				kept = append(kept, first+i*p.step+inner)
			}
		}
	}
	fail.When(slices.ContainsFunc(list, func(i int) bool { return i < 0 || i >= p.size }),
		"of the indexes %v of %d", list, p.size)
	node = c.put(graph.Select{Channels: kept}, node)
	out := make(layout, len(dims))
	for d, parts := range dims {
		for _, q := range parts {
			if q.of == channels && q.step >= p.step*p.size {
				q.step = q.step / p.size * n
			}
			out[d] = append(out[d], q)
		}
	}
	out[along] = []part{{of: channels, size: n, step: p.step}}
	return c.sampled(node).arranged(out)
}

// splitSizes returns the sizes of the parts into which a Split divides an axis of size side. If it states none, all
// parts have the same size, but for a smaller last one.
func (c *call) splitSizes(side int) []int {
	sizes := c.listOr(1, "split")
	if sizes == nil {
		n := max(c.int("num_outputs", c.outputs), 1)
		each := (side + n - 1) / n
		for left := side; left > 0; left -= each {
			sizes = append(sizes, min(each, left))
		}
	}
	left := side
	for _, size := range sizes {
		fail.When(size < 1 || size > left, "of %d into %v", side, sizes)
		left -= size
	}
	fail.When(left > 0, "of %d into %v", side, sizes)
	return sizes
}

// split computes Split: it divides v along an axis and returns the pieces.
func (c *call) split() (out []*value) {
	sizes := c.sizes(c.in[0])
	along := axis(c.int("axis", 0), len(sizes))
	sizes = c.splitSizes(sizes[along])
	start := 0
	for _, size := range sizes {
		out = append(out, c.narrow(c.in[0], slicing{axis: along, start: start, end: start + size, step: 1}))
		start += size
	}
	return out
}

// splitToSequence computes SplitToSequence: it returns the pieces as one value. A list states the size of each piece, a
// single number the size of all, of which the last may be smaller.
func (c *call) splitToSequence() []*value {
	sizes := c.in[1]
	fail.When(sizes == nil || sizes.constant == nil || sizes.constant.ints == nil || c.int("keepdims", 1) != 1,
		"is supported alone with sizes that are constants, and with keepdims")
	if n := sizes.constant; len(n.dims) == 0 {
		all := c.sizes(c.in[0])
		along := axis(c.int("axis", 0), len(all))
		fail.When(n.ints[0] < 1 || int64(all[along])/n.ints[0] > graph.MaxChannels, "of %v into %d", all, n.ints[0])
		var parts []int64
		for left := int64(all[along]); left > 0; left -= n.ints[0] {
			parts = append(parts, min(left, n.ints[0]))
		}
		c.in[1] = &value{constant: vector(parts...)}
	}
	return []*value{{list: c.split()}}
}

// sequenceAt computes SequenceAt: it returns one of the pieces that a SplitToSequence returned.
func (c *call) sequenceAt() []*value {
	list := c.in[0].list
	i := c.number(1, 0)
	if i < 0 {
		i += float64(len(list))
	}
	fail.When(!(i >= 0 && i < float64(len(list))), "of part %g of %d", i, len(list))
	return []*value{list[int(i)]}
}
