package networks

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"superres/internal/kernel"
	"superres/internal/must"
	"superres/patches/plane"
	"superres/superres/networks/graph"
	"superres/superres/networks/graph/graphtest"
	"superres/superres/stage"
)

// stageOf returns the Stage of a graph.
func stageOf(t testing.TB, g *graph.Graph) *Stage {
	t.Helper()
	span := graph.Span{White: g.Range}
	return must.Get(newStage(g.Simplify(), graph.Ranges{In: span, Out: span}, 0))(t)
}

// planesOf returns a picture in planes.
func planesOf(p graph.Samples) (list []*plane.Plane) {
	for c := range p.Channels {
		list = append(list, plane.New(p.W, p.H))
		for i := range list[c].Pix {
			list[c].Pix[i] = p.Values[i*p.Channels+c]
		}
	}
	return list
}

// enlarge returns the result of s for a picture that is given in parts of some rows.
func enlarge(t testing.TB, s *Stage, p graph.Samples, rows int) []*plane.Plane {
	t.Helper()
	run, out := s.Start(p.W, p.H), make([]*plane.Plane, p.Channels)
	for c := range out {
		out[c] = plane.New(p.W*s.Scale(), 0)
	}
	for y := 0; y < p.H; y += rows {
		var part []*plane.Plane
		for _, whole := range planesOf(p) {
			part = append(part, whole.Crop(0, y, p.W, min(rows, p.H-y)))
		}
		for c, made := range must.Get(run.Push(t.Context(), part, nil))(t) {
			out[c].H, out[c].Pix = out[c].H+made.H, append(out[c].Pix, made.Pix...)
		}
	}
	return out
}

// agreement returns the PSNR, in dB, of s against the definition of g for a picture, of samples limited to 0..1.
func agreement(t testing.TB, s *Stage, g *graph.Graph, picture graph.Samples) float64 {
	t.Helper()
	want, sum := graphtest.Eval(g, picture), 0.
	for c, p := range enlarge(t, s, picture, picture.H) {
		for i, v := range p.Pix {
			d := float64(min(max(v, 0), 1) - min(max(want.Values[i*want.Channels+c], 0), 1))
			sum += d * d
		}
	}
	return -10 * math.Log10(sum/float64(len(want.Values)))
}

// reload returns a network that was written to a file and read again.
func reload(t testing.TB, s *Stage) (*Stage, error) {
	t.Helper()
	var m stage.Members
	head := must.Get(m.Add("network", s))(t)
	var b bytes.Buffer
	must.Succeed(t, m.Write(&b, "stages.json", []byte("{}")))
	f := must.Get(stage.Open(bytes.NewReader(b.Bytes()), int64(b.Len())))(t)
	back, err := f.Network("network", s.Scale(), head)
	if err != nil {
		return nil, err
	}
	return back.(*Stage), nil
}

// alike fails unless s makes the same bits of a picture with all kernels, with any workers, in all parts, and after it
// was saved.
func alike(t *testing.T, s *Stage, p graph.Samples) {
	t.Helper()
	want := enlarge(t, s, p, p.H)
	check := func(what string, s *Stage, rows int) {
		t.Helper()
		if got := enlarge(t, s, p, rows); !reflect.DeepEqual(got, want) {
			t.Errorf("%s it gives other bits", what)
		}
	}
	for tier := range kernel.Tiers() - 1 {
		restore := kernel.Use(tier)
		check("with kernels of "+kernel.Tier(), s, p.H)
		restore()
	}
	for workers := 1; workers < 5; workers++ {
		before := runtime.GOMAXPROCS(workers)
		check(fmt.Sprintf("with %d workers, in parts of %d rows", workers, workers+1), s, workers+1)
		runtime.GOMAXPROCS(before)
	}
	check("saved and loaded", must.Get(reload(t, s))(t), p.H)
}

// A network of each kind agrees with its definition, and gives the same bits everywhere.
func TestNetworks(t *testing.T) {
	for _, n := range graphtest.All() {
		t.Run(n.Name, func(t *testing.T) {
			s := stageOf(t, n.Graph)
			picture := graphtest.Picture(28, 36, s.Channels(), 3)
			if got := agreement(t, s, n.Graph, picture); got < 110 {
				t.Errorf("it agrees with its definition to %.1f dB", got)
			}
			if !testing.Short() {
				alike(t, s, picture)
			}
		})
	}
}

