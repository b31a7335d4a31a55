package networks

import (
	"fmt"

	"superres/internal/kernel"
	"superres/internal/lines"
	"superres/superres/networks/graph"
)

// builder translates a graph into a program, node by node.
type builder struct {
	graph   *graph.Graph
	uses    []int // how often each node of the graph is an input; g.Output counts as one more use
	values  []value
	program *lines.Program
	most    int // the largest number of input or output channels of a convolution
}

// value is the node of the program that computes the samples of a node of the graph.
type value struct {
	node     int
	channels int
	// step is the number of float32 values of a pixel: channels, or that number rounded up to whole vectors.
	step int
	// isPixel is true for a single pixel, such as a picture's mean, which is combined with all pixels of another value.
	isPixel bool
	// isOpen is true if node is a Chain that may get further steps, since no other node takes its result.
	isOpen bool
}

// build returns a builder with the program of a simplified graph that Check accepts, and the value of its output.
func build(g *graph.Graph) (*builder, value, error) {
	b := &builder{graph: g, uses: make([]int, len(g.Nodes)), program: new(lines.Program)}
	b.uses[g.Output]++
	for _, n := range g.Nodes {
		for _, from := range n.Inputs {
			b.uses[from]++
		}
	}
	shapes, _, err := g.Example()
	if err != nil {
		return nil, value{}, err
	}
	for i, n := range g.Nodes {
		in := make([]value, len(n.Inputs))
		for k, from := range n.Inputs {
			in[k] = b.values[from]
			in[k].isOpen = in[k].isOpen && b.uses[from] == 1 // no other node takes it
		}
		v, err := b.addNode(n, in)
		if err != nil {
			return nil, value{}, fmt.Errorf("%s %q: %w", graph.NameOf(n.Op), n.Name, err)
		}
		v.isPixel = shapes[i].W == 1 && shapes[i].H == 1
		b.values = append(b.values, v)
	}
	result := b.values[g.Output]
	b.add(lines.Sink{}, result)
	return b, result, nil
}

// add appends a node to the program and returns its index.
func (b *builder) add(op lines.Op, in ...value) (node int) {
	n := lines.Node{Op: op}
	for _, v := range in {
		n.Inputs = append(n.Inputs, v.node)
	}
	b.program.Nodes = append(b.program.Nodes, n)
	return len(b.program.Nodes) - 1
}

// addNode adds the nodes that compute n, a node of the graph, from the values of its inputs, and returns its value.
func (b *builder) addNode(n graph.Node, in []value) (value, error) {
	switch op := n.Op.(type) {
	case graph.Input:
		node := b.add(lines.Source{Channels: op.Channels, Floats: true})
		return value{node: node, channels: op.Channels, step: op.Channels}, nil
	case graph.Conv:
		return b.conv(op, in[0]), nil
	case graph.PReLU:
		return b.prelu(op, in[0]), nil
	case graph.Function:
		return b.function(op, in[0]), nil
	case graph.Clip:
		return b.unary(lines.Clip{Least: op.Min, Most: op.Max}, in[0]), nil
	case graph.Affine:
		return b.unary(lines.NewScale(in[0].spread(op.Scale), in[0].spread(op.Offset)), in[0]), nil
	case graph.Add:
		return b.sum(in[0], in[1]), nil
	case graph.Sub:
		return b.binary(lines.Subtract, in[0], in[1]), nil
	case graph.Mul:
		return b.binary(lines.Multiply, in[0], in[1]), nil
	case graph.Concat:
		return b.concat(in), nil
	case graph.Select:
		return b.choose(in[0], op.Channels, kernel.PadTo(len(op.Channels), kernel.Lanes)), nil
	case graph.PixelShuffle:
		return b.shuffle(in[0], op.Factor), nil
	case graph.PixelUnshuffle:
		v := value{channels: in[0].channels * op.Factor * op.Factor}
		v.step = kernel.PadTo(v.channels, kernel.Lanes)
		v.node = b.add(&lines.Unshuffle{Factor: op.Factor, Extend: op.Extend, Channels: in[0].channels,
			Step: v.step}, in[0])
		return v, nil
	case graph.Resize:
		return b.like(&lines.Resize{By: lines.Interpolation(op.By), Up: max(op.Up, 1), Down: max(op.Down, 1), A: op.A,
			AlignCorners: op.AlignCorners}, in...), nil
	case graph.Pad:
		return b.like(&lines.Shift{Edges: lines.Edges(op.Edges), Mode: lines.Beyond(op.Mode)}, in[0]), nil
	}
	return b.addFurther(n, in)
}

