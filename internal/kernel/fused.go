package kernel

import "math"

// Networks of float32 give the same bits everywhere, because every sum is one chain of fused products in a stated
// order, x·y + z rounded once, and no sum crosses lanes of a vector. Processors with vectors have that as an
// instruction; here is what it is.

// fused returns x·y + z rounded once to float32. The product of two float32 is exact in float64, and so is the result
// of rounding a sum to float64 and then to float32, unless the first is in the middle between two float32, or
// subnormal as a float32.
func fused(x, y, z float32) float32 {
	sum := float64(x)*float64(y) + float64(z)
	if bits := math.Float64bits(sum); bits<<35 == 1<<63 || bits<<1-1 < 897<<53-1 {
		return fusedSlowly(x, y, z)
	}
	return float32(sum)
}

// fusedSlowly is fused for any sums. It rounds the sum to odd: of the two float64 about a sum that is none, to the one
// whose last bit is 1. To round that to a float32 is to round the sum itself.
func fusedSlowly(x, y, z float32) float32 {
	a, b := float64(x)*float64(y), float64(z)
	sum := a + b
	back := sum - a
	rest := (a - (sum - back)) + (b - back)
	bits := math.Float64bits(sum)
	if bits&1 == 0 && (rest < 0 || rest > 0) {
		if (rest > 0) == (sum > 0) { // away from 0
			bits++
		} else {
			bits--
		}
	}
	return float32(math.Float64frombits(bits))
}
