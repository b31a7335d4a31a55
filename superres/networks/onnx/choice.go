package onnx

import (
	"errors"
	"fmt"
	"slices"

	"superres/superres/networks/graph"
)

// maker adds nodes of a call to the graph, until one of them fails.
type maker struct {
	*call
	err error
}

// make adds an operation of the given nodes and returns its node.
func (m *maker) make(op graph.Op, in ...int) (node int) {
	if m.err == nil {
		node, m.err = m.builder.Add(m.name, op, in...)
	}
	return node
}

// chain adds operations one after another, and returns the last.
func (m *maker) chain(node int, ops ...graph.Op) int {
	for _, op := range ops {
		node = m.make(op, node)
	}
	return node
}

// sum adds the sum of as many nodes as there are, of which term makes each.
func (m *maker) sum(count int, term func(i int) int) (sum int) {
	for i := range count {
		if node := term(i); i == 0 {
			sum = node
		} else {
			sum = m.make(graph.Add{}, sum, node)
		}
	}
	return sum
}

// isZero adds what is 1 where whole numbers, with the given offset of all or of each channel, are 0, else 0.
func (m *maker) isZero(node int, offset ...float32) int {
	return m.chain(node, graph.Affine{Scale: []float32{1}, Offset: offset}, graph.Abs, affine(-1, 1),
		graph.Clip{Max: 1})
}

// maxChoices is the greatest number of channels among which TopK chooses, each of which is compared with each.
const maxChoices = 32

// choices returns the node of a value of which dimension along has all channels, and their number.
func (m *maker) choices(v *value, along int) (node, n int) {
	if v.constant != nil {
		m.err = errors.New("of constants is not supported")
	}
	if m.err != nil {
		return 0, 0
	}
	p, isChannels := only(m.layout(v)[along], channels)
	node, m.err = v.samples.resolve(m.tracer)
	n = m.builder.Shape(node).Channels
	if m.err == nil && (n > 1 && (!isChannels || p.step != 1 || p.size != n) || n > maxChoices) {
		m.err = fmt.Errorf("of pixels, or of more than %d channels, is not supported", maxChoices)
	}
	return node, n
}

// placed returns the value of a node of n channels, that are dimension along of one like another.
func (m *maker) placed(node int, like *value, along, n int) (*value, error) {
	if m.err != nil {
		return nil, m.err
	}
	dims := slices.Clone(m.layout(like))
	dims[along] = []part{{of: channels, size: n, step: 1}}
	return m.sampled(node).arranged(dims), nil
}

