package networks

import (
	"errors"
	"math"

	"superres/superres/networks/graph"
)

// floats returns the index in spec of node i of the graph in float32.
func (c *compiler) floats(i int) (int, error) {
	d := &c.done[i]
	if d.floats >= 0 {
		return d.floats, nil
	}
	if d.sums != nil {
		at, err := c.addUp(d.sums)
		d.floats = at
		return at, err
	}
	var a arrays
	for _, unit := range d.units {
		a.floats = append(a.floats, float32(unit))
	}
	if err := c.emit(specNode{Op: "floats", In: []int{d.integers}, Channels: len(d.units)}, a); err != nil {
		return 0, err
	}
	d.floats = c.last()
	return d.floats, nil
}

// tail compiles a node that is computed in float32.
func (c *compiler) tail(i int, n graph.Node) (compiled, error) {
	in := make([]int, len(n.Inputs))
	for k, from := range n.Inputs {
		var err error
		in[k], err = c.floats(from)
		if err == nil && c.inParts {
			in[k], err = c.aligned(from)
		}
		if err != nil {
			return compiled{}, err
		}
	}
	made := func(err error) (compiled, error) { return compiled{integers: -1, floats: c.last()}, err }
	channels := c.builder.nodes[in[0]].channels
	switch op := n.Op.(type) {
	case graph.Add, graph.Sub, graph.Mul:
		for _, at := range in {
			channels = max(channels, c.builder.nodes[at].channels)
		}
		for k, at := range in {
			if c.builder.nodes[at].channels == channels {
				continue
			}
			if err := c.floatGather(at, make([]int, channels)); err != nil { // one channel goes with all of the other
				return compiled{}, err
			}
			in[k] = c.last()
			if c.inParts {
				if err := c.join(in[k : k+1]); err != nil {
					return compiled{}, err
				}
				in[k] = c.last()
			}
		}
		sign := map[string]string{"Add": "+", "Sub": "-", "Mul": "*"}[op.Name()]
		return made(c.emit(specNode{Op: "floats" + sign, In: in, Channels: channels}, arrays{}))
	case graph.Affine:
		return made(c.scale(in[0], constant(1), perValue(op.Scale), perValue(op.Offset), math.Inf(-1), math.Inf(1)))
	case graph.PReLU:
		return made(c.scale(in[0], perValue(op.Slope), constant(1), constant(0), math.Inf(-1), math.Inf(1)))
	case graph.Clip:
		return made(c.scale(in[0], constant(1), constant(1), constant(0), float64(op.Min), float64(op.Max)))
	case graph.Select:
		return made(c.floatGather(in[0], op.Channels))
	case graph.PixelShuffle:
		channels /= op.Factor * op.Factor
		return made(c.emit(specNode{Op: "shuffle", In: in, Channels: channels, Factor: op.Factor}, arrays{}))
	case graph.Resize:
		return made(c.emit(resizeNode(op, in[0], channels), arrays{}))
	case graph.Pad:
		return made(c.emit(padNode(op, in[0], channels), arrays{}))
	case graph.Concat:
		return made(c.join(in))
	case graph.Function:
		return made(c.curve(in[0], evaluate(op)))
	}
	return compiled{}, errors.New("float32 cannot compute it")
}

// scale adds a slope for negative values, a factor and an offset, and limits the result to least..most.
func (c *compiler) scale(from int, slope, factor, offset func(ch int) float64, least, most float64) error {
	channels := c.builder.nodes[from].channels
	var a arrays
	for _, f := range []func(int) float64{slope, factor, offset} {
		for ch := range channels {
			a.floats = append(a.floats, float32(f(ch)))
		}
	}
	a.floats = append(a.floats, float32(max(least, -math.MaxFloat32)), float32(min(most, math.MaxFloat32)))
	return c.emit(specNode{Op: "scale", In: []int{from}, Channels: channels}, a)
}

// floatGather adds a choice of channels of a node in float32.
func (c *compiler) floatGather(from int, channels []int) error {
	var a arrays
	for _, ch := range channels {
		a.indexes = append(a.indexes, int32(ch))
	}
	return c.emit(specNode{Op: "floatgather", In: []int{from}, Channels: len(channels)}, a)
}
