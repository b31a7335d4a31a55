package main

// function32 registers an operation that sets dst to a function of each entry of src.
func function32(name string, write func(c *code, x vector) vector) struct{} {
	return entrywise(name+"Floats", "(dst, src []float32)", []string{"dst"}, "len(dst) is a multiple of 16",
		func(c *code) {
			c.entries([]string{"src"}, func(in []vector) vector { return write(c, in[0]) })
		})
}

// These functions compute the same steps as functions.go of package kernel.
var (
	_ = function32("exp", (*code).exp)
	_ = function32("sigmoid", func(c *code, x vector) vector {
		return c.of(opDiv, c.constant(1), c.onePlusExp(c.negative(x)))
	})
	_ = function32("silu", func(c *code, x vector) vector { return c.of(opDiv, x, c.onePlusExp(c.negative(x))) })
	_ = function32("tanh", func(c *code, x vector) vector {
		m := c.expm1(c.of(opMul, c.constant(-2), c.magnitude(x)))
		return c.signed(c.of(opDiv, c.magnitude(m), c.of(opAdd, m, c.constant(2))), x)
	})
	_ = function32("erf", (*code).erf)
	_ = function32("gelu", func(c *code, x vector) vector {
		e := c.erf(c.of(opMul, x, c.constant(0.707106781)))
		return c.of(opMul, x, c.fuse(e, c.constant(0.5), c.constant(0.5)))
	})
	_ = function32("geluTanh", func(c *code, x vector) vector {
		p := c.fuse(c.of(opMul, x, x), c.constant(-0.0713548163), c.constant(-1.59576912))
		return c.of(opDiv, x, c.onePlusExp(c.of(opMul, x, p)))
	})
	_ = function32("mish", func(c *code, x vector) vector {
		e := c.exp(c.of(opLesser, c.constant(20), x))
		w := c.of(opMul, e, c.of(opAdd, e, c.constant(2)))
		return c.of(opMul, x, c.of(opDiv, w, c.of(opAdd, w, c.constant(2))))
	})
	_ = function32("elu", func(c *code, x vector) vector { return c.ifNegative(x, c.expm1(x), x) })
	_ = function32("softplus", func(c *code, x vector) vector {
		t := c.exp(c.of(opOr, x, c.bits(signBit)))
		p := c.horner(t, 0.0053839949, -0.0301107075, 0.079210341, -0.137465909, 0.191451028, -0.248529434, 0.333203435,
			-0.49999553, 1)
		return c.of(opAdd, c.of(opMul, t, p), c.of(opGreater, x, c.bits(0)))
	})
	_ = function32("hardSwish", func(c *code, x vector) vector { return c.of(opMul, x, c.hardSigmoid(x)) })
	_ = function32("abs", (*code).magnitude)
	_ = function32("square", func(c *code, x vector) vector { return c.of(opMul, x, x) })
	_ = function32("sqrt", (*code).root)
)

const signBit = 1 << 31

func (c *code) magnitude(x vector) vector { return c.of(opAnd, x, c.bits(signBit-1)) }
func (c *code) negative(x vector) vector  { return c.of(opXor, x, c.bits(signBit)) }
func (c *code) signed(x, sign vector) vector {
	return c.of(opOr, x, c.of(opAnd, sign, c.bits(signBit)))
}

func (c *code) horner(x vector, coefficients ...float32) vector {
	sum := c.constant(coefficients[0])
	for _, k := range coefficients[1:] {
		sum = c.fuse(sum, x, c.constant(k))
	}
	return sum
}

// power writes m and s with eˣ = 2s(1 + m), where s is a power of 2, with the constants of package kernel's power.
func (c *code) power(x vector) (m, s vector) {
	const toInteger = 3 << 22
	x = c.of(opLesser, c.constant(88.8), c.of(opGreater, c.constant(-86.9), x))
	place := c.fuse(x, c.constant(1.44269504), c.constant(toInteger))
	n := c.of(opSub, place, c.constant(toInteger))
	r := c.fuse(n, c.constant(-1.42860677e-6), c.fuse(n, c.constant(-0.693145752), x))
	p := c.horner(r, 0.00139464485, 0.00836658478, 0.0416662805, 0.166665435, 0.5)
	return c.fuse(c.of(opMul, r, r), p, r), c.shiftInts(c.of(opAddInts, place, c.bits(126)), 23)
}

func (c *code) exp(x vector) vector {
	m, s := c.power(x)
	half := c.fuse(m, s, s)
	return c.of(opAdd, half, half)
}

func (c *code) expm1(x vector) vector {
	m, s := c.power(x)
	half := c.fuse(m, s, c.of(opSub, s, c.constant(0.5)))
	return c.of(opAdd, half, half)
}

func (c *code) onePlusExp(x vector) vector { return c.of(opAdd, c.exp(x), c.constant(1)) }

// erf writes the error function as package kernel's erf: for z = |x| up to 0.875 z·P(z²), else 1 − exp(−Q(z)), signed.
func (c *code) erf(x vector) vector {
	z := c.magnitude(x)
	near := c.of(opMul, z, c.horner(c.of(opMul, z, z), -0.000622242107, 0.00503587211, -0.0267939549, 0.112825245,
		-0.376125574, 1.12837911))
	z = c.of(opLesser, c.constant(4), z)
	p := c.horner(z, -0.00019990257, 0.00308200694, -0.022381071, 0.104250282, 0.636820555, 1.12788939, 0.00014420088)
	far := c.of(opSub, c.constant(1), c.exp(c.negative(p)))
	return c.signed(c.ifGreater(z, c.constant(0.875), far, near), x)
}

func (c *code) hardSigmoid(x vector) vector {
	v := c.fuse(x, c.constant(1./6), c.constant(0.5))
	return c.of(opLesser, c.constant(1), c.of(opGreater, c.bits(0), v))
}
