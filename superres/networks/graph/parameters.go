package graph

import (
	"fmt"
	"math"
)

// WholeFactors returns the fields Up and Down of a Resize that multiplies heights by fy and widths by fx. It fails
// unless both factors are the same whole number, at most MaxScale, or its inverse.
func WholeFactors(fy, fx float64) (up, reduce int, err error) {
	const slack = 1e-5 // files hold 0.333333 for 1/3
	if math.Abs(fy-fx) <= slack*math.Abs(fx) {
		for n := 1; n <= MaxScale; n++ {
			if math.Abs(fy/float64(n)-1) < slack {
				return n, 1, nil
			}
			if math.Abs(fy*float64(n)-1) < slack {
				return 1, n, nil
			}
		}
	}
	return 0, 0, fmt.Errorf("by %g×%g is not supported, only by whole factors", fx, fy)
}

// Fraction does what WholeFactors does, but if fy and fx are equal it also accepts fractions below 1 with a Down of at
// most MaxScale, such as 3/4 at the end of a network of scale 4 that enlarges ×3.
func Fraction(fy, fx float64) (up, reduce int, err error) {
	for n := 2; n <= MaxScale && fy == fx; n++ {
		if up := math.Round(fy * float64(n)); up > 0 && up < float64(n) && math.Abs(fy*float64(n)/up-1) < 1e-5 {
			return int(up), n, nil
		}
	}
	return WholeFactors(fy, fx)
}

// InterleavedChannels returns all channels below count: for each i below step, the channels i, i+step, i+2·step, ….
func InterleavedChannels(count, step int) []int {
	list := make([]int, 0, count)
	for i := range step {
		for k := i; k < count; k += step {
			list = append(list, k)
		}
	}
	return list
}

// BatchNorm returns the operation that subtracts the mean of each channel, divides by √(variance + epsilon), multiplies
// by the factor and adds the offset. It fails if the lists differ in length.
func BatchNorm(factors, offsets, means, variances []float32, epsilon float64) (Affine, error) {
	n := len(factors)
	if len(offsets) != n || len(means) != n || len(variances) != n {
		return Affine{}, fmt.Errorf("normalises by %d factors, %d offsets, %d means and %d variances", n, len(offsets),
			len(means), len(variances))
	}
	op := Affine{make([]float32, n), make([]float32, n)}
	for i := range n {
		factor := float64(factors[i]) / math.Sqrt(float64(variances[i])+epsilon)
		op.Scale[i], op.Offset[i] = float32(factor), float32(float64(offsets[i])-float64(factor*float64(means[i])))
	}
	return op, nil
}
