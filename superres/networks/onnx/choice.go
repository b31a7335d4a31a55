package onnx

import (
	"slices"

	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

// sum adds nodes for the sum of the nodes term(0) to term(count−1), which term adds, and returns the last node.
func (c *call) sum(count int, term func(i int) int) (sum int) {
	for i := range count {
		if node := term(i); i == 0 {
			sum = node
		} else {
			sum = c.put(graph.Add{}, sum, node)
		}
	}
	return sum
}

// isZero adds nodes that give 1 where node + offset is 0, else 0, for integers. offset may have a number per channel.
func (c *call) isZero(node int, offset ...float32) int {
	return c.chain(node, graph.Affine{Scale: []float32{1}, Offset: offset}, graph.Abs, affine(-1, 1),
		graph.Clip{Max: 1})
}

// maxChoices is the greatest number of channels among which TopK chooses, since it compares all pairs. It also bounds
// the channels that ScatterElements and reduceApart take one by one.
const maxChoices = 32

// choices returns the node of v and its number of channels. It fails unless dimension along is all of them, in order.
func (c *call) choices(v *value, along int) (node, n int) {
	fail.When(v.constant != nil, "of constants is not supported")
	p, isChannels := singlePart(c.layout(v)[along], channels)
	node = c.samples(v)
	n = c.builder.Shape(node).Channels
	fail.When(n > 1 && (!isChannels || p.step != 1 || p.size != n) || n > maxChoices,
		"of pixels, or of more than %d channels, is not supported", maxChoices)
	return node, n
}

// placed returns node as a value with the layout of like, but its n channels as dimension number along.
func (c *call) placed(node int, like *value, along, n int) *value {
	dims := slices.Clone(c.layout(like))
	dims[along] = []part{{of: channels, size: n, step: 1}}
	return c.sampled(node).arranged(dims)
}

// ranks adds nodes that give each of n channels its rank: how many other channels are greater (less, if isLeast), or
// equal and earlier. It compares all pairs of samples: whether a later channel k is greater than channel i, and 1 minus
// whether channel i is greater than an earlier channel k.
func (c *call) ranks(node, n int, isLeast bool) int {
	first, second, sums := make([]int, n*n), make([]int, n*n), make([]int, n)
	op := graph.Affine{Scale: make([]float32, n*n), Offset: make([]float32, n*n)}
	for i := range n {
		sums[i] = i * n // the first of the n channels that all get the sum of a group
		for k := range n {
			at := i*n + k
			first[at], second[at], op.Scale[at] = k, i, 1
			if k < i {
				first[at], second[at], op.Scale[at], op.Offset[at] = i, k, -1, 1
			}
		}
	}
	if isLeast {
		first, second = second, first
	}
	x := c.put(graph.Sub{}, c.put(graph.Select{Channels: first}, node), c.put(graph.Select{Channels: second}, node))
	return c.chain(x, graph.Positive, op, graph.ReduceEach{By: graph.Sum, Size: n}, graph.Select{Channels: sums})
}

// topK computes TopK among the channels of each pixel: the k greatest (or least) samples, and their channel numbers.
// The sample of rank j is the sum of all samples times whether they have this rank, and likewise for its number.
func (c *call) topK() []*value {
	v, k := c.in[0], c.number(1, 0)
	along := axis(c.int("axis", -1), len(c.layout(v)))
	node, n := c.choices(v, along)
	fail.When(!(k >= 1 && k <= float64(n)), "of %g of %d channels", k, n)
	number := graph.Conv{Out: 1, Height: 1, Width: 1, Dilation: 1, Groups: 1, Weight: make([]float32, n)}
	for i := range n {
		number.Weight[i] = float32(i)
	}
	var greatest, indexes []int
	ranks := c.ranks(node, n, c.int("largest", 1) == 0)
	for j := range int(k) {
		is := c.isZero(ranks, float32(-j))
		value := c.chain(c.put(graph.Mul{}, node, is), graph.Reduce{By: graph.Sum, OfChannels: true})
		greatest = append(greatest, value)
		indexes = append(indexes, c.put(number, is))
	}
	values := c.placed(c.put(graph.Concat{}, greatest...), v, along, len(greatest))
	which := c.placed(c.put(graph.Concat{}, indexes...), v, along, len(indexes))
	return []*value{values, which}
}

// scatterElements computes ScatterElements that puts the channels of the third input into an array of n channels of
// zeros, where the second input says. Channel m of the result is the sum of all samples that have the index m.
func (c *call) scatterElements() []*value {
	zeros, by := c.in[0].constant, c.in[2]
	fail.When(zeros == nil || zeros.reals == nil ||
		slices.ContainsFunc(zeros.reals, func(x float32) bool { return x != 0 }) ||
		c.text("reduction", "none") != "none" || by.constant != nil, "of samples is supported to replace zeros alone")
	along, sizes := axis(c.int("axis", 0), len(zeros.dims)), c.sizes(by)
	errView.When(len(sizes) != len(zeros.dims))
	n := zeros.dims[along]
	sizes[along] = n
	fail.When(n < 1 || n > maxChoices || !slices.Equal(sizes, zeros.dims), "into %v zeros is not supported", zeros.dims)
	node, count := c.choices(by, along)
	which, indexes := c.choices(c.in[1], along)
	errView.When(count != indexes)
	minus := make([]float32, n)
	for i := range minus {
		minus[i] = float32(-i)
	}
	out := c.placed(c.sum(count, func(j int) int {
		is := c.isZero(c.put(graph.Select{Channels: slices.Repeat([]int{j}, n)}, which), minus...)
		return c.put(graph.Mul{}, is, c.put(graph.Select{Channels: []int{j}}, node))
	}), by, along, n)
	return []*value{out}
}

// scatterND computes ScatterND if it replaces whole channels (exported from Python's x[:, :n] = y), every f-th pixel in
// both directions (x[:, :, ::2, ::2] = y), or an edge by a number for each channel (x[:, :, :1] = y).
func (c *call) scatterND() []*value {
	which, by := c.in[1].constant, c.in[2]
	fault := fail.With("of samples is supported for whole channels, every nth pixel, and a number at an edge, alone")
	into := c.sizes(c.in[0])
	if which == nil || which.ints == nil || len(which.dims) < 2 || c.text("reduction", "none") != "none" ||
		len(into) != 4 || into[0] != 1 {
		panic(fault)
	}
	// Each index holds the number of a picture (0) and of a channel, and maybe of a row and a column.
	s, sides := graph.Shape{W: into[3], H: into[2], Channels: into[1]}, c.sizes(by)
	depth := which.dims[len(which.dims)-1]
	if depth < 2 || depth > 4 || len(sides) != 4 || sides[0] != 1 || product(sides) < 1 || sides[1] > s.Channels ||
		by.constant != nil && by.constant.reals == nil {
		panic(fault)
	}
	n, each := sides[1], product(sides[2:depth])
	if sides = sides[2:]; n*depth*each != which.size() {
		panic(fault)
	}
	fail.If(c.spendWork(which.size()))
	first, step := [4]int64{}, [4]int64{2: 1, 3: 1}
	for d := 2; d < depth; d++ {
		first[d] = which.ints[d]
		if last := which.ints[which.size()-depth+d]; sides[d-2] > 1 {
			step[d] = (last - first[d]) / int64(sides[d-2]-1)
		}
	}
	from := make([]int, s.Channels) // for each channel, its place in the first input, or s.Channels + its place in by
	for i := range from {
		from[i] = i
	}
	for i := range n * each {
		index := which.ints[i*depth:][:depth]
		channel := index[1]
		if channel < 0 {
			channel += int64(s.Channels)
		}
		isWhole := index[0] == 0 && channel >= 0 && channel < int64(s.Channels)
		for d, left := depth-1, i%each; d >= 2; d-- {
			isWhole = isWhole && index[d] == first[d]+int64(left%sides[d-2])*step[d] && index[d] >= 0 &&
				index[d] < int64(into[d])
			left /= sides[d-2]
		}
		if !isWhole || from[channel] != int(channel) && from[channel] != s.Channels+i/each {
			panic(fault)
		}
		from[channel] = s.Channels + i/each
	}
	start := [2]int{int(first[2]), int(first[3])}
	switch f := int(step[3]); {
	case by.constant != nil && f == 1 && step[2] == 1:
		return c.replaceEdge(by.constant, from, s, start, fault)
	case f > 1 && step[2] == step[3] && max(start[0], start[1]) < f && sides[0]*f == s.H && sides[1]*f == s.W:
		return c.replacePixels(f, start, s, fault)
	case f != 1 || step[2] != 1 || sides[0] != s.H || sides[1] != s.W || c.in[0].constant != nil:
		panic(fault)
	}
	return c.add(graph.Select{Channels: from}, c.add(graph.Concat{}, c.in[0], by)...)
}

// replacePixels replaces every f-th pixel, down from row first[0] and across from column first[1], by a pixel of the
// third input. The first input, in which it replaces them, is a picture of shape s, or zeros. The pixels of f×f squares
// become channels, of which one is replaced, and pixels again.
func (c *call) replacePixels(f int, first [2]int, s graph.Shape, fault fail.Failure) []*value {
	by, zeros := fail.Need(c.node(c.in[2])), c.in[0].constant
	if c.builder.Shape(by).Channels != s.Channels || s.Channels*f*f > graph.MaxChannels {
		panic(fault)
	}
	from, isZero := make([]int, s.Channels*f*f), func(x float32) bool { return x == 0 }
	var all int // the old channels, and after them the new ones
	switch {
	case zeros == nil:
		all = c.put(graph.Concat{}, c.put(graph.PixelUnshuffle{Factor: f}, fail.Need(c.node(c.in[0]))), by)
	case zeros.reals == nil || !isZero(slices.Min(zeros.reals)) || !isZero(slices.Max(zeros.reals)):
		panic(fault)
	default:
		all = c.put(graph.Concat{}, c.put(affine(0, 0), by), by) // a channel of zeros for all old pixels of a channel
	}
	for i := range from {
		channel, pixel := i/(f*f), i%(f*f)
		switch isNew := pixel == first[0]*f+first[1]; {
		case isNew && zeros == nil:
			from[i] = len(from) + channel
		case isNew:
			from[i] = s.Channels + channel
		case zeros == nil:
			from[i] = i
		default:
			from[i] = channel
		}
	}
	node := c.chain(all, graph.Select{Channels: from}, graph.PixelShuffle{Factor: f})
	return []*value{c.sampled(node)}
}

// replaceEdge sets a strip at one edge of the first input, a picture of shape s, to the constant by. The strip begins
// at row first[0] and column first[1], and is as large as by. Channel i gets channel from[i] − s.Channels of by, which
// must repeat a single number; else replaceEdge panics with fault.
func (c *call) replaceEdge(by *tensor, from []int, s graph.Shape, first [2]int, fault fail.Failure) []*value {
	border := make([]float32, s.Channels)
	size := by.dims[2] * by.dims[3]
	for i, k := range from {
		if k < s.Channels {
			panic(fault)
		}
		values := by.reals[(k-s.Channels)*size:][:size]
		border[i] = values[0]
		if slices.ContainsFunc(values, func(v float32) bool { return v != values[0] }) {
			panic(fault)
		}
	}
	op := graph.Pad{} // puts the strip in place of the same strip, which cut removes first
	switch isWide, isHigh := by.dims[3] == s.W, by.dims[2] == s.H; {
	case isWide && !isHigh && first[0] == 0:
		op.Top = by.dims[2]
	case isWide && !isHigh && first[0]+by.dims[2] == s.H:
		op.Bottom = by.dims[2]
	case isHigh && !isWide && first[1] == 0:
		op.Left = by.dims[3]
	case isHigh && !isWide && first[1]+by.dims[3] == s.W:
		op.Right = by.dims[3]
	default:
		panic(fault)
	}
	cut := graph.Pad{Edges: graph.Edges{Top: -op.Top, Left: -op.Left, Bottom: -op.Bottom, Right: -op.Right}}
	c.in[0] = c.add(cut, c.in[0])[0]
	return c.padWith(op, border)
}

// maxTaps is the greatest number of taps of a convolution that has samples as weights.
const maxTaps = 49

// convBySamples computes a depthwise Conv with weights that the network computes from means of the picture (Lee et al.:
// Emulating Self-Attention with Convolution, ICCV 2025): the sum of moved samples, each times a weight.
func (c *call) convBySamples() []*value {
	input := fail.Need(c.node(c.in[0]))
	s, w := c.builder.Shape(input), c.in[1]
	dims, by := c.layout(w), c.builder.Shape(w.samples.base)
	sizes, pads := dims.sizes(), c.pads()
	steps := slices.Concat(c.attributes["dilations"].numbers, c.attributes["strides"].numbers)
	fail.When(len(sizes) != 4 || sizes[0] != s.Channels || sizes[1] != 1 || sizes[2]*sizes[3] > maxTaps ||
		by.W*by.H != 1 || c.int("group", 1) != s.Channels || len(pads) != 4 ||
		c.text("auto_pad", "NOTSET") != "NOTSET" || slices.ContainsFunc(steps, func(n int64) bool { return n != 1 }) ||
		c.in[2] != nil, "with weights that are samples is supported for each channel alone, with few taps and a "+
		"stated padding, without dilation, strides and biases")
	node := fail.Need(c.selectChannels(c.samples(w), slices.Concat(dims[2], dims[3], dims[0]), by.Channels))
	sum := c.sum(sizes[2]*sizes[3], func(tap int) int {
		y, x, of := tap/sizes[3], tap%sizes[3], make([]int, s.Channels)
		for i := range of {
			of[i] = tap*s.Channels + i
		}
		moved := c.put(graph.Pad{Edges: graph.Edges{Top: pads[0] - y, Left: pads[1] - x,
			Bottom: pads[2] - (sizes[2] - 1 - y), Right: pads[3] - (sizes[3] - 1 - x)}}, input)
		return c.put(graph.Mul{}, moved, c.put(graph.Select{Channels: of}, node))
	})
	return []*value{c.sampled(sum)}
}
