package onnx

import (
	"errors"
	"fmt"
	"slices"

	"superres/superres/networks/graph"
)

// maxChoices is the greatest number of channels among which TopK chooses, each of which is compared with each.
const maxChoices = 32

// choices returns the node of a value of which a dimension has all channels, and their number.
func (c *call) choices(v *value, along int) (node, n int, err error) {
	if v.constant != nil {
		return 0, 0, errors.New("of constants is not supported")
	}
	p, isChannels := only(c.layout(v)[along], channels)
	if node, err = v.samples.resolve(c.tracer); err != nil {
		return 0, 0, err
	}
	n = c.builder.Shape(node).Channels
	if n > 1 && (!isChannels || p.step != 1 || p.size != n) || n > maxChoices {
		return 0, 0, fmt.Errorf("of pixels, or of more than %d channels, is not supported", maxChoices)
	}
	return node, n, nil
}

// chain adds operations one after another, and returns the last.
func (c *call) chain(node int, ops ...graph.Op) (int, error) {
	var err error
	for _, op := range ops {
		if err == nil {
			node, err = c.builder.Add(c.name, op, node)
		}
	}
	return node, err
}

// equal adds what is 1 where whole numbers, less the given offset of one or of each channel, are 0, else 0.
func (c *call) equal(node int, offset ...float32) (int, error) {
	return c.chain(node, graph.Affine{Scale: []float32{1}, Offset: offset}, graph.Abs, affine(-1, 1),
		graph.Clip{Max: 1})
}

// upward returns 0, −1, … for n channels.
func upward(n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(-i)
	}
	return list
}