// like adds an operation whose result has the channels and the step of its first input.
func (b *builder) like(op lines.Op, in ...value) value {
	return value{node: b.add(op, in...), channels: in[0].channels, step: in[0].step}
}

// functions are the functions of the graph that package kernel computes.
var functions = map[graph.Function]kernel.Function{
	graph.Sigmoid: kernel.Sigmoid, graph.Tanh: kernel.Tanh, graph.SiLU: kernel.SiLU, graph.GELU: kernel.GELU,
	graph.GELUTanh: kernel.GELUTanh, graph.Mish: kernel.Mish, graph.ELU: kernel.ELU,
	graph.Softplus: kernel.Softplus, graph.HardSwish: kernel.HardSwish,
	graph.Abs: kernel.Abs, graph.Square: kernel.Square, graph.Exp: kernel.Exp, graph.Sqrt: kernel.Sqrt,
}

// spread returns list, which has one number per channel of v or one for all, as v.step numbers; padding gets 0.
func (v value) spread(list []float32) []float32 {
	all := make([]float32, v.step)
	for c := range v.channels {
		all[c] = list[c%len(list)]
	}
	return all
}

// chain returns the Chain of an open value, and the node of the program that holds it.
func (b *builder) chain(v value) (*lines.Chain, *lines.Node) {
	n := &b.program.Nodes[v.node]
	return n.Op.(*lines.Chain), n
}

// unary applies an operation to v: as a further step of its Chain if v is open, else in a new Chain.
func (b *builder) unary(op lines.Pointwise, v value) value {
	if v.isOpen {
		c, _ := b.chain(v)
		c.Steps = append(c.Steps, lines.Step{Op: op, A: lines.Made, B: lines.Made}) // B is not used
		return v
	}
	v.node = b.add(&lines.Chain{Steps: []lines.Step{{Op: op, B: lines.Made}}}, v)
	v.isOpen = true
	return v
}

// binary combines two values. A value of one channel is combined with every channel of the other, a single pixel with
// every pixel. If the value that is computed later is an open Chain, op becomes a further step of it.
func (b *builder) binary(op lines.Pointwise, x, y value) value {
	x, y = b.paired(x, y)
	if x.isPixel && !y.isPixel { // the result has the size of the first operand
		x, y, op = y, x, lines.Swapped{Pointwise: op}
	}
	made, other := x, y // made is computed after other
	if y.node > x.node {
		made, other = y, x
	}
	if !made.isOpen || x.node == y.node || made.isPixel && !other.isPixel { // a Chain of its own
		out := x
		out.node = b.add(&lines.Chain{Steps: []lines.Step{{Op: op, B: 1}}}, x, y)
		out.isOpen = true
		return out
	}
	c, n := b.chain(made)
	step := lines.Step{Op: op, A: lines.Made, B: len(n.Inputs)} // B: the input that is appended below
	if made == y {
		step.A, step.B = step.B, step.A
	}
	c.Steps = append(c.Steps, step)
	n.Inputs = append(n.Inputs, other.node)
	return made
}

// sum adds x and y: within the convolution that makes one of them, where possible, else as binary does. The convolution
// must be computed later than the other value, and alone in its Chain.
func (b *builder) sum(x, y value) value {
	x, y = b.paired(x, y)
	for _, pair := range [2][2]value{{x, y}, {y, x}} {
		made, other := pair[0], pair[1]
		if !made.isOpen || made.node <= other.node || made.isPixel != other.isPixel {
			continue
		}
		c, n := b.chain(made)
		if conv, ok := c.Base.(*lines.FloatConv); ok && !conv.HasSkip && len(c.Steps) == 0 &&
			other.step == conv.Filter.Outputs {
			conv.HasSkip, c.Taken = true, 2 // the convolution takes the other value too
			n.Inputs = append(n.Inputs, other.node)
			return made
		}
	}
	return b.binary(lines.Add, x, y)
}

