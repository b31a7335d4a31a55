package architectures

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"superres/internal/must"
	"superres/superres/networks/graph"
	"superres/superres/networks/weights"
	"superres/superres/networks/weights/weightstest"
)

// tensorSet makes random tensors.
type tensorSet struct {
	tensors map[string]weights.Tensor
	random  *rand.Rand
}

func newTensorSet() *tensorSet {
	return &tensorSet{map[string]weights.Tensor{}, rand.New(rand.NewPCG(1, 2))}
}

func (s *tensorSet) add(name string, shape ...int) {
	n := 1
	for _, side := range shape {
		n *= side
	}
	data := make([]float32, n)
	for i := range data {
		data[i] = s.random.Float32() - 0.5
	}
	s.tensors[name] = weights.Tensor{Shape: shape, Data: data}
}

// conv adds the weights and biases of a convolution of k×k taps.
func (s *tensorSet) conv(name string, in, out, k int) {
	s.add(name+".weight", out, in, k, k)
	s.add(name+".bias", out)
}

func makeCompact(channels, features, layers, scale int, prelu bool) map[string]weights.Tensor {
	s := newTensorSet()
	s.conv("body.0", channels, features, 3)
	for i := 1; i <= 2*layers+1; i += 2 {
		if prelu {
			s.add(fmt.Sprintf("body.%d.weight", i), features)
		}
		out := features
		if i == 2*layers+1 {
			out = channels * scale * scale
		}
		s.conv(fmt.Sprintf("body.%d", i+1), features, out, 3)
	}
	return s.tensors
}

// parametersOf returns the number of elements of all tensors.
func parametersOf(tensors map[string]weights.Tensor) (count int) {
	for _, tensor := range tensors {
		count += len(tensor.Data)
	}
	return count
}

// build builds a network, and checks its name, scale and parameters: all numbers of the tensors but for unused ones.
func build(t *testing.T, tensors map[string]weights.Tensor, name string, scale, unused int) *graph.Graph {
	t.Helper()
	g, got, err := Build(&weights.File{Tensors: tensors, Terms: "CC0"})
	must.Succeed(t, err)
	if got != name || g.Measure().Scale != scale || g.Terms != "CC0" {
		t.Errorf("got %q ×%d, terms %q; expected %q ×%d", got, g.Measure().Scale, g.Terms, name, scale)
	}
	want := parametersOf(tensors) - unused
	parameters := 0
	for _, n := range g.Nodes {
		switch op := n.Op.(type) {
		case graph.Conv:
			parameters += len(op.Weight) + len(op.Bias)
		case graph.PReLU:
			if len(op.Slope) > 1 {
				parameters += len(op.Slope)
			}
		}
	}
	if parameters != want {
		t.Errorf("%s: %d parameters, expected %d", name, parameters, want)
	}
	return g
}

func TestCompact(t *testing.T) {
	for _, c := range []struct{ channels, features, layers, scale int }{
		{3, 8, 2, 4}, {3, 4, 1, 2}, {3, 5, 0, 1}, {1, 4, 3, 3},
	} {
		name := fmt.Sprintf("SRVGGNetCompact %d×%d", c.features, c.layers)
		build(t, makeCompact(c.channels, c.features, c.layers, c.scale, true), name, c.scale, 0)
	}
	build(t, makeCompact(3, 4, 2, 2, false), "SRVGGNetCompact 4×2 ReLU", 2, 0)
}

func TestPrefixes(t *testing.T) {
	for _, prefix := range []string{"module.", "params_ema.", "module._orig_mod.", "net_g.module."} {
		wrapped := map[string]weights.Tensor{}
		for key, tensor := range makeCompact(3, 4, 1, 2, true) {
			wrapped[prefix+key] = tensor
			wrapped["net_d."+key] = tensor // of another network
		}
		wrapped["n_averaged"] = weights.Tensor{Shape: []int{}, Data: []float32{5}}
		build(t, wrapped, "SRVGGNetCompact 4×1", 2, parametersOf(makeCompact(3, 4, 1, 2, true))+1)
	}
}