// ranks adds how many of n channels are greater than each, or as great and before it; less in place of greater if
// isLeast.
func (c *call) ranks(node, n int, isLeast bool) (int, error) {
	first, second, sums := make([]int, n*n), make([]int, n*n), make([]int, n)
	op := graph.Affine{Scale: make([]float32, n*n), Offset: make([]float32, n*n)}
	for i := range n {
		sums[i] = i * n
		for k := range n {
			// That channel k is before i, of the samples of which the first is greater than the second.
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
	x, err := c.chain(node, graph.Select{Channels: first})
	if err != nil {
		return 0, err
	}
	y, err := c.chain(node, graph.Select{Channels: second})
	if err != nil {
		return 0, err
	}
	if x, err = c.builder.Add(c.name, graph.Sub{}, x, y); err != nil {
		return 0, err
	}
	return c.chain(x, graph.Positive, op, graph.ReduceEach{By: graph.Sum, Size: n}, graph.Select{Channels: sums})
}

// productSum adds the products of two nodes, and their sum over the channels.
func (c *call) productSum(x, y int) (int, error) {
	node, err := c.builder.Add(c.name, graph.Mul{}, x, y)
	if err != nil {
		return 0, err
	}
	return c.chain(node, graph.Reduce{By: graph.Sum, OfChannels: true})
}

// joined returns nodes of one channel each as a value like another, of which a dimension has them.
func (c *call) joined(like *value, along int, nodes []int) (*value, error) {
	node, err := c.builder.Add(c.name, graph.Concat{}, nodes...)
	dims := slices.Clone(c.layout(like))
	dims[along] = []part{{of: channels, size: len(nodes), step: 1}}
	return c.sampled(node).arranged(dims), err
}

// topK is TopK among channels.
func (c *call) topK() ([]*value, error) {
	v := c.in[0]
	k, err := c.number(1, 0)
	if err != nil {
		return nil, err
	}
	along, err := axis(c.int("axis", -1), len(c.layout(v)))
	if err != nil {
		return nil, err
	}
	node, n, err := c.choices(v, along)
	if err != nil {
		return nil, err
	}
	if !(k >= 1 && k <= float64(n)) {
		return nil, fmt.Errorf("of %g of %d channels", k, n)
	}
	ranks, err := c.ranks(node, n, c.int("largest", 1) == 0)
	if err != nil {
		return nil, err
	}
	var greatest, indexes []int
	number := graph.Conv{Out: 1, Height: 1, Width: 1, Dilation: 1, Groups: 1, Weight: make([]float32, n)}
	for i := range n {
		number.Weight[i] = float32(i)
	}
	for j := range int(k) {
		is, err := c.equal(ranks, float32(-j))
		if err != nil {
			return nil, err
		}
		value, err := c.productSum(node, is)
		if err != nil {
			return nil, err
		}
		index, err := c.chain(is, number)
		if err != nil {
			return nil, err
		}
		greatest, indexes = append(greatest, value), append(indexes, index)
	}
	values, err := c.joined(v, along, greatest)
	if err != nil {
		return nil, err
	}
	which, err := c.joined(v, along, indexes)
	return []*value{values, which}, err
}

// hits adds, for each of the channels that are indexes along a dimension, which of n channels it means.
func (c *call) hits(indexes *value, along, n int) (nodes []int, err error) {
	node, count, err := c.choices(indexes, along)
	if err != nil {
		return nil, err
	}
	for j := range count {
		is, err := c.chain(node, graph.Select{Channels: slices.Repeat([]int{j}, n)})
		if err == nil {
			is, err = c.equal(is, upward(n)...)
		}
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, is)
	}
	return nodes, nil
}

// gatherElements is GatherElements among channels.
func (c *call) gatherElements() ([]*value, error) {
	v := c.in[0]
	along, err := axis(c.int("axis", 0), len(c.layout(v)))
	if err != nil {
		return nil, err
	}
	node, n, err := c.choices(v, along)
	if err != nil {
		return nil, err
	}
	hits, err := c.hits(c.in[1], along, n)
	if err != nil {
		return nil, err
	}
	for i, is := range hits {
		if hits[i], err = c.productSum(node, is); err != nil {
			return nil, err
		}
	}
	out, err := c.joined(v, along, hits)
	return []*value{out}, err
}

// scatterElements is ScatterElements of some channels into zeros.
func (c *call) scatterElements() ([]*value, error) {
	zeros, by := c.in[0].constant, c.in[2]
	if zeros == nil || zeros.reals == nil || slices.ContainsFunc(zeros.reals, func(x float32) bool { return x != 0 }) ||
		c.text("reduction", "none") != "none" || by.constant != nil {
		return nil, errors.New("of samples is supported into zeros alone")
	}
	along, err := axis(c.int("axis", 0), len(zeros.dims))
	sizes := c.sizes(by)
	if err != nil || len(sizes) != len(zeros.dims) {
		return nil, errView
	}
	n := zeros.dims[along]
	node, count, err := c.choices(by, along)
	if err != nil {
		return nil, err
	}
	if sizes[along] = n; n < 1 || n > maxChoices || !slices.Equal(sizes, zeros.dims) {
		return nil, fmt.Errorf("into %v zeros is not supported", zeros.dims)
	}
	hits, err := c.hits(c.in[1], along, n)
	if err != nil || len(hits) != count {
		return nil, errView
	}
	sum := 0
	for j, is := range hits {
		value, err := c.chain(node, graph.Select{Channels: []int{j}})
		if err == nil {
			value, err = c.builder.Add(c.name, graph.Mul{}, is, value)
		}
		if err == nil && j > 0 {
			value, err = c.builder.Add(c.name, graph.Add{}, sum, value)
		}
		if sum = value; err != nil {
			return nil, err
		}
	}
	dims := slices.Clone(c.layout(by))
	dims[along] = []part{{of: channels, size: n, step: 1}}
	return []*value{c.sampled(sum).arranged(dims)}, nil
}

// scatterND is ScatterND of some channels in the place of others, as Python's x[:, :n] = y is exported.
func (c *call) scatterND() ([]*value, error) {
	which, fault := c.in[1].constant, errors.New("of samples is supported for whole channels alone")
	if which == nil || which.ints == nil || len(which.dims) < 2 || c.text("reduction", "none") != "none" ||
		c.in[0].constant != nil || c.in[2].constant != nil {
		return nil, fault
	}
	x, err := c.node(c.in[0])
	if err != nil {
		return nil, err
	}
	// Each index has two numbers, of the picture and the channel, or those of a row and a column besides.
	s, depth := c.builder.Shape(x), which.dims[len(which.dims)-1]
	if depth < 2 || depth > 4 {
		return nil, fault
	}
	sides := []int{s.H, s.W}[:depth-2]
	each := product(sides)
	n := which.size() / depth / each
	if n > s.Channels || n*depth*each != which.size() || !slices.Equal(c.sizes(c.in[2]), []int{1, n, s.H, s.W}) {
		return nil, fault
	}
	y, err := c.node(c.in[2])
	if err == nil {
		err = c.work(which.size())
	}
	if err != nil {
		return nil, err
	}
	from := make([]int, s.Channels)
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
		for d, left := len(sides)-1, i%each; d >= 0; d-- {
			isWhole = isWhole && index[2+d] == int64(left%sides[d])
			left /= sides[d]
		}
		if !isWhole || from[channel] != int(channel) && from[channel] != s.Channels+i/each {
			return nil, fault
		}
		from[channel] = s.Channels + i/each
	}
	node, err := c.builder.Add(c.name, graph.Concat{}, x, y)
	if err == nil {
		node, err = c.chain(node, graph.Select{Channels: from})
	}
	return []*value{c.sampled(node)}, err
}

