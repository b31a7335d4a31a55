package onnx

import (
	"math"
	"slices"

	"superres/internal/kernel"
	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

// curve describes samples that are a function of each sample of a node. It holds the function's values at some points,
// and these tell which function it is: x·σ(x) becomes SiLU, however the file writes it.
type curve struct {
	name     string           // of the file's node that computes it
	base     int              // the node of the graph that has the arguments
	at       *[points]float64 // values at all points; not changed once set
	from     []*curve         // the curves that the last operation combines
	made     int              // the node of the graph that has the values of the function; −1 until there is one
	err      error            // why there can be no such node, if that is known
	greatest float64          // the result of extent; 0 until it is computed
	// emit adds the nodes of the last operation alone, in case the function is not recognised.
	emit func(*tracer) (node int)
}

// points is the number of points at which functions are compared.
const points = 96

// point returns point i of the points: from −30 for i = 0 to 30 for the last, denser near 0.
func point(i int) float64 {
	x := (float64(i) - (points-1)/2.0) / ((points - 1) / 2.0)
	return 4*x + 26*x*x*x
}

// identityAt are the values of the identity at all points.
var identityAt = func() *[points]float64 {
	var at [points]float64
	for i := range at {
		at[i] = point(i)
	}
	return &at
}()

func identity(node int) *curve { return &curve{base: node, made: node, at: identityAt} }

// newCurve returns a curve for the node that c follows; the caller sets its values. It fails if there are too many.
func (c *call) newCurve(base int, from ...*curve) *curve {
	c.curves++
	fail.When(c.curves > graph.MaxNodes, "more than %d functions of samples", graph.MaxNodes)
	return &curve{name: c.name, base: base, from: from, made: -1, at: new([points]float64)}
}

// known is a function that the graph has as one operation, with its values, by which it is recognised.
type known struct {
	op    graph.Function
	value func(float64) float64
}

// functions are the functions that are recognised.
var functions = []known{
	{graph.Sigmoid, sigmoid}, {graph.Tanh, tanh}, {graph.SiLU, valueOf(kernel.SiLU)},
	{graph.GELU, valueOf(kernel.GELU)}, {graph.GELUTanh, valueOf(kernel.GELUTanh)}, {graph.Mish, mish},
	{graph.ELU, elu}, {graph.Softplus, softplus}, {graph.HardSwish, hardSwish}, {graph.Abs, math.Abs},
	{graph.Square, func(x float64) float64 { return x * x }}, {graph.Exp, exp},
}

var (
	sigmoid, tanh, exp, erf = valueOf(kernel.Sigmoid), valueOf(kernel.Tanh), valueOf(kernel.Exp), valueOf(kernel.Erf)
	elu, mish, softplus     = valueOf(kernel.ELU), valueOf(kernel.Mish), valueOf(kernel.Softplus)
	hardSwish               = valueOf(kernel.HardSwish)
)

// valueOf returns a function as programs compute it, in float32.
func valueOf(f kernel.Function) func(float64) float64 {
	return func(x float64) float64 { return float64(f.At(float32(x))) }
}

// maxDeviation is the greatest difference between functions that count as the same: absolute for values up to 1,
// relative to larger values, and relative to the extent of the function if that is less than 1. It keeps GELU and its
// approximation by tanh apart, which differ by 5·10⁻⁴. Constants of float16 change functions by less.
const maxDeviation = 2e-4

// leastExtent is the absolute value that the arguments of a function must reach for it to be recognised, because small
// arguments tell functions less well apart. If the operations themselves are not supported, any extent will do.
const leastExtent = 2.5

// extent returns the greatest absolute value at the points; NaN if a value is NaN.
func (c *curve) extent() float64 {
	if c.greatest == 0 {
		for _, v := range c.at {
			c.greatest = max(c.greatest, math.Abs(v))
		}
	}
	return c.greatest
}

// deviation returns the greatest difference of c from function(u), measured like maxDeviation with the extent of c. It
// returns +∞ if that is above limit.
func (c *curve) deviation(u *curve, function func(float64) float64, extent, limit float64) (greatest float64) {
	for i, x := range u.at {
		want := function(x)
		d := math.Abs(c.at[i]-want) / (max(1, math.Abs(want)) * min(1, extent))
		if !(d <= limit) {
			return math.Inf(1)
		}
		greatest = max(greatest, d)
	}
	return greatest
}

// recognise returns the closest of functions that turn u into c; none if u's extent is less than leastExtent.
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

// inner returns curves of which c may be a recognised function: the samples of c's node, and the curves from which c is
// computed. It returns at most 16, since each takes time.
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

// resolve returns the node of the graph that has the values of the curve, and adds it if there is none yet.
func (c *curve) resolve(t *tracer) (int, error) {
	if c.made < 0 && *c.at == *identityAt {
		c.made = c.base // the operations cancel each other
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

// build adds the node of a recognised function or, if none, the nodes of the last operation, and returns the last node.
// If the graph has no such operation, it recognises the function even where its arguments stay near 0.
func (c *curve) build(t *tracer) (node int, err error) {
	if node, ok := c.addRecognised(t, leastExtent); ok {
		return node, nil
	}
	if err = fail.Catch(func() { node = c.emit(t) }); err != nil {
		if node, ok := c.addRecognised(t, 0); ok {
			return node, nil
		}
	}
	return node, err
}

// addRecognised tries whether c is a known function of one of the curves of inner. If so, it adds and returns its node.
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

// emitter adds the nodes of an operation on a node to the graph and returns the last one. It may panic with a failure.
type emitter func(t *tracer, node int) (last int)

// apply applies function to each sample of v. emit adds the nodes that compute it in case it becomes no part of a
// recognised function; a nil emit means that the graph has no such nodes.
func (c *call) apply(v *value, function func(float64) float64, emit emitter) []*value {
	from := v.samples
	name, op := c.name, c.op
	out := c.newCurve(from.base, from)
	out.emit = func(t *tracer) int {
		node := fail.Need(from.resolve(t))
		fail.When(emit == nil, "node %q: the operation %s is not supported outside of known functions", name, op)
		return emit(t, node)
	}
	for i, x := range from.at {
		out.at[i] = function(x)
	}
	return []*value{{samples: out, dims: v.dims}}
}
