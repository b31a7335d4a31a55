package onnx

import (
	"errors"
	"fmt"
)

// foldDequantize is DequantizeLinear of a constant: (x − zero)·scale, with one scale and one zero for all numbers, for
// each index along an axis, or for each block of them.
func foldDequantize(c *call) (*tensor, error) {
	x, scale := c.in[0].constant, c.in[1].constant
	if err := c.copy(x.size()); err != nil {
		return nil, err
	}
	side, step, block := 1, 1, 1
	if scale.size() != 1 {
		along, err := axis(c.int("axis", 1), len(x.dims))
		if err != nil {
			return nil, err
		}
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
			if isBlocked && scale.dims[d] != size || !isBlocked && scale.size() != size {
				return nil, fmt.Errorf("of %v numbers with %v scales", x.dims, scale.dims)
			}
		}
		if isBlocked { // the indexes before the axis have scales of their own
			return c.dequantise(x, func(i int) int {
				blocks := (side + block - 1) / block
				return (i/(step*side)*blocks+i/step%side/block)*step + i%step
			})
		}
	}
	return c.dequantise(x, func(i int) int { return i / step % side })
}

// dequantise returns the numbers of x, of which number i has the scale and the zero at index(i).
func (c *call) dequantise(x *tensor, index func(i int) int) (*tensor, error) {
	scale := c.in[1].constant
	var zero *tensor
	if c.in[2] != nil {
		if zero = c.in[2].constant; zero.size() != scale.size() {
			return nil, fmt.Errorf("with %d scales and %d zeros", scale.size(), zero.size())
		}
	}
	out := &tensor{dims: x.dims, reals: make([]float32, x.size())}
	for i := range out.reals {
		k := index(i)
		if k >= scale.size() {
			return nil, errors.New("reaches beyond a constant")
		}
		v := x.real(i)
		if zero != nil {
			v -= zero.real(k)
		}
		out.reals[i] = float32(v * scale.real(k))
	}
	return out, nil
}
