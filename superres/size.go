package superres

import (
	"math/big"
	"strconv"

	"superres/internal/usage"
)

// ResultSize returns the width and height of the result, in pixels, for a picture of w×h. If opt has a Scale, or
// neither Scale nor Width nor Height, each side is multiplied by the scale, as Size does. With Width or Height alone,
// the other side keeps the proportions. With both, the result has exactly that size, or, with Fit, the largest size of
// the picture's proportions within Width×Height. Sides are computed exactly, from the scale as it is written in
// decimal, rounded to the nearest pixel, halves up, and are at least 1.
//
// It is an error if a side would be shorter than that of the picture, or more than MaxScale times as long.
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
		toH = scaledSide(h, big.NewRat(int64(toW), int64(w)))
	case toW == 0, opt.Fit:
		toW = scaledSide(w, big.NewRat(int64(toH), int64(h)))
	}
	switch {
	case toW < w || toH < h:
		return 0, 0, usage.Errorf("superres: %d×%d would become %d×%d, and nothing is made smaller; "+
			"ask for a larger size", w, h, toW, toH)
	case toW > MaxScale*w || toH > MaxScale*h:
		return 0, 0, usage.Errorf("superres: %d×%d would become %d×%d, more than %d times as large; "+
			"ask for a smaller size", w, h, toW, toH, MaxScale)
	}
	return toW, toH, nil
}

// Size returns the width and height of the result, in pixels, for a picture of w×h enlarged by scale. scale 0 means the
// model's own scale, or 2 for a plain interpolation. It is an error if scale is not within MinScale to MaxScale.
func (m *Model) Size(w, h int, scale float64) (int, int, error) {
	switch {
	case scale == 0 && m.Scale > 0:
		scale = float64(m.Scale)
	case scale == 0:
		scale = 2
	case !(scale >= MinScale && scale <= MaxScale):
		return 0, 0, usage.Errorf("superres: scale %g, expected %d to %d", scale, MinScale, MaxScale)
	}
	factor := exactDecimal(scale)
	return scaledSide(w, factor), scaledSide(h, factor), nil
}

// scaledSide returns n times factor, rounded to the nearest integer, halves up, and at least 1.
func scaledSide(n int, factor *big.Rat) int {
	// ⌊n·p/q + 1/2⌋ = ⌊(2·n·p + q)/2q⌋
	a := new(big.Int).Mul(big.NewInt(2*int64(n)), factor.Num())
	a.Add(a, factor.Denom())
	a.Div(a, new(big.Int).Lsh(factor.Denom(), 1))
	return max(1, int(a.Int64()))
}

// exactDecimal returns the finite number scale exactly as it is written in decimal: 1.005 becomes 201/200, though its
// float64 lies just below that, so that 100 pixels times 1.005 are 101.
func exactDecimal(scale float64) *big.Rat {
	r, _ := new(big.Rat).SetString(strconv.FormatFloat(scale, 'g', -1, 64)) // which reads every finite number
	return r
}
