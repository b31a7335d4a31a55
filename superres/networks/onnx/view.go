package onnx

import (
	"errors"
	"slices"

	"superres/superres/networks/graph"
)

// view is the samples of a node with their dimensions split, merged and exchanged: what Reshape, Transpose and their
// like make. Networks write pixel shuffles so. A view becomes nodes when its samples are needed.
type view struct {
	node int
	dims [][]part
	// made is the node that has the samples of the view, if isMade.
	made   int
	isMade bool
}

// part is a part of one of the dimensions of a node: its index there is index·step plus those of the other parts. A
// part of the channels whose step is 0 repeats them.
type part struct {
	of         dimension
	size, step int
}

// dimension is one of those of a node.
type dimension int

const (
	channels dimension = iota
	rows
	columns
)

var errView = errors.New("samples whose dimensions are rearranged in this way are not supported")

// wholeView returns the view [1, channels, height, width] of a node of shape s.
func wholeView(s graph.Shape, node int) *view {
	return &view{node: node, dims: [][]part{nil, {{channels, s.Channels, 1}}, {{rows, s.H, 1}}, {{columns, s.W, 1}}}}
}

// viewed returns v, samples, as a view: of the node that has them, if there is or can be one.
func (t *tracer) viewed(v *value) (*view, error) {
	node, err := t.node(v)
	if err != nil && v.view != nil {
		return v.view, nil
	}
	if err != nil {
		return nil, err
	}
	return wholeView(t.builder.Shape(node), node), nil
}

// sizes returns the sizes of the dimensions.
func (v *view) sizes() []int {
	list := make([]int, len(v.dims))
	for i, parts := range v.dims {
		list[i] = 1
		for _, p := range parts {
			list[i] *= p.size
		}
	}
	return list
}

// transposed returns the view whose dimension i is dimension order[i] of v. The order is a permutation.
func (v *view) transposed(order []int) *view {
	out := &view{node: v.node}
	for _, d := range order {
		out.dims = append(out.dims, v.dims[d])
	}
	return out
}

// reshaped returns the view of the given sizes, whose product is that of v. It fails if a size neither is a product of
// parts nor divides one.
func (v *view) reshaped(sizes []int) (*view, error) {
	left := slices.Concat(v.dims...)
	out := &view{node: v.node}
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
				left = slices.Concat([]part{{p.of, inner, p.step}}, left[1:])
				p = part{p.of, size, p.step * inner}
			default:
				return nil, errView
			}
			size /= p.size
			parts = append(parts, p)
		}
		out.dims = append(out.dims, parts)
	}
	for _, p := range left {
		if p.size != 1 {
			return nil, errView
		}
	}
	return out, nil
}

// maxViewed is the greatest number of samples of a view that repeats some; it bounds the number of its parts.
const maxViewed = 1 << 40

// repeated returns v with dimension d repeated: its values together, or each by itself.
func (v *view) repeated(d, times int, each bool) (*view, error) {
	total := float64(times)
	for _, parts := range v.dims {
		for _, p := range parts {
			total *= float64(p.size)
		}
	}
	if total > maxViewed {
		return nil, errView
	}
	out := &view{node: v.node, dims: slices.Clone(v.dims)}
	again := []part{{channels, times, 0}}
	if each {
		out.dims[d] = slices.Concat(v.dims[d], again)
	} else {
		out.dims[d] = slices.Concat(again, v.dims[d])
	}
	return out, nil
}

// merged returns parts without those of size 1, and with neighbours joined that are one part of a dimension.
func merged(parts []part) (out []part) {
	for _, p := range parts {
		if p.size == 1 {
			continue
		}
		if last := len(out) - 1; last >= 0 && out[last].of == p.of && out[last].step == p.step*p.size {
			out[last] = part{p.of, out[last].size * p.size, p.step}
			continue
		}
		out = append(out, p)
	}
	return out
}

// resolve returns the node that has the samples of a view of four dimensions, the first of size 1: a permutation of the
// channels, a pixel shuffle or its inverse.
func (v *view) resolve(t *tracer) (node int, err error) {
	if !v.isMade {
		if v.made, err = v.build(t); err != nil {
			return 0, err
		}
		v.isMade = true
	}
	return v.made, nil
}

// build adds the nodes of a view, and returns the last.
func (v *view) build(t *tracer) (int, error) {
	if len(v.dims) != 4 || v.sizes()[0] != 1 {
		return 0, errView
	}
	s := t.builder.Shape(v.node)
	c, h, w := merged(v.dims[1]), merged(v.dims[2]), merged(v.dims[3])
	wholeRows, wholeColumns := merged([]part{{rows, s.H, 1}}), merged([]part{{columns, s.W, 1}})
	if slices.Equal(h, wholeRows) && slices.Equal(w, wholeColumns) {
		return v.selectChannels(t, v.node, c, s.Channels)
	}
	if f := extra(h, wholeRows); f > 1 && f == extra(w, wholeColumns) && h[len(h)-1].of == channels &&
		w[len(w)-1].of == channels { // channels become pixels
		order := slices.Concat(c, h[len(h)-1:], w[len(w)-1:])
		node, err := v.selectChannels(t, v.node, order, s.Channels)
		if err != nil {
			return 0, err
		}
		return t.builder.Add("reshaped", graph.PixelShuffle{Factor: f}, node)
	}
	return v.unshuffle(t, c, h, w)
}

// extra returns the size of the last part if the others are the whole of a dimension; else 0.
func extra(parts, whole []part) int {
	n := len(parts)
	if n == 0 || !slices.Equal(parts[:n-1], whole) {
		return 0
	}
	return parts[n-1].size
}

// selectChannels returns the node of a permutation of the channels, some of which may repeat: all of them, in the order
// of the given parts.
func (v *view) selectChannels(t *tracer, node int, parts []part, count int) (int, error) {
	list, distinct := []int{0}, 1
	for _, p := range parts {
		if p.of != channels || len(list)*p.size > graph.MaxChannels {
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

// unshuffle returns the node of pixels that become channels: h and w are the outer parts of the rows and the columns,
// and their inner parts, of one size, are among those of the channels.
func (v *view) unshuffle(t *tracer, c, h, w []part) (int, error) {
	s := t.builder.Shape(v.node)
	factor := 0
	for _, p := range c {
		if p.of == rows {
			factor = p.size
		}
	}
	outer := func(of dimension, side int) []part { return merged([]part{{of, side / max(factor, 1), factor}}) }
	if factor < 2 || s.H%factor != 0 || s.W%factor != 0 || !slices.Equal(h, outer(rows, s.H)) ||
		!slices.Equal(w, outer(columns, s.W)) {
		return 0, errView
	}
	order := slices.Clone(c) // the parts as parts of the channels that PixelUnshuffle makes
	for i, p := range order {
		switch p.of {
		case channels:
			order[i].step *= factor * factor
		case rows:
			order[i] = part{channels, p.size, factor * p.step}
		case columns:
			order[i] = part{channels, p.size, p.step}
		}
	}
	node, err := t.builder.Add("reshaped", graph.PixelUnshuffle{Factor: factor}, v.node)
	if err != nil {
		return 0, err
	}
	return v.selectChannels(t, node, order, s.Channels*factor*factor)
}
