package report

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Mean returns the mean and the standard deviation of numbers. Both are NaN for no numbers; the deviation of
// one number is 0.
func Mean(v []float64) (m, sd float64) {
	if len(v) == 0 {
		return math.NaN(), math.NaN()
	}
	if m, sd = stat.MeanStdDev(v, nil); len(v) < 2 {
		sd = 0
	}
	return m, sd
}

// Spread returns the 10 % and the 90 % quantile of numbers, interpolated linearly. Both are NaN for no
// numbers.
func Spread(v []float64) (low, high float64) {
	if len(v) == 0 {
		return math.NaN(), math.NaN()
	}
	sorted := slices.Sorted(slices.Values(v))
	at := func(q float64) float64 {
		k := q * float64(len(sorted)-1)
		i := int(k)
		return sorted[i] + (k-float64(i))*(sorted[min(i+1, len(sorted)-1)]-sorted[i])
	}
	return at(0.1), at(0.9)
}
