package graph_test

import (
	"math"
	"testing"

	"superres/internal/must"
	"superres/superres/networks/graph"
	"superres/superres/networks/graph/graphtest"
)

var spans = []graph.Span{graph.Unit, graph.Bytes, graph.Signed}

// resizing returns a network that enlarges by interpolation alone, or changes nothing.
func resizing(by graph.Interpolation, scale int) *graph.Graph {
	return &graph.Graph{Range: 1, Output: 1, Nodes: []graph.Node{{Op: graph.Input{Channels: 3}},
		{Op: graph.Resize{By: by, Up: scale, Down: 1, A: -0.75}, Inputs: []int{0}}}}
}

// The ranges of a network and of the same with each of the nine pairs are guessed, or others with which it does the
// same; with them the graph does what it does with 0..1.
func TestGuessRanges(t *testing.T) {
	list := append(graphtest.All(), graphtest.Network{Name: "identity", Graph: resizing(graph.Nearest, 1)},
		graphtest.Network{Name: "bicubic", Graph: resizing(graph.Bicubic, 3)},
		graphtest.Network{Name: "bilinear", Graph: resizing(graph.Bilinear, 2)})
	for _, n := range list {
		picture := graphtest.Picture(32, 32, n.Graph.Nodes[0].Op.(graph.Input).Channels, 1)
		want := must.Get(n.Graph.Eval(t.Context(), picture))(t)
		for _, in := range spans {
			for _, out := range spans {
				r := graph.Ranges{In: in, Out: out}
				g := graphtest.Ranged(n.Graph, r)
				must.Succeed(t, g.Check())
				got, agreement, err := g.GuessRanges(t.Context(), picture)
				must.Succeed(t, err)
				if got != r && (in != out || got.In != got.Out || agreement < 20) {
					t.Errorf("%s with %v: %v, at %.1f dB", n.Name, r, got, agreement)
				}
				made := g.WithRanges(r)
				must.Succeed(t, made.Check())
				given := graph.NewSamples(picture.Shape)
				for i, v := range picture.Values {
					given.Values[i] = v * made.Range
				}
				result := must.Get(made.Eval(t.Context(), given))(t)
				for i, v := range result.Values {
					if d := math.Abs(float64(v/made.Range - want.Values[i])); d > 1e-3 {
						t.Fatalf("%s with %v: sample %d is off by %g", n.Name, r, i, d)
					}
				}
			}
		}
	}
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
			if got, _, err := g.GuessRanges(t.Context(), picture); err != nil || got != r {
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
	if r, agreement, err := g.GuessRanges(t.Context(), graphtest.Picture(24, 24, 3, 2)); err != nil || agreement > 14 {
		t.Errorf("%v at %.1f dB, %v", r, agreement, err)
	}
}
