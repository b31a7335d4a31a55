package onnx

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"superres/internal/must"
	"superres/superres/networks/graph"
	"superres/superres/networks/graph/graphtest"
)

// run returns the result of a file for a picture whose samples are 0, 1, 2 …, once as the graph computes it and once as
// the nodes do when the picture is a constant. It reports false if the file is refused.
func run(t *testing.T, f *file) (samples, constant []float32, ok bool) {
	t.Helper()
	data := f.bytes()
	g, err := Read(data, nil)
	if err != nil {
		return nil, nil, false
	}
	m := must.Get(parseModel(data, nil))(t)
	channels, h, w := f.dims[1], f.dims[2], f.dims[3]
	picture := graph.NewSamples(graph.Shape{W: w, H: h, Channels: channels})
	x := &tensor{dims: f.dims, reals: make([]float32, channels*h*w)}
	for i := range x.reals {
		x.reals[i] = float32(i)
		picture.At(i%w, i/w%h)[i/w/h] = float32(i)
	}
	result := graphtest.Eval(g, picture)
	for c := range result.Channels {
		for y := range result.H {
			for x := range result.W {
				samples = append(samples, result.At(x, y)[c])
			}
		}
	}
	tr := m.newTracer()
	tr.values["x"] = &value{constant: x}
	must.Succeed(t, m.eachNode(m.body, nodesField, tr.followNode))
	return samples, tr.values["y"].constant.reals, true
}

// TestRearrangements splits the dimensions of twelve channels, exchanges them in all ways and merges them again. What
// is accepted gives the samples that the same nodes make of a constant.
func TestRearrangements(t *testing.T) {
	accepted := 0
	var permute func(order []int, from int)
	permute = func(order []int, from int) {
		if from < len(order) {
			for i := from; i < len(order); i++ {
				next := slices.Clone(order)
				next[from], next[i] = next[i], next[from]
				permute(next, from+1)
			}
			return
		}
		f := sized(4, 6).node("Concat x x x x > x4", attr{"axis", 1}).constant(ints("s", 1, 2, 3, 2, 6, 4)).
			node("Reshape x4 s > r").node("Transpose r > t", attr{"perm", order}).
			constant(ints("e", 1, 3, 12, 8)).node("Reshape t e > y")
		samples, constant, ok := run(t, f)
		if !ok {
			return
		}
		if accepted++; !slices.Equal(samples, constant) {
			t.Errorf("%v: got %v, expected %v", order, samples, constant)
		}
	}
	permute([]int{0, 1, 2, 3, 4, 5}, 0)
	if accepted < 2 { // which of the two parts of the channels becomes rows, and which columns
		t.Errorf("%d permutations are accepted", accepted)
	}
}

// every is a file that keeps the pixels of every second row and column, q, and has the indexes i of others.
func every() *file {
	return sized(4, 6).constant(ints("0", 0)).constant(ints("1", 1)).constant(ints("2", 2)).constant(ints("3", 3)).
		constant(ints("e", 9)).node("Slice x 0 e 2 2 > p").node("Add p p > p2").node("Slice p2 1 e 3 2 > q").
		constant(indexes(2, 1, 3, 0, 2, 2))
}

