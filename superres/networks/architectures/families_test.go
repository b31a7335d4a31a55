package architectures

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"superres/internal/must"
	"superres/superres/networks/graph"
	"superres/superres/networks/graph/graphtest"
	"superres/superres/networks/weights"
)

// makeRRDBNet returns the weights of a network of one residual block that takes 3·down² channels.
func makeRRDBNet(n rrdbNames, features, growth, steps, down int) map[string]weights.Tensor {
	s := newTensorSet()
	s.conv(n.first, 3*down*down, features, 3)
	for dense := 1; dense <= 3; dense++ {
		for k := range 4 {
			s.conv(n.convolution(0, dense, strconv.Itoa(k+1)), features+k*growth, growth, 3)
		}
		s.conv(n.convolution(0, dense, "5"), features+4*growth, features, 3)
	}
	s.conv(n.trunk, features, features, 3)
	for i := range steps {
		s.conv(n.step(i+1), features, features, 3)
	}
	s.conv(n.high, features, features, 3)
	s.conv(n.last, features, 3, 3)
	return s.tensors
}

func TestRRDBNet(t *testing.T) {
	for _, c := range []struct{ steps, down, scale int }{
		{0, 1, 1}, {1, 1, 2}, {2, 1, 4}, {3, 1, 8}, {2, 2, 2}, {2, 4, 1},
	} {
		oldest := rrdbNames{"model.0", "model.1.sub.1", fmt.Sprintf("model.%d", 2+3*c.steps),
			fmt.Sprintf("model.%d", 4+3*c.steps), "model.1.sub.%d.RDB%d.conv%s.0", "model.%d"}
		want := graph.Samples{}
		for i, names := range append([]rrdbNames{oldest}, newRRDBNames...) {
			g := build(t, makeRRDBNet(names, 3, 2, c.steps, c.down), "RRDBNet 3×1", c.scale, 0)
			got := evalRandom(t, g)
			if i == 0 {
				want = got
			}
			for j := range got.Values {
				if got.Values[j] != want.Values[j] {
					t.Fatalf("%+v, %s: another result than with the oldest names", c, names.first)
				}
			}
		}
	}
}

// evalRandom returns the result of a graph for a random picture of 8×4 pixels, the same for all graphs.
func evalRandom(t *testing.T, g *graph.Graph) graph.Samples {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	in := graph.NewSamples(graph.Shape{W: 8, H: 4, Channels: g.Nodes[0].Op.(graph.Input).Channels})
	for i := range in.Values {
		in.Values[i] = g.Range * r.Float32()
	}
	return graphtest.Eval(g, in)
}

// conv3XC adds the branches of a Conv3XC, and another convolution as their sum.
func (s *tensorSet) conv3XC(name string, in, out int) {
	s.conv(name+".conv.0", in, 2*in, 1)
	s.conv(name+".conv.1", 2*in, 2*out, 3)
	s.conv(name+".conv.2", 2*out, out, 1)
	s.conv(name+".sk", in, out, 1)
	s.conv(name+".eval_conv", in, out, 3)
}

// TestMerge compares a merged convolution with the convolutions of which it is made.
func TestMerge(t *testing.T) {
	s := newTensorSet()
	s.conv3XC("c", 3, 5)
	s.conv("last", 5, 3, 1)
	b := &builder{tensors: s.tensors, used: map[string]bool{}}
	in := b.add("input", graph.Input{Channels: 3})
	merged := b.conv("last", b.conv3XC("c", in))
	x := b.add("pad", graph.Pad{Edges: graph.Edges{Top: 1, Left: 1, Bottom: 1, Right: 1}}, in)
	x = b.conv("c.conv.0", x)
	inner := b.get("c.conv.1.weight", 4)
	x = b.add("conv1", graph.Conv{Out: inner.Shape[0], Height: 3, Width: 3, Dilation: 1, Groups: 1, Weight: inner.Data,
		Bias: b.get("c.conv.1.bias", 1).Data}, x)
	x = b.add("sum", graph.Add{}, b.conv("c.conv.2", x), b.conv("c.sk", in))
	chain := b.conv("last", x)
	must.Succeed(t, b.err)
	want := evalRandom(t, &graph.Graph{Nodes: b.nodes, Output: chain, Range: 1})
	got := evalRandom(t, &graph.Graph{Nodes: b.nodes, Output: merged, Range: 1})
	for i, v := range want.Values {
		if math.Abs(float64(v-got.Values[i])) > 1e-5 {
			t.Fatalf("sample %d: got %g, expected %g", i, got.Values[i], v)
		}
	}
}

