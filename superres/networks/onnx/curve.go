package onnx

import (
	"fmt"
	"math"
	"slices"

	"superres/internal/kernel"
	"superres/superres/networks/graph"
)

// curve is samples that are a function of each sample of a node. The function is recognised by its values at some
// points: x·σ(x) becomes SiLU in whatever way the file writes it.
type curve struct {
	name string           // of the file's node that makes it
	base int              // the node of the graph
	at   *[points]float64 // not changed once it is made
	from []*curve         // those of which the last operation makes it
	// made is the node of the graph that has the samples, once there is one; −1 before.
	made int
	// greatest is the extent, once it is known.
	greatest float64
	// err is why there can be no such node, once that is known.
	err error
	// emit makes the node by the last operation of the function alone, where the whole is no known function.
	emit func(*tracer) (graph.Operand, error)
}

// points is the number of points at which functions are compared.
const points = 96

// point returns point i, from −30 to 30 and denser about 0.
func point(i int) float64 {
	x := (float64(i) - (points-1)/2.0) / ((points - 1) / 2.0)
	return 4*x + 26*x*x*x
}

// identityAt has the values of the identity.
var identityAt = func() *[points]float64 {
	var at [points]float64
	for i := range at {
		at[i] = point(i)
	}
	return &at
}()

// identity returns the samples of a node themselves.
func identity(node int) *curve { return &curve{base: node, made: node, at: identityAt} }

// newCurve returns a curve without values, of a node of the file. It fails if the file has made too many.
func (c *call) newCurve(base int, from ...*curve) (*curve, error) {
	if c.curves++; c.curves > graph.MaxNodes {
		return nil, fmt.Errorf("more than %d functions of samples", graph.MaxNodes)
	}
	return &curve{name: c.name, base: base, from: from, made: -1, at: new([points]float64)}, nil
}

// known is a function of the graph.
type known struct {
	op    graph.Function
	value func(float64) float64
}

// functions are the functions that are recognised.
var functions = []known{
	{graph.Sigmoid, sigmoid},
	{graph.Tanh, tanh},
	{graph.SiLU, valueOf(kernel.SiLU)},
	{graph.GELU, valueOf(kernel.GELU)},
	{graph.GELUTanh, valueOf(kernel.GELUTanh)},
	{graph.Mish, mish},
	{graph.ELU, elu},
	{graph.Softplus, softplus},
	{graph.HardSwish, hardSwish},
	{graph.Abs, math.Abs},
	{graph.Square, func(x float64) float64 { return x * x }},
	{graph.Exp, exp},
}

var (
	sigmoid, tanh, exp, erf = valueOf(kernel.Sigmoid), valueOf(kernel.Tanh), valueOf(kernel.Exp), valueOf(kernel.Erf)
	elu, mish, softplus     = valueOf(kernel.ELU), valueOf(kernel.Mish), valueOf(kernel.Softplus)
	hardSwish               = valueOf(kernel.HardSwish)
)

// valueOf returns a function as the executor computes it, in float32.
func valueOf(f kernel.Function) func(float64) float64 {
	return func(x float64) float64 { return float64(f.At(float32(x))) }
}

// maxDeviation is the greatest difference at which functions are taken for the same: of values about 1, in proportion
// to larger values, and in proportion to the greatest value if that is smaller. GELU and its approximation by tanh
// differ by 5·10⁻⁴; constants of float16 move functions by less than this.
const maxDeviation = 2e-4

// leastExtent is the absolute value that an inner function has to reach for a function of it to be recognised: small
// numbers tell functions less well apart. Where the operations themselves are not supported, any will do.
const leastExtent = 2.5

// extent returns the greatest absolute value at the points; NaN if there is one.
func (c *curve) extent() float64 {
	if c.greatest == 0 {
		for _, v := range c.at {
			c.greatest = max(c.greatest, math.Abs(v))
		}
	}
	return c.greatest
}

// deviation returns how far the curve is from a function of the values of u, or infinity if it is further than most.
func (c *curve) deviation(u *curve, function func(float64) float64, extent, most float64) (greatest float64) {
	for i, x := range u.at {
		want := function(x)
		d := math.Abs(c.at[i]-want) / (max(1, math.Abs(want)) * min(1, extent))
		if !(d <= most) {
			return math.Inf(1)
		}
		greatest = max(greatest, d)
	}
	return greatest
}

// recognise returns the function of u that the curve is, unless u reaches less than an extent.
func (c *curve) recognise(u *curve, leastExtent float64) (op graph.Function, ok bool) {
	least, extent := maxDeviation, c.extent()
	if !(u.extent() >= leastExtent) {
		return 0, false
	}
	for _, f := range functions {
		if d := c.deviation(u, f.value, extent, least); d < least {
			op, least, ok = f.op, d, true
		}
	}
	return op, ok
}

// inner returns the curves of which c is made, no more than can be tried quickly, and the samples of
// its node first.
func (c *curve) inner() []*curve {
	const most = 16
	list := []*curve{identity(c.base)}
	for next := []*curve{c}; len(next) > 0 && len(list) < most; next = next[1:] {
		for _, u := range next[0].from {
			if !slices.Contains(list, u) && len(list) < most {
				list, next = append(list, u), append(next, u)
			}
		}
	}
	return list
}

// resolve returns the node of the graph that has the samples.
func (c *curve) resolve(t *tracer) (int, error) {
	if c.made < 0 && *c.at == *identityAt {
		c.made = c.base
	}
	if c.made >= 0 || c.err != nil {
		return c.made, c.err
	}
	node, err := c.build(t)
	if c.err = err; err == nil {
		c.made = node
	}
	return node, err
}

// build adds the node of a recognised function, or those of the last operation, and returns the last.
func (c *curve) build(t *tracer) (int, error) {
	if node, ok := c.addRecognised(t, leastExtent); ok {
		return node, nil
	}
	out, err := c.emit(t)
	if err != nil {
		if node, ok := c.addRecognised(t, 0); ok {
			return node, nil
		}
	}
	return out.Node, err
}

// addRecognised adds the node of a function of one of the inner curves.
func (c *curve) addRecognised(t *tracer, leastExtent float64) (node int, ok bool) {
	for _, u := range c.inner() {
		op, ok := c.recognise(u, leastExtent)
		if !ok {
			continue
		}
		from, err := u.resolve(t)
		if err != nil {
			continue
		}
		if node, err = t.builder.Add(c.name, op, from); err == nil {
			return node, true
		}
	}
	return 0, false
}

// emitter makes the node of an operation on a node.
type emitter func(*tracer, int) (graph.Operand, error)

// apply returns the function value of the samples of v; emit, if not nil, makes its node of that of v.
func (c *call) apply(v *value, function func(float64) float64, emit emitter) ([]*value, error) {
	from := v.samples
	name, op := c.name, c.op
	out, err := c.newCurve(from.base, from)
	if err != nil {
		return nil, err
	}
	out.emit = func(t *tracer) (graph.Operand, error) {
		node, err := from.resolve(t)
		if err != nil {
			return graph.Operand{}, err
		}
		if emit == nil {
			return graph.Operand{}, fmt.Errorf("node %q: the operation %s is not supported outside of known functions",
				name, op)
		}
		return emit(t, node)
	}
	for i, x := range from.at {
		out.at[i] = function(x)
	}
	return []*value{{samples: out, dims: v.dims}}, nil
}
