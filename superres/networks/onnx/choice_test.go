package onnx

import (
	"reflect"
	"slices"
	"testing"

	"superres/internal/must"
	"superres/superres/networks/graph"
	"superres/superres/networks/graph/graphtest"
)

// TestChoices takes the two greatest, or least, of three channels, the first of those that are alike, and puts them
// back in their places.
func TestChoices(t *testing.T) {
	pixels := [][3]float32{{1, 2, 3}, {3, 2, 1}, {2, 2, 1}, {0, 0, 0}, {-1, 5, -1}, {4, 9, 9}}
	for _, largest := range []int{0, 1} {
		top := newFile().constant(ints("k", 2)).node("TopK x k > v i", attr{"axis", 1}, attr{"largest", largest}).
			constant(ints("one", 1)).constant(ints("zero", 0)).
			node("Slice i zero one one > first")
		top.dims = []int{1, 3, 2, 3}
		for name, line := range map[string]string{
			"values": "Concat v first > y",
			"back":   "ScatterElements zeros i v > y",
		} {
			f := *top
			f.graph = slices.Clone(top.graph)
			f.constant(floats("zeros", []int{1, 3, 2, 3}, make([]float64, 18)...)).node(line, attr{"axis", 1})
			g := must.Get(Read(f.bytes(), nil))(t)
			in := graph.NewSamples(graph.Shape{W: 3, H: 2, Channels: 3})
			for i, p := range pixels {
				copy(in.Values[3*i:], p[:])
			}
			got := graphtest.Eval(g, in)
			for i, p := range pixels {
				order := []int{0, 1, 2}
				slices.SortStableFunc(order, func(a, b int) int { return int(p[b]-p[a]) * (2*largest - 1) })
				want := []float32{p[order[0]], p[order[1]], float32(order[0])}
				if name == "back" {
					want = p[:]
					want[order[2]] = 0
				}
				if !slices.Equal(got.Values[3*i:][:3], want) {
					t.Errorf("%s, largest %d: got %v, expected %v", name, largest, got.Values[3*i:][:3], want)
				}
			}
		}
	}
}

// TestConvBySamples compares a convolution whose weights the picture makes, all 0 but for their biases, with one of
// constants.
func TestConvBySamples(t *testing.T) {
	biases := make([]float64, 27)
	for i := range biases {
		biases[i] = float64(i*i%7) - 3
	}
	f := sized(4, 6).constant(floats("w", []int{27, 3, 1, 1}, make([]float64, 81)...)).
		constant(floats("b", []int{27}, biases...)).constant(ints("s", 3, 1, 3, 3)).
		node("GlobalAveragePool x > m").node("Conv m w b > k").node("Reshape k s > r")
	pads := []attr{{"group", 3}, {"pads", []int{2, 1, 0, 1}}}
	got := must.Get(Read(f.node("Conv x r > y", pads...).bytes(), nil))(t)
	want := must.Get(Read(sized(4, 6).constant(floats("r", []int{3, 1, 3, 3}, biases...)).
		node("Conv x r > y", pads...).bytes(), nil))(t)
	in := graph.NewSamples(graph.Shape{W: 7, H: 5, Channels: 3})
	for i := range in.Values {
		in.Values[i] = float32(i * 13 % 11)
	}
	if a, b := graphtest.Eval(got, in), graphtest.Eval(want, in); !slices.Equal(a.Values, b.Values) {
		t.Errorf("got %v, expected %v", a.Values, b.Values)
	}
}

// TestScatterND puts channels in the place of others, by indexes of channels, and of all pixels; others are refused.
func TestScatterND(t *testing.T) {
	for depth, last := range map[int]int{2: -3, 4: 5, 3: 0} {
		var list []int
		for _, channel := range []int{2, -3} {
			for i := range max(1, 24*(depth/3)) {
				list = append(list, []int{0, channel, i / 6, i % 6}[:depth]...)
			}
		}
		list[len(list)-1] = last
		f := sized(6, 4).constant(ints("l", list...)).constant(ints("s", -1, depth)).node("Reshape l s > i").
			constant(ints("which", 0, 1)).node("Gather x which > a", attr{"axis", 1}).node("Neg a > b")
		samples, constant, accepted := run(t, f.node("ScatterND x i b > y"))
		if accepted != (depth != 3) || !slices.Equal(samples, constant) {
			t.Errorf("%d numbers each: got %v, expected %v", depth, samples, constant)
		}
	}
}

// TestSizesOfExports reads networks as they are exported for one size of picture: whatever that is, one network has to
// come out, though variances are multiplied and divided by numbers of pixels, an ESA's map is enlarged by a whole
// factor, and its windows are as large as what they pool.
func TestSizesOfExports(t *testing.T) {
	for name, build := range map[string]func(f *file, w, h int){
		"unbiased variance": func(f *file, w, h int) {
			f.constant(floats("n", nil, float64(w*h))).constant(floats("less", nil, float64(w*h-1))).
				node("ReduceMean x > m", attr{"axes", []int{2, 3}}).node("Sub x m > d").node("Mul d d > s").
				node("ReduceMean s > v", attr{"axes", []int{2, 3}}).node("Mul v n > a").node("Div a less > b").
				node("Mul x b > y")
		},
		"ESA": func(f *file, w, h int) {
			f.weights("w", 3, 3, 3, 3).constant(ints("s", 1, 3, h, w)).
				node("Conv x w > a", attr{"strides", []int{2, 2}}).
				node("MaxPool a > b", attr{"kernel_shape", []int{7, 7}}, attr{"strides", []int{3, 3}}).
				node("Resize b _ _ s > c", attr{"mode", "linear"}).node("Add x c > y")
		},
	} {
		var want *graph.Graph
		for _, size := range [][2]int{{64, 80}, {48, 48}, {16, 16}} {
			f := sized(size[0], size[1])
			build(f, size[0], size[1])
			g := must.Get(Read(f.bytes(), nil))(t)
			if want == nil {
				want = g
			} else if !reflect.DeepEqual(g, want) {
				t.Errorf("%s of %v: %s, expected %s", name, size, describe(g), describe(want))
			}
		}
	}
}
