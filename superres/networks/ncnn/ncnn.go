// Package ncnn reads networks in the format of ncnn: a .param that lists the layers, and a .bin with the weights.
package ncnn

import (
	"fmt"
	"strconv"
	"strings"

	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

// Read returns the network in param, the contents of a .param, and weights, the contents of its .bin in float32 or
// float16. It fails for an operation that is not supported, which the error names, for a .bin that is shorter or longer
// than the .param says, and if graph.Graph.Check fails. The files may be forged. Read keeps neither slice.
func Read(param, weights []byte) (*graph.Graph, error) {
	r := newReader(weights)
	var g *graph.Graph
	err := fail.Catch(func() {
		readParam(param, r.readLayer)
		output := r.output()
		fail.When(len(r.bin) > 0,
			"the .bin has %d bytes that the .param does not use; does it belong to it?", len(r.bin))
		g = fail.Need(r.graph.Graph(output))
	})
	if err != nil {
		return nil, fmt.Errorf("ncnn: %w", err)
	}
	return g, nil
}

// reader makes a graph from layers.
type reader struct {
	bin   bin
	graph *graph.Builder // nil before the Input
	// sized says whether the Input states the size of the picture. If it does not, the size is an example, and sizes in
	// the file cannot be compared with it.
	sized bool
	blobs map[string]graph.Operand // the results of the layers so far, by their names
	// free are the blobs that no layer has taken, but constants and results of a Split. The last one is the result.
	free map[string]bool
}

// newReader returns the reader of a network with the given .bin.
func newReader(weights []byte) *reader {
	return &reader{bin: weights, blobs: map[string]graph.Operand{}, free: map[string]bool{}}
}

// maxBlobs is the greatest number of blobs of a network.
const maxBlobs = 4 * graph.MaxNodes

// The size of the example picture if the Input states none: multiples of 48, since networks may divide sides.
const exampleWidth, exampleHeight = 240, 336

// output returns the node of the result: the only blob that no layer takes.
func (r *reader) output() (node int) {
	fail.When(len(r.free) != 1, "the network has %d results, expected 1", len(r.free))
	for name := range r.free {
		node = r.blobs[name].Node
	}
	return node
}

// readLayer adds the nodes of layer l, and its results to r.blobs.
func (r *reader) readLayer(l layer) error {
	known, ok := makers[l.kind]
	if !ok {
		return fmt.Errorf("layer %q: the operation %s is not supported", l.name, l.kind)
	}
	err := fail.Catch(func() { r.follow(l, known) })
	if err == nil || strings.Contains(err.Error(), strconv.Quote(l.name)+": ") { // errors of the graph name the node
		return err
	}
	return fmt.Errorf("%s %q: %w", l.kind, l.name, err)
}

// follow does what readLayer does, by a known maker. It panics with a fail.Failure at the first error.
func (r *reader) follow(l layer, by maker) {
	in := make([]graph.Operand, len(l.inputs))
	for i, name := range l.inputs {
		made, ok := r.blobs[name]
		fail.When(!ok, "takes %q, which no layer before it makes", name)
		in[i] = made
	}
	fail.When(len(in) < by.least || len(in) > by.most, "has %d inputs", len(in))
	fail.When(r.graph == nil && l.kind != "Input" && l.kind != "MemoryData", "comes before the Input")
	s := settings{params: l.params}
	out := by.make(&call{r, l.name, &s, in, len(l.outputs)})
	s.checkAllKnown()
	fail.When(len(out) != len(l.outputs), "has %d outputs, expected %d", len(l.outputs), len(out))
	for i, name := range l.outputs {
		_, twice := r.blobs[name]
		fail.When(twice, "makes %q, which a layer before it makes", name)
		r.blobs[name] = out[i]
		fail.When(len(r.blobs) > maxBlobs, "the network has more than %d blobs", maxBlobs)
		if l.kind != "Split" && out[i].Constant == nil {
			r.free[name] = true // until a layer takes it; the one left at the end is the network's result
		}
	}
	for _, name := range l.inputs {
		delete(r.free, name)
	}
}

// call is a layer that is being read. Its methods panic with a fail.Failure at the first error.
type call struct {
	*reader
	name string
	*settings
	in      []graph.Operand
	outputs int // how many outputs the .param names
}

// maker says how to make the nodes of a kind of layer that has least to most inputs. make returns the layer's outputs.
type maker struct {
	least, most int
	make        func(*call) []graph.Operand
}

// maxInputs is the greatest number of inputs of layers that take any number of inputs.
const maxInputs = graph.MaxNodes

// makers maps each supported kind of layer to its maker.
var makers = map[string]maker{
	"Input": {0, 0, (*call).input}, "MemoryData": {0, 0, (*call).memoryData}, "Split": {1, 1, (*call).split},
	"Noop": {1, 1, (*call).split}, "DeepCopy": {1, 1, (*call).split}, "Dropout": {1, 1, (*call).dropout},
	"Convolution": {1, 1, (*call).convolution}, "ConvolutionDepthWise": {1, 1, (*call).convolution},
	"Deconvolution": {1, 1, (*call).deconvolution}, "DeconvolutionDepthWise": {1, 1, (*call).deconvolution},
	"PReLU": {1, 1, (*call).prelu}, "ReLU": {1, 1, (*call).relu}, "Sigmoid": {1, 1, function(graph.Sigmoid)},
	"TanH": {1, 1, function(graph.Tanh)}, "Swish": {1, 1, function(graph.SiLU)}, "Mish": {1, 1, function(graph.Mish)},
	"Softplus": {1, 1, function(graph.Softplus)}, "AbsVal": {1, 1, function(graph.Abs)}, "GELU": {1, 1, (*call).gelu},
	"ELU": {1, 1, (*call).elu}, "HardSwish": {1, 1, (*call).hardSwish}, "HardSigmoid": {1, 1, (*call).hardSigmoid},
	"Clip": {1, 1, (*call).clip}, "Eltwise": {2, maxInputs, (*call).eltwise}, "BinaryOp": {1, 2, (*call).binary},
	"UnaryOp": {1, 1, (*call).unary}, "BatchNorm": {1, 1, (*call).batchNorm}, "Scale": {1, 2, (*call).scale},
	"Bias": {1, 1, (*call).bias}, "Power": {1, 1, (*call).power}, "Concat": {1, maxInputs, (*call).concat},
	"Slice": {1, 1, (*call).slice}, "Crop": {1, 1, (*call).crop}, "Padding": {1, 1, (*call).padding},
	"ShuffleChannel": {1, 1, (*call).shuffleChannel}, "PixelShuffle": {1, 1, (*call).pixelShuffle},
	"Reorg": {1, 1, (*call).reorg}, "Interp": {1, 2, (*call).interp}, "Pooling": {1, 1, (*call).pooling},
}

// add adds a node that takes the given inputs, or the first input of the layer if none are given.
func (c *call) add(op graph.Op, inputs ...graph.Operand) []graph.Operand {
	if inputs == nil {
		inputs = c.in[:1]
	}
	nodes := make([]int, len(inputs))
	for i, x := range inputs {
		fail.When(x.Constant != nil, "of a constant is not supported")
		nodes[i] = x.Node
	}
	return []graph.Operand{{Node: fail.Need(c.graph.Add(c.name, op, nodes...))}}
}

// shape returns the shape of the first input.
func (c *call) shape() graph.Shape {
	fail.When(c.in[0].Constant != nil, "of a constant is not supported")
	return c.graph.Shape(c.in[0].Node)
}

// input adds the picture that the Input describes, by ncnn's keys: 0 to 2 are the width, the height and the channels,
// 11 is the depth. It returns node 0, the picture. There may be only one Input.
func (c *call) input() []graph.Operand {
	fail.When(c.graph != nil, "the network takes more than one picture")
	s := graph.Shape{W: c.int(0, 0), H: c.int(1, 0), Channels: c.int(2, 0)}
	fail.When(c.int(11, 0) != 0, "takes a volume")
	if c.sized = s.W != 0 || s.H != 0; !c.sized {
		s.W, s.H = exampleWidth, exampleHeight
	}
	if s.Channels == 0 {
		s.Channels = 3
	}
	c.reader.graph = fail.Need(graph.NewBuilder(c.name, s))
	return []graph.Operand{{}}
}

// memoryData reads one number, or one per channel, from the .bin, after a tag unless key 21 is 1, which is the default.
func (c *call) memoryData() []graph.Operand {
	w, h, channels := c.int(0, 0), c.int(1, 0), c.int(2, 0)
	fail.When(c.int(11, 0) != 0 || !(h == 0 && channels == 0 || channels != 0 && w == 1 && h == 1),
		"is not supported but for one value, or one per channel")
	n := max(w, channels)
	fail.When(n < 1 || n > graph.MaxChannels, "has %d values, expected 1 to %d", n, graph.MaxChannels)
	if plain := c.int(21, 1) == 1; plain {
		return []graph.Operand{{Constant: c.bin.floats(n)}}
	}
	return []graph.Operand{{Constant: c.bin.tagged(n)}}
}

// split returns the first input as each of the outputs.
func (c *call) split() []graph.Operand {
	out := make([]graph.Operand, c.outputs)
	for i := range out {
		out[i] = c.in[0]
	}
	return out
}
