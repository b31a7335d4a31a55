package onnx

import (
	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

// foldDequantize computes DequantizeLinear of a constant: (x − zero)·scale. There is one scale and zero for all
// numbers, or one for each index along an axis, or, if block_size is stated, one for each block of indexes.
func foldDequantize(c *call) *tensor {
	x, scale := c.in[0].constant, c.in[1].constant
	c.spendCopies(x.size())
	side, step, block := 1, 1, 1
	if scale.size() != 1 {
		along := axis(c.int("axis", 1), len(x.dims))
		side, block = x.dims[along], c.int("block_size", 0)
		step = strides(x.dims)[along]
		isBlocked := block > 0 && len(scale.dims) == len(x.dims)
		if !isBlocked {
			block = 1
		}
		for d, size := range x.dims {
			if d == along {
				size = (size + block - 1) / block
			} else if !isBlocked {
				continue
			}
			fail.When(isBlocked && scale.dims[d] != size || !isBlocked && scale.size() != size,
				"of %v numbers with %v scales", x.dims, scale.dims)
		}
		if isBlocked { // the scales have all axes of x, with one index for a block along the axis
			return c.rescaled(x, func(i int) int {
				blocks := (side + block - 1) / block
				return (i/(step*side)*blocks+i/step%side/block)*step + i%step
			})
		}
	}
	return c.rescaled(x, func(i int) int { return i / step % side }) // with one scale, 0
}

// rescaled returns (x − zero)·scale as real numbers, with entry index(i) of the scales and zeros for number i of x.
func (c *call) rescaled(x *tensor, index func(i int) int) *tensor {
	scale := c.in[1].constant
	var zero *tensor
	if c.in[2] != nil {
		zero = c.in[2].constant
		fail.When(zero.size() != scale.size(), "with %d scales and %d zeros", scale.size(), zero.size())
	}
	out := &tensor{dims: x.dims, reals: make([]float32, x.size())}
	for i := range out.reals {
		k := index(i)
		fail.When(k >= scale.size(), "reaches beyond a constant")
		v := x.real(i)
		if zero != nil {
			v -= zero.real(k)
		}
		out.reals[i] = float32(v * scale.real(k))
	}
	return out
}

// quantization returns the scale and zero of a QuantizeLinear or DequantizeLinear, and the least number of 8 bits, 0 or
// −128. It fails unless they are constants of one number, the scale positive and the zero of 8 bits.
func (c *call) quantization() (scale, zero, least float64) {
	s, z := c.in[1].constant, (*tensor)(nil)
	if c.in[2] != nil {
		z = c.in[2].constant
	}
	fail.When(s == nil || s.size() != 1 || c.in[2] != nil && (z == nil || z.bytes == nil || z.size() != 1) ||
		!(s.real(0) > 0), "of samples is supported for 8 bits with one scale alone")
	if z != nil {
		zero = z.real(0)
		if z.hasSign {
			least = -128
		}
	}
	return s.real(0), zero, least
}

// quantize computes QuantizeLinear of values that depend on the picture. The results are whole numbers that fit 8 bits.
func (c *call) quantize() []*value {
	scale, zero, least := c.quantization()
	return c.addChain(c.in[0], affine(1/scale, 0), graph.Round, affine(1, zero),
		graph.Clip{Min: float32(least), Max: float32(least + 255)})
}

// dequantize computes DequantizeLinear of values that depend on the picture: (x − zero)·scale.
func (c *call) dequantize() []*value {
	scale, zero, _ := c.quantization()
	return c.addChain(c.in[0], affine(1, -zero), affine(scale, 0))
}