func TestRefused(t *testing.T) {
	change := func(edit func(map[string]weights.Tensor)) map[string]weights.Tensor {
		tensors := makeCompact(3, 4, 2, 2, true)
		edit(tensors)
		return tensors
	}
	unknown, one := map[string]weights.Tensor{}, weights.Tensor{Shape: []int{1}, Data: []float32{0}}
	for i := range 9 {
		name := fmt.Sprintf("layers.%d.residual_group.mlp.weight", i)
		unknown[name] = weights.Tensor{Shape: []int{1}, Data: []float32{0}}
	}
	for want, tensors := range map[string]map[string]weights.Tensor{
		"none at all": nil,
		`"layers.0.residual_group.mlp.weight", "layers.1.residual_group.mlp.weight", ` +
			`"layers.2.residual_group.mlp.weight" and 6 others`: unknown,
		`a state space (Mamba), which superres cannot run: "layers.0.A_logs"`: {
			"layers.0.A_logs": one, "layers.0.qkv.weight": one,
			"conv_first.weight": one, "conv_after_body.weight": one, // as EDSR has them
		},
		"that it sorts (ATD), which superres cannot run": {"layers.0.attn_aca.proj.weight": one,
			"layers.0.wqkv.bias": one},
		`DAT, but are not: "layers.0.blocks.0.attn.attns.1.rpe_biases" has the shape [1 2]`: change(
			func(s map[string]weights.Tensor) {
				clear(s)
				maps.Copy(s, readFile(t, "testdata/dat.pth").Tensors)
				s["layers.0.blocks.0.attn.attns.1.rpe_biases"] = weights.Tensor{Shape: []int{1, 2},
					Data: []float32{-1e30, float32(math.Inf(1))}}
			}),
		`HAT, but are not: "layers.1.residual_group.overlap_attn." has a table`: change(
			func(s map[string]weights.Tensor) {
				clear(s)
				maps.Copy(s, readFile(t, "testdata/hat.pth").Tensors)
				s["layers.1.residual_group.overlap_attn.relative_position_bias_table"] =
					s["layers.1.residual_group.blocks.0.attn.relative_position_bias_table"]
			}),
		"sampling at places of its own (DySample)": {"to_img.init_pos": one, "feats.3.lk.conv.weight": one},
		`SwinIR, but are not: "norm.weight" is missing`: change(func(s map[string]weights.Tensor) {
			clear(s)
			maps.Copy(s, readFile(t, "testdata/swinir.pth").Tensors)
			delete(s, "norm.weight")
		}),
		"has the shape [4 2]": change(func(s map[string]weights.Tensor) {
			clear(s)
			maps.Copy(s, readFile(t, "testdata/swinir.pth").Tensors)
			s["layers.0.residual_group.blocks.1.attn.relative_position_bias_table"] = weights.Tensor{Shape: []int{4, 2},
				Data: make([]float32, 8)}
		}),
		`no place for "body.9.bias"`: change(func(s map[string]weights.Tensor) { s["body.9.bias"] = s["body.0.bias"] }),
		`"body.3.weight" is missing`: change(func(s map[string]weights.Tensor) { delete(s, "body.3.weight") }),
		"the number of the last layer": change(func(s map[string]weights.Tensor) {
			s["body.1000000000.weight"] = s["body.4.weight"]
		}),
		"expected 4 dimensions": change(func(s map[string]weights.Tensor) {
			s["body.2.weight"] = weights.Tensor{Shape: []int{4}, Data: make([]float32, 4)}
		}),
		"more than 20000 nodes": change(func(s map[string]weights.Tensor) {
			clear(s)
			for i := 0; i < 20_000; i += 2 {
				s[fmt.Sprintf("body.%d.weight", i)] = weights.Tensor{Shape: []int{3, 3, 1, 1}, Data: make([]float32, 9)}
			}
		}),
		"weights and": change(func(s map[string]weights.Tensor) { s["body.2.weight"] = s["body.0.weight"] }),
		"odd numbers": change(func(s map[string]weights.Tensor) {
			s["body.2.weight"] = weights.Tensor{Shape: []int{4, 4, 2, 2}, Data: make([]float32, 64)}
		}),
		"times a square": change(func(s map[string]weights.Tensor) {
			s["body.6.weight"] = weights.Tensor{Shape: []int{6, 4, 3, 3}, Data: make([]float32, 6*4*9)}
			delete(s, "body.6.bias")
		}),
	} {
		_, _, err := Build(&weights.File{Tensors: maps.Clone(tensors)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, expected %q", err, want)
		}
	}
}

func FuzzBuild(f *testing.F) {
	f.Add(weightstest.Safetensors(makeCompact(3, 2, 1, 2, true), nil))
	f.Add(weightstest.Safetensors(makeRRDBNet(newRRDBNames[0], 1, 1, 2, 1), nil))
	f.Add(weightstest.Safetensors(makeSPAN(1, 2), nil))
	for _, name := range []string{"swinir", "hat", "dat"} {
		f.Add(weightstest.Safetensors(readFile(f, "testdata/"+name+".pth").Tensors, nil))
	}
	f.Add(weightstest.Safetensors(makeRLFN(), nil))
	f.Add(weightstest.Safetensors(makeSAFMN(), nil))
	f.Add(weightstest.Safetensors(makePLKSR(true), nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := weights.Read(weightstest.Reader(b))
		if err != nil {
			return
		}
		if g, _, err := Build(file); err == nil {
			must.Succeed(t, g.Check())
		}
	})
}
