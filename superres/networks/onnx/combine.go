package onnx

import (
	"math"

	"superres/internal/elementary"
	"superres/superres/networks/fail"
)

// foldBinary returns a function for operation.fold that applies ints to each pair of numbers of two constants if both
// hold integers, else reals. Dimensions of size 1 are repeated.
func foldBinary(ints func(a, b int64) int64, reals func(a, b float64) float64) func(*call) *tensor {
	return func(c *call) *tensor {
		a, b := c.in[0].constant, c.in[1].constant
		dims := broadcast(a.dims, b.dims)
		first, second := a.repeated(), b.repeated()
		areWhole := a.ints != nil && b.ints != nil
		return c.fill(dims, areWhole, func(out *tensor, i int, index []int) {
			x, y := first(index), second(index)
			if areWhole {
				out.ints[i] = ints(a.ints[x], b.ints[y])
			} else {
				out.reals[i] = float32(reals(a.real(x), b.real(y)))
			}
		})
	}
}

// foldAll returns a function for operation.fold that combines all given inputs from the left by fold, which takes two.
func foldAll(fold func(*call) *tensor) func(*call) *tensor {
	return func(c *call) *tensor {
		out := c.in[0].constant
		for _, v := range c.in[1:] {
			if v == nil {
				continue
			}
			out = fold(&call{tracer: c.tracer, in: []*value{{constant: out}, v}})
		}
		return out
	}
}

// Functions of two whole numbers for foldBinary.
func addInts(a, b int64) int64 { return a + b }
func subInts(a, b int64) int64 { return a - b }
func mulInts(a, b int64) int64 { return a * b }
func maxInts(a, b int64) int64 { return max(a, b) }
func minInts(a, b int64) int64 { return min(a, b) }
func divInts(a, b int64) int64 {
	fail.When(b == 0, "division by 0")
	return a / b
}

// powInts returns a to the power b, rounded towards 0. It fails from ±2⁵³ on, where float64 lacks some integers.
func powInts(a, b int64) int64 {
	p := elementary.Pow(float64(a), float64(b))
	fail.When(!(math.Abs(p) < 1<<53), "has a power that is too large")
	return int64(p)
}

func equalInts(a, b int64) int64 {
	if a == b {
		return 1
	}
	return 0
}

// foldGreater returns a function for operation.fold: a > b of constants, or b > a if isSwapped. isNegated negates it.
func foldGreater(isSwapped, isNegated bool) func(*call) *tensor {
	truth := func(isGreater bool) int64 {
		if isGreater != isNegated {
			return 1
		}
		return 0
	}
	compare := foldBinary(func(a, b int64) int64 { return truth(a > b) },
		func(a, b float64) float64 { return float64(truth(a > b)) })
	return func(c *call) *tensor {
		if isSwapped {
			c.in[0], c.in[1] = c.in[1], c.in[0]
		}
		return compare(c)
	}
}

func addReals(a, b float64) float64 { return a + b }
func not(x float64) float64         { return 1 - min(math.Abs(x), 1) }
func mulReals(a, b float64) float64 { return a * b }

func equalReals(a, b float64) float64 {
	if a == b {
		return 1
	}
	return 0
}

// modInts returns a modulo b with the sign of b, as ONNX's Mod of integers has it; Go's % has the sign of a.
func modInts(a, b int64) int64 {
	fail.When(b == 0, "division by 0")
	if m := a % b; m != 0 && m < 0 != (b < 0) {
		return m + b
	}
	return a % b
}

// foldUnary returns a function for operation.fold that applies function to each number. Results for integers are
// rounded towards 0. isExact says that function leaves integers as they are, so that it need not be applied.
func foldUnary(function func(float64) float64, isExact bool) func(*call) *tensor {
	return func(c *call) *tensor {
		from := c.in[0].constant
		if from.ints != nil && isExact {
			return from
		}
		return c.fill(from.dims, from.ints != nil, func(out *tensor, i int, _ []int) {
			if v := function(from.real(i)); out.ints != nil {
				out.ints[i] = whole(v)
			} else {
				out.reals[i] = float32(v)
			}
		})
	}
}
