package graph_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"superres/internal/must"
	"superres/superres/networks/graph"
)

// random returns n values of the normal distribution.
func random(r *rand.Rand, n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(r.NormFloat64())
	}
	return list
}

func randomSamples(r *rand.Rand, w, h, channels int) graph.Samples {
	s := graph.NewSamples(graph.Shape{W: w, H: h, Channels: channels})
	copy(s.Values, random(r, len(s.Values)))
	return s
}

func conv(r *rand.Rand, in, out, height, width, dilation, groups int, pad graph.Edges) graph.Conv {
	return graph.Conv{Out: out, Height: height, Width: width, Dilation: dilation, Groups: groups, Pad: pad,
		Weight: random(r, out*in/groups*height*width), Bias: random(r, out)}
}

func convTranspose(r *rand.Rand, in, out, kernel, stride, pad, extra, groups int) graph.ConvTranspose {
	return graph.ConvTranspose{Out: out, Kernel: kernel, Stride: stride, Pad: pad, Extra: extra, Groups: groups,
		Weight: random(r, in*out/groups*kernel*kernel), Bias: random(r, out)}
}

// cases returns operations with the channels of their inputs.
func cases() []struct {
	op graph.Op
	in []int
} {
	type op = struct {
		op graph.Op
		in []int
	}
	r := rand.New(rand.NewPCG(1, 2))
	all := graph.Edges{Top: 1, Left: 1, Bottom: 1, Right: 1}
	noBias := conv(r, 3, 32, 3, 3, 1, 1, all)
	noBias.Bias = nil
	list := []op{
		{noBias, []int{3}}, {conv(r, 16, 16, 1, 1, 1, 1, graph.Edges{}), []int{16}},
		{conv(r, 5, 7, 5, 3, 1, 1, graph.Edges{Top: 2, Left: 3, Right: 1}), []int{5}},
		{conv(r, 4, 20, 3, 3, 2, 1, graph.Edges{Top: 2, Left: 2, Bottom: 2, Right: 2}), []int{4}},
		{conv(r, 12, 6, 3, 1, 2, 3, all), []int{12}}, {conv(r, 6, 18, 1, 3, 3, 2, all), []int{6}},
		{conv(r, 9, 9, 3, 5, 1, 9, all), []int{9}}, {conv(r, 4, 8, 3, 3, 1, 4, all), []int{4}},
		{convTranspose(r, 3, 5, 4, 2, 1, 0, 1), []int{3}}, {convTranspose(r, 4, 6, 3, 2, 1, 1, 2), []int{4}},
		{convTranspose(r, 2, 2, 2, 2, 0, 1, 1), []int{2}}, {convTranspose(r, 2, 1, 9, 3, 4, 2, 1), []int{2}},
		{convTranspose(r, 3, 3, 1, 1, 0, 0, 3), []int{3}}, {convTranspose(r, 1, 2, 1, 3, 0, 2, 1), []int{1}},
		{graph.PReLU{Slope: random(r, 5)}, []int{5}}, {graph.PReLU{Slope: []float32{0}}, []int{5}},
		{graph.Clip{Min: -0.5, Max: 1}, []int{3}},
		{graph.Affine{Scale: random(r, 3), Offset: random(r, 1)}, []int{3}},
		{graph.Affine{Scale: random(r, 1), Offset: random(r, 3)}, []int{3}},
		{graph.Add{}, []int{3, 3}}, {graph.Sub{}, []int{1, 3}}, {graph.Sub{}, []int{3, 1}}, {graph.Mul{}, []int{4, 1}},
		{graph.Concat{}, []int{3, 1, 2}}, {graph.Select{Channels: []int{2, 0, 2}}, []int{3}},
		{graph.PixelShuffle{Factor: 3}, []int{18}}, {graph.PixelUnshuffle{Factor: 2}, []int{3}},
		{graph.Pad{Edges: graph.Edges{Top: 2, Left: -1, Bottom: -3, Right: 1}}, []int{2}},
		{graph.Pad{Edges: graph.Edges{Top: 2, Left: 3, Bottom: -3, Right: 1}, Mode: graph.PadEdge}, []int{2}},
		{graph.Pad{Edges: graph.Edges{Top: 5, Left: 7, Bottom: 4, Right: -2}, Mode: graph.PadReflect}, []int{2}},
	}
	for f := graph.Sigmoid; f <= graph.Exp; f++ {
		list = append(list, op{f, []int{2}})
	}
	for by := graph.Nearest; by <= graph.Bicubic; by++ {
		for _, aligned := range []bool{false, true} {
			for _, f := range [][2]int{{1, 1}, {2, 1}, {3, 1}, {4, 1}, {1, 2}, {1, 4}} {
				r := graph.Resize{By: by, Up: f[0], Down: f[1], A: -0.75, AlignCorners: aligned}
				list = append(list, op{r, []int{2}})
			}
		}
	}
	return list
}

