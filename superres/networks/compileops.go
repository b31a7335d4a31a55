package networks

import (
	"errors"
	"math"
	"slices"

	"superres/superres/networks/graph"
)

// node compiles node i of the graph.
func (c *compiler) node(i int, n graph.Node) (compiled, error) {
	if c.isFused[i] {
		return c.done[n.Inputs[0]], nil
	}
	if op, ok := n.Op.(graph.Conv); ok {
		return c.conv(i, op)
	}
	if c.isTail[i] {
		return c.tail(i, n)
	}
	in := make([]compiled, len(n.Inputs))
	for k, from := range n.Inputs {
		var err error
		if in[k], err = c.integers(from); err != nil {
			return compiled{}, err
		}
	}
	switch op := n.Op.(type) {
	case graph.Add:
		return c.add(i, in, 1)
	case graph.Sub:
		return c.add(i, in, -1)
	case graph.Mul:
		return c.multiply(i, in)
	case graph.Function:
		return c.lookup(i, in[0], evaluate(op))
	case graph.Clip:
		return c.lookup(i, in[0], func(x float64) float64 { return min(max(x, float64(op.Min)), float64(op.Max)) })
	case graph.PReLU:
		return c.prelu(i, in[0], op)
	case graph.Affine:
		return c.affine(i, in[0], op)
	case graph.Concat:
		return c.concat(in)
	case graph.Select:
		return c.choose(in[0], op.Channels)
	case graph.PixelShuffle:
		return c.shuffle(in[0], op.Factor)
	case graph.PixelUnshuffle:
		return c.unshuffle(in[0], op.Factor)
	case graph.Resize:
		return c.resize(in[0], op)
	case graph.Pad:
		return c.pad(in[0], op)
	}
	return compiled{}, errors.New("integers cannot compute it")
}

// integers returns node i of the graph in integers, all channels padded.
func (c *compiler) integers(i int) (compiled, error) {
	if c.done[i].integers < 0 {
		return compiled{}, errors.New("its input is part of the end of the network")
	}
	return c.done[i], nil
}

