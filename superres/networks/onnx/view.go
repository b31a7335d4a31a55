package onnx

import (
	"slices"

	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

// layout says how Reshape, Transpose and the like, with which files write pixel shuffles, have arranged the samples of
// a node: each dimension has parts of the node's channels, rows and columns, the outermost first, or none and size 1.
type layout [][]part

// part is a part of a node's channels, rows or columns. The index of a channel, row or column is the sum, over its
// parts, of the index in the part times step. A part of the channels with step 0 repeats channels.
type part struct {
	of         dimension
	size, step int
	// height and width are the sides of a window if the part is channels with a score for each of its pixels; else 0.
	height, width int
}

// dimension is one of the three dimensions of a node.
type dimension int

const (
	channels dimension = iota
	rows
	columns
)

var errView = fail.With("samples whose dimensions are rearranged in this way are not supported")

// usualLayout returns the layout [1, channels, height, width] of a node of shape s.
func usualLayout(s graph.Shape) layout {
	return layout{nil, {{of: channels, size: s.Channels, step: 1}}, {{of: rows, size: s.H, step: 1}},
		{{of: columns, size: s.W, step: 1}}}
}

// layout returns the layout of the samples of v.
func (t *tracer) layout(v *value) layout {
	if v.dims != nil {
		return v.dims
	}
	return usualLayout(t.builder.Shape(v.samples.base))
}

// arranged returns the samples of v with the given layout.
func (v *value) arranged(dims layout) *value { return &value{samples: v.samples, dims: dims} }

// sizes returns the sizes of the dimensions.
func (l layout) sizes() []int {
	list := make([]int, len(l))
	for i, parts := range l {
		list[i] = 1
		for _, p := range parts {
			list[i] *= p.size
		}
	}
	return list
}

// transposed returns the layout with the dimensions of l in the given order, which is a permutation.
func (l layout) transposed(order []int) (out layout) {
	for _, d := range order {
		out = append(out, l[d])
	}
	return out
}

// reshaped returns the layout of the given sizes, which must have the same product as the sizes of l. Each size takes
// the next parts of l, the last perhaps divided into outer and inner part. It fails if the sizes do not divide so.
func (l layout) reshaped(sizes []int) (out layout, err error) {
	left := merged(slices.Concat(l...))
	for _, size := range sizes {
		var parts []part
		for size > 1 {
			if len(left) == 0 {
				return nil, errView
			}
			p := left[0]
			switch {
			case p.size <= size && size%p.size == 0:
				left = left[1:]
			case p.size > size && p.size%size == 0: // the outer part of p
				inner := p.size / size
				left = slices.Concat([]part{{of: p.of, size: inner, step: p.step}}, left[1:])
				p = part{of: p.of, size: size, step: p.step * inner}
			default:
				return nil, errView
			}
			size /= p.size
			parts = append(parts, p)
		}
		out = append(out, parts)
	}
	for _, p := range left {
		if p.size != 1 {
			return nil, errView
		}
	}
	return out, nil
}

// maxViewed is the greatest number of samples in a layout that repeats samples, with all repetitions. It bounds the
// number of parts, since each repetition adds one part and at least doubles the samples.
const maxViewed = 1 << 40

// repeated returns l with dimension d repeated: 2 times, samples a b become a a b b if areNeighbours, else a b a b.
func (l layout) repeated(d, times int, areNeighbours bool) (layout, error) {
	total := float64(times)
	for _, parts := range l {
		for _, p := range parts {
			total *= float64(p.size)
		}
	}
	if total > maxViewed {
		return nil, errView
	}
	out := slices.Clone(l)
	again := []part{{of: channels, size: times}}
	if areNeighbours {
		out[d] = slices.Concat(l[d], again)
	} else {
		out[d] = slices.Concat(again, l[d])
	}
	return out, nil
}

// merged drops parts of size 1, and joins neighbouring parts that one part can describe, unless one holds scores.
func merged(parts []part) (out []part) {
	for _, p := range parts {
		if p.size == 1 {
			continue
		}
		if last := len(out) - 1; last >= 0 && out[last].of == p.of && out[last].step == p.step*p.size &&
			out[last].height == 0 && p.height == 0 {
			out[last] = part{of: p.of, size: out[last].size * p.size, step: p.step}
			continue
		}
		out = append(out, p)
	}
	return out
}

// merged returns l with the parts of each dimension merged.
func (l layout) merged() layout {
	out := make(layout, len(l))
	for i, parts := range l {
		out[i] = merged(parts)
	}
	return out
}

// equals reports whether two layouts are the same, however they are cut into parts.
func (l layout) equals(other layout) bool {
	return slices.EqualFunc(l.merged(), other.merged(), func(a, b []part) bool { return slices.Equal(a, b) })
}

// resolve returns the node that has the samples of v as [1, channels, height, width], and keeps it for later calls. If
// v has another layout, it adds a permutation of the channels, a pixel shuffle or a pixel unshuffle, or fails.
func (v *value) resolve(t *tracer) (node int, err error) {
	if v.isMade {
		return v.made, nil
	}
	if node, err = v.samples.resolve(t); err == nil && v.dims != nil {
		node, err = t.rearrange(node, v.dims)
	}
	if err == nil {
		v.made, v.isMade = node, true
	}
	return node, err
}

// rearrange adds nodes that bring the samples of node into the order of the layout dims, and returns the last node.
func (t *tracer) rearrange(node int, dims layout) (int, error) {
	if len(dims) != 4 || dims.sizes()[0] != 1 {
		return 0, errView
	}
	s := t.builder.Shape(node)
	c, h, w := merged(dims[1]), merged(dims[2]), merged(dims[3])
	whole := usualLayout(s).merged()
	if slices.Equal(h, whole[2]) && slices.Equal(w, whole[3]) {
		return t.selectChannels(node, c, s.Channels)
	}
	if f := innerSize(h, whole[2]); f > 1 && f == innerSize(w, whole[3]) && h[len(h)-1].of == channels &&
		w[len(w)-1].of == channels { // channels become pixels
		order := slices.Concat(c, h[len(h)-1:], w[len(w)-1:])
		node, err := t.selectChannels(node, order, s.Channels)
		if err != nil {
			return 0, err
		}
		return t.builder.Add("reshaped", graph.PixelShuffle{Factor: f}, node)
	}
	return t.unshuffle(node, c, h, w)
}

// innerSize returns the size of the last part in parts if the parts before it equal whole, a full dimension; else 0.
func innerSize(parts, whole []part) int {
	n := len(parts)
	if n == 0 || !slices.Equal(parts[:n-1], whole) {
		return 0
	}
	return parts[n-1].size
}

// selectChannels returns a node with the channels of node in the order of parts, the outermost first. node has count
// channels; it fails unless parts are all of these and nothing else. Parts of step 0 repeat them.
func (t *tracer) selectChannels(node int, parts []part, count int) (int, error) {
	list, distinct := []int{0}, 1
	for _, p := range parts {
		if p.of != channels || len(list)*p.size > graph.MaxScores {
			return 0, errView
		}
		if p.step > 0 {
			distinct *= p.size
		}
		next := make([]int, 0, len(list)*p.size)
		for _, first := range list {
			for i := range p.size {
				next = append(next, first+i*p.step)
			}
		}
		list = next
	}
	if distinct != count {
		return 0, errView
	}
	if slices.IsSorted(list) && len(list) == count {
		return node, nil
	}
	return t.builder.Add("transposed", graph.Select{Channels: list}, node)
}

// unshuffle does what rearrange does if pixels became channels: the channels of the layout, c, hold the inner parts of
// the rows and of the columns, both of one size, and its rows h and columns w are the outer parts. It fails otherwise.
func (t *tracer) unshuffle(node int, c, h, w []part) (int, error) {
	s := t.builder.Shape(node)
	factor := 0
	for _, p := range c {
		if p.of == rows {
			factor = p.size
		}
	}
	outer := func(of dimension, side int) []part {
		return merged([]part{{of: of, size: side / max(factor, 1), step: factor}})
	}
	if factor < 2 || s.H%factor != 0 || s.W%factor != 0 || !slices.Equal(h, outer(rows, s.H)) ||
		!slices.Equal(w, outer(columns, s.W)) {
		return 0, errView
	}
	order := slices.Clone(c) // as parts of the channels that a PixelUnshuffle makes
	for i, p := range order {
		switch p.of {
		case channels:
			order[i].step *= factor * factor
		case rows:
			order[i] = part{of: channels, size: p.size, step: factor * p.step}
		case columns:
			order[i] = part{of: channels, size: p.size, step: p.step}
		}
	}
	node, err := t.builder.Add("reshaped", graph.PixelUnshuffle{Factor: factor}, node)
	if err != nil {
		return 0, err
	}
	return t.selectChannels(node, order, s.Channels*factor*factor)
}

// singlePart merges parts. If one part is left, and is of the given dimension, it returns that part, else false.
func singlePart(parts []part, of dimension) (p part, is bool) {
	if parts = merged(parts); len(parts) != 1 || parts[0].of != of {
		return part{}, false
	}
	return parts[0], true
}