// paired returns x and y with equal numbers of channels, a single channel repeated, and equal steps.
func (b *builder) paired(x, y value) (value, value) {
	for _, v := range [2]*value{&x, &y} {
		if most := max(x.channels, y.channels); v.channels != most { // takes channel 0 each time
			*v = b.choose(*v, make([]int, most), kernel.PadTo(most, kernel.Lanes))
		}
	}
	if x.step != y.step {
		x, y = b.aligned(x), b.aligned(y)
	}
	return x, y
}

// aligned returns v with every pixel padded to whole vectors.
func (b *builder) aligned(v value) value {
	step := kernel.PadTo(v.channels, kernel.Lanes)
	if v.step == step {
		return v
	}
	v.node = b.add(&lines.Gather{Channels: []lines.Channels{{Count: v.channels}}, Step: step}, v)
	v.step, v.isOpen = step, false
	return v
}

// choose adds a node that takes the given channels of v, in the given order. A pixel gets step values, padded with 0.
func (b *builder) choose(v value, channels []int, step int) value {
	op := &lines.Gather{Step: step}
	for i, c := range channels {
		if last := len(op.Channels) - 1; i > 0 && channels[i-1]+1 == c { // continues a range
			op.Channels[last].Count++
			continue
		}
		op.Channels = append(op.Channels, lines.Channels{From: c, Count: 1})
	}
	return value{node: b.add(op, v), channels: len(channels), step: step}
}

// concat adds a node that joins the channels of all values, one value after another.
func (b *builder) concat(in []value) value {
	op, out := &lines.Gather{}, value{}
	for k, v := range in {
		op.Channels = append(op.Channels, lines.Channels{Input: k, Count: v.channels})
		out.channels += v.channels
	}
	op.Step = kernel.PadTo(out.channels, kernel.Lanes)
	out.node, out.step = b.add(op, in...), op.Step
	return out
}

// shuffle adds a pixel shuffle. A few output channels, such as the three of a picture, are not padded.
func (b *builder) shuffle(v value, factor int) value {
	out := value{channels: v.channels / (factor * factor)}
	if out.step = out.channels; out.step > kernel.Lanes/2 {
		out.step = kernel.PadTo(out.channels, kernel.Lanes)
	}
	out.node = b.add(&lines.Shuffle{Factor: factor, Channels: out.channels, Step: out.step}, v)
	return out
}

// conv adds a convolution, as an open Chain. The kernels for 3×3 taps and for groups need pixels of whole vectors.
func (b *builder) conv(c graph.Conv, v value) value {
	isTiled := c.Height == 3 && c.Width == 3 && c.Dilation == 1 && c.Groups == 1
	if isTiled || c.Groups > 1 {
		v = b.aligned(v)
	}
	f := kernel.NewFloatFilter(kernel.Taps{
		Outputs: c.Out, Inputs: v.channels, Groups: c.Groups, Height: c.Height, Width: c.Width, Weight: c.Weight,
		Bias: c.Bias,
	}, v.step, c.Dilation, 1) // stride 1
	base := &lines.FloatConv{Filter: f, Height: c.Height, Width: c.Width, Dilation: c.Dilation, Stride: 1,
		Pad: lines.Edges(c.Pad)}
	node := b.add(&lines.Chain{Base: base, Taken: 1}, v) // base takes the first input
	b.most = max(b.most, v.channels, c.Out)
	return value{node: node, channels: c.Out, step: f.Outputs, isOpen: true}
}

// prelu adds a PReLU: within the convolution that makes v, where possible, else as a step of its own.
func (b *builder) prelu(p graph.PReLU, v value) value {
	if v.isOpen {
		c, _ := b.chain(v)
		if conv, ok := c.Base.(*lines.FloatConv); ok && !conv.HasSkip && len(c.Steps) == 0 && conv.Filter.Slope == nil {
			conv.Filter.Slope = v.spread(p.Slope)
			return v
		}
	}
	return b.unary(lines.NewIncline(v.spread(p.Slope)), v)
}
