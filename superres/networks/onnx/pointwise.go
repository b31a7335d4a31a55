package onnx

import (
	"errors"
	"fmt"
	"math"

	"superres/superres/networks/graph"
)

// emit returns the emitter of operations one after another, of the name of the call.
func (c *call) emit(ops ...graph.Op) emitter {
	return func(t *tracer, node int) (graph.Operand, error) {
		for _, op := range ops {
			var err error
			if node, err = t.builder.Add(c.name, op, node); err != nil {
				return graph.Operand{}, err
			}
		}
		return graph.Operand{Node: node}, nil
	}
}

// affine multiplies by a factor and adds an offset.
func affine(factor, offset float64) graph.Affine {
	return graph.Affine{Scale: []float32{float32(factor)}, Offset: []float32{float32(offset)}}
}

// unary returns an operation that applies a function to every sample. Only recognised functions can be made of one
// that has no op.
func unary(function func(float64) float64, op graph.Op) operation {
	return operation{1, 1, "", func(c *call) ([]*value, error) {
		if op == nil {
			return c.apply(c.in[0], function, nil)
		}
		return c.apply(c.in[0], function, c.emit(op))
	}, foldUnary(function, false)}
}

func (c *call) leakyRelu() ([]*value, error) { return c.rectify(c.real("alpha", 0.01)) }

func (c *call) relu() ([]*value, error) { return c.rectify(0) }

// rectify multiplies negative samples by a slope.
func (c *call) rectify(slope float64) ([]*value, error) {
	return c.apply(c.in[0], func(x float64) float64 {
		if x < 0 {
			return slope * x
		}
		return x
	}, c.emit(graph.PReLU{Slope: []float32{float32(slope)}}))
}

func (c *call) prelu() ([]*value, error) {
	slope := c.in[1].constant
	if slope == nil {
		return nil, errors.New("with slopes that are computed of samples is not supported")
	}
	if slope.size() == 1 {
		return c.rectify(slope.real(0))
	}
	list, err := c.perChannel(slope)
	if err != nil {
		return nil, err
	}
	return c.add(graph.PReLU{Slope: list}, c.in[0])
}

// perChannel returns the values of a constant that has one per channel: of the dimensions [channels, 1, 1].
func (c *call) perChannel(t *tensor) ([]float32, error) {
	n := len(t.dims)
	if n > 4 || n == 4 && t.dims[0] != 1 || n < 3 || t.dims[n-1] != 1 || t.dims[n-2] != 1 || t.size() < 1 {
		return nil, fmt.Errorf("with a constant of %v numbers is not supported, only with one, or one per channel",
			t.dims)
	}
	if t.reals != nil {
		return t.reals, nil
	}
	list := make([]float32, t.size())
	for i := range list {
		list[i] = float32(t.real(i))
	}
	return list, nil
}

func (c *call) elu() ([]*value, error) {
	alpha := c.real("alpha", 1)
	emit := c.emit(graph.ELU)
	if alpha != 1 {
		emit = nil
	}
	return c.apply(c.in[0], func(x float64) float64 { return max(x, 0) + alpha*elu(min(x, 0)) }, emit)
}

func (c *call) celu() ([]*value, error) {
	alpha := c.real("alpha", 1)
	return c.apply(c.in[0], func(x float64) float64 { return max(x, 0) + alpha*elu(min(x/alpha, 0)) }, nil)
}

func (c *call) gelu() ([]*value, error) {
	f := graph.GELU
	if c.text("approximate", "none") == "tanh" {
		f = graph.GELUTanh
	}
	return c.add(f, c.in[0])
}

func (c *call) hardSigmoid() ([]*value, error) {
	alpha, beta := c.real("alpha", 0.2), c.real("beta", 0.5)
	return c.apply(c.in[0], func(x float64) float64 { return min(max(alpha*x+beta, 0), 1) },
		c.emit(affine(alpha, beta), graph.Clip{Min: 0, Max: 1}))
}

func (c *call) clip() ([]*value, error) {
	least, err := c.number(1, c.real("min", -math.MaxFloat32))
	if err != nil {
		return nil, err
	}
	most, err := c.number(2, c.real("max", math.MaxFloat32))
	if err != nil {
		return nil, err
	}
	return c.limit(max(least, -math.MaxFloat32), min(most, math.MaxFloat32))
}

// limit limits samples to least..most.
func (c *call) limit(least, most float64) ([]*value, error) {
	if least == 0 && most == math.MaxFloat32 {
		return c.rectify(0)
	}
	return c.apply(c.in[0], func(x float64) float64 { return min(max(x, least), most) },
		c.emit(graph.Clip{Min: float32(least), Max: float32(most)}))
}

// extreme returns Max or Min of samples and one number.
func extreme(isMax bool) func(*call) ([]*value, error) {
	return func(c *call) ([]*value, error) {
		if c.in[1] == nil {
			return c.same()
		}
		if c.in[0].constant != nil {
			c.in[0], c.in[1] = c.in[1], c.in[0]
		}
		limit, err := c.number(1, 0)
		if err != nil || c.in[2] != nil {
			return nil, errors.New("of samples is supported with one number alone")
		}
		if isMax {
			return c.limit(limit, math.MaxFloat32)
		}
		return c.limit(-math.MaxFloat32, limit)
	}
}

