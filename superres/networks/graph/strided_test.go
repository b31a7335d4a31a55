package graph_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"superres/internal/must"
	"superres/superres/networks/graph"
	"superres/superres/networks/graph/graphtest"
)

// TestAddStrided compares strided convolutions with every stride-th sample of those without a stride.
func TestAddStrided(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct{ height, width, dilation, stride, groups, pad int }{
		{3, 3, 1, 2, 1, 1}, {2, 2, 1, 2, 1, 0}, {1, 1, 1, 2, 3, 0}, {4, 4, 1, 2, 1, 1}, {8, 8, 1, 4, 1, 2},
		{3, 3, 1, 3, 1, 0}, {5, 7, 1, 2, 3, 3}, {3, 3, 2, 2, 1, 2}, {5, 5, 1, 4, 1, 2}, {3, 1, 3, 2, 1, 3},
	} {
		op := conv(r, 3, 3*c.stride*c.stride, c.height, c.width, c.dilation, c.groups,
			graph.Edges{Top: c.pad, Left: c.pad, Bottom: c.pad, Right: c.pad})
		b := must.Get(graph.NewBuilder("x", graph.Shape{W: 36, H: 24, Channels: 3}))(t)
		node := must.Get(b.AddStrided("c", op, c.stride, 0))(t)
		s := b.Shape(node)
		full := graph.Shape{W: 36 + 2*c.pad - (c.width-1)*c.dilation, H: 24 + 2*c.pad - (c.height-1)*c.dilation,
			Channels: op.Out}
		if s.W != (full.W-1)/c.stride+1 || s.H != (full.H-1)/c.stride+1 {
			t.Errorf("%+v: the shape is %v", c, s)
			continue
		}
		// As large as the picture again, so that the graph is one that enlarges.
		node = must.Get(b.Add("p", graph.Pad{Edges: graph.Edges{Bottom: 24/c.stride - s.H, Right: 36/c.stride - s.W}},
			node))(t)
		g := must.Get(b.Graph(must.Get(b.Add("s", graph.PixelShuffle{Factor: c.stride}, node))(t)))(t)
		picture := randomSamples(r, 36, 24, 3)
		got, want := graphtest.Eval(g, picture), graphtest.Apply(op, full, picture)
		for y := range min(s.H*c.stride, got.H) {
			for x := range min(s.W*c.stride, got.W) {
				for channel := range 3 {
					o := (channel*c.stride+y%c.stride)*c.stride + x%c.stride
					v := want.At(x/c.stride*c.stride, y/c.stride*c.stride)[o]
					if d := math.Abs(float64(got.At(x, y)[channel] - v)); d > 1e-4 {
						t.Fatalf("%+v: (%d, %d, %d) is %g off", c, x, y, channel, d)
					}
				}
			}
		}
	}
}

func TestBuilderLimits(t *testing.T) {
	b := must.Get(graph.NewBuilder("x", graph.Shape{W: 12, H: 12, Channels: 3}))(t)
	if _, err := b.AddStrided("c", graph.Conv{}, 2, 0); err == nil {
		t.Error("a convolution without channels is accepted")
	}
	if _, err := b.AddStrided("c", graph.Conv{}, 5, 0); err == nil {
		t.Error("a stride that does not divide the picture is accepted")
	}
	if _, err := b.AddStrided("c", graph.Conv{}, 1<<40, 0); err == nil {
		t.Error("an overflowing stride is accepted")
	}
	slopes := make([]float32, graph.MaxWeights/2+1)
	b.Add("p", graph.PReLU{Slope: slopes}, 0)
	if _, err := b.Add("p", graph.PReLU{Slope: slopes[:graph.MaxWeights/2]}, 0); err == nil {
		t.Error("too many weights are accepted")
	}
	for _, s := range []graph.Shape{{W: 1, H: 1, Channels: 2}, {H: 1, Channels: 3}, {W: 1 << 40, H: 1, Channels: 3}} {
		if _, err := graph.NewBuilder("x", s); err == nil {
			t.Errorf("a picture of %v is accepted", s)
		}
	}
}
