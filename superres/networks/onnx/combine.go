package onnx

import (
	"errors"
	"math"

	"superres/internal/elementary"
)

// foldBinary returns a function for operation.fold that applies ints to each pair of numbers if both constants hold
// integers, else reals.
func foldBinary(ints func(a, b int64) (int64, error), reals func(a, b float64) float64) func(*call) (*tensor, error) {
	return func(c *call) (*tensor, error) {
		a, b := c.in[0].constant, c.in[1].constant
		dims, err := broadcast(a.dims, b.dims)
		if err != nil {
			return nil, err
		}
		first, second := a.repeated(), b.repeated()
		areWhole := a.ints != nil && b.ints != nil
		return c.fill(dims, areWhole, func(out *tensor, i int, index []int) (err error) {
			x, y := first(index), second(index)
			if areWhole {
				out.ints[i], err = ints(a.ints[x], b.ints[y])
			} else {
				out.reals[i] = float32(reals(a.real(x), b.real(y)))
			}
			return err
		})
	}
}

// foldAll returns a function for operation.fold that combines constants from the left by fold, which combines two.
func foldAll(fold func(*call) (*tensor, error)) func(*call) (*tensor, error) {
	return func(c *call) (*tensor, error) {
		out := c.in[0].constant
		for _, v := range c.in[1:] {
			if v == nil {
				continue
			}
			var err error
			if out, err = fold(&call{tracer: c.tracer, in: []*value{{constant: out}, v}}); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
}

// Functions of two whole numbers for foldBinary.
func addInts(a, b int64) (int64, error) { return a + b, nil }
func subInts(a, b int64) (int64, error) { return a - b, nil }
func mulInts(a, b int64) (int64, error) { return a * b, nil }
func maxInts(a, b int64) (int64, error) { return max(a, b), nil }
func minInts(a, b int64) (int64, error) { return min(a, b), nil }
func divInts(a, b int64) (int64, error) {
	if b == 0 {
		return 0, errors.New("division by 0")
	}
	return a / b, nil
}

// powInts returns a to the power b. It fails from 2⁵³ on, where float64 no longer holds every integer.
func powInts(a, b int64) (int64, error) {
	p := elementary.Pow(float64(a), float64(b))
	if !(math.Abs(p) < 1<<53) {
		return 0, errors.New("has a power that is too large")
	}
	return int64(p), nil
}

func equalInts(a, b int64) (int64, error) {
	if a == b {
		return 1, nil
	}
	return 0, nil
}

// foldGreater returns a function for operation.fold that compares two constants. isSwapped and isNegated mean the same
// as for compare.
func foldGreater(isSwapped, isNegated bool) func(*call) (*tensor, error) {
	truth := func(isGreater bool) int64 {
		if isGreater != isNegated {
			return 1
		}
		return 0
	}
	compare := foldBinary(func(a, b int64) (int64, error) { return truth(a > b), nil },
		func(a, b float64) float64 { return float64(truth(a > b)) })
	return func(c *call) (*tensor, error) {
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
func modInts(a, b int64) (int64, error) {
	if b == 0 {
		return 0, errors.New("division by 0")
	}
	if m := a % b; m != 0 && m < 0 != (b < 0) {
		return m + b, nil
	}
	return a % b, nil
}

// foldUnary returns a function for operation.fold that applies function to each number. If exact is true, function
// leaves integers as they are, and constants of integers stay integers.
func foldUnary(function func(float64) float64, exact bool) func(*call) (*tensor, error) {
	return func(c *call) (*tensor, error) {
		from := c.in[0].constant
		if from.ints != nil && exact {
			return from, nil
		}
		return c.fill(from.dims, from.ints != nil, func(out *tensor, i int, _ []int) error {
			if v := function(from.real(i)); out.ints != nil {
				out.ints[i] = whole(v)
			} else {
				out.reals[i] = float32(v)
			}
			return nil
		})
	}
}