// ranks adds how many of n channels are greater than each, or as great and before it; less in place of greater if
// isLeast.
func (m *maker) ranks(node, n int, isLeast bool) int {
	first, second, sums := make([]int, n*n), make([]int, n*n), make([]int, n)
	op := graph.Affine{Scale: make([]float32, n*n), Offset: make([]float32, n*n)}
	for i := range n {
		sums[i] = i * n
		for k := range n { // whether channel k is before i, by which of them is greater than the other
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
	x := m.make(graph.Sub{}, m.make(graph.Select{Channels: first}, node), m.make(graph.Select{Channels: second}, node))
	return m.chain(x, graph.Positive, op, graph.ReduceEach{By: graph.Sum, Size: n}, graph.Select{Channels: sums})
}

// topK is TopK among channels.
func (c *call) topK() ([]*value, error) {
	v, m := c.in[0], &maker{call: c}
	k, err := c.number(1, 0)
	if err != nil {
		return nil, err
	}
	along, err := axis(c.int("axis", -1), len(c.layout(v)))
	if err != nil {
		return nil, err
	}
	node, n := m.choices(v, along)
	if m.err == nil && !(k >= 1 && k <= float64(n)) {
		m.err = fmt.Errorf("of %g of %d channels", k, n)
	}
	if m.err != nil {
		return nil, m.err
	}
	number := graph.Conv{Out: 1, Height: 1, Width: 1, Dilation: 1, Groups: 1, Weight: make([]float32, n)}
	for i := range n {
		number.Weight[i] = float32(i)
	}
	var greatest, indexes []int
	ranks := m.ranks(node, n, c.int("largest", 1) == 0)
	for j := range int(k) {
		is := m.isZero(ranks, float32(-j))
		value := m.chain(m.make(graph.Mul{}, node, is), graph.Reduce{By: graph.Sum, OfChannels: true})
		greatest = append(greatest, value)
		indexes = append(indexes, m.make(number, is))
	}
	values, err := m.placed(m.make(graph.Concat{}, greatest...), v, along, len(greatest))
	if err != nil {
		return nil, err
	}
	which, err := m.placed(m.make(graph.Concat{}, indexes...), v, along, len(indexes))
	return []*value{values, which}, err
}

// scatterElements is ScatterElements of some channels into zeros.
func (c *call) scatterElements() ([]*value, error) {
	zeros, by, m := c.in[0].constant, c.in[2], &maker{call: c}
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
	if sizes[along] = n; n < 1 || n > maxChoices || !slices.Equal(sizes, zeros.dims) {
		return nil, fmt.Errorf("into %v zeros is not supported", zeros.dims)
	}
	node, count := m.choices(by, along)
	which, indexes := m.choices(c.in[1], along)
	if m.err == nil && count != indexes {
		m.err = errView
	}
	minus := make([]float32, n)
	for i := range minus {
		minus[i] = float32(-i)
	}
	out, err := m.placed(m.sum(count, func(j int) int {
		is := m.isZero(m.make(graph.Select{Channels: slices.Repeat([]int{j}, n)}, which), minus...)
		return m.make(graph.Mul{}, is, m.make(graph.Select{Channels: []int{j}}, node))
	}), by, along, n)
	return []*value{out}, err
}

// scatterND is ScatterND of some channels in the place of others, as Python's x[:, :n] = y is exported.
func (c *call) scatterND() ([]*value, error) {
	which, fault := c.in[1].constant, errors.New("of samples is supported for whole channels alone")
	if which == nil || which.ints == nil || len(which.dims) < 2 || c.text("reduction", "none") != "none" ||
		c.in[2].constant != nil {
		return nil, fault
	}
	// Each index has two numbers, of the picture and the channel, or those of a row and a column besides.
	s, err := c.shape()
	depth := which.dims[len(which.dims)-1]
	if err != nil || depth < 2 || depth > 4 {
		return nil, fault
	}
	sides := []int{s.H, s.W}[:depth-2]
	each := product(sides)
	n := which.size() / depth / each
	if n > s.Channels || n*depth*each != which.size() || !slices.Equal(c.sizes(c.in[2]), []int{1, n, s.H, s.W}) {
		return nil, fault
	}
	if err := c.work(which.size()); err != nil {
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
	out, err := c.add(graph.Concat{}, c.in[0], c.in[2])
	if err != nil {
		return nil, err
	}
	return c.add(graph.Select{Channels: from}, out...)
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
	s, w, m := c.builder.Shape(input), c.in[1], &maker{call: c}
	dims, by := c.layout(w), c.builder.Shape(w.samples.base)
	sizes, pads := dims.sizes(), []int{0, 0, 0, 0}
	if list, err := c.list("pads"); err != nil || list != nil {
		pads = list
	}
	steps := slices.Concat(c.attributes["dilations"].numbers, c.attributes["strides"].numbers)
	if len(sizes) != 4 || sizes[0] != s.Channels || sizes[1] != 1 || sizes[2]*sizes[3] > maxTaps || by.W*by.H != 1 ||
		c.int("group", 1) != s.Channels || len(pads) != 4 || c.text("auto_pad", "NOTSET") != "NOTSET" ||
		slices.ContainsFunc(steps, func(n int64) bool { return n != 1 }) || c.in[2] != nil {
		return nil, errors.New("with weights that are samples is supported for each channel alone, and few taps")
	}
	node, err := w.samples.resolve(c.tracer)
	if err != nil {
		return nil, err
	}
	node, m.err = c.selectChannels(node, slices.Concat(dims[2], dims[3], dims[0]), by.Channels)
	sum := m.sum(sizes[2]*sizes[3], func(tap int) int {
		y, x, of := tap/sizes[3], tap%sizes[3], make([]int, s.Channels)
		for i := range of {
			of[i] = tap*s.Channels + i
		}
		moved := m.make(graph.Pad{Edges: graph.Edges{Top: pads[0] - y, Left: pads[1] - x,
			Bottom: pads[2] - (sizes[2] - 1 - y), Right: pads[3] - (sizes[3] - 1 - x)}}, input)
		return m.make(graph.Mul{}, moved, m.make(graph.Select{Channels: of}, node))
	})
	if m.err != nil {
		return nil, m.err
	}
	return []*value{c.sampled(sum)}, nil
}
