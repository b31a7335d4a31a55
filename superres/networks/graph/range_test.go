package graph_test

import (
	"context"
	"testing"

	"superres/internal/must"
	"superres/superres/networks/graph"
	"superres/superres/networks/graph/graphtest"
)

// TestGuessRange guesses the ranges of networks, and of the same with 255 for white.
func TestGuessRange(t *testing.T) {
	for _, n := range graphtest.All() {
		picture := graphtest.Picture(32, 32, n.Graph.Nodes[0].Op.(graph.Input).Channels, 1)
		scale := func(s float32) graph.Op { return graph.Affine{Scale: []float32{s}, Offset: []float32{0}} }
		large := &graph.Graph{Nodes: []graph.Node{n.Graph.Nodes[0], {Op: scale(1. / 255), Inputs: []int{0}}}, Range: 1}
		for _, node := range n.Graph.Nodes[1:] {
			moved := graph.Node{Name: node.Name, Op: node.Op}
			for _, from := range node.Inputs {
				moved.Inputs = append(moved.Inputs, from+1)
			}
			large.Nodes = append(large.Nodes, moved)
		}
		large.Output = len(large.Nodes)
		large.Nodes = append(large.Nodes, graph.Node{Op: scale(255), Inputs: []int{n.Graph.Output + 1}})
		for _, test := range []struct {
			graph *graph.Graph
			want  float32
		}{{n.Graph, 1}, {large, 255}} {
			if got := must.Get(test.graph.GuessRange(context.Background(), picture))(t); got != test.want {
				t.Errorf("%s: %g, expected %g", n.Name, got, test.want)
			}
		}
	}
}
