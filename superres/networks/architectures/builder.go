package architectures

import (
	"errors"
	"fmt"
	"slices"

	"superres/superres/networks/graph"
	"superres/superres/networks/weights"
)

// builder makes the nodes of a graph from tensors. Most methods return the index of the last node that they add. After
// the first error, which err keeps, results are of no use.
type builder struct {
	tensors map[string]weights.Tensor // by name
	used    map[string]bool           // names of tensors that the network takes, or that it does not need
	nodes   []graph.Node
	white   float32 // the sample of white, for the Range of the graph
	biased  int     // number of biases of scores, each number in a table counted as often as it is used
	err     error
}

// add appends a node and returns its index. It fails if there are too many nodes, and then returns 0.
func (b *builder) add(name string, op graph.Op, inputs ...int) int {
	if len(b.nodes) >= graph.MaxNodes {
		b.fail("has more than %d nodes", graph.MaxNodes)
		return 0
	}
	b.nodes = append(b.nodes, graph.Node{Name: name, Op: op, Inputs: inputs})
	return len(b.nodes) - 1
}

func (b *builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
}

func (b *builder) has(key string) bool { _, found := b.tensors[key]; return found }

// get returns the tensor called key and marks it as used. It fails unless the tensor has rank dimensions and elements.
// If it fails, it returns a tensor of one element, 0, so that the caller need not check.
func (b *builder) get(key string, rank int) weights.Tensor {
	t, found := b.tensors[key]
	b.used[key] = true
	if !found {
		b.fail("%q is missing", key)
	} else if len(t.Shape) != rank || slices.Contains(t.Shape, 0) {
		b.fail("%q has the shape %v, expected %d dimensions", key, t.Shape, rank)
	} else {
		return t
	}
	shape := make([]int, rank)
	for i := range shape {
		shape[i] = 1
	}
	return weights.Tensor{Shape: shape, Data: []float32{0}}
}

// conv adds a convolution with the named weights and, if there are any, biases. The result is as large as node in.
func (b *builder) conv(name string, in int) int {
	return b.convolve(name, b.get(name+".weight", 4), b.bias(name), in)
}

// bias returns the biases of the given name; nil if there are none.
func (b *builder) bias(name string) []float32 {
	if !b.has(name + ".bias") {
		return nil
	}
	return b.get(name+".bias", 1).Data
}

// convolve adds a convolution of node in with weights w of outputs×inputs×rows×columns. The result is as large as in.
// It fails for even numbers of rows or columns.
func (b *builder) convolve(name string, w weights.Tensor, bias []float32, in int) int {
	if w.Shape[2]%2 == 0 || w.Shape[3]%2 == 0 {
		b.fail("%q has %d×%d taps, expected odd numbers", name+".weight", w.Shape[2], w.Shape[3])
	}
	return b.add(name, graph.Conv{Out: w.Shape[0], Height: w.Shape[2], Width: w.Shape[3], Dilation: 1, Groups: 1,
		Pad: samePadding(w), Weight: w.Data, Bias: bias}, in)
}

// samePadding returns the padding with which a convolution with the weights w has a result as large as its input.
func samePadding(w weights.Tensor) graph.Edges {
	height, width := w.Shape[2], w.Shape[3]
	return graph.Edges{Top: height / 2, Left: width / 2, Bottom: height / 2, Right: width / 2}
}

// shuffle adds a pixel shuffle of node conv, a convolution, so that the result has the given number of channels. If
// conv has that number already, shuffle adds nothing and returns conv. It fails unless conv has n² times that number.
func (b *builder) shuffle(channels, conv int) int {
	op, _ := b.nodes[conv].Op.(graph.Conv)
	scale := squareRoot(op.Out / max(channels, 1))
	switch scale {
	case 0:
		b.fail("%q has %d channels, expected %d times a square", b.nodes[conv].Name, op.Out, channels)
	case 1:
		return conv
	}
	return b.add("shuffle", graph.PixelShuffle{Factor: scale}, conv)
}

// leaky adds a LeakyReLU.
func (b *builder) leaky(slope float32, in int) int {
	return b.add("", graph.PReLU{Slope: []float32{slope}}, in)
}

// scale adds a multiplication by factor.
func (b *builder) scale(factor float32, in int) int {
	return b.add("", graph.Affine{Scale: []float32{factor}, Offset: []float32{0}}, in)
}

// checkAllUsed fails if there are weights that the network does not use.
func (b *builder) checkAllUsed() error {
	unused := map[string]weights.Tensor{}
	for key, t := range b.tensors {
		if !b.used[key] {
			unused[key] = t
		}
	}
	if len(unused) > 0 {
		return errors.New("it has no place for " + listSome(unused))
	}
	return nil
}

// squareRoot returns √n if that is a whole number of at most 2·graph.MaxWindow, else 0.
func squareRoot(n int) int {
	for r := 1; r <= 2*graph.MaxWindow && r*r <= n; r++ {
		if r*r == n {
			return r
		}
	}
	return 0
}
