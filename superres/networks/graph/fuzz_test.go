package graph_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"superres/superres/networks/graph"
	"superres/superres/networks/graph/graphtest"
)

// FuzzGraph makes graphs of bytes. What Check accepts has a measure, and the simplified graph has the same
// results, unless the picture is too small.
func FuzzGraph(f *testing.F) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 2))
		data := make([]byte, 20+r.IntN(100))
		for i := range data {
			data[i] = byte(r.IntN(256))
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		g := decode(data)
		if g.Check() != nil {
			return
		}
		m := g.Measure()
		simple := g.Simplify()
		if err := simple.Check(); err != nil {
			t.Fatalf("the simplified graph is none: %v", err)
		}
		if simple.Measure().Scale != m.Scale || simple.Measure().Multiple > m.Multiple {
			t.Fatalf("%+v, simplified %+v", m, simple.Measure())
		}
		picture := graphtest.Picture(4*m.Multiple, 4*m.Multiple, g.Nodes[0].Op.(graph.Input).Channels, 1)
		shapes, err := g.Shapes(picture.W, picture.H)
		if err != nil {
			return
		}
		for _, s := range shapes {
			if s.W*s.H*s.Channels > 1<<16 { // which would be slow
				return
			}
		}
		largest := 0.0
		want := graphtest.EvalEach(g, picture, func(s graph.Samples) {
			for _, v := range s.Values {
				if largest = max(largest, math.Abs(float64(v))); v != v {
					largest = math.Inf(1)
				}
			}
		})
		if largest > 100 { // where rounding may show
			return
		}
		got := graphtest.Eval(simple, picture)
		for i, v := range got.Values {
			if !(math.Abs(float64(v-want.Values[i])) < 0.01) {
				t.Fatalf("sample %d is %g, expected %g", i, v, want.Values[i])
			}
		}
	})
}

// decode returns a graph, which may be none.
func decode(data []byte) *graph.Graph {
	next := func(n int) int { // a number of [0, n)
		if len(data) == 0 {
			return 0
		}
		v := int(data[0]) % n
		data = data[1:]
		return v
	}
	seed := uint64(next(256))
	list := func(n int) []float32 { return random(rand.New(rand.NewPCG(seed, uint64(n))), n) }
	edges := func(least, most int) (e graph.Edges) {
		for _, side := range []*int{&e.Top, &e.Left, &e.Bottom, &e.Right} {
			*side = least + next(most-least+1)
		}
		return e
	}
	g := &graph.Graph{Nodes: []graph.Node{{Op: graph.Input{Channels: 1 + 2*next(2)}}}, Range: 1}
	for len(data) > 0 && len(g.Nodes) < 20 {
		n := graph.Node{Inputs: []int{max(0, len(g.Nodes)-1-next(2))}}
		switch next(28) {
		case 0:
			in, out := 1+next(4), 1+next(4)
			c := conv(rand.New(rand.NewPCG(seed, 1)), in, out, 1+next(3), 1+next(3), 1+next(2), 1, edges(0, 2))
			n.Op = c
		case 1:
			in, out := 1+next(4), 1+next(4)
			n.Op = convTranspose(rand.New(rand.NewPCG(seed, 1)), in, out, 1+next(4), 1+next(3), next(2), next(2), 1)
		case 2:
			n.Op = graph.PReLU{Slope: list(1 + next(4))}
		case 3:
			n.Op = graph.Function(next(21))
		case 4:
			n.Op = graph.Clip{Min: float32(next(5)) - 2, Max: float32(next(5)) - 1}
		case 5:
			n.Op = graph.Affine{Scale: list(1 + next(4)), Offset: list(1 + next(4))}
		case 6:
			n.Op, n.Inputs = graph.Add{}, append(n.Inputs, next(len(g.Nodes)))
		case 7:
			n.Op, n.Inputs = graph.Sub{}, append(n.Inputs, next(len(g.Nodes)))
		case 8:
			n.Op, n.Inputs = graph.Mul{}, append(n.Inputs, next(len(g.Nodes)))
		case 9:
			n.Op, n.Inputs = graph.Concat{}, append(n.Inputs, next(len(g.Nodes)))
		case 10:
			n.Op = graph.Select{Channels: []int{next(4), next(4), next(4)}[:next(4)]}
		case 11:
			n.Op = graph.PixelShuffle{Factor: next(4)}
		case 12:
			n.Op = graph.PixelUnshuffle{Factor: next(4)}
		case 13:
			n.Op = graph.Resize{By: graph.Interpolation(next(3)), Up: next(4), Down: next(4), A: -0.5,
				AlignCorners: next(2) == 1}
		case 14:
			n.Op = graph.Pad{Edges: edges(-2, 2), Mode: graph.PadMode(next(3))}
		case 15:
			n.Op, n.Inputs = graph.Div{}, append(n.Inputs, next(len(g.Nodes)))
		case 16:
			n.Op, n.Inputs = graph.Max{}, append(n.Inputs, next(len(g.Nodes)))
		case 17:
			n.Op, n.Inputs = graph.Where{}, append(n.Inputs, next(len(g.Nodes)), next(len(g.Nodes)))
		case 18:
			n.Op = graph.Pool{IsMax: next(2) == 1, Height: next(4), Width: next(4), Stride: next(3), Pad: edges(0, 1),
				CountPad: next(2) == 1}
		case 19:
			n.Op = graph.Reduce{By: graph.Reduction(next(4)), OfPicture: next(2) == 1, OfChannels: next(2) == 1}
		case 20:
			n.Op = graph.Normalize{Groups: next(4), OfPicture: next(2) == 1, Epsilon: 0.1}
		case 21:
			n.Op = graph.Softmax{Size: next(5)}
			if next(2) == 1 {
				n.Op = graph.ReduceEach{By: graph.Reduction(next(5)), Size: next(5)}
			}
		case 22:
			n.Op = graph.Resize{By: graph.Interpolation(next(3)), A: -0.5, AlignCorners: next(2) == 1}
			n.Inputs = append(n.Inputs, next(len(g.Nodes)))
		case 23:
			n.Op = graph.Roll{Rows: next(5) - 2, Columns: next(5) - 2}
		case 24:
			n.Op = graph.Interleave{Rows: next(4), Columns: next(4), Undo: next(2) == 1}
		case 25, 26:
			w := graph.Windows{Height: next(4), Width: next(4), Heads: next(4)}
			var k graph.Keys
			if next(2) == 1 {
				k = graph.Keys{Height: next(5), Width: next(5), Down: next(4), Across: next(4)}
			}
			n.Op = []graph.Op{graph.Scores{Windows: w, Keys: k}, graph.WeightedSum{Windows: w, Keys: k},
				graph.ChannelScores{Windows: w}, graph.ChannelSum{Windows: w}}[next(4)]
			n.Inputs = append(n.Inputs, next(len(g.Nodes)))
		default:
			n.Op = graph.ShiftMask{Height: next(4), Width: next(4), Heads: next(3), Rows: next(3), Columns: next(3),
				Value: -1}
		}
		g.Nodes = append(g.Nodes, n)
		g.Output = len(g.Nodes) - 1
		if _, err := g.Shapes(12, 12); err != nil && next(8) > 0 { // nearly always leave out what does not fit
			g.Nodes = g.Nodes[:len(g.Nodes)-1]
			g.Output = len(g.Nodes) - 1
		}
	}
	return g
}