func (c *call) pow() ([]*value, error) {
	exponent, err := c.number(1, 1)
	if err != nil {
		return nil, err
	}
	var emit emitter
	switch exponent {
	case 1:
		return c.same()
	case 2:
		emit = c.emit(graph.Square)
	case 3:
		emit = func(t *tracer, node int) (graph.Operand, error) {
			square, err := t.builder.Add(c.name, graph.Square, node)
			if err != nil {
				return graph.Operand{}, err
			}
			return t.builder.Arithmetic(c.name, '*', graph.Operand{Node: square}, graph.Operand{Node: node})
		}
	}
	return c.apply(c.in[0], func(x float64) float64 { return math.Pow(x, exponent) }, emit)
}

// combine returns x op y for the signs +, -, * and /.
func combine(sign byte, x, y float64) float64 {
	switch sign {
	case '+':
		return x + y
	case '-':
		return x - y
	case '*':
		return x * y
	}
	return x / y
}

// arithmetic returns the operation of a sign.
func arithmetic(sign byte, fold func(*call) (*tensor, error)) operation {
	return operation{2, 2, "axis broadcast", func(c *call) ([]*value, error) {
		return c.arithmetic(sign, c.in[0], c.in[1])
	}, fold}
}

func (c *call) arithmetic(sign byte, x, y *value) ([]*value, error) {
	for i, v := range []*value{x, y} {
		if v.constant == nil || v.constant.size() != 1 {
			continue
		}
		number := v.constant.real(0)
		constant := graph.Operand{Constant: []float32{float32(number)}}
		if i == 0 {
			return c.apply(y, func(s float64) float64 { return combine(sign, number, s) },
				func(t *tracer, node int) (graph.Operand, error) {
					return t.builder.Arithmetic(c.name, sign, constant, graph.Operand{Node: node})
				})
		}
		return c.apply(x, func(s float64) float64 { return combine(sign, s, number) },
			func(t *tracer, node int) (graph.Operand, error) {
				return t.builder.Arithmetic(c.name, sign, graph.Operand{Node: node}, constant)
			})
	}
	if x.samples != nil && y.samples != nil && x.samples.base == y.samples.base {
		return c.combineCurves(sign, x.samples, y.samples)
	}
	var operands [2]graph.Operand
	for i, v := range []*value{x, y} {
		var err error
		if v.constant != nil {
			operands[i].Constant, err = c.perChannel(v.constant)
		} else {
			operands[i].Node, err = c.node(v)
		}
		if err != nil {
			return nil, err
		}
	}
	out, err := c.builder.Arithmetic(c.name, sign, operands[0], operands[1])
	if err == nil && out.Constant != nil {
		err = errors.New("of constants is not supported")
	}
	if err != nil {
		return nil, err
	}
	return []*value{c.sampled(out.Node)}, nil
}

// combineCurves returns the result for two functions of the samples of one node.
func (c *call) combineCurves(sign byte, x, y *curve) ([]*value, error) {
	name := c.name
	out, err := c.newCurve(x.base, x, y)
	if err != nil {
		return nil, err
	}
	out.emit = func(t *tracer) (graph.Operand, error) {
		first, err := x.resolve(t)
		if err != nil {
			return graph.Operand{}, err
		}
		second, err := y.resolve(t)
		if err != nil {
			return graph.Operand{}, err
		}
		return t.builder.Arithmetic(name, sign, graph.Operand{Node: first}, graph.Operand{Node: second})
	}
	for i := range out.at {
		out.at[i] = combine(sign, x.at[i], y.at[i])
	}
	return []*value{{samples: out}}, nil
}

// sum adds any number of inputs.
func (c *call) sum() ([]*value, error) {
	out, err := []*value{c.in[0]}, error(nil)
	for _, v := range c.in[1:] {
		if v != nil && err == nil {
			out, err = c.arithmetic('+', out[0], v)
		}
	}
	return out, err
}

func (c *call) batchNormalization() ([]*value, error) {
	s, err := c.shape()
	if err != nil {
		return nil, err
	}
	if c.int("training_mode", 0) != 0 || c.int("spatial", 1) != 1 {
		return nil, errors.New("for training is not supported")
	}
	for _, v := range c.in[1:5] {
		if v.constant == nil || v.constant.size() != s.Channels {
			return nil, fmt.Errorf("has parameters that are not %d constants", s.Channels)
		}
	}
	epsilon := c.real("epsilon", 1e-5)
	op := graph.Affine{Scale: make([]float32, s.Channels), Offset: make([]float32, s.Channels)}
	for i := range s.Channels {
		factor := c.in[1].constant.real(i) / math.Sqrt(c.in[4].constant.real(i)+epsilon)
		op.Scale[i] = float32(factor)
		op.Offset[i] = float32(c.in[2].constant.real(i) - float64(factor*c.in[3].constant.real(i)))
	}
	return c.add(op, c.in[0])
}
