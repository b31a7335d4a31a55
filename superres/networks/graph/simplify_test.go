package graph_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"superres/internal/must"
	"superres/superres/networks/graph"
	"superres/superres/networks/graph/graphtest"
)

// TestSimplify compares what is left of some graphs, by the names of operations.
func TestSimplify(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	around := func(n int) graph.Edges { return graph.Edges{Top: n, Left: n, Bottom: n, Right: n} }
	affine := graph.Affine{Scale: random(r, 3), Offset: random(r, 1)}
	double := graph.Affine{Scale: []float32{2}, Offset: []float32{0}}
	conv3 := func(pad int) graph.Conv { return conv(r, 3, 3, 3, 3, 1, 1, around(pad)) }
	for _, test := range []struct {
		want string
		ops  []graph.Op
	}{
		{"", []graph.Op{graph.Select{Channels: []int{0, 1, 2}}, graph.Pad{}, graph.Concat{},
			graph.PixelShuffle{Factor: 1},
			graph.Resize{Up: 1, Down: 1}, graph.Clip{Min: -math.MaxFloat32, Max: math.MaxFloat32},
			graph.Affine{Scale: []float32{1}, Offset: []float32{0}}, graph.PReLU{Slope: []float32{1, 1, 1}}}},
		{"Conv", []graph.Op{graph.Pad{Edges: around(1)}, conv3(0)}},
		{"Pad Conv", []graph.Op{graph.Pad{Edges: around(1), Mode: graph.PadEdge}, conv3(0)}},
		{"Conv", []graph.Op{conv3(3), graph.Pad{Edges: around(-1)}, graph.Pad{Edges: around(-1)}}},
		{"Conv Pad", []graph.Op{conv3(0), graph.Pad{Edges: around(1)}}},
		{"Conv", []graph.Op{conv3(1), affine, affine}},
		{"Conv PReLU", []graph.Op{conv3(1), graph.PReLU{Slope: random(r, 3)}, double}},
		{"Affine Conv", []graph.Op{affine, conv3(1)}},
		{"Affine Pad Conv", []graph.Op{affine, graph.Pad{Edges: around(1), Mode: graph.PadReflect}, double, conv3(0)}},
		{"Conv", []graph.Op{double, conv3(1)}},
		{"Affine", []graph.Op{affine, affine, double}},
		{"PixelUnshuffle Conv PixelShuffle", []graph.Op{graph.PixelUnshuffle{Factor: 2},
			conv(r, 12, 12, 3, 3, 1, 3, around(1)), graph.PixelShuffle{Factor: 2}, affine}},
		{"Conv PixelShuffle", []graph.Op{convTranspose(r, 3, 3, 2, 2, 0, 0, 1)}},
		{"Conv PixelShuffle Pad", []graph.Op{convTranspose(r, 3, 3, 4, 2, 1, 0, 3), affine}},
		{"Conv", []graph.Op{convTranspose(r, 3, 3, 3, 1, 1, 0, 1)}},
		{"Conv", []graph.Op{conv(r, 3, 32, 3, 3, 1, 1, around(1)), conv(r, 32, 3, 1, 1, 1, 1, around(0))}},
		{"Conv", []graph.Op{conv(r, 3, 6, 1, 1, 1, 1, around(1)), conv(r, 6, 6, 3, 3, 1, 1, around(0)),
			conv(r, 6, 3, 1, 1, 1, 1, around(0))}},
		{"Pad Pad", []graph.Op{graph.Pad{Edges: graph.Edges{Top: -1}}, graph.Pad{Edges: graph.Edges{Top: 1}}}},
		{"Conv PixelShuffle", []graph.Op{conv(r, 3, 12, 3, 3, 1, 1, around(1)), graph.PixelShuffle{Factor: 2},
			graph.PixelUnshuffle{Factor: 2}, graph.PixelShuffle{Factor: 2}}},
		{"Conv Pad", []graph.Op{conv(r, 3, 8, 1, 1, 1, 1, around(0)), conv(r, 8, 3, 3, 1, 2, 1, graph.Edges{}),
			graph.Pad{Edges: graph.Edges{Top: 1, Bottom: 3}}, graph.Pad{Edges: graph.Edges{Top: 1, Bottom: -1}}}},
		{"Conv Conv", []graph.Op{conv(r, 3, 1, 1, 1, 1, 1, around(0)), conv(r, 1, 3, 3, 3, 1, 1, around(1))}},
		{"Conv Conv", []graph.Op{conv3(1), conv3(1)}},
		{"Clip", []graph.Op{graph.PReLU{Slope: []float32{0}}, graph.Clip{Min: -1, Max: 6}, graph.Clip{Min: 0, Max: 3}}},
		{"PReLU", []graph.Op{graph.PReLU{Slope: []float32{0.5}}, graph.Clip{Min: 0, Max: math.MaxFloat32}}},
		{"Select", []graph.Op{graph.Select{Channels: []int{0, 2, 1}}, graph.Select{Channels: []int{2, 2, 0}}}},
	} {
		b := graphtest.NewBuilder(3, 1)
		x := 0
		for _, op := range test.ops {
			x = b.Add(op, x)
		}
		g := b.Graph()
		if got := strings.Join(names(checkSimplify(t, test.want, g)), " "); got != test.want {
			t.Errorf("%s → %s, expected %s", strings.Join(names(g), " "), got, test.want)
		}
	}
}

