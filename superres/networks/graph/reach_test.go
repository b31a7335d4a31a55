package graph_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"superres/internal/must"
	"superres/superres/networks/graph"
	"superres/superres/networks/graph/graphtest"
)

// TestReach changes rows of pictures and looks which rows of the result change.
func TestReach(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	list := graphtest.All()
	list = append(list, oneOperation(r)...)
	for _, n := range list {
		reach := n.Graph.Reach()
		if got := observeReach(t, n.Graph, r, reach); got > reach || got < reach && reach < 15 {
			t.Errorf("%s: rows depend on those up to %d away, got %d", n.Name, got, reach)
		}
	}
}

// observeReach returns the reach that changes of rows show.
func observeReach(t *testing.T, g *graph.Graph, r *rand.Rand, reach int) (observed int) {
	m := g.Measure()
	const period = 4
	w, h := 4*m.Multiple, (2*reach+8+period)/period*period
	picture := graphtest.Picture(w, h, g.Nodes[0].Op.(graph.Input).Channels, 1)
	before := must.Get(g.Eval(context.Background(), picture))(t)
	for y := h / 2; y < h/2+period; y++ {
		changed := graph.Samples{Shape: picture.Shape, Values: slices.Clone(picture.Values)}
		copy(changed.Row(y), random(r, w*picture.Channels))
		after := must.Get(g.Eval(context.Background(), changed))(t)
		for to := range after.H {
			if !slices.Equal(before.Row(to), after.Row(to)) {
				observed = max(observed, abs(to/m.Scale-y))
			}
		}
	}
	return observed
}

// oneOperation returns networks that have little beside one operation each, some of which reach up and down unequally.
func oneOperation(r *rand.Rand) (list []graphtest.Network) {
	add := func(name string, scale int, ops ...graph.Op) {
		b := graphtest.NewBuilder(3, 1)
		x := 0
		for _, op := range ops {
			x = b.Add(op, x)
		}
		if scale > 1 {
			b.Add(graph.Affine{Scale: []float32{2}, Offset: []float32{1}}, x)
		}
		list = append(list, graphtest.Network{Name: name, Graph: b.Graph()})
	}
	resize := func(by graph.Interpolation, up, down int) graph.Op {
		return graph.Resize{By: by, Up: up, Down: down, A: -0.75}
	}
	for up := 2; up <= 4; up++ {
		add("bilinear", up, resize(graph.Bilinear, up, 1))
		add("bicubic", up, resize(graph.Bicubic, up, 1))
		add("bilinear, down", 1, resize(graph.Nearest, up, 1), resize(graph.Bilinear, 1, up))
		add("bicubic, down", 1, resize(graph.Nearest, up, 1), resize(graph.Bicubic, 1, up))
		add("reduced first", 1, resize(graph.Bicubic, 1, 2), resize(graph.Bilinear, 2, 1))
		for pad := range 3 {
			add("transposed", up, graph.ConvTranspose{Out: 3, Kernel: up + 2*pad, Stride: up, Pad: pad, Groups: 1,
				Weight: random(r, 9*(up+2*pad)*(up+2*pad))})
		}
	}
	add("upwards", 1, conv(r, 3, 3, 5, 1, 2, 1, graph.Edges{Top: 8}))
	add("downwards", 1, conv(r, 3, 3, 5, 3, 1, 1, graph.Edges{Bottom: 4, Left: 1, Right: 1}))
	add("unshuffle", 1, graph.PixelUnshuffle{Factor: 4}, conv(r, 48, 48, 3, 3, 1, 1,
		graph.Edges{Top: 1, Left: 1, Bottom: 1, Right: 1}), graph.PixelShuffle{Factor: 4})
	add("shift", 1, graph.Pad{Edges: graph.Edges{Top: 3, Bottom: -3}})
	for _, mode := range []graph.PadMode{graph.PadEdge, graph.PadReflect} {
		add("padding", 1, graph.Pad{Edges: graph.Edges{Top: 4, Bottom: 1}, Mode: mode},
			conv(r, 3, 3, 6, 1, 1, 1, graph.Edges{}))
	}
	return list
}
