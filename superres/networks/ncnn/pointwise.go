package ncnn

import (
	"errors"
	"fmt"
	"math"

	"superres/superres/networks/graph"
)

// function returns a function for maker.make: it applies f to every sample.
func function(f graph.Function) func(*call) ([]graph.Operand, error) {
	return func(c *call) ([]graph.Operand, error) { return c.add(f) }
}

func (c *call) dropout() ([]graph.Operand, error) {
	if factor := c.float(0, 1); factor != 1 {
		return c.add(affine(factor, 0))
	}
	return c.split()
}

// affine returns the operation that multiplies by a factor and adds an offset.
func affine(factor, offset float32) graph.Affine {
	return graph.Affine{Scale: []float32{factor}, Offset: []float32{offset}}
}

func (c *call) prelu() ([]graph.Operand, error) {
	slopes, err := c.bin.floats(c.int(0, 0))
	if err != nil {
		return nil, err
	}
	return c.add(graph.PReLU{Slope: slopes})
}

func (c *call) relu() ([]graph.Operand, error) {
	return c.add(graph.PReLU{Slope: []float32{c.float(0, 0)}})
}

func (c *call) gelu() ([]graph.Operand, error) {
	if c.int(0, 0) != 0 {
		return c.add(graph.GELUTanh)
	}
	return c.add(graph.GELU)
}

func (c *call) elu() ([]graph.Operand, error) {
	if alpha := c.float(0, 0.1); alpha != 1 {
		return nil, fmt.Errorf("with a factor of %g is not supported, only of 1", alpha)
	}
	return c.add(graph.ELU)
}

func (c *call) hardSwish() ([]graph.Operand, error) {
	return c.addHardSwish(c.in[0], c.float(0, 0.2), c.float(1, 0.5))
}

// addHardSwish adds x·clip(alpha·x + beta, 0, 1).
func (c *call) addHardSwish(x graph.Operand, alpha, beta float32) ([]graph.Operand, error) {
	if math.Abs(float64(alpha)-1.0/6) < 1e-6 && beta == 0.5 {
		return c.add(graph.HardSwish, x)
	}
	gate, err := c.add(affine(alpha, beta), x)
	gate, err = c.chain(gate, err, graph.Clip{Min: 0, Max: 1})
	if err != nil {
		return nil, err
	}
	return c.add(graph.Mul{}, x, gate[0])
}

func (c *call) hardSigmoid() ([]graph.Operand, error) {
	alpha, beta := c.float(0, 0.2), c.float(1, 0.5)
	out, err := c.add(affine(alpha, beta))
	return c.chain(out, err, graph.Clip{Min: 0, Max: 1})
}

func (c *call) clip() ([]graph.Operand, error) {
	return c.add(graph.Clip{Min: c.float(0, -math.MaxFloat32), Max: c.float(1, math.MaxFloat32)})
}

// eltwise adds an Eltwise: the product of all inputs, or their sum, each times a factor.
func (c *call) eltwise() (out []graph.Operand, err error) {
	kind, factors := c.int(0, 0), c.floats(1)
	if kind != 0 && kind != 1 {
		return nil, errors.New("of a maximum is not supported")
	}
	if kind == 0 {
		factors = nil
	}
	if len(factors) != 0 && len(factors) != len(c.in) {
		return nil, fmt.Errorf("has %d factors for %d inputs", len(factors), len(c.in))
	}
	sign := []byte("*+")[kind]
	var sum graph.Operand
	for i, x := range c.in {
		if len(factors) > 0 && factors[i] != 1 {
			factor := graph.Operand{Constant: []float32{factors[i]}}
			if x, err = c.graph.Arithmetic(c.name, '*', x, factor); err != nil {
				return nil, err
			}
		}
		if i == 0 {
			sum = x
		} else if sum, err = c.graph.Arithmetic(c.name, sign, sum, x); err != nil {
			return nil, err
		}
	}
	return []graph.Operand{sum}, nil
}

