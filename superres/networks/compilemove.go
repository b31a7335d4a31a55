package networks

import (
	"slices"

	"superres/internal/kernel"
	"superres/internal/lines"
	"superres/superres/networks/graph"
)

// padded returns x with samples of whole vectors: the picture has fewer values.
func (c *compiler) padded(x compiled) (compiled, error) {
	if c.builder.nodes[x.integers].step%kernel.Lanes == 0 {
		return x, nil
	}
	return c.choose(x, identity(len(x.units)))
}

// identity returns 0, 1, … n−1.
func identity(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// choose adds the choice of some channels of x.
func (c *compiler) choose(x compiled, channels []int) (compiled, error) {
	return c.gather([]compiled{x}, make([]int, len(channels)), channels)
}

// concat adds the channels of all inputs, one after another.
func (c *compiler) concat(in []compiled) (compiled, error) {
	var inputs, channels []int
	for k, x := range in {
		inputs = append(inputs, slices.Repeat([]int{k}, len(x.units))...)
		channels = append(channels, identity(len(x.units))...)
	}
	return c.gather(in, inputs, channels)
}

// gather adds a choice of channels: channel i is channel channels[i] of input inputs[i].
func (c *compiler) gather(in []compiled, inputs, channels []int) (compiled, error) {
	n := specNode{Op: "gather", Channels: len(channels)}
	for _, x := range in {
		n.In = append(n.In, x.integers)
	}
	var a arrays
	var units []float64
	for i, from := range inputs {
		units = append(units, in[from].units[channels[i]])
		if last := len(a.indexes) - 3; i > 0 && inputs[i-1] == from && channels[i-1]+1 == channels[i] {
			a.indexes[last+2]++
			continue
		}
		a.indexes = append(a.indexes, int32(from), int32(channels[i]), 1)
	}
	err := c.emit(n, a)
	return compiled{integers: c.last(), floats: -1, units: units}, err
}

// shuffle adds a pixel shuffle, for which all channels have the same unit.
func (c *compiler) shuffle(x compiled, factor int) (compiled, error) {
	x, err := c.withUnits(x, same)
	if err != nil {
		return compiled{}, err
	}
	channels := len(x.units) / (factor * factor)
	err = c.emit(specNode{Op: "shuffle", In: []int{x.integers}, Channels: channels, Factor: factor}, arrays{})
	return compiled{integers: c.last(), floats: -1, units: x.units[:channels]}, err
}

// unshuffle adds the inverse of a pixel shuffle.
func (c *compiler) unshuffle(x compiled, factor int) (compiled, error) {
	var units []float64
	for _, unit := range x.units {
		units = append(units, slices.Repeat([]float64{unit}, factor*factor)...)
	}
	err := c.emit(specNode{Op: "unshuffle", In: []int{x.integers}, Channels: len(units), Factor: factor}, arrays{})
	return compiled{integers: c.last(), floats: -1, units: units}, err
}

// resize adds a resizing. Bicubic interpolation goes past the values that it is made of, and gets units half as large
// again.
func (c *compiler) resize(x compiled, op graph.Resize) (compiled, error) {
	if op.By == graph.Bicubic {
		units := slices.Clone(x.units)
		for ch := range units {
			units[ch] *= 1.5
		}
		var err error
		if x, err = c.rescale(x, units, int(c.builder.nodes[x.integers].most)); err != nil {
			return compiled{}, err
		}
	}
	err := c.emit(resizeNode(op, x.integers, len(x.units)), arrays{})
	return compiled{integers: c.last(), floats: -1, units: x.units}, err
}

// resizeNode returns the node for op, of integers or of float32.
func resizeNode(op graph.Resize, from, channels int) specNode {
	return specNode{
		Op: "resize", In: []int{from}, Channels: channels, By: int(op.By), Up: op.Up, Down: op.Down, A: op.A,
		AlignCorners: op.AlignCorners,
	}
}

// pad adds rows and columns around the picture, or crops it.
func (c *compiler) pad(x compiled, op graph.Pad) (compiled, error) {
	err := c.emit(padNode(op, x.integers, len(x.units)), arrays{})
	return compiled{integers: c.last(), floats: -1, units: x.units}, err
}

// padNode returns the node for op, of integers or of float32.
func padNode(op graph.Pad, from, channels int) specNode {
	modes := map[graph.PadMode]lines.Beyond{
		graph.PadZero: lines.Zeros, graph.PadEdge: lines.Edge, graph.PadReflect: lines.Mirror,
	}
	return specNode{
		Op: "shift", In: []int{from}, Channels: channels, Mode: int(modes[op.Mode]),
		Top: op.Top, Left: op.Left, Bottom: op.Bottom, Right: op.Right,
	}
}
