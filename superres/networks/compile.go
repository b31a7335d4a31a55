package networks

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"superres/internal/kernel"
	"superres/internal/lines"
	"superres/superres/networks/graph"
)

// compiler rounds a graph to integers. It takes some pictures through the nodes while it makes them, so that the
// greatest value of each channel is known when the integers for it are chosen. All that decides about the integers is
// computed in integers, or in floating point in one order, so that all machines round a graph to the same integers.
type compiler struct {
	ctx   context.Context
	graph *graph.Graph
	users [][]int // the nodes that take the values of each node
	// isTail is true for the nodes after the last convolutions, which are computed in float32.
	isTail []bool
	// isFused is true for a PReLU that the convolution before it computes.
	isFused []bool

	choices
	spec    spec
	builder builder
	whole   [][]*lines.Rows // the values of each node of spec for each picture; nil: no later node needs them
	done    []compiled      // by node of graph
}

// compiled is a node of the graph in integers, in float32, or in both.
type compiled struct {
	integers, floats int // indexes of nodes of spec; −1: there is none
	// units are, for each channel, what an integer of 1 stands for.
	units []float64
	// sums and parts are the node in a network that is computed in parts: see compileparts.go.
	sums  *sums
	parts *parts
}

// margin is how much larger than the values of the pictures that the compiler sees values may be without being clipped.
const margin = 1.3

// choices decide between precision, time and room for extreme pictures.
type choices struct {
	// coarse is the factor of precision that is given up for pictures of extreme contrast.
	coarse float64
	// tiled is the share of the greatest values of ordinary pictures that tiles can be made of.
	tiled float64
	// alone is true if weights are rounded with an eye on those of the same channel alone, which takes little time.
	alone bool
	// inParts is true if samples and weights have two parts, and room is how much larger than those of the pictures
	// that the compiler sees samples may then be.
	inParts bool
	room    float64
	// memory is the most bytes that a program may take to compile by its estimate; 0: any.
	memory int64
}

// compile returns the graph in integers. It fails for what integers cannot do, and with ctx.Err().
func compile(ctx context.Context, g *graph.Graph, pictures []*lines.Rows, choices choices) (*spec, error) {
	count := len(g.Nodes)
	c := &compiler{ctx: ctx, graph: g, choices: choices, users: make([][]int, count), isTail: make([]bool, count),
		isFused: make([]bool, count)}
	c.builder.program = new(lines.Program)
	c.findTail()
	if c.inParts {
		if err := c.canSplit(); err != nil {
			return nil, err
		}
		for i := range c.isTail {
			c.isTail[i] = true
		}
	}
	if err := enough(choices.memory, roundingMemory(g, choices.inParts)); err != nil {
		return nil, err
	}
	channels := g.Nodes[0].Op.(graph.Input).Channels
	if err := c.emit(specNode{Op: "source", Channels: channels}, arrays{}); err != nil {
		return nil, err
	}
	c.whole[0] = pictures
	unit := float64(g.Range) / white
	c.done = append(c.done, compiled{integers: 0, floats: -1, units: slices.Repeat([]float64{unit}, channels)})
	for i, n := range g.Nodes[1:] {
		first := len(c.whole)
		made, err := c.node(i+1, n)
		if err != nil {
			return nil, fmt.Errorf("%s %q: %w", n.Op.Name(), n.Name, err)
		}
		c.done = append(c.done, made)
		c.forget(i+1, first)
	}
	if err := c.finish(); err != nil {
		return nil, err
	}
	return &c.spec, nil
}

// findTail sets users and isTail.
func (c *compiler) findTail() {
	for i, n := range c.graph.Nodes {
		for _, from := range n.Inputs {
			c.users[from] = append(c.users[from], i)
		}
	}
	for i := len(c.graph.Nodes) - 1; i > 0; i-- {
		switch c.graph.Nodes[i].Op.(type) {
		case graph.Conv, graph.Add, graph.Sub, graph.Mul, graph.Affine, graph.PReLU, graph.Clip, graph.PixelShuffle,
			graph.Resize, graph.Pad, graph.Select:
			c.isTail[i] = i == c.graph.Output || len(c.users[i]) > 0
			for _, user := range c.users[i] {
				if _, isConv := c.graph.Nodes[user].Op.(graph.Conv); isConv || !c.isTail[user] {
					c.isTail[i] = false
				}
			}
			if op, isConv := c.graph.Nodes[i].Op.(graph.Conv); isConv && op.Groups == op.Out {
				c.isTail[i] = false // kernels have no sums of single channels
			}
		}
	}
}

// emit adds a node to the spec and computes its values for all pictures.
func (c *compiler) emit(n specNode, a arrays) error {
	i := len(c.spec.Nodes)
	values, err := c.try(n, a)
	if err != nil {
		return err
	}
	c.spec.Nodes = append(c.spec.Nodes, n)
	c.spec.weights = append(c.spec.weights, a.weights...)
	c.spec.bias = append(c.spec.bias, a.bias...)
	c.spec.floats = append(c.spec.floats, a.floats...)
	c.spec.indexes = append(c.spec.indexes, a.indexes...)
	if len(c.whole) != i {
		panic("networks: values and nodes do not go together")
	}
	c.whole = append(c.whole, values)
	return nil
}