// The same of graphs of random operations.
func TestRandomGraphs(t *testing.T) {
	count := uint64(200)
	if testing.Short() {
		count = 20
	}
	for seed := range count {
		g := graphtest.Random(seed)
		s := stageOf(t, g)
		picture := graphtest.Picture(10+2*int(seed%5), 18, 3, seed)
		if got := agreement(t, s, g, picture); got < 100 {
			t.Errorf("graph %d agrees with its definition to %.1f dB", seed, got)
		}
		if seed%10 == 0 {
			alike(t, s, picture)
		}
	}
}

// What a network makes is finite, whatever it computes, and as large as a sample may be.
func TestNotFinite(t *testing.T) {
	b := graphtest.NewBuilder(3, 1)
	huge := b.Scale(0, 3e38)
	b.Add(graph.Sub{}, b.Scale(huge, 9), b.Scale(b.Scale(huge, 9), 0.5))
	s := stageOf(t, b.Graph())
	picture := graphtest.Picture(9, 7, 3, 1)
	for _, p := range enlarge(t, s, picture, 7) {
		for _, v := range p.Pix {
			if !(math.Abs(float64(v)) <= mostSample) {
				t.Fatalf("a sample of %g", v)
			}
		}
	}
	if bounded(float32(math.NaN())) != 0 || bounded(float32(math.Inf(-1))) != -mostSample {
		t.Error("what is no number, or infinite, is bounded wrongly")
	}
}

// TestOperations compares each operation with its definition, and the bits of all kernels.
func TestOperations(t *testing.T) {
	for _, test := range cases() {
		// Choices of the picture's channels make inputs of other numbers of channels.
		name := fmt.Sprintf("%.100s", fmt.Sprintf("%s %+v", graph.NameOf(test.op), test.op))
		g := &graph.Graph{Nodes: []graph.Node{{Op: graph.Input{Channels: 3}}}, Range: 1}
		picture := graphtest.Picture(24, 16, 3, 4)
		last := graph.Node{Op: test.op}
		for k, channels := range test.in {
			order := make([]int, channels)
			for i := range order {
				order[i] = (i*i + k) % 3
			}
			scale := graph.Affine{Scale: []float32{4}, Offset: []float32{float32(-2 + k)}}
			n := len(g.Nodes)
			g.Nodes = append(g.Nodes, graph.Node{Op: graph.Select{Channels: order}, Inputs: []int{0}},
				graph.Node{Op: scale, Inputs: []int{n}})
			last.Inputs = append(last.Inputs, n+1)
		}
		g.Output = len(g.Nodes)
		g.Nodes = append(g.Nodes, last)
		want := graphtest.Eval(g, picture)
		var first []float32
		for tier := range kernel.Tiers() {
			restore := kernel.Use(tier)
			got := runGraph(t, g, picture, want.Shape)
			restore()
			if first == nil {
				first = got.Values
			} else if !slices.Equal(got.Values, first) {
				t.Errorf("%s: other bits with other kernels", name)
			}
			for i, v := range got.Values {
				if d := math.Abs(float64(v - want.Values[i])); !(d <= 2e-5*(1+math.Abs(float64(want.Values[i])))) {
					t.Errorf("%s: sample %d is %g, expected %g", name, i, v, want.Values[i])
					break
				}
			}
		}
	}
}

// runGraph returns the result, of the given shape, of a graph that need not enlarge pictures.
func runGraph(t *testing.T, g *graph.Graph, picture graph.Samples, shape graph.Shape) graph.Samples {
	t.Helper()
	if slices.ContainsFunc(g.Nodes, func(n graph.Node) bool { _, is := n.Op.(graph.ConvTranspose); return is }) {
		g = g.Simplify()
	}
	b, result, err := build(g)
	must.Succeed(t, err)
	s := &Stage{program: b.program, result: result}
	return must.Get(s.compute(t.Context(), picture, graph.Unit, shape))(t)
}
