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
	for _, c := range []struct {
		height, width, dilation, stride, groups, pad int
		isEven                                       bool // sides need not be multiples of the stride
	}{
		{3, 3, 1, 2, 1, 1, true}, {2, 2, 1, 2, 1, 0, false}, {1, 1, 1, 2, 3, 0, true}, {4, 4, 1, 2, 1, 1, false},
		{8, 8, 1, 4, 1, 2, false}, {3, 3, 1, 3, 1, 0, false}, {5, 7, 1, 2, 3, 3, true}, {3, 3, 2, 2, 1, 2, true},
		{5, 5, 1, 4, 1, 2, true}, {3, 1, 3, 2, 1, 3, true}, {3, 3, 1, 2, 1, 0, true},
	} {
		for _, size := range [][2]int{{36, 24}, {35, 23}, {33, 25}} {
			w, h := size[0], size[1]
			op := conv(r, 3, 3, c.height, c.width, c.dilation, c.groups,
				graph.Edges{Top: c.pad, Left: c.pad, Bottom: c.pad, Right: c.pad})
			b := must.Get(graph.NewBuilder("x", graph.Shape{W: w, H: h, Channels: 3}))(t)
			node, err := b.AddStrided("c", op, c.stride, 0)
			if isMultiple := w%c.stride == 0 && h%c.stride == 0; (err == nil) != (c.isEven || isMultiple) {
				t.Errorf("%+v: %v", c, err)
			}
			if err != nil {
				continue
			}
			s := b.Shape(node)
			full := graph.Shape{W: w + 2*c.pad - (c.width-1)*c.dilation, H: h + 2*c.pad - (c.height-1)*c.dilation,
				Channels: op.Out}
			if s.W != (full.W-1)/c.stride+1 || s.H != (full.H-1)/c.stride+1 {
				t.Errorf("%+v: the shape is %v", c, s)
				continue
			}
			// As large as the picture again, so that the graph is one that enlarges.
			g := must.Get(b.Graph(must.Get(b.Add("s", graph.Resize{By: graph.Nearest}, node, 0))(t)))(t)
			picture := randomSamples(r, w, h, 3)
			got, want := graphtest.Eval(g, picture), graphtest.Apply(op, full, picture)
			for y := range s.H {
				for x := range s.W {
					for channel, v := range want.At(x*c.stride, y*c.stride) {
						at := got.At((x*w+s.W-1)/s.W, (y*h+s.H-1)/s.H)
						if d := math.Abs(float64(at[channel] - v)); d > 1e-4 {
							t.Fatalf("%+v: (%d, %d, %d) is %g off", c, x, y, channel, d)
						}
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
