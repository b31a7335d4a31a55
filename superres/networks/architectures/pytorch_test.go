package architectures

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"superres/internal/must"
	"superres/superres/networks/graph"
	"superres/superres/networks/graph/graphtest"
	"superres/superres/networks/weights"
)

func readFile(t testing.TB, path string) *weights.File {
	t.Helper()
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	return must.Get(weights.Read(f, must.Get(f.Stat())(t).Size()))(t)
}

// samplesOf returns the samples of a tensor of 1×channels×height×width.
func samplesOf(tensor weights.Tensor) graph.Samples {
	s := graph.NewSamples(graph.Shape{Channels: tensor.Shape[1], H: tensor.Shape[2], W: tensor.Shape[3]})
	for i := range s.Values {
		s.Values[i] = tensor.Data[i%s.Channels*s.W*s.H+i/s.Channels]
	}
	return s
}

// The files were written, and the results computed, by PyTorch: see testdata/make.py.
func TestFilesOfPyTorch(t *testing.T) {
	for file, want := range map[string]string{
		"compact": "SRVGGNetCompact 4×2", "rrdbnet": "RRDBNet 4×1", "esrgan-plus": "RRDBNet 4×1", "span": "SPAN 2",
		"spanf": "SPANF 2", "edsr": "EDSR 3×2", "msrresnet": "MSRResNet 3×2",
		"swinir": "SwinIR 6, 3 layers", "hat": "HAT 8, 3 layers", "dat": "DAT 8, 4 layers",
	} {
		path := filepath.Join("testdata", file)
		g, name, err := Build(readFile(t, path+".pth"))
		must.Succeed(t, err)
		reference := readFile(t, path+".safetensors").Tensors
		got := graphtest.Eval(g, samplesOf(reference["input"]))
		expected := samplesOf(reference["output"])
		if name != want || got.Shape != expected.Shape {
			t.Errorf("%s: got %s, %v; expected %s, %v", file, name, got.Shape, want, expected.Shape)
			continue
		}
		greatest, difference := 0.0, 0.0
		for i, v := range expected.Values {
			greatest = max(greatest, math.Abs(float64(v)))
			difference = max(difference, math.Abs(float64(v-got.Values[i])))
		}
		if !(difference <= 2e-6*greatest) {
			t.Errorf("%s: differs by %g of %g", file, difference, greatest)
		}
	}
}
