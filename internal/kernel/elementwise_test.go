package kernel

import (
	"math"
	"slices"
	"testing"
)

// Values at the edges of what is rounded and clipped, against sums in float64.
func TestAddScaledRounds(t *testing.T) {
	values := []int16{math.MinInt16, -32767, -8193, -8192, -3, -2, -1, 0, 1, 2, 3, 5, 7, 8191, 8192, math.MaxInt16}
	half, one, table := make([]float32, Lanes), make([]float32, Lanes), new([1 << 16]int16)
	for c := range half {
		half[c], one[c] = 0.5, -1
	}
	for i := range table {
		table[i] = int16(i - 1<<15)
	}
	eachTier(t, func(t *testing.T) {
		for _, y := range values {
			other := make([]int16, Lanes)
			for i := range other {
				other[i] = y
			}
			sum, product, same := make([]int16, Lanes), make([]int16, Lanes), make([]int16, Lanes)
			AddScaled(sum, values, other, half, one, 8191)
			MultiplyScaled(product, values, other, half, math.MaxInt16)
			Lookup(same, values, slices.Repeat([]*[1 << 16]int16{table}, 4))
			most := max(int(y), -int(y))
			large := 0
			for i, x := range values {
				wantSum := min(max(math.RoundToEven(float64(x)/2-float64(y)), -8191), 8191)
				wantProduct := min(max(math.RoundToEven(float64(x)*float64(y)/2), -32767), 32767)
				if float64(sum[i]) != wantSum || float64(product[i]) != wantProduct || same[i] != x {
					t.Fatalf("%d and %d: %d, %d, %d; expected %g, %g, %d", x, y, sum[i], product[i], same[i], wantSum,
						wantProduct, x)
				}
				if max(int(x), -int(x)) >= min(most, math.MaxInt16) {
					large++
				}
			}
			if got := MaxMagnitude(slices.Repeat([]int16{y, 0, -1, 1}, 17)); got != max(most, 1) {
				t.Errorf("%d is the largest magnitude, expected %d", got, max(most, 1))
			}
			if got := CountClipped(values, int16(min(most, math.MaxInt16))); got != large {
				t.Errorf("%d of magnitude %d, expected %d", got, most, large)
			}
		}
	})
}
