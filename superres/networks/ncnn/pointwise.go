package ncnn

import (
	"math"

	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

// function returns a function for maker.make: it applies f to every sample.
func function(f graph.Function) func(*call) []graph.Operand {
	return func(c *call) []graph.Operand { return c.add(f) }
}

func (c *call) dropout() []graph.Operand {
	if factor := c.float(0, 1); factor != 1 {
		return c.add(affine(factor, 0))
	}
	return c.split()
}

// affine returns the operation that multiplies by a factor and adds an offset.
func affine(factor, offset float32) graph.Affine {
	return graph.Affine{Scale: []float32{factor}, Offset: []float32{offset}}
}

func (c *call) prelu() []graph.Operand {
	return c.add(graph.PReLU{Slope: c.bin.floats(c.int(0, 0))})
}

func (c *call) relu() []graph.Operand {
	return c.add(graph.PReLU{Slope: []float32{c.float(0, 0)}})
}

func (c *call) gelu() []graph.Operand {
	if c.int(0, 0) != 0 {
		return c.add(graph.GELUTanh)
	}
	return c.add(graph.GELU)
}

func (c *call) elu() []graph.Operand {
	alpha := c.float(0, 0.1)
	fail.When(alpha != 1, "with a factor of %g is not supported, only of 1", alpha)
	return c.add(graph.ELU)
}

func (c *call) hardSwish() []graph.Operand {
	return c.addHardSwish(c.in[0], c.float(0, 0.2), c.float(1, 0.5))
}

// addHardSwish adds x·clip(alpha·x + beta, 0, 1).
func (c *call) addHardSwish(x graph.Operand, alpha, beta float32) []graph.Operand {
	if math.Abs(float64(alpha)-1.0/6) < 1e-6 && beta == 0.5 {
		return c.add(graph.HardSwish, x)
	}
	gate := c.add(graph.Clip{Min: 0, Max: 1}, c.add(affine(alpha, beta), x)...)
	return c.add(graph.Mul{}, x, gate[0])
}

func (c *call) hardSigmoid() []graph.Operand {
	alpha, beta := c.float(0, 0.2), c.float(1, 0.5)
	return c.add(graph.Clip{Min: 0, Max: 1}, c.add(affine(alpha, beta))...)
}

func (c *call) clip() []graph.Operand {
	return c.add(graph.Clip{Min: c.float(0, -math.MaxFloat32), Max: c.float(1, math.MaxFloat32)})
}

// eltwise adds an Eltwise: the product of all inputs, or their sum, in which the file may state a factor for each.
func (c *call) eltwise() []graph.Operand {
	kind, factors := c.int(0, 0), c.floats(1)
	fail.When(kind != 0 && kind != 1, "of a maximum is not supported")
	if kind == 0 {
		factors = nil
	}
	fail.When(len(factors) != 0 && len(factors) != len(c.in), "has %d factors for %d inputs", len(factors), len(c.in))
	sign := []byte("*+")[kind]
	var sum graph.Operand
	for i, x := range c.in {
		if len(factors) > 0 && factors[i] != 1 {
			factor := graph.Operand{Constant: []float32{factors[i]}}
			x = fail.Need(c.graph.Arithmetic(c.name, '*', x, factor))
		}
		if i == 0 {
			sum = x
		} else {
			sum = fail.Need(c.graph.Arithmetic(c.name, sign, sum, x))
		}
	}
	return []graph.Operand{sum}
}

// binary adds a BinaryOp of two inputs, or of one input and a number. Of powers it supports x¹ and x².
func (c *call) binary() []graph.Operand {
	kind, hasScalar, scalar := c.int(0, 0), c.int(1, 0), c.float(2, 0)
	fail.When(hasScalar != 0 != (len(c.in) == 1), "has %d inputs", len(c.in))
	x, y := c.in[0], graph.Operand{Constant: []float32{scalar}}
	if hasScalar == 0 {
		y = c.in[1]
	}
	const signs = "+-*/><^-/" // by kind: > maximum, < minimum, ^ power; the last two exchange their inputs
	fail.When(kind < 0 || kind >= len(signs), "of number %d is not supported", kind)
	if kind > 6 {
		x, y = y, x
	}
	if signs[kind] != '^' {
		return []graph.Operand{fail.Need(c.graph.Arithmetic(c.name, signs[kind], x, y))}
	}
	switch {
	case len(y.Constant) == 1 && y.Constant[0] == 1:
		return c.split()
	case len(y.Constant) == 1 && y.Constant[0] == 2:
		return c.add(graph.Square)
	}
	panic(fail.With("of a power is not supported, only of 2"))
}

// unaries are the operations of UnaryOp, by number.
var unaries = map[int]graph.Op{0: graph.Abs, 1: affine(-1, 0), 2: graph.Floor, 3: graph.Ceil, 4: graph.Square,
	5: graph.Sqrt, 7: graph.Exp, 15: graph.Reciprocal, 16: graph.Tanh}

func (c *call) unary() []graph.Operand {
	op, ok := unaries[c.int(0, 0)]
	fail.When(!ok, "of number %d is not supported", c.int(0, 0))
	return c.add(op)
}

// batchNorm adds a BatchNorm with the four lists of the .bin.
func (c *call) batchNorm() []graph.Operand {
	n, epsilon := c.int(0, 0), c.float(1, 0)
	var slope, mean, variance, bias []float32
	for _, list := range []*[]float32{&slope, &mean, &variance, &bias} {
		*list = c.bin.floats(n)
	}
	return c.add(fail.Need(graph.BatchNorm(slope, bias, mean, variance, float64(epsilon))))
}

// scale adds a Scale: a factor and maybe an offset for each channel from the .bin, or, if the number of factors is
// stated as rest (−233), the product of two inputs.
func (c *call) scale() []graph.Operand {
	n, hasBias := c.int(0, 0), c.int(1, 0) != 0
	if n == rest || len(c.in) != 1 {
		fail.When(n != rest || len(c.in) != 2 || hasBias, "has %d inputs", len(c.in))
		return []graph.Operand{fail.Need(c.graph.Arithmetic(c.name, '*', c.in[0], c.in[1]))}
	}
	op := graph.Affine{Scale: c.bin.floats(n), Offset: []float32{0}}
	if hasBias {
		op.Offset = c.bin.floats(n)
	}
	return c.add(op)
}

func (c *call) bias() []graph.Operand {
	return c.add(graph.Affine{Scale: []float32{1}, Offset: c.bin.floats(c.int(0, 0))})
}

// power adds a Power: (x·factor + offset) to the power of 1 or 2. It fails for other powers.
func (c *call) power() []graph.Operand {
	power, factor, offset := c.float(0, 1), c.float(1, 1), c.float(2, 0)
	switch out := c.add(affine(factor, offset)); power {
	case 1:
		return out
	case 2:
		return c.add(graph.Square, out...)
	}
	panic(fail.With("%g is not supported, only 1 and 2", power))
}