// TestOperations compares each operation with its definition.
func TestOperations(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, test := range cases() {
		// Selections of the picture's three channels make inputs of other numbers of channels.
		g := &graph.Graph{Nodes: []graph.Node{{Op: graph.Input{Channels: 3}}}, Range: 1}
		picture := randomSamples(r, 12, 8, 3)
		last := graph.Node{Op: test.op}
		var in []graph.Samples
		for _, channels := range test.in {
			c := graph.Conv{Out: channels, Height: 1, Width: 1, Dilation: 1, Groups: 1, Weight: random(r, 3*channels)}
			last.Inputs = append(last.Inputs, len(g.Nodes))
			g.Nodes = append(g.Nodes, graph.Node{Op: c, Inputs: []int{0}})
			in = append(in, graph.Samples{})
		}
		g.Output = len(g.Nodes)
		g.Nodes = append(g.Nodes, last)
		got := must.Get(g.EvalEach(context.Background(), picture, func(node int, s graph.Samples) {
			if k := slices.Index(last.Inputs, node); k >= 0 {
				in[k] = graph.Samples{Shape: s.Shape, Values: slices.Clone(s.Values)}
			}
		}))(t)
		compare(t, fmt.Sprintf("%s %+v", test.op.Name(), test.op), got, in, test.op)
	}
}

func compare(t *testing.T, name string, got graph.Samples, in []graph.Samples, op graph.Op) {
	t.Helper()
	for y := range got.H {
		for x := range got.W {
			for c, v := range got.At(x, y) {
				want := value(op, in, x, y, c)
				if d := math.Abs(float64(v) - want); !(d <= 2e-5*(1+math.Abs(want))) {
					t.Errorf("%.100s: (%d, %d), channel %d: %g, expected %g", name, x, y, c, v, want)
					return
				}
			}
		}
	}
}

// TestEvalIsIndependentOfProcessors compares results of one and several.
func TestEvalIsIndependentOfProcessors(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	all := graph.Edges{Top: 1, Left: 1, Bottom: 1, Right: 1}
	g := &graph.Graph{Nodes: []graph.Node{{Op: graph.Input{Channels: 3}},
		{Op: conv(r, 3, 32, 3, 3, 1, 1, all), Inputs: []int{0}}, {Op: graph.SiLU, Inputs: []int{1}},
		{Op: conv(r, 32, 3, 3, 3, 1, 1, all), Inputs: []int{2}}}, Output: 3, Range: 1}
	picture := randomSamples(r, 300, 61, 3)
	var results [][]float32
	for _, n := range []int{1, 2, 5} {
		before := runtime.GOMAXPROCS(n)
		results = append(results, must.Get(g.Eval(context.Background(), picture))(t).Values)
		runtime.GOMAXPROCS(before)
	}
	if !slices.Equal(results[0], results[1]) || !slices.Equal(results[0], results[2]) {
		t.Error("other results with other numbers of processors")
	}
}

func TestEvalRefuses(t *testing.T) {
	g := &graph.Graph{Nodes: []graph.Node{{Op: graph.Input{Channels: 3}},
		{Op: graph.PixelUnshuffle{Factor: 2}, Inputs: []int{0}}, {Op: graph.PixelShuffle{Factor: 2}, Inputs: []int{1}}},
		Output: 2, Range: 1}
	for _, s := range []graph.Samples{
		{}, graph.NewSamples(graph.Shape{W: 4, H: 4, Channels: 1}),
		graph.NewSamples(graph.Shape{W: 5, H: 4, Channels: 3}), {Shape: graph.Shape{W: 4, H: 4, Channels: 3}},
	} {
		if _, err := g.Eval(context.Background(), s); err == nil {
			t.Errorf("a picture of %v in an array of %d was accepted", s.Shape, len(s.Values))
		}
	}
	ended, end := context.WithCancel(context.Background())
	end()
	if _, err := g.Eval(ended, graph.NewSamples(graph.Shape{W: 4, H: 4, Channels: 3})); err != context.Canceled {
		t.Errorf("after the context ended: %v", err)
	}
}
