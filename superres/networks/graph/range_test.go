package graph_test

import (
	"testing"

	"superres/superres/networks/graph"
	"superres/superres/networks/graph/graphtest"
)

var spans = []graph.Span{graph.Unit, graph.Bytes, graph.Signed}

// resizing returns a network that enlarges by interpolation alone, or changes nothing.
func resizing(by graph.Interpolation, scale int) *graph.Graph {
	return &graph.Graph{Range: 1, Output: 1, Nodes: []graph.Node{{Op: graph.Input{Channels: 3}},
		{Op: graph.Resize{By: by, Up: scale, Down: 1, A: -0.75}, Inputs: []int{0}}}}
}

// guess returns the ranges of a graph.
func guess(g *graph.Graph, picture graph.Samples) (graph.Ranges, float64, error) {
	return g.GuessRanges(picture, func(in graph.Span) (graph.Samples, error) {
		given := graph.NewSamples(picture.Shape)
		for i, v := range picture.Values {
			given.Values[i] = in.Black + v*(in.White-in.Black)
		}
		return graphtest.Eval(g, given), nil
	})
}

// A network that limits its result to a span has that span.
func TestGuessLimitedRanges(t *testing.T) {
	picture := graphtest.Picture(24, 24, 3, 2)
	for _, out := range spans {
		for _, in := range spans {
			r := graph.Ranges{In: in, Out: out}
			g := graphtest.Ranged(resizing(graph.Bicubic, 2), r)
			clip := graph.Clip{Min: out.Black, Max: out.White}
			g.Nodes = append(g.Nodes, graph.Node{Op: clip, Inputs: []int{g.Output}})
			g.Output++
			if got, _, err := guess(g, picture); err != nil || got != r {
				t.Errorf("%v: %v, %v", r, got, err)
			}
		}
	}
}

// Of a network that makes the negative, no ranges are near.
func TestGuessRangesOfNone(t *testing.T) {
	g := resizing(graph.Nearest, 2)
	negative := graph.Affine{Scale: []float32{-1}, Offset: []float32{0.3}}
	g.Nodes = append(g.Nodes, graph.Node{Op: negative, Inputs: []int{1}})
	g.Output = 2
	if r, agreement, err := guess(g, graphtest.Picture(24, 24, 3, 2)); err != nil || agreement > 14 {
		t.Errorf("%v at %.1f dB, %v", r, agreement, err)
	}
}