// names returns the names of the operations of a graph.
func names(g *graph.Graph) (list []string) {
	for _, n := range g.Nodes[1:] {
		list = append(list, graph.NameOf(n.Op))
	}
	return list
}

// TestSimplifySums looks for what sums become.
func TestSimplifySums(t *testing.T) {
	for want, build := range map[string]func(b *graphtest.Builder){
		"Affine":      func(b *graphtest.Builder) { b.Add(graph.Add{}, 0, 0) },
		"Abs Exp Mul": func(b *graphtest.Builder) { b.Add(graph.Mul{}, b.Add(graph.Abs, 0), b.Add(graph.Exp, 0)) },
		"Conv": func(b *graphtest.Builder) {
			x := b.Add(graph.Add{}, b.Conv(0, 3, 1, 1), b.Conv(0, 3, 5, 1))
			tall := conv(rand.New(rand.NewPCG(1, 1)), 3, 3, 1, 3, 1, 1, graph.Edges{Left: 2, Right: 0})
			b.Add(graph.Add{}, b.Add(tall, 0), x)
		},
		"Conv Conv Add": func(b *graphtest.Builder) {
			dilated := conv(rand.New(rand.NewPCG(1, 1)), 3, 3, 3, 3, 2, 1,
				graph.Edges{Top: 2, Left: 2, Bottom: 2, Right: 2})
			b.Add(graph.Add{}, b.Add(dilated, 0), b.Conv(0, 3, 3, 1))
		},
		"Abs": func(b *graphtest.Builder) { // the channels of one input of a Concat
			all := b.Add(graph.Concat{}, b.Add(graph.Exp, 0), b.Add(graph.Abs, 0))
			b.Add(graph.Select{Channels: []int{3, 4, 5}}, all)
		},
		"Exp Exp Concat Select": func(b *graphtest.Builder) { // two Concats are one
			x := b.Add(graph.Exp, 0)
			all := b.Add(graph.Concat{}, b.Add(graph.Concat{}, x, 0), b.Add(graph.Exp, x))
			b.Add(graph.Select{Channels: []int{1, 4, 8}}, all)
		},
	} {
		b := graphtest.NewBuilder(3, 1)
		build(b)
		if got := strings.Join(names(checkSimplify(t, want, b.Graph())), " "); got != want {
			t.Errorf("%s, expected %s", got, want)
		}
	}
}

// TestSimplifyKeepsResults compares the results of networks, and of graphs of random operations on random nodes.
func TestSimplifyKeepsResults(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, n := range slices.Concat(graphtest.All(), oneOperation(r)) {
		checkSimplify(t, n.Name, n.Graph)
	}
	for seed := range uint64(300) {
		g := graphtest.Random(seed)
		checkSimplify(t, fmt.Sprintf("graph %d", seed), g)
	}
}

// checkSimplify simplifies a graph, compares the results, and returns the simplified graph.
func checkSimplify(t *testing.T, name string, g *graph.Graph) *graph.Graph {
	t.Helper()
	simple := g.Simplify()
	must.Succeed(t, simple.Check())
	m := g.Measure()
	picture := graphtest.Picture(8*m.Multiple, 8*m.Multiple, g.Nodes[0].Op.(graph.Input).Channels, 2)
	want, got := graphtest.Eval(g, picture), graphtest.Eval(simple, picture)
	if got.Shape != want.Shape {
		t.Fatalf("%s: shape %v, expected %v", name, got.Shape, want.Shape)
	}
	most := 1e-5
	for _, v := range want.Values {
		most = max(most, 1e-5*math.Abs(float64(v)))
	}
	for i, v := range got.Values {
		if !(math.Abs(float64(v-want.Values[i])) <= most) {
			t.Errorf("%s: sample %d is %g, expected %g", name, i, v, want.Values[i])
			break
		}
	}
	if again := len(simple.Simplify().Nodes); again != len(simple.Nodes) {
		t.Errorf("%s: %d nodes after %d", name, again, len(simple.Nodes))
	}
	return simple
}
