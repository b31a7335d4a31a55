package graph

import (
	"fmt"
	"math"
	"slices"
)

// Builder makes a Graph node by node and computes the shape of every node for a picture of one size.
type Builder struct {
	nodes   []Node
	shapes  []Shape
	weights int // of all nodes
}

// NewBuilder returns a Builder that holds an input of the given name, for a picture of the given shape.
func NewBuilder(name string, picture Shape) (*Builder, error) {
	err := picture.check()
	if c := picture.Channels; err != nil || c != 1 && c != 3 {
		return nil, fmt.Errorf("input %q: %d×%d samples of %d channels, expected 3 channels, or 1 for brightness", name,
			picture.W, picture.H, c)
	}
	return &Builder{nodes: []Node{{Name: name, Op: Input{picture.Channels}}}, shapes: []Shape{picture}}, nil
}

// Add adds a node and returns its index, which later nodes take as an input. The index of the picture is 0. Add fails
// if the operation does not fit the shapes of its inputs, or with more than MaxNodes nodes or MaxWeights weights.
func (b *Builder) Add(name string, op Op, inputs ...int) (int, error) {
	if len(b.nodes) == MaxNodes {
		return 0, fmt.Errorf("more than %d nodes", MaxNodes)
	}
	for _, list := range numbers(op) {
		if b.weights += len(list); b.weights > MaxWeights {
			return 0, fmt.Errorf("more than %d weights", MaxWeights)
		}
	}
	n := Node{name, op, slices.Clone(inputs)}
	in := make([]Shape, len(inputs))
	for i, from := range inputs {
		in[i] = b.shapes[from]
	}
	s, err := shapeOf(op, in)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", n.describe(), err)
	}
	b.nodes, b.shapes = append(b.nodes, n), append(b.shapes, s)
	return len(b.nodes) - 1, nil
}

// AddShuffle adds a PixelShuffle of node in by a factor. The channels of node in are sorted by place in the block of
// pixels and then by output channel if blockFirst is true, else by output channel and then by place.
func (b *Builder) AddShuffle(name string, factor int, blockFirst bool, in int) (int, error) {
	count, n := b.shapes[in].Channels, factor*factor
	if blockFirst && n > 1 && count > n && count%n == 0 { // one output channel has the same order in both cases
		var err error
		if in, err = b.Add(name, Select{InterleavedChannels(count, count/n)}, in); err != nil {
			return 0, err
		}
	}
	return b.Add(name, PixelShuffle{factor}, in)
}

// AddUnshuffle adds the nodes that undo an AddShuffle with the same factor and blockFirst, and returns the last node.
func (b *Builder) AddUnshuffle(name string, factor int, blockFirst bool, in int) (int, error) {
	node, err := b.Add(name, PixelUnshuffle{Factor: factor}, in)
	if n := factor * factor; err == nil && blockFirst && n > 1 && b.shapes[in].Channels > 1 {
		node, err = b.Add(name, Select{InterleavedChannels(b.shapes[node].Channels, n)}, node)
	}
	return node, err
}

// Find returns the first node whose samples have width w and height h, up to rounding, and reports whether one exists.
func (b *Builder) Find(w, h float64) (node int, found bool) {
	const slack = 1e-2 // of a pixel: files hold factors in float32
	for i, s := range b.shapes {
		if math.Abs(w-float64(s.W)) < slack && math.Abs(h-float64(s.H)) < slack {
			return i, true
		}
	}
	return 0, false
}

// Shape returns the shape of a node.
func (b *Builder) Shape(node int) Shape { return b.shapes[node] }

// Node returns a node. The Builder shares the lists of the node.
func (b *Builder) Node(node int) Node { return b.nodes[node] }

// Graph returns the graph that ends with the given output node, without nodes that do not affect that node. The
// input always stays. The Range is 1. Graph fails if Check does not accept the graph.
func (b *Builder) Graph(output int) (*Graph, error) {
	needed := make([]bool, len(b.nodes))
	needed[0], needed[output] = true, true
	for i := output; i >= 0; i-- {
		if needed[i] {
			for _, from := range b.nodes[i].Inputs {
				needed[from] = true
			}
		}
	}
	g := &Graph{Range: 1}
	index := make([]int, len(b.nodes)) // of each needed node in g
	for i, n := range b.nodes {
		if !needed[i] {
			continue
		}
		n.Inputs = slices.Clone(n.Inputs)
		for k, from := range n.Inputs {
			n.Inputs[k] = index[from]
		}
		index[i] = len(g.Nodes)
		g.Nodes = append(g.Nodes, n)
	}
	g.Output = index[output]
	return g, g.Check()
}
