package graph_test

import (
	"math"
	"strings"
	"testing"

	"superres/superres/networks/graph"
)

// TestCheckRefuses looks for the reason in the errors of graphs that are none.
func TestCheckRefuses(t *testing.T) {
	one := func(weight float32) graph.Conv {
		return graph.Conv{Out: 1, Height: 1, Width: 1, Dilation: 1, Groups: 1, Weight: []float32{weight}}
	}
	in := node(graph.Input{Channels: 1})
	huge := one(1)
	huge.Out = math.MaxInt
	wide := graph.ConvTranspose{Out: math.MaxInt, Kernel: 1, Stride: 16, Groups: 1}
	deep := graph.ConvTranspose{Out: 5, Kernel: 1, Stride: 16, Groups: 1, Weight: make([]float32, 5)}
	for want, nodes := range map[string][]graph.Node{
		"0 nodes":                nil,
		"no operation":           {node(nil)},
		"the first node":         {node(one(1), 0)},
		"and no other":           {in, in},
		"an input of 2":          {node(graph.Input{Channels: 2})},
		"not before it":          {in, node(one(1), 1)},
		"takes its input":        {in, node(one(1), -1)},
		"not a finite":           {in, node(one(float32(math.NaN())), 0)},
		"has 0 inputs":           {in, node(one(1))},
		"has 3 inputs":           {in, node(graph.Add{}, 0, 0, 0)},
		"groups of 1":            {in, node(huge, 0)},
		"of 16×16 phases":        {in, node(wide, 0)},
		"5 channels for each":    {in, node(deep, 0)},
		"by 20":                  {in, node(graph.PixelShuffle{Factor: 20}, 0)},
		"makes 18×19":            {in, node(graph.Pad{Edges: graph.Edges{Left: 1}}, 0)},
		"would have -":           {in, node(graph.Pad{Edges: graph.Edges{Left: -1 << 20}}, 0)},
		"mirrors more":           {in, node(graph.Pad{Edges: graph.Edges{Left: 999}, Mode: graph.PadReflect}, 0)},
		"expected as many chann": {in, node(graph.Concat{}, 0, 0)},
	} {
		g := &graph.Graph{Nodes: nodes, Output: max(0, len(nodes)-1), Range: 1}
		if err := g.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %q", err, want)
		}
	}
}

// TestMeasure compares the numbers of products and the multiples of some networks with what they are by hand.
func TestMeasure(t *testing.T) {
	in := node(graph.Input{Channels: 1})
	for _, test := range []struct {
		nodes []graph.Node
		want  graph.Measure
	}{
		{[]graph.Node{in}, graph.Measure{Scale: 1, Multiple: 1}},
		{[]graph.Node{in, node(graph.PixelUnshuffle{Factor: 4}, 0), node(ones(16, 16, 3), 1),
			node(graph.PixelShuffle{Factor: 4}, 2)}, graph.Measure{Scale: 1, Multiple: 4, MACs: 16 * 16 * 9 / 16}},
		{[]graph.Node{in, node(graph.ConvTranspose{Out: 1, Kernel: 4, Stride: 2, Pad: 1, Groups: 1,
			Weight: make([]float32, 16)}, 0)}, graph.Measure{Scale: 2, Multiple: 1, MACs: 16}},
	} {
		g := &graph.Graph{Nodes: test.nodes, Output: len(test.nodes) - 1, Range: 1}
		if got := g.Measure(); got != test.want {
			t.Errorf("%+v, expected %+v", got, test.want)
		}
	}
}

func node(op graph.Op, inputs ...int) graph.Node {
	return graph.Node{Name: "n", Op: op, Inputs: inputs}
}

// ones returns a convolution with padding whose weights are 1.
func ones(in, out, side int) graph.Conv {
	c := graph.Conv{Out: out, Height: side, Width: side, Dilation: 1, Groups: 1,
		Pad: graph.Edges{Top: side / 2, Left: side / 2, Bottom: side / 2, Right: side / 2}}
	for range out * in * side * side {
		c.Weight = append(c.Weight, 1)
	}
	return c
}
