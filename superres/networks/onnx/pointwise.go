package onnx

import (
	"math"
	"slices"

	"superres/internal/elementary"
	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

// emit returns an emitter that adds the operations ops one after another, each on the result of the one before.
func (c *call) emit(ops ...graph.Op) emitter {
	return func(t *tracer, node int) int {
		for _, op := range ops {
			node = fail.Need(t.builder.Add(c.name, op, node))
		}
		return node
	}
}

// affine returns the operation that multiplies by a factor and adds an offset.
func affine(factor, offset float64) graph.Affine {
	return graph.Affine{Scale: []float32{float32(factor)}, Offset: []float32{float32(offset)}}
}

// unary returns the operation that applies function to every sample. op computes it in the graph; if op is nil,
// function is supported only inside a larger function that is recognised: see curve.
func unary(function func(float64) float64, op graph.Op) operation {
	return operation{1, 1, "", func(c *call) []*value {
		if op == nil {
			return c.apply(c.in[0], function, nil)
		}
		return c.apply(c.in[0], function, c.emit(op))
	}, foldUnary(function, false)}
}

// rounded does what unary does, for a function that leaves whole numbers as they are, such as Floor.
func rounded(function func(float64) float64, op graph.Op) operation {
	o := unary(function, op)
	o.fold = foldUnary(function, true)
	return o
}

func sign(x float64) float64 { return positive(x) - positive(-x) }

func positive(x float64) float64 {
	if x > 0 {
		return 1
	}
	return 0
}

// swish computes Swish: x·σ(alpha·x), with the logistic function σ.
func (c *call) swish() []*value {
	alpha := c.real("alpha", 1)
	out := c.apply(c.in[0], func(x float64) float64 { return sigmoid(alpha * x) },
		c.emit(affine(alpha, 0), graph.Sigmoid))
	return c.arithmetic('*', c.in[0], out[0])
}

func (c *call) leakyRelu() []*value { return c.rectify(c.in[0], c.real("alpha", 0.01)) }
func (c *call) relu() []*value      { return c.rectify(c.in[0], 0) }

// rectify multiplies negative samples by a slope.
func (c *call) rectify(v *value, slope float64) []*value {
	return c.apply(v, func(x float64) float64 {
		if x < 0 {
			return slope * x
		}
		return x
	}, c.emit(graph.PReLU{Slope: []float32{float32(slope)}}))
}

// prelu computes PRelu: it multiplies negative samples by a slope, which may differ from channel to channel.
func (c *call) prelu() []*value {
	slope := c.in[1].constant
	fail.When(slope == nil, "with slopes that are computed of samples is not supported")
	if slope.size() == 1 {
		return c.rectify(c.in[0], slope.real(0))
	}
	return c.addChain(c.in[0], graph.PReLU{Slope: c.perChannel(slope, c.in[0])})
}

// addChain adds operations, one after another, to the node of v, and returns the result with the layout of v.
func (c *call) addChain(v *value, ops ...graph.Op) []*value {
	return []*value{c.sampled(c.chain(c.samples(v), ops...)).arranged(v.dims)}
}

// perChannel returns, for each channel of v's node, the number that constant t holds for it. Each dimension of t must
// have size 1, or the size of v's dimension at the same distance from the last, which must then be channels, each once.
func (c *call) perChannel(t *tensor, v *value) []float32 {
	dims := c.layout(v)
	sizes := dims.sizes()
	count := c.builder.Shape(v.samples.base).Channels
	fault := fail.With("with a constant of %v numbers for %v samples is not supported, only with one, or one per "+
		"channel", t.dims, sizes)
	steps, extra := strides(t.dims), len(dims)-len(t.dims)
	type along struct {
		part
		stride int // distance between neighbours in the constant
	}
	var parts []along
	for i, size := range t.dims {
		if size == 1 {
			continue
		}
		if i+extra < 0 || size != sizes[i+extra] {
			panic(fault)
		}
		inner := steps[i]
		for _, p := range slices.Backward(dims[i+extra]) {
			if p.of != channels {
				panic(fault)
			}
			if p.step > 0 {
				parts = append(parts, along{p, inner})
			} else if p.size > 1 {
				panic(fault)
			}
			inner *= p.size
		}
	}
	if t.size() < 1 {
		panic(fault)
	}
	c.spendCopies(count)
	list := make([]float32, count)
	for channel := range list {
		offset := 0
		for _, p := range parts {
			offset += channel / p.step % p.size * p.stride
		}
		list[channel] = float32(t.real(offset))
	}
	return list
}

// elu computes Elu. Another alpha than 1 works only inside recognised functions.
func (c *call) elu() []*value {
	alpha := c.real("alpha", 1)
	emit := c.emit(graph.ELU)
	if alpha != 1 {
		emit = nil
	}
	return c.apply(c.in[0], func(x float64) float64 { return max(x, 0) + alpha*elu(min(x, 0)) }, emit)
}

func (c *call) celu() []*value {
	alpha := c.real("alpha", 1)
	return c.apply(c.in[0], func(x float64) float64 { return max(x, 0) + alpha*elu(min(x/alpha, 0)) }, nil)
}

func (c *call) gelu() []*value {
	name := graph.GELU
	if c.text("approximate", "none") == "tanh" {
		name = graph.GELUTanh
	}
	i := slices.IndexFunc(functions, func(f known) bool { return f.op == name })
	return c.apply(c.in[0], functions[i].value, c.emit(name))
}

func (c *call) hardSigmoid() []*value {
	alpha, beta := c.real("alpha", 0.2), c.real("beta", 0.5)
	return c.apply(c.in[0], func(x float64) float64 { return min(max(alpha*x+beta, 0), 1) },
		c.emit(affine(alpha, beta), graph.Clip{Min: 0, Max: 1}))
}

// clip computes Clip. Newer files state the limits as inputs, older ones as attributes.
func (c *call) clip() []*value {
	least := c.number(1, c.real("min", -math.MaxFloat32))
	most := c.number(2, c.real("max", math.MaxFloat32))
	return c.limit(c.in[0], max(least, -math.MaxFloat32), min(most, math.MaxFloat32))
}

// limit limits samples to the range from low to high.
func (c *call) limit(v *value, low, high float64) []*value {
	if low == 0 && high == math.MaxFloat32 {
		return c.rectify(v, 0)
	}
	return c.apply(v, func(x float64) float64 { return min(max(x, low), high) },
		c.emit(graph.Clip{Min: float32(low), Max: float32(high)}))
}

// pow computes Pow with a constant exponent. An exponent without a case here works only inside recognised functions.
func (c *call) pow() []*value {
	exponent := c.number(1, 1)
	var emit emitter
	switch exponent {
	case 1:
		return c.same()
	case 2:
		emit = c.emit(graph.Square)
	case 0.5:
		emit = c.emit(graph.Sqrt)
	case -0.5:
		emit = c.emit(graph.Sqrt, graph.Reciprocal)
	case -1:
		emit = c.emit(graph.Reciprocal)
	case 3:
		emit = func(t *tracer, node int) int {
			square := fail.Need(t.builder.Add(c.name, graph.Square, node))
			return t.combine(c.name, '*', graph.Operand{Node: square}, graph.Operand{Node: node})
		}
	}
	return c.apply(c.in[0], func(x float64) float64 { return elementary.Pow(x, exponent) }, emit)
}

// arithmetic returns the operation that combines two inputs by a sign of graph.Builder.Arithmetic.
func arithmetic(sign byte, fold func(*call) *tensor) operation {
	return operation{2, 2, "axis broadcast", func(c *call) []*value {
		return c.arithmetic(sign, c.in[0], c.in[1])
	}, fold}
}

// arithmetic combines x and y by a sign: + - * / or > for the greater, < for the lesser of the two. At most one may be
// a constant. If that has more dimensions than the samples, these get dimensions of size 1 in front.
func (c *call) arithmetic(sign byte, x, y *value) []*value {
	for i, v := range []*value{x, y} {
		if v.constant == nil {
			continue
		}
		other := []*value{y, x}[i]
		fail.When(other.constant != nil, "of constants is not supported")
		if more := len(v.constant.dims) - len(c.layout(other)); more > 0 {
			other = other.arranged(slices.Concat(make(layout, min(more, maxDims)), c.layout(other)))
		}
		if v.constant.size() == 1 {
			return c.combineNumber(sign, other, v.constant.real(0), i == 0)
		}
		return c.combineConstant(sign, other, v.constant, i == 0)
	}
	if x.samples.base == y.samples.base && c.layout(x).equals(c.layout(y)) { // functions of the same node's samples
		return c.combineCurves(sign, x, y)
	}
	nodes, dims := c.align(x, y)
	node := c.combine(c.name, sign, graph.Operand{Node: nodes[0]}, graph.Operand{Node: nodes[1]})
	return []*value{c.sampled(node).arranged(dims)}
}

// combine adds the nodes of graph.Builder.Arithmetic and returns the last one. At most one operand may be a constant.
func (t *tracer) combine(name string, sign byte, x, y graph.Operand) (node int) {
	return fail.Need(t.builder.Arithmetic(name, sign, x, y)).Node
}

// combineNumber combines samples with a number by a sign: + - * / or > for the greater, < for the lesser of the two.
// The number is the first operand if isFirst.
func (c *call) combineNumber(sign byte, v *value, number float64, isFirst bool) []*value {
	switch {
	case sign == '>':
		return c.limit(v, number, math.MaxFloat32)
	case sign == '<':
		return c.limit(v, -math.MaxFloat32, number)
	case sign == '*' || sign == '/' && !isFirst:
		if out := c.rescale(sign, v, number); out != nil {
			return out
		}
	}
	constant := graph.Operand{Constant: []float32{float32(number)}}
	return c.apply(v, func(s float64) float64 {
		if isFirst {
			return graph.Combine(sign, number, s)
		}
		return graph.Combine(sign, s, number)
	}, func(t *tracer, node int) int {
		if isFirst {
			return t.combine(c.name, sign, constant, graph.Operand{Node: node})
		}
		return t.combine(c.name, sign, graph.Operand{Node: node}, constant)
	})
}

// rescale makes networks that were exported for one size of picture right for any size. If v is a mean or sum over all
// n pixels, and number is n or n − 1, it returns mean·n as the sum, sum/n as the mean, and sum/(n − 1), for unbiased
// variances, with n taken from the picture at hand. It returns nil in all other cases.
func (c *call) rescale(sign byte, v *value, number float64) []*value {
	n := c.builder.Node(v.samples.base)
	op, isReduce := n.Op.(graph.Reduce)
	if !isReduce || !op.OfPicture || op.OfChannels || v.samples.made != v.samples.base { // or v is a function of n
		return nil
	}
	s := c.builder.Shape(n.Inputs[0])
	count := float64(s.W * s.H)
	all := &value{samples: identity(n.Inputs[0])}
	var out []*value
	switch {
	case sign == '*' && op.By == graph.Mean && number == count:
		out = c.addChain(all, graph.Reduce{By: graph.Sum, OfPicture: true})
	case sign == '/' && op.By == graph.Sum && number == count:
		out = c.addChain(all, graph.Reduce{By: graph.Mean, OfPicture: true})
	case sign == '/' && op.By == graph.Sum && number == count-1 && number > 0:
		out = c.addChain(all, graph.Select{Channels: []int{0}}, affine(0, 1), // 1 for each pixel
			graph.Reduce{By: graph.Sum, OfPicture: true}, affine(1, -1))
		out = c.arithmetic('/', &value{samples: v.samples}, out[0])
	default:
		return nil
	}
	return []*value{out[0].arranged(v.dims)}
}

// combineConstant combines v, brought into the usual layout if need be, with a constant that holds a number for each
// channel, or, if sign is '+', a mask for the scores of shifted windows. sign and isFirst are as for combineNumber.
func (c *call) combineConstant(sign byte, v *value, t *tensor, isFirst bool) []*value {
	node := c.samples(v)
	var list []float32
	if err := fail.Catch(func() { list = c.perChannel(t, v) }); err != nil {
		if mask, ok := c.shiftMask(v, t); ok && sign == '+' {
			return c.addChain(v, mask)
		}
		if plain, failed := c.inUsualLayout(v); failed == nil && v.dims != nil {
			return c.combineConstant(sign, plain, t, isFirst)
		}
		fail.If(err)
	}
	operands := [2]graph.Operand{{Node: node}, {Constant: list}}
	if isFirst {
		operands[0], operands[1] = operands[1], operands[0]
	}
	return []*value{c.sampled(c.combine(c.name, sign, operands[0], operands[1])).arranged(v.dims)}
}

// align returns a node for each value, and the layout that all these nodes have, nil for the usual one, so that their
// samples can be combined one by one. A value may have a single pixel or channel where another has more. If the values
// differ in their layouts otherwise, it brings all into the usual one. It matches dimensions from the last on.
func (c *call) align(values ...*value) (nodes []int, dims layout) {
	isUsual := true
	for _, v := range values {
		if isUsual = isUsual && v.dims == nil; len(c.layout(v)) > len(dims) {
			dims = make(layout, len(c.layout(v)))
		}
	}
	fits := true
	sizes := make([]int, len(dims))
	for _, v := range values {
		all := c.layout(v)
		for i, parts := range all {
			k := i + len(dims) - len(all)
			sizes[k] = max(sizes[k], all.sizes()[i])
			parts = slices.DeleteFunc(merged(parts), func(p part) bool { return p.step == 0 }) // combining repeats p
			switch {
			case len(dims[k]) == 0:
				dims[k] = parts
			case len(parts) > 0:
				fits = fits && slices.Equal(dims[k], parts)
			}
		}
	}
	fits = fits && slices.EqualFunc(sizes, dims.sizes(), func(a, b int) bool { return max(a, 1) == b })
	if isUsual || !fits {
		dims = nil
	}
	for _, v := range values {
		if dims == nil {
			nodes = append(nodes, fail.Need(c.node(v)))
		} else {
			nodes = append(nodes, c.samples(v))
		}
	}
	return nodes, dims
}

// combineCurves combines curves by a sign of arithmetic. Both must be functions of one node's samples, in one layout.
func (c *call) combineCurves(sign byte, first, second *value) []*value {
	name, x, y := c.name, first.samples, second.samples
	out := c.newCurve(x.base, x, y)
	out.emit = func(t *tracer) int {
		left, right := fail.Need(x.resolve(t)), fail.Need(y.resolve(t))
		return t.combine(name, sign, graph.Operand{Node: left}, graph.Operand{Node: right})
	}
	for i := range out.at {
		out.at[i] = graph.Combine(sign, x.at[i], y.at[i])
	}
	return []*value{{samples: out, dims: first.dims}}
}

// combineAll returns a function for operation.make: Max, Min or Sum, by the sign '>', '<' or '+', of all given inputs.
func combineAll(sign byte) func(*call) []*value {
	return func(c *call) (out []*value) {
		out = c.in[:1]
		for _, v := range c.in[1:] {
			if v != nil {
				out = c.arithmetic(sign, out[0], v)
			}
		}
		return out
	}
}

// batchNormalization adds BatchNormalization by constants as an Affine: a factor and an offset for each channel. The
// inputs after the samples are factors, offsets, means and variances.
func (c *call) batchNormalization() []*value {
	s := c.shape()
	fail.When(c.int("training_mode", 0) != 0 || c.int("spatial", 1) != 1, "for training or spatial 0 is not supported")
	var lists [4][]float32
	for i, v := range c.in[1:5] {
		fail.When(v.constant == nil || len(v.constant.reals) != s.Channels,
			"has parameters that are not %d constants", s.Channels)
		lists[i] = v.constant.reals
	}
	op := fail.Need(graph.BatchNorm(lists[0], lists[1], lists[2], lists[3], c.real("epsilon", 1e-5)))
	return c.add(op, c.in[0])
}