// try adds a node to the builder, and returns its values for all pictures.
func (c *compiler) try(n specNode, a arrays) (values []*lines.Rows, err error) {
	c.builder.rest = a
	i := len(c.builder.nodes)
	if err := c.builder.add(i, &n); err != nil {
		return nil, err
	}
	if i == 0 {
		return nil, nil
	}
	pictures := c.whole[n.In[0]]
	for p := range pictures {
		in := make([]*lines.Rows, len(n.In))
		for k, from := range n.In {
			in[k] = c.whole[from][p]
		}
		out, err := lines.Compute(c.ctx, c.builder.program.Nodes[i].Op, in...)
		if err != nil {
			return nil, err
		}
		values = append(values, out)
	}
	return values, nil
}

// measure returns what n would make, without adding it.
func (c *compiler) measure(n specNode, a arrays) ([]*lines.Rows, error) {
	values, err := c.try(n, a)
	if err == nil {
		last := len(c.builder.nodes) - 1
		c.builder.nodes, c.builder.program.Nodes = c.builder.nodes[:last], c.builder.program.Nodes[:last]
	}
	return values, err
}

// last returns the index of the latest node of the spec.
func (c *compiler) last() int { return len(c.spec.Nodes) - 1 }

// forget frees the values that no node of the graph after i needs; those from first on were made for i.
func (c *compiler) forget(i, first int) {
	keep := c.done[i].nodes()
	for _, from := range c.graph.Nodes[i].Inputs {
		d := c.done[from]
		if slices.Max(c.users[from]) > i || from == c.graph.Output {
			keep = append(keep, d.nodes()...)
			continue
		}
		for _, at := range d.nodes() {
			if at >= 0 && !slices.Contains(keep, at) {
				c.whole[at] = nil
			}
		}
	}
	for at := first; at < len(c.whole); at++ {
		if !slices.Contains(keep, at) {
			c.whole[at] = nil
		}
	}
}

// wants returns what the users of node i ask of the units of its channels.
func (c *compiler) wants(i int) (ask unitsAsked) {
	for _, user := range c.users[i] {
		switch c.graph.Nodes[user].Op.(type) {
		case graph.Function, graph.Clip:
			ask = max(ask, powers)
		case graph.PixelShuffle:
			if !c.isTail[user] {
				ask = same
			}
		case graph.PixelUnshuffle, graph.Resize, graph.Pad, graph.Select, graph.Concat:
			if !c.isTail[user] {
				ask = max(ask, c.wants(user))
			}
		}
	}
	return ask
}

// unitsAsked says which units the channels of a node may have.
type unitsAsked int

const (
	anyUnits unitsAsked = iota
	powers              // the largest times a power of two, 2⁰ to 2⁻ᵐᵒˢᵗ with mostPower for most
	same                // one for all channels
)

// mostPower bounds the number of tables of a function: see compiler.lookup.
const mostPower = 4

// arrange enlarges units as far as needed to have those that are asked for.
func arrange(units []float64, ask unitsAsked) {
	if ask == anyUnits {
		return
	}
	largest := slices.Max(units)
	for o, unit := range units {
		units[o] = largest
		for range mostPower {
			if ask == powers && units[o]/2 >= unit {
				units[o] /= 2
			}
		}
	}
}

// reach has the greatest magnitudes of the values of each channel: in the ordinary pictures, and in all.
type reach struct{ ordinary, all []float64 }

func newReach(channels int) reach { return reach{make([]float64, channels), make([]float64, channels)} }

// add takes a value of a channel in a picture into account.
func (r *reach) add(picture, channel int, v float64) {
	if v = math.Abs(v); v > r.all[channel] {
		r.all[channel] = v
	}
	if isOrdinary(picture) && v > r.ordinary[channel] {
		r.ordinary[channel] = v
	}
}

// leastUnit is the least unit of a channel as a share of the largest of its layer. A channel that is silent in all
// pictures that the compiler sees may be as loud as the others in a photograph; the precision of the others suffices
// for it.
const leastUnit = 1. / 8

// units returns the units for the values of node i of the graph: the integers of ordinary pictures stay below
// kernel.WideTileInput, those of all pictures, times margin, fit 16 bits, unless that made the former too small.
func (c *compiler) units(i int, r reach) []float64 {
	units := make([]float64, len(r.all))
	for o := range units {
		finest := r.ordinary[o] * c.tiled / kernel.WideTileInput
		units[o] = min(max(finest, r.all[o]*margin/math.MaxInt16), finest*c.coarse)
	}
	largest := slices.Max(units)
	for o, unit := range units {
		if unit == 0 { // the channel is 0 everywhere
			units[o] = cmp.Or(largest, 1)
		}
		units[o] = max(units[o], largest*leastUnit)
	}
	arrange(units, c.wants(i))
	return units
}

// finish adds what makes the result of the output node.
func (c *compiler) finish() error {
	at, err := c.floats(c.graph.Output)
	if err != nil {
		return err
	}
	if v := c.builder.nodes[at]; v.step != v.channels {
		if err := c.floatGather(at, identity(v.channels)); err != nil {
			return err
		}
		at = c.last()
	}
	if c.graph.Range == 1 && at == c.last() {
		return nil
	}
	return c.scale(at, constant(1), constant(float64(1/c.graph.Range)), constant(0), math.Inf(-1), math.Inf(1))
}
