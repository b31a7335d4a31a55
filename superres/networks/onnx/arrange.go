package onnx

import (
	"slices"

	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

func foldShape(c *call) *tensor { return c.shapeOf(c.in[0].constant.dims) }

// shapeOf computes Shape of an array of the given dimensions: the dimensions with the indexes from start to before end.
// As ONNX demands, a negative index counts from the end, and indexes beyond the ends are limited.
func (c *call) shapeOf(dims []int) *tensor {
	first, last := c.int("start", 0), c.int("end", len(dims))
	limit := func(n int) int {
		if n < 0 {
			n += len(dims)
		}
		return min(max(n, 0), len(dims))
	}
	out := vector()
	for i := limit(first); i < limit(last); i++ {
		out.ints = append(out.ints, int64(dims[i]))
	}
	out.dims[0] = len(out.ints)
	return out
}

// shapeValue computes Shape of values that depend on the picture. Their sizes are known, so the result is a constant.
func (c *call) shapeValue() []*value {
	return []*value{{constant: c.shapeOf(c.sizes(c.in[0]))}}
}

// same returns the first input unchanged.
func (c *call) same() []*value { return []*value{c.in[0]} }

// castSamples computes Cast of values that depend on the picture. They are float32 here, so casts to real numbers and
// to bool change nothing. A cast to uint8 limits them to 0..255 and rounds down, and other casts fail.
func (c *call) castSamples() []*value {
	switch to := c.int("to", 0); {
	case to == typeUint8:
		return c.castTo8()
	case !isReal(to) && to != typeBool:
		panic(fail.With("of samples to whole numbers is not supported"))
	}
	return c.same()
}

// castLike computes CastLike where the first input, the second or both depend on the picture. Constants become real.
func (c *call) castLike() []*value {
	from, like := c.in[0].constant, c.in[1].constant
	fail.When(from == nil && like != nil && like.ints != nil, "of samples to whole numbers is not supported")
	if from == nil {
		return c.same()
	}
	return []*value{{constant: c.cast(from, typeFloat32)}}
}

// foldConcat joins constants of one type, with sizes that may differ only along the axis. It skips inputs left out.
func foldConcat(c *call) *tensor {
	first := c.in[0].constant
	along := axis(c.int("axis", 0), len(first.dims))
	dims := slices.Clone(first.dims)
	dims[along] = 0
	var parts []*tensor
	for _, v := range c.in {
		if v == nil {
			continue
		}
		part := v.constant
		fail.When(len(part.dims) != len(dims) || part.ints == nil != (first.ints == nil),
			"of constants of several types or ranks")
		for d, size := range part.dims {
			fail.When(d != along && size != dims[d], "of constants of %v and %v numbers", first.dims, part.dims)
		}
		dims[along] += part.dims[along]
		parts = append(parts, part)
	}
	step := strides(dims)[along] // numbers per index along the axis, the same in each part
	return c.fill(dims, first.ints != nil, func(out *tensor, i int, index []int) {
		at := index[along] // in part, once it is less than its side
		for _, part := range parts {
			if side := part.dims[along]; at >= side {
				at -= side
				continue
			}
			out.copyFrom(i, part, (i/(step*dims[along])*part.dims[along]+at)*step+i%step)
			break
		}
	})
}

// concat computes Concat of values that depend on the picture: along a dimension that is the outermost part of the
// channels, along the channels in the usual layout, or, with two pieces of one picture in exchanged order, as a Roll.
func (c *call) concat() (out []*value) {
	inputs := slices.DeleteFunc(slices.Clone(c.in), func(v *value) bool { return v == nil })
	for _, v := range inputs {
		fail.When(v.constant != nil, "of samples and constants is not supported")
	}
	first := c.layout(inputs[0])
	along := axis(c.int("axis", 1), len(first))
	// total is the size of the result along the axis, and inner how many channels each index there has. isWhole says
	// whether this is the outermost dimension of each input's channels, and the others are as in the first input.
	total, inner, isWhole := 0, 1, true
	for d, parts := range first {
		for _, p := range parts {
			if d != along && p.of == channels && p.step > 0 {
				inner *= p.size
			}
		}
	}
	for _, v := range inputs {
		dims := c.layout(v)
		size := 0
		if isWhole = isWhole && len(dims) == len(first); isWhole {
			size = dims.sizes()[along]
			p, isChannels := singlePart(dims[along], channels)
			isWhole = size == 1 || isChannels && p.step == inner
			isWhole = isWhole && size*inner == c.builder.Shape(v.samples.base).Channels
		}
		for d := range first {
			isWhole = isWhole && (d == along || slices.Equal(merged(dims[d]), merged(first[d])))
		}
		total += size
	}
	if !isWhole {
		if fail.Catch(func() { out = c.roll(inputs, along) }) == nil {
			return out
		}
		fail.When(along != 1 || len(first) != 4, "of samples is supported along the channels alone")
		return c.add(graph.Concat{}, inputs...)
	}
	nodes := make([]int, len(inputs))
	for i, v := range inputs {
		nodes[i] = c.samples(v)
	}
	dims := slices.Clone(first)
	dims[along] = []part{{of: channels, size: total, step: inner}}
	return []*value{c.sampled(c.put(graph.Concat{}, nodes...)).arranged(dims)}
}

// roll adds a Roll, a cyclic shift, if inputs are two pieces of a picture cut along dimension along, the second first:
// the first input lacks −e.Top rows at the top, which are the second input. Columns likewise. It fails for others.
func (c *call) roll(inputs []*value, along int) []*value {
	var cuts [2]graph.Pad
	var from [2]int
	errView.When(len(inputs) != 2)
	for i, v := range inputs {
		n := c.builder.Node(c.samples(v))
		var isPad bool
		if cuts[i], isPad = n.Op.(graph.Pad); !isPad {
			panic(errView)
		}
		from[i] = n.Inputs[0]
	}
	s, e, f := c.builder.Shape(from[0]), cuts[0].Edges, cuts[1].Edges // e and f cut the pieces out
	var op graph.Roll
	side := part{of: rows, size: s.H, step: 1}
	switch {
	case from[0] != from[1]:
		panic(errView)
	case e == graph.Edges{Top: e.Top} && f == graph.Edges{Bottom: -s.H - e.Top}:
		op.Rows = shortest(-e.Top, s.H)
	case e == graph.Edges{Left: e.Left} && f == graph.Edges{Right: -s.W - e.Left}:
		op.Columns = shortest(-e.Left, s.W)
		side = part{of: columns, size: s.W, step: 1}
	default:
		panic(errView)
	}
	out := slices.Clone(c.layout(inputs[0]))
	if p, is := singlePart(out[along], side.of); !is || p.step != 1 {
		panic(errView)
	}
	out[along] = []part{side}
	return []*value{c.sampled(c.put(op, from[0])).arranged(out)}
}

// shortest returns the cyclic shift of n samples with the effect of the given shift and the least absolute value. Files
// for one size of picture may state n − k for a shift by −k.
func shortest(shift, n int) int {
	if 2*shift > n {
		return shift - n
	}
	return shift
}

// foldGather computes Gather of constants: the values of the first input at the indexes in the second along an axis.
// Negative indexes count from the end. It fails for indexes beyond the ends.
func foldGather(c *call) *tensor {
	from, which := c.in[0].constant, c.in[1].constant
	along := axis(c.int("axis", 0), len(from.dims))
	fail.When(which.ints == nil, "has indexes that are not whole")
	dims := slices.Concat(from.dims[:along], which.dims, from.dims[along+1:])
	steps, inner := strides(from.dims), strides(which.dims)
	side := from.dims[along]
	return c.rearranged(from, dims, func(index []int) (offset int) {
		for d, i := range index[:along] {
			offset += i * steps[d]
		}
		k := 0
		for d, step := range inner {
			k += index[along+d] * step
		}
		i := which.ints[k]
		if i < 0 {
			i += int64(side)
		}
		if i < 0 || i >= int64(side) {
			return -1 // with which rearranged fails
		}
		offset += int(i) * steps[along]
		for d, i := range index[along+len(inner):] {
			offset += i * steps[along+1+d]
		}
		return offset
	})
}

// gatherSamples computes Gather of values that depend on the picture. A list of indexes selects channels. A single
// index selects one channel and removes the dimension, or removes any dimension of size 1. A table of indexes splits
// rows or columns into windows, as overlapping says.
func (c *call) gatherSamples() []*value {
	v := c.in[0]
	which := c.in[1].constant
	fail.When(which == nil || len(which.dims) > 2,
		"of samples is supported for a list of channels, and for windows, alone")
	sizes := c.sizes(v)
	along := axis(c.int("axis", 0), len(sizes))
	list := fail.Need(which.numbers())
	if len(which.dims) == 2 {
		return c.overlapping(v, along, which.dims[0], which.dims[1], list)
	}
	for i, k := range list {
		if k < 0 {
			list[i] += sizes[along]
		}
	}
	if len(which.dims) > 0 || sizes[along] > 1 {
		v = c.selectIndexes(v, along, list)
	}
	if len(which.dims) > 0 {
		return []*value{v}
	}
	dims := c.layout(v)
	return []*value{v.arranged(slices.Concat(dims[:along], dims[along+1:]))}
}

// overlapping splits dimension along of v, rows or columns, in two, as PyTorch exports Unfold: the n of a window and m
// windows, which begin at equal distances and may overlap. list holds the index of row i of window k at i·m + k.
func (c *call) overlapping(v *value, along, n, m int, list []int) []*value {
	dims := c.layout(v)
	parts := merged(dims[along])
	fail.When(n < 1 || m < 1 || len(parts) != 1 || parts[0].of == channels || parts[0].step != 1,
		"of samples is supported for a list of channels, and for windows, alone")
	inner, outer := parts[0], parts[0]
	inner.size, outer.size, outer.step = n, m, 1
	if m > 1 {
		outer.step = list[1]
	}
	for i, k := range list {
		fail.When(k != i/m+i%m*outer.step || k >= parts[0].size,
			"of the indexes %v, which are no windows one after another, is not supported", list)
	}
	return []*value{v.arranged(slices.Concat(dims[:along], layout{{inner}, {outer}}, dims[along+1:]))}
}

// foldScatterND computes ScatterND of constants: it replaces some numbers of the first input by the third input. Each
// row of the second input along its last dimension is an index into the first dimensions of the first input, at which
// the next numbers of the third fill the dimensions that are left.
func foldScatterND(c *call) *tensor {
	from, which, by := c.in[0].constant, c.in[1].constant, c.in[2].constant
	fail.When(len(which.dims) == 0 || which.ints == nil || c.text("reduction", "none") != "none",
		"with indexes that are not whole, or with a reduction, is not supported")
	depth := which.dims[len(which.dims)-1]
	fail.When(depth > len(from.dims) || (from.ints == nil) != (by.ints == nil),
		"of %d indexes for %d dimensions, or of two types of numbers", depth, len(from.dims))
	steps, size := strides(from.dims), product(from.dims[depth:])
	count := product(which.dims[:len(which.dims)-1])
	fail.When(by.size() != count*size, "of %d numbers, expected %d", by.size(), count*size)
	out := c.rearranged(from, from.dims, from.repeated())
	c.spendConstants(by.size())
	for i := 0; i*size < by.size(); i++ {
		offset := 0
		for d := range depth {
			k := which.ints[i*depth+d]
			if k < 0 {
				k += int64(from.dims[d])
			}
			fail.When(k < 0 || k >= int64(from.dims[d]), "reaches beyond a constant")
			offset += int(k) * steps[d]
		}
		if from.ints != nil {
			copy(out.ints[offset:][:size], by.ints[i*size:])
		} else {
			copy(out.reals[offset:][:size], by.reals[i*size:])
		}
	}
	return out
}
