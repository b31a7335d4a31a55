package kernel

import "math"

// Networks of float32 give the same bits everywhere, because every sum is one chain of fused products in a stated
// order, x·y + z rounded once, and no sum crosses lanes of a vector. Processors with vectors have that as an
// instruction; here is what it is.

// fused returns x·y + z rounded once to float32. The product of two float32 is exact in float64, and so is the result
// of rounding a sum to float64 and then to float32 unless the first lies in the middle between two float32.
func fused(x, y, z float32) float32 {
	const middle, leastNormal = 1 << 28, 0x1p-126
	product, w := float64(x)*float64(y), float64(z)
	sum := product + w
	if math.Float64bits(sum)&(2*middle-1) == middle || sum < leastNormal && sum > -leastNormal && sum != 0 {
		return float32(oddSum(product, w, sum))
	}
	return float32(sum)
}

// oddSum returns sum, the rounded sum of a and b, as it is rounded to odd: of the two float64 about a sum that is none,
// the one whose last bit is 1. To round that to a float32, even a subnormal one, is to round the sum itself.
func oddSum(a, b, sum float64) float64 {
	back := sum - a
	rest := (a - (sum - back)) + (b - back)
	bits := math.Float64bits(sum)
	if bits&1 == 1 || !(rest < 0 || rest > 0) {
		return sum
	}
	if (rest > 0) == (sum > 0) { // away from 0
		return math.Float64frombits(bits + 1)
	}
	return math.Float64frombits(bits - 1)
}