// binary adds a BinaryOp of two inputs, or of one input and a number.
func (c *call) binary() ([]graph.Operand, error) {
	kind, hasScalar, scalar := c.int(0, 0), c.int(1, 0), c.float(2, 0)
	if hasScalar != 0 != (len(c.in) == 1) {
		return nil, fmt.Errorf("has %d inputs", len(c.in))
	}
	x, y := c.in[0], graph.Operand{Constant: []float32{scalar}}
	if hasScalar == 0 {
		y = c.in[1]
	}
	const signs = "+-*/><^-/" // the last two operations exchange their inputs
	if kind < 0 || kind >= len(signs) {
		return nil, fmt.Errorf("of number %d is not supported", kind)
	}
	if kind > 6 {
		x, y = y, x
	}
	if signs[kind] != '^' {
		out, err := c.graph.Arithmetic(c.name, signs[kind], x, y)
		return []graph.Operand{out}, err
	}
	switch {
	case len(y.Constant) == 1 && y.Constant[0] == 1:
		return c.split()
	case len(y.Constant) == 1 && y.Constant[0] == 2:
		return c.add(graph.Square)
	}
	return nil, errors.New("of a power is not supported, only of 2")
}

// unaries are the operations of UnaryOp, by number.
var unaries = map[int]graph.Op{0: graph.Abs, 1: affine(-1, 0), 2: graph.Floor, 3: graph.Ceil, 4: graph.Square,
	5: graph.Sqrt, 7: graph.Exp, 15: graph.Reciprocal, 16: graph.Tanh}

func (c *call) unary() ([]graph.Operand, error) {
	op, ok := unaries[c.int(0, 0)]
	if !ok {
		return nil, fmt.Errorf("of number %d is not supported", c.int(0, 0))
	}
	return c.add(op)
}

// batchNorm adds a BatchNorm with the four lists of the .bin.
func (c *call) batchNorm() ([]graph.Operand, error) {
	n, epsilon := c.int(0, 0), c.float(1, 0)
	var slope, mean, variance, bias []float32
	for _, list := range []*[]float32{&slope, &mean, &variance, &bias} {
		var err error
		if *list, err = c.bin.floats(n); err != nil {
			return nil, err
		}
	}
	op, err := graph.BatchNorm(slope, bias, mean, variance, float64(epsilon))
	if err != nil {
		return nil, err
	}
	return c.add(op)
}

// scale adds a Scale: a factor and an offset for each channel from the .bin, or a product of two inputs.
func (c *call) scale() ([]graph.Operand, error) {
	n, hasBias := c.int(0, 0), c.int(1, 0) != 0
	if n == -233 || len(c.in) != 1 {
		if n != -233 || len(c.in) != 2 || hasBias {
			return nil, fmt.Errorf("has %d inputs", len(c.in))
		}
		out, err := c.graph.Arithmetic(c.name, '*', c.in[0], c.in[1])
		return []graph.Operand{out}, err
	}
	op := graph.Affine{Offset: []float32{0}}
	var err error
	if op.Scale, err = c.bin.floats(n); err == nil && hasBias {
		op.Offset, err = c.bin.floats(n)
	}
	if err != nil {
		return nil, err
	}
	return c.add(op)
}

func (c *call) bias() ([]graph.Operand, error) {
	offsets, err := c.bin.floats(c.int(0, 0))
	if err != nil {
		return nil, err
	}
	return c.add(graph.Affine{Scale: []float32{1}, Offset: offsets})
}

// power adds a Power: (x·factor + offset) to the power of 1 or 2.
func (c *call) power() ([]graph.Operand, error) {
	power, factor, offset := c.float(0, 1), c.float(1, 1), c.float(2, 0)
	out, err := c.add(affine(factor, offset))
	switch power {
	case 1:
		return out, err
	case 2:
		return c.chain(out, err, graph.Square)
	}
	return nil, fmt.Errorf("%g is not supported, only 1 and 2", power)
}