// pair returns two inputs with the same number of channels, of whole vectors: the one channel of an input goes with
// every channel of the other.
func (c *compiler) pair(in []compiled) ([]compiled, error) {
	channels := max(len(in[0].units), len(in[1].units))
	out := slices.Clone(in)
	for k := range out {
		var err error
		if len(out[k].units) < channels {
			out[k], err = c.choose(out[k], make([]int, channels))
		} else {
			out[k], err = c.padded(out[k])
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// eachPair returns the greatest magnitudes of f of the values of two inputs.
func (c *compiler) eachPair(a, b compiled, f func(x, y float64) float64) reach {
	reached := newReach(len(a.units))
	for p, first := range c.whole[a.integers] {
		second := c.whole[b.integers][p]
		for y := range first.H {
			u, v := first.Row(y), second.Row(y)
			for x := range first.W {
				for ch := range a.units {
					at := x*first.Step + ch
					value := f(float64(float64(u[at])*a.units[ch]), float64(float64(v[at])*b.units[ch]))
					reached.add(p, ch, value)
				}
			}
		}
	}
	return reached
}

// add adds the sum of the first input and sign times the second.
func (c *compiler) add(i int, in []compiled, sign float64) (compiled, error) {
	in, err := c.pair(in)
	if err != nil {
		return compiled{}, err
	}
	reached := c.eachPair(in[0], in[1], func(x, y float64) float64 { return x + float64(sign*y) })
	units := c.units(i, reached)
	var a arrays
	for ch, unit := range units {
		a.floats = append(a.floats, float32(in[0].units[ch]/unit))
	}
	for ch, unit := range units {
		a.floats = append(a.floats, float32(sign*in[1].units[ch]/unit))
	}
	n := specNode{Op: "add", In: []int{in[0].integers, in[1].integers}, Channels: len(units), Most: math.MaxInt16}
	err = c.emit(n, a)
	return compiled{integers: c.last(), floats: -1, units: units}, err
}

// multiply adds the product of two inputs.
func (c *compiler) multiply(i int, in []compiled) (compiled, error) {
	in, err := c.pair(in)
	if err != nil {
		return compiled{}, err
	}
	units := c.units(i, c.eachPair(in[0], in[1], func(x, y float64) float64 { return x * y }))
	var a arrays
	for ch, unit := range units {
		a.floats = append(a.floats, float32(float64(in[0].units[ch]*in[1].units[ch])/unit))
	}
	n := specNode{Op: "multiply", In: []int{in[0].integers, in[1].integers}, Channels: len(units), Most: math.MaxInt16}
	err = c.emit(n, a)
	return compiled{integers: c.last(), floats: -1, units: units}, err
}

// rescale returns x in other units, clipped to most.
func (c *compiler) rescale(x compiled, units []float64, most int) (compiled, error) {
	x, err := c.padded(x)
	if err != nil {
		return compiled{}, err
	}
	var a arrays
	for ch, unit := range units {
		a.floats = append(a.floats, float32(x.units[ch]/unit))
	}
	a.floats = append(a.floats, make([]float32, len(units))...)
	n := specNode{Op: "add", In: []int{x.integers, x.integers}, Channels: len(units), Most: most}
	err = c.emit(n, a)
	return compiled{integers: c.last(), floats: -1, units: units}, err
}

// withUnits returns x with units as they are asked for.
func (c *compiler) withUnits(x compiled, ask unitsAsked) (compiled, error) {
	units := slices.Clone(x.units)
	arrange(units, ask)
	if slices.Equal(units, x.units) {
		return x, nil
	}
	return c.rescale(x, units, int(c.builder.nodes[x.integers].most))
}

// lookup adds a function of one number. Channels with the same units before and after it share a table.
func (c *compiler) lookup(i int, x compiled, f func(float64) float64) (compiled, error) {
	x, err := c.withUnits(x, powers)
	if err == nil {
		x, err = c.padded(x)
	}
	if err != nil {
		return compiled{}, err
	}
	units := c.units(i, c.eachPair(x, x, func(v, _ float64) float64 { return f(v) }))
	arrange(units, max(c.wants(i), powers))
	var a arrays
	tables := map[[2]float64]int32{}
	for ch, unit := range units {
		pair := [2]float64{x.units[ch], unit}
		table, ok := tables[pair]
		if !ok {
			table = int32(len(tables))
			tables[pair] = table
			for v := math.MinInt16; v <= math.MaxInt16; v++ {
				y := math.Round(f(float64(float64(v)*pair[0])) / pair[1])
				a.weights = append(a.weights, int16(min(max(y, -math.MaxInt16), math.MaxInt16)))
			}
		}
		a.indexes = append(a.indexes, table)
	}
	n := specNode{Op: "lookup", In: []int{x.integers}, Channels: len(units), Factor: len(tables)}
	err = c.emit(n, a)
	return compiled{integers: c.last(), floats: -1, units: units}, err
}

// perChannel adds a convolution of one tap for each channel: a factor, an offset and a slope for negative results.
func (c *compiler) perChannel(i int, x compiled, factor, offset, slope func(ch int) float64) (compiled, error) {
	x, err := c.padded(x)
	if err != nil {
		return compiled{}, err
	}
	channels := len(x.units)
	v := &convolution{from: c.builder.nodes[x.integers], node: specNode{
		Op: "depthwise", In: []int{x.integers}, Channels: channels, Height: 1, Width: 1, Dilation: 1,
	}}
	for ch := range channels {
		v.weight = append(v.weight, factor(ch)*x.units[ch])
		v.bias = append(v.bias, offset(ch))
		v.slope = append(v.slope, slope(ch))
	}
	return c.quantise(i, v)
}

// constant returns a function that is v for all channels.
func constant(v float64) func(int) float64 { return func(int) float64 { return v } }

// perValue returns a function of list, which has one value, or one per channel.
func perValue(list []float32) func(ch int) float64 {
	return func(ch int) float64 { return float64(list[ch%len(list)]) }
}

// prelu adds a PReLU that no convolution before it can compute.
func (c *compiler) prelu(i int, x compiled, op graph.PReLU) (compiled, error) {
	return c.perChannel(i, x, constant(1), constant(0), perValue(op.Slope))
}

// affine changes the units where there are no offsets and all factors are positive.
func (c *compiler) affine(i int, x compiled, op graph.Affine) (compiled, error) {
	isNotZero := func(v float32) bool { return v != 0 }
	isNotPositive := func(v float32) bool { return !(v > 0) }
	if slices.ContainsFunc(op.Offset, isNotZero) || slices.ContainsFunc(op.Scale, isNotPositive) ||
		c.wants(i) != anyUnits && len(op.Scale) > 1 {
		return c.perChannel(i, x, perValue(op.Scale), perValue(op.Offset), constant(1))
	}
	units := slices.Clone(x.units)
	for ch := range units {
		units[ch] *= float64(op.Scale[ch%len(op.Scale)])
	}
	// The node has the same integers as its input, which must stay as long as it is needed.
	return c.choose(compiled{integers: x.integers, floats: -1, units: units}, identity(len(units)))
}