// makeSPAN returns the weights of a SPAN with all branches.
func makeSPAN(features, scale int) map[string]weights.Tensor {
	s := newTensorSet()
	s.conv3XC("conv_1", 3, features)
	for i := 1; i <= 6; i++ {
		for _, c := range []string{"c1_r", "c2_r", "c3_r"} {
			s.conv3XC(fmt.Sprintf("block_%d.%s", i, c), features, features)
		}
	}
	s.conv3XC("conv_2", features, features)
	s.conv("conv_cat", 4*features, features, 1)
	s.conv("upsampler.0", features, 3*scale*scale, 3)
	return s.tensors
}

func TestSPAN(t *testing.T) {
	const features = 4
	tensors := makeSPAN(features, 3)
	count := func(keep func(string) bool) (n int) {
		for key, tensor := range tensors {
			if keep(key) {
				n += len(tensor.Data)
			}
		}
		return n
	}
	isBranch := func(key string) bool { return strings.Contains(key, ".sk.") || strings.Contains(key, ".conv.") }
	g := build(t, tensors, "SPAN 4", 3, count(isBranch)) // as many weights as their sums
	if len(g.Nodes) < 2 || g.Nodes[1].Op.(graph.Affine).Scale[0] != 255 {
		t.Error("the samples are not scaled")
	}
	tensors["no_norm"] = weights.Tensor{Shape: []int{1}, Data: []float32{0}}
	for key := range tensors {
		if isBranch(key) {
			delete(tensors, key)
		}
	}
	g = build(t, tensors, "SPAN 4", 3, 1)
	if _, isConv := g.Nodes[1].Op.(graph.Conv); !isConv {
		t.Error("the samples are scaled in spite of no_norm")
	}
	tensors = makeSPAN(features, 3)
	tensors["block_3.c2_r.conv.1.weight"] = tensors["block_3.c2_r.conv.0.weight"]
	_, _, err := Build(&weights.File{Tensors: tensors})
	if err == nil || !strings.Contains(err.Error(), `the branches of "block_3.c2_r"`) {
		t.Errorf("got %v", err)
	}
}

// TestOriginalEDSR compares the graph of the authors' names, for samples of 0 to 255, with that of BasicSR's.
func TestOriginalEDSR(t *testing.T) {
	for _, features := range []int{4, 256} {
		names := map[string]string{
			"head.0": "conv_first", "body.0.body.0": "body.0.conv1", "body.0.body.2": "body.0.conv2",
			"body.1": "conv_after_body", "tail.0.0": "upsample.0", "tail.1": "conv_last",
		}
		s := newTensorSet()
		for old, name := range names {
			in, out := features, features
			switch name {
			case "conv_first":
				in = 3
			case "upsample.0":
				out = 4 * features
			case "conv_last":
				out = 3
			}
			s.conv(old, in, out, 1) // small, as the architecture does not say
		}
		want := map[string]weights.Tensor{}
		for old, name := range names {
			want[name+".weight"], want[name+".bias"] = s.tensors[old+".weight"], s.tensors[old+".bias"]
		}
		for name, sign := range map[string]float32{"sub_mean": -255, "add_mean": 255} {
			identity := []float32{1, 0, 0, 0, 1, 0, 0, 0, 1}
			s.tensors[name+".weight"] = weights.Tensor{Shape: []int{3, 3, 1, 1}, Data: identity}
			mean := []float32{sign * meanOfDIV2K[0], sign * meanOfDIV2K[1], sign * meanOfDIV2K[2]}
			s.tensors[name+".bias"] = weights.Tensor{Shape: []int{3}, Data: mean}
		}
		name := fmt.Sprintf("EDSR %d×1", features)
		g := build(t, s.tensors, name, 2, 0)
		if g.Range != 255 {
			t.Errorf("the samples reach %g", g.Range)
		}
		got, expected := evalRandom(t, g), evalRandom(t, build(t, want, name, 2, 0))
		for i, v := range expected.Values {
			if math.Abs(float64(v-got.Values[i]/255)) > 1e-4*max(1, math.Abs(float64(v))) {
				t.Fatalf("sample %d: got %g, expected %g", i, got.Values[i]/255, v)
			}
		}
	}
}