// indexes returns a constant i of indexes of three channels, and of some rows and columns from the given ones on, step
// apart.
func indexes(step, top, down, left, across, columnStep int) []byte {
	var list []int
	for c := range 3 {
		for y := range down {
			for x := range across {
				list = append(list, 0, c, top+y*step, left+x*columnStep)
			}
		}
	}
	raw := make([]byte, 0, 8*len(list))
	for _, v := range list {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return rawTensor("i", typeInt64, []int{1, 3, down, across, 4}, raw)
}

// TestSamplesAndConstants runs files on samples and on constants.
func TestSamplesAndConstants(t *testing.T) {
	unshuffle := func(order ...int) *file {
		return sized(4, 6).constant(ints("s", 1, 3, 3, 2, 2, 2)).constant(ints("r", 1, 12, 3, 2)).
			node("Reshape x s > a").node("Transpose a > b", attr{"perm", order}).node("Reshape b r > c").
			constant(ints("q", 1, 3, 2, 2, 3, 2)).constant(ints("p", 1, 3, 6, 4)).
			node("Reshape c q > d").node("Transpose d > e", attr{"perm", []int{0, 1, 4, 2, 5, 3}}).
			node("Reshape e p > y")
	}
	for name, f := range map[string]*file{
		"shuffled":        shuffled(0, 1, 4, 2, 5, 3),
		"channels":        channelShuffle(),
		"unshuffled":      unshuffle(0, 1, 3, 5, 2, 4),
		"block first":     unshuffle(0, 3, 5, 1, 2, 4),
		"columns first":   unshuffle(0, 1, 5, 3, 2, 4),
		"block around":    unshuffle(0, 3, 1, 5, 2, 4),
		"channels picked": sized(4, 6).constant(ints("i", 2, -2, 0)).node("Gather x i > y", attr{"axis", 1}),
		"a part": sized(4, 6).constant(ints("a", 2)).constant(ints("b", 0)).constant(ints("i", 1)).
			constant(ints("s", -1)).node("Slice x a b i s > p").node("Concat p p > q", attr{"axis", 1}).
			node("Slice q i n i > y").constant(ints("n", math.MaxInt64)),
		"nearest": sized(4, 6).constant(ints("s", 1, 3, 6, 3, 4, 3)).constant(ints("a", 3, 5)).
			constant(ints("r", 1, 3, 18, 12)).node("Unsqueeze x a > u").node("Expand u s > e").node("Reshape e r > y"),
		"every second pixel": every().node("ScatterND x i q > y"),
		"among zeros": every().constant(floats("z", []int{1, 3, 6, 4}, make([]float64, 72)...)).
			node("ScatterND z i q > y"),
		"sums one by one": sized(4, 6).constant(ints("l", -1)).constant(ints("a", 2, 3)).
			node("ReduceSum x l > c", attr{"keepdims", 0}).node("ReduceSum c l > s", attr{"keepdims", 0}).
			node("Unsqueeze s a > b").node("Add x b > y"),
		"at an edge": sized(4, 6).constant(indexes(2, 5, 1, 0, 4, 1)).
			constant(floats("b", []int{1, 3, 1, 4}, 5, 5, 5, 5, -7, -7, -7, -7, 0, 0, 0, 0)).
			node("ScatterND x i b > y"),
		"stacked": sized(4, 6).constant(ints("1", 1)).node("Unsqueeze x 1 > a").node("Neg x > m").node("Add m x > z").
			node("Add z x > c").node("Unsqueeze c 1 > b").node("Concat a b > ab", attr{"axis", 1}).
			node("Concat ab a > aba", attr{"axis", 1}).node("ReduceSum aba 1 > y", attr{"keepdims", 0}),
		"tiled": sized(4, 6).constant(ints("s", 1, 4, 1, 1)).constant(ints("q", 1, 3, 2, 2, 6, 4)).
			constant(ints("r", 1, 3, 12, 8)).node("Tile x s > a").node("Reshape a q > b").
			node("Transpose b > c", attr{"perm", []int{0, 1, 4, 2, 5, 3}}).node("Reshape c r > y"),
	} {
		samples, constant, ok := run(t, f)
		if !ok {
			_, err := Read(f.bytes(), nil)
			t.Errorf("%s: %v", name, err)
		} else if !slices.Equal(samples, constant) {
			t.Errorf("%s: got %v, expected %v", name, samples, constant)
		}
	}
}

// TestHostileScatter refuses what ScatterND must not read: whole numbers, and more pictures than one.
func TestHostileScatter(t *testing.T) {
	for _, by := range [][]byte{
		rawTensor("b", typeInt64, []int{1, 3, 1, 4}, make([]byte, 8*12)),
		floats("b", []int{2, 3, 1, 4}, make([]float64, 24)...),
		floats("b", []int{1, 3, 1, 3}, make([]float64, 9)...), floats("b", []int{1, 0, 1, 4}),
	} {
		f := sized(4, 6).constant(indexes(1, 0, 1, 0, 4, 1)).constant(by).node("ScatterND x i b > y")
		if _, err := Read(f.bytes(), nil); err == nil {
			t.Errorf("%.40q is accepted", by)
		}
	}
}

// TestLayerAttention attends to two layers, x and 2x, which are weighted by their products: s, 2s and 4s, with s the
// sum of the squares of x.
func TestLayerAttention(t *testing.T) {
	f := sized(4, 6).constant(ints("1", 1)).constant(ints("flat", 1, 2, 72)).constant(ints("deep", 1, 2, 3, 6, 4)).
		node("Unsqueeze x 1 > a").node("Add x x > x2").node("Unsqueeze x2 1 > b").
		node("Concat a b > ab", attr{"axis", 1}).node("Reshape ab flat > q").
		node("Transpose q > k", attr{"perm", []int{0, 2, 1}}).node("MatMul q k > s").node("MatMul s q > o").
		node("Reshape o deep > p").node("ReduceSum p 1 > y", attr{"keepdims", 0})
	picture := graph.NewSamples(graph.Shape{W: 4, H: 6, Channels: 3})
	squares := 0.
	for i := range picture.Values {
		picture.Values[i] = float32(i%7) - 2
		squares += float64(picture.Values[i] * picture.Values[i])
	}
	for i, v := range graphtest.Eval(must.Get(Read(f.bytes(), nil))(t), picture).Values {
		if want := (1 + 4 + 2 + 8) * squares * float64(picture.Values[i]); math.Abs(float64(v)-want) > 1e-3 {
			t.Fatalf("sample %d: got %g, expected %g", i, v, want)
		}
	}
}
