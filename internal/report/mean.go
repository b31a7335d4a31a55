package report

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Mean returns the mean and the standard deviation of numbers: of none no numbers, of one
// the deviation 0.
func Mean(v []float64) (m, sd float64) {
	if len(v) == 0 {
		return math.NaN(), math.NaN()
	}
	if m, sd = stat.MeanStdDev(v, nil); len(v) < 2 {
		sd = 0
	}
	return m, sd
}
