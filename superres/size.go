package superres

import (
	"math/big"
	"strconv"

	"superres/internal/usage"
)

// ResultSize returns the size of the result for a picture of w×h. With a scale, each
// side is the side of the picture times the scale. With a Width or a Height alone, the
// other side follows in proportion. With both, the result is of exactly that size, or,
// with Fit, the largest of the picture's shape within it: one side is met, the other
// follows. What follows is rounded to the nearest pixel, halves up, from exact
// arithmetic on the scale as it is written in decimal, and is never less than 1.
//
// It fails when a side would be less than that of the picture, or more than MaxScale
// times as long.
func (m *Model) ResultSize(w, h int, opt Options) (int, int, error) {
	toW, toH := opt.Width, opt.Height
	switch {
	case toW == 0 && toH == 0:
		return m.Size(w, h, opt.Scale)
	case toW < 0 || toH < 0:
		return 0, 0, usage.Errorf("superres: size %d×%d, expected more than nothing", toW, toH)
	case opt.Scale != 0:
		return 0, 0, usage.Errorf("superres: a scale and a size, expected one of them")
	case toH == 0, opt.Fit && toW != 0 && big.NewRat(int64(toW), int64(w)).Cmp(big.NewRat(int64(toH), int64(h))) <= 0:
		toH = times(h, big.NewRat(int64(toW), int64(w)))
	case toW == 0, opt.Fit:
		toW = times(w, big.NewRat(int64(toH), int64(h)))
	}
	switch {
	case toW < w || toH < h:
		return 0, 0, usage.Errorf("superres: %d×%d would become %d×%d, and nothing is made smaller; ask for a larger size", w, h, toW, toH)
	case toW > MaxScale*w || toH > MaxScale*h:
		return 0, 0, usage.Errorf("superres: %d×%d would become %d×%d, more than %d times as large; ask for a smaller size", w, h, toW, toH, MaxScale)
	}
	return toW, toH, nil
}

// times returns n times a factor, rounded to the nearest integer, halves up, and at
// least 1.
func times(n int, factor *big.Rat) int {
	// ⌊n·p/q + 1/2⌋ = ⌊(2·n·p + q)/2q⌋
	a := new(big.Int).Mul(big.NewInt(2*int64(n)), factor.Num())
	a.Add(a, factor.Denom())
	a.Div(a, new(big.Int).Lsh(factor.Denom(), 1))
	return max(1, int(a.Int64()))
}

// decimal is a scale as it is written: 1.005 is 201/200, which its float64 is just
// below, so that 100 pixels become 101.
func decimal(scale float64) *big.Rat {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(scale, 'g', -1, 64))
	if !ok {
		panic("superres: a scale that is no number")
	}
	return r
}
