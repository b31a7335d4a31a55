package onnx

import (
	"errors"
	"math"
	"slices"

	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

// extent reports whether axes cover all pixels of v's node, and whether they cover all its channels; false for a single
// pixel or channel, which needs no reduction. It fails if they cover only some of the pixels or channels.
func (c *call) extent(v *value, axes []int) (ofPicture, ofChannels bool, err error) {
	dims := c.layout(v)
	var parts []part
	for _, d := range axes {
		parts = append(parts, dims[d]...)
	}
	sizes := map[dimension]int{channels: 1, rows: 1, columns: 1}
	for _, p := range parts {
		if p.step > 0 {
			sizes[p.of] *= p.size
		}
	}
	s := c.builder.Shape(v.samples.base)
	ofPicture = sizes[rows] == s.H && sizes[columns] == s.W && s.W*s.H > 1
	ofChannels = sizes[channels] == s.Channels && s.Channels > 1
	if !ofPicture && sizes[rows]*sizes[columns] > 1 || !ofChannels && sizes[channels] > 1 {
		err = errors.New("of some of the pixels or channels is not supported, only of all")
	}
	return ofPicture, ofChannels, err
}

// reduce returns a function for operation.make: it reduces samples, or their squares if isSquare is true, along axes.
func reduce(by graph.Reduction, isSquare bool) func(*call) []*value {
	return func(c *call) []*value {
		v := c.in[0]
		dims := c.layout(v)
		axes := c.listOr(1, "axes")
		if len(axes) == 0 {
			if c.int("noop_with_empty_axes", 0) != 0 {
				return c.same()
			}
			for i := range dims {
				axes = append(axes, i)
			}
		}
		dropped := 0 // how many dimensions at the front of dims the file does not have
		if v.isDropped {
			dropped = 1
		}
		for i, a := range axes {
			axes[i] = axis(a, len(dims)-dropped) + dropped
		}
		axes = slices.Concat(axes, v.pending)
		var out []*value
		ofPicture, ofChannels, err := c.extent(v, axes)
		if err != nil && v.dims != nil && len(dims) == 4 { // the samples may be reducible in the usual layout
			if plain, failed := c.inUsualLayout(v); failed == nil {
				v, dims = plain, c.layout(plain)
				ofPicture, ofChannels, err = c.extent(v, axes)
			}
		}
		of := c.channelsOf(v, axes)
		switch {
		case err != nil && !isSquare && of.step > 1 && of.size <= maxChoices && by != graph.Norm:
			return c.reduceApart(v, axes[0], of.size, by)
		case err != nil && !isSquare && of.step == 1:
			out = c.addChain(v, graph.ReduceEach{By: by, Size: of.size})
		case err != nil:
			if c.isSide(v, axes) && c.int("keepdims", 1) == 0 && !isSquare {
				a := axes[0]
				front := slices.Concat(layout{dims[a]}, dims[:a], dims[a+1:])
				return []*value{{samples: v.samples, dims: front, pending: []int{0}, reduction: c.op, isDropped: true}}
			}
			if c.isSide(v, axes) && !isSquare {
				return []*value{{samples: v.samples, dims: v.dims, pending: axes, reduction: c.op}}
			}
			out = c.reduceWindows(v, axes, by, isSquare)
		case !ofPicture && !ofChannels:
			out = []*value{v}
		case isSquare:
			out = c.addChain(v, graph.Square, graph.Reduce{By: by, OfPicture: ofPicture, OfChannels: ofChannels})
		default:
			out = c.addChain(v, graph.Reduce{By: by, OfPicture: ofPicture, OfChannels: ofChannels})
		}
		var left layout
		for d, parts := range dims {
			switch isReduced := slices.Contains(axes, d); {
			case d < dropped:
			case !isReduced:
				left = append(left, parts)
			case c.int("keepdims", 1) != 0:
				left = append(left, nil)
			}
		}
		if left == nil {
			left = layout{}
		}
		return []*value{out[0].arranged(left)}
	}
}

// reduceMin computes ReduceMin as the negated maximum of the negated samples, since the graph has only the maximum.
func (c *call) reduceMin() []*value {
	c.in[0] = c.combineNumber('*', c.in[0], -1, false)[0]
	return c.combineNumber('*', reduce(graph.Maximum, false)(c)[0], -1, false)
}

// isSide reports whether axes is a single dimension of v that is all rows, or all columns, of its node.
func (c *call) isSide(v *value, axes []int) bool {
	if len(axes) != 1 {
		return false
	}
	s := c.builder.Shape(v.samples.base)
	parts := merged(c.layout(v)[axes[0]])
	return len(parts) == 1 && parts[0].step == 1 && s.W*s.H > 1 &&
		(parts[0].of == rows && parts[0].size == s.H || parts[0].of == columns && parts[0].size == s.W)
}

// channelsOf returns the part of channels that axes consist of; a zero part unless axes are one dimension of one part.
func (c *call) channelsOf(v *value, axes []int) (p part) {
	if len(axes) == 1 {
		p, _ = singlePart(c.layout(v)[axes[0]], channels)
	}
	return p
}

// reduceApart computes the Sum, Mean or Maximum along a dimension of n channels that are not side by side. It selects
// the channels of one index after another and combines them. Without keepdims, the result lacks the dimension.
func (c *call) reduceApart(v *value, along, n int, by graph.Reduction) (out []*value) {
	sign := byte('+')
	if by == graph.Maximum {
		sign = '>'
	}
	for i := range n {
		one := c.selectIndexes(v, along, []int{i})
		if i > 0 {
			out = c.arithmetic(sign, out[0], one)
		} else {
			out = []*value{one}
		}
	}
	if by == graph.Mean {
		out = c.combineNumber('/', out[0], float64(n), false)
	}
	dims := slices.Clone(c.layout(out[0]))
	if c.int("keepdims", 1) == 0 {
		dims = slices.Delete(dims, along, along+1)
	}
	return []*value{out[0].arranged(dims)}
}

// reduceWindows reduces the samples, or with isSquare their squares, of windows of n×n pixels: side by side, or in a
// grid over the picture, which Interleaves bring side by side and back. All pixels of a window get the result.
func (c *call) reduceWindows(v *value, axes []int, by graph.Reduction, isSquare bool) []*value {
	var parts []part
	for _, d := range axes {
		parts = append(parts, c.layout(v)[d]...)
	}
	parts = merged(parts)
	s := c.builder.Shape(v.samples.base)
	fault := fail.With("of some of the pixels or channels is not supported, only of all, or of square windows")
	if len(parts) != 2 || parts[0].of != rows || parts[1].of != columns || parts[0].size != parts[1].size {
		panic(fault)
	}
	n, before, after := parts[0].size, []graph.Op{}, []graph.Op{} // operations up to the Pool, and after it
	isGrid := parts[0].step*n == s.H && parts[1].step*n == s.W && parts[0].step > 1
	if !isGrid && (parts[0].step != 1 || parts[1].step != 1) || s.W%n != 0 || s.H%n != 0 || n > graph.MaxScale {
		panic(fault)
	}
	if isGrid {
		before = append(before, graph.Interleave{Rows: n, Columns: n})
	}
	if by == graph.Norm || isSquare {
		before = append(before, graph.Square)
	}
	if by != graph.Mean && by != graph.Maximum {
		after = append(after, affine(float64(n*n), 0)) // the mean becomes the sum
	}
	if by == graph.Norm {
		after = append(after, graph.Sqrt)
	}
	before = append(before, graph.Pool{IsMax: by == graph.Maximum, Height: n, Width: n, Stride: n})
	after = append(after, graph.Resize{Up: n, Down: 1}) // by nearest neighbour: the result for all pixels of the window
	if isGrid {
		after = append(after, graph.Interleave{Rows: n, Columns: n, Undo: true})
	}
	return c.addChain(v, append(before, after...)...)
}

// globalPool returns a function for operation.make: it reduces each channel of the picture to one sample.
func globalPool(by graph.Reduction) func(*call) []*value {
	return func(c *call) []*value { return c.add(graph.Reduce{By: by, OfPicture: true}, c.in[0]) }
}

// pool returns a function for operation.make: it computes MaxPool or AveragePool. A window as large as the picture
// becomes a Reduce, which fits other sizes too. Windows that ceil_mode adds at the end become padding there.
func pool(isMax bool) func(*call) []*value {
	return func(c *call) []*value {
		shape, steps, apart := c.pair("kernel_shape", 0), c.pair("strides", 1), c.pair("dilations", 1)
		pads, s := c.pads(), c.shape()
		mode := c.text("auto_pad", "NOTSET")
		switch {
		case slices.Equal(shape, []int{s.H, s.W}) && slices.Equal(shape, steps) && s.W*s.H > 1 && len(pads) == 4 &&
			slices.Max(pads) == 0:
			by := graph.Mean
			if isMax {
				by = graph.Maximum
			}
			return c.add(graph.Reduce{By: by, OfPicture: true}, c.in[0])
		case steps[0] != steps[1] || apart[0] != 1 || apart[1] != 1 || c.outputs > 1 || c.int("storage_order", 0) != 0:
			panic(fail.With("with different strides across and down, with dilation, or with indexes, is not " +
				"supported"))
		case mode != "NOTSET" && mode != "" && mode != "VALID" || len(pads) != 4:
			panic(fail.With("with a padding that is not stated is not supported"))
		}
		op := graph.Pool{IsMax: isMax, Height: shape[0], Width: shape[1], Stride: steps[0],
			Pad:      graph.Edges{Top: pads[0], Left: pads[1], Bottom: pads[2], Right: pads[3]},
			CountPad: !isMax && c.int("count_include_pad", 0) != 0}
		if c.int("ceil_mode", 0) != 0 && op.Stride > 1 && op.Stride <= graph.MaxSide {
			// more returns the padding for one more window, if samples are left for it, and it begins in the picture.
			more := func(side, before, after, window int) int {
				left := (side + before + after - window) % op.Stride
				if left == 0 || side+before+after-left+op.Stride-window >= side+before {
					return 0
				}
				return op.Stride - left
			}
			down := more(s.H, op.Pad.Top, op.Pad.Bottom, op.Height)
			across := more(s.W, op.Pad.Left, op.Pad.Right, op.Width)
			fail.When(op.CountPad && down+across > 0, "of more than the stated padding is not supported")
			op.Pad.Bottom, op.Pad.Right = op.Pad.Bottom+down, op.Pad.Right+across
		}
		return c.add(op, c.in[0])
	}
}

// scaleAndOffset multiplies v by the constant in input 1 of the node and adds the constant in input 2, as far as it has
// these inputs. The constants lack the last dimensions of v; missing is the number of these.
func (c *call) scaleAndOffset(v []*value, missing int) (out []*value) {
	out = v
	for k, i := range []int{1, 2} {
		if i >= len(c.in) || c.in[i] == nil {
			continue
		}
		fail.When(c.in[i].constant == nil, "with parameters that are no constants is not supported")
		t := *c.in[i].constant
		t.dims = slices.Clone(t.dims)
		for range missing {
			t.dims = append(t.dims, 1)
		}
		errView.When(len(t.dims) > maxDims)
		out = c.arithmetic("*+"[k], out[0], &value{constant: &t})
	}
	return out
}

// layerNormalization computes LayerNormalization of the channels of each pixel, or of all channels and pixels together.
func (c *call) layerNormalization() []*value {
	v := c.in[0]
	fail.When(c.outputs > 1, "with several results is not supported")
	rank := len(c.layout(v))
	first := axis(c.int("axis", -1), rank)
	var axes []int
	for d := first; d < rank; d++ {
		axes = append(axes, d)
	}
	ofPicture, ofChannels, err := c.extent(v, axes)
	fail.When(err != nil || !ofChannels, "of other samples than the channels of a pixel, or all, is not supported")
	out := c.addChain(v, graph.Normalize{Groups: 1, OfPicture: ofPicture, Epsilon: float32(c.real("epsilon", 1e-5))})
	return c.scaleAndOffset(out, 0) // the constants have all dimensions from first on
}

// instanceNormalization normalises the samples of each index in dimension 1: of a channel, or of a group of channels.
func (c *call) instanceNormalization() []*value {
	v := c.in[0]
	dims := c.layout(v)
	sizes := dims.sizes()
	fail.When(len(dims) < 3 || sizes[0] != 1, "of fewer than 3 dimensions, or of several pictures, is not supported")
	count := c.builder.Shape(v.samples.base).Channels
	p, isChannels := singlePart(dims[1], channels)
	if sizes[1] == 1 {
		p, isChannels = part{size: 1, step: count}, true
	}
	errView.When(!isChannels || p.size*p.step != count)
	out := c.addChain(v, graph.Normalize{Groups: p.size, OfPicture: true, Epsilon: float32(c.real("epsilon", 1e-5))})
	return c.scaleAndOffset(out, len(dims)-2) // the constants lack the dimensions after dimension 1
}

// groupNormalization computes GroupNormalization. Each group has all pixels of some neighbouring channels.
func (c *call) groupNormalization() []*value {
	s := c.shape()
	groups := c.int("num_groups", 0)
	op := graph.Normalize{Groups: groups, OfPicture: true, Epsilon: float32(c.real("epsilon", 1e-5))}
	out := c.add(op, c.in[0])
	for i := 1; i < 3 && c.opset < 21; i++ { // before version 21, one factor and offset for each group
		t := c.in[i].constant
		fail.When(t == nil || t.size() != groups || s.Channels > c.budget, // list must not be too large
			"has parameters that are not %d constants", groups)
		list := make([]float32, s.Channels)
		for k := range list {
			list[k] = float32(t.real(k / (s.Channels / groups)))
		}
		c.in[i] = &value{constant: &tensor{dims: []int{s.Channels}, reals: list}}
	}
	return c.scaleAndOffset(out, 2) // the constants have no rows and columns
}

// softmax computes Softmax. Before version 13 of the operations it was over all dimensions from axis on, by default 1.
func (c *call) softmax() []*value {
	v := c.in[0]
	dims := c.layout(v)
	usual := -1
	if c.opset < 13 {
		usual = 1
	}
	along := axis(c.int("axis", usual), len(dims))
	fail.When(c.opset < 13 && along != len(dims)-1, "of several dimensions is not supported")
	return c.softmaxOf(v, along)
}

// softmaxOf computes Softmax of v along one dimension: all pixels, or channels, which may lie apart. It sorts channels
// that lie apart, so that the channels of a group are side by side, and sorts them back.
func (c *call) softmaxOf(v *value, along int) []*value {
	if ofPicture, ofChannels, err := c.extent(v, []int{along}); err == nil && ofPicture && !ofChannels {
		return c.softmaxOfPicture(v)
	}
	p, isChannels := singlePart(c.layout(v)[along], channels)
	fail.When(!isChannels || p.step < 1,
		"of other samples than the channels of a pixel, or of scores, is not supported")
	if p.step == 1 {
		return c.addChain(v, graph.Softmax{Size: p.size})
	}
	count := c.builder.Shape(v.samples.base).Channels
	errView.When(count%(p.size*p.step) != 0)
	// In each block of p.size·p.step channels, channel i of group g is at i·p.step + g, and becomes g·p.size + i.
	beside, back := make([]int, 0, count), make([]int, count) // the order of channels for Softmax, and its inverse
	for k := range count {
		from := k/(p.size*p.step)*p.size*p.step + k%p.size*p.step + k/p.size%p.step
		beside, back[from] = append(beside, from), k
	}
	return c.addChain(v, graph.Select{Channels: beside}, graph.Softmax{Size: p.size}, graph.Select{Channels: back})
}

// softmaxOfPicture computes Softmax over all pixels of each channel.
func (c *call) softmaxOfPicture(v *value) []*value {
	node := c.samples(v)
	node = c.put(graph.Exp, c.put(graph.Sub{}, node, c.put(graph.Reduce{By: graph.Maximum, OfPicture: true}, node)))
	node = c.put(graph.Div{}, node, c.put(graph.Reduce{By: graph.Sum, OfPicture: true}, node))
	return []*value{c.sampled(node).arranged(v.dims)}
}

// compare returns a function for operation.make: it computes x > y, or y > x if isSwapped. isNegated exchanges 0 and 1.
func compare(isSwapped, isNegated bool) func(*call) []*value {
	return func(c *call) []*value {
		x, y := c.in[0], c.in[1]
		if isSwapped {
			x, y = y, x
		}
		out := c.apply(c.arithmetic('-', x, y)[0], positive, c.emit(graph.Positive))
		if isNegated {
			return c.arithmetic('-', &value{constant: scalar(1)}, out[0])
		}
		return out
	}
}

// where computes Where with values that depend on the picture. Constants must be single numbers, or the condition.
func (c *call) where() []*value {
	if t := c.in[0].constant; t != nil && t.size() == 1 {
		if t.real(0) != 0 {
			return c.in[1:2]
		}
		return c.in[2:3]
	} else if t != nil {
		return c.masked(t)
	}
	values := c.in[:3]
	for i, v := range values {
		if v.constant == nil {
			continue
		}
		fail.When(v.constant.size() != 1, "with a constant of several numbers is not supported")
		number := v.constant.real(0) // becomes samples of the condition's shape
		values[i] = c.apply(c.in[0], func(float64) float64 { return number }, c.emit(affine(0, number)))[0]
	}
	nodes, dims := c.align(values...)
	return []*value{c.sampled(c.put(graph.Where{}, nodes...)).arranged(dims)}
}

// masked computes Where for a constant condition: the sum of both operands, each times a mask of 0 and 1. If the
// condition is the mask of a ShiftMask, a very low number in place of scores of attention is added to them instead.
func (c *call) masked(condition *tensor) (out []*value) {
	c.spendConstants(2 * condition.size())
	const low = -1e9 // samples of usual size, added to it, have no effect in float32
	if number, v := c.in[1].constant, c.in[2]; number != nil && number.size() == 1 && number.real(0) <= low &&
		v.constant == nil {
		t := &tensor{dims: condition.dims, reals: make([]float32, condition.size())}
		for k := range t.reals {
			if condition.real(k) != 0 {
				t.reals[k] = float32(max(number.real(0), -math.MaxFloat32))
			}
		}
		if _, is := c.shiftMask(v, t); is {
			return c.arithmetic('+', v, &value{constant: t})
		}
	}
	for i, v := range c.in[1:3] {
		mask := &tensor{dims: condition.dims, reals: make([]float32, condition.size())}
		for k := range mask.reals {
			if condition.real(k) != 0 == (i == 0) {
				mask.reals[k] = 1
			}
		}
		term := &value{constant: mask}
		switch {
		case v.constant == nil:
			term = c.arithmetic('*', v, term)[0]
		case v.constant.size() == 1:
			number := float32(min(max(v.constant.real(0), -math.MaxFloat32), math.MaxFloat32)) // the constant may be −∞
			for k, is := range mask.reals {
				if is != 0 {
					mask.reals[k] = number
				}
			}
		default:
			panic(fail.With("with a constant of several numbers is not supported"))
		}
		if out == nil {
			out = []*value{term}
		} else {
			out = c.arithmetic('+', out[0], term)
		}
	}
	return out
}

// castTo8 computes Cast of samples to numbers of 8 bits: it limits them to 0..255 and rounds down.
func (c *call) castTo8() []*value {
	return c.apply(c.in[0], func(x float64) float64 { return math.Floor(min(max(x, 0), 255)) },
		c.emit(graph.Clip{Min: 0, Max: 255}, graph.Floor))
}