// maxTaps is the greatest number of taps of a convolution whose weights are samples.
const maxTaps = 49

// convBySamples is a convolution of each channel alone with weights that a network makes of the means of the picture
// (Lee et al.: Emulating Self-Attention with Convolution, ICCV 2025): a sum of moved samples times a number each.
func (c *call) convBySamples() ([]*value, error) {
	input, err := c.node(c.in[0])
	if err != nil {
		return nil, err
	}
	s, w := c.builder.Shape(input), c.in[1]
	dims, by := c.layout(w), c.builder.Shape(w.samples.base)
	sizes, pads := dims.sizes(), []int{0, 0, 0, 0}
	if list, err := c.list("pads"); err != nil || list != nil {
		pads = list
	}
	apart, strides := c.attributes["dilations"].numbers, c.attributes["strides"].numbers
	if len(sizes) != 4 || sizes[0] != s.Channels || sizes[1] != 1 || sizes[2]*sizes[3] > maxTaps || by.W*by.H != 1 ||
		c.int("group", 1) != s.Channels || len(pads) != 4 || c.text("auto_pad", "NOTSET") != "NOTSET" ||
		slices.ContainsFunc(slices.Concat(apart, strides), func(n int64) bool { return n != 1 }) || c.in[2] != nil {
		return nil, errors.New("with weights that are samples is supported for each channel alone, and few taps")
	}
	node, err := w.samples.resolve(c.tracer)
	if err == nil {
		node, err = c.selectChannels(node, slices.Concat(dims[2], dims[3], dims[0]), by.Channels)
	}
	if err != nil {
		return nil, err
	}
	sum := 0
	for tap := range sizes[2] * sizes[3] {
		y, x := tap/sizes[3], tap%sizes[3]
		list := make([]int, s.Channels)
		for i := range list {
			list[i] = tap*s.Channels + i
		}
		weight, err := c.chain(node, graph.Select{Channels: list})
		if err != nil {
			return nil, err
		}
		moved, err := c.chain(input, graph.Pad{Edges: graph.Edges{Top: pads[0] - y, Left: pads[1] - x,
			Bottom: pads[2] - (sizes[2] - 1 - y), Right: pads[3] - (sizes[3] - 1 - x)}})
		if err == nil {
			moved, err = c.builder.Add(c.name, graph.Mul{}, moved, weight)
		}
		if err == nil && tap > 0 {
			moved, err = c.builder.Add(c.name, graph.Add{}, sum, moved)
		}
		if sum = moved; err != nil {
			return nil, err
		}
	}
	return []*value{c.sampled(sum)}, nil
}
