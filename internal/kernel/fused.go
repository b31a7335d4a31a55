package kernel

import "math"

// Float32 networks give the same bits everywhere, because every sum is one chain of fused products x·y + z, each
// rounded once, in a stated order, and no sum crosses the lanes of a vector. Processors with vectors have an
// instruction for a fused product; this file defines it in Go.

// fused returns x·y + z rounded once to float32. The product of two float32 is exact in float64. Rounding the sum first
// to float64 and then to float32 gives the same result, unless one of the two comparisons of bits is true: the first if
// the float64 lies midway between two float32, so that the 29 bits that a float32 lacks are a 1 and zeros, the second
// if it is subnormal as a float32, below 2⁻¹²⁶ but not 0.
func fused(x, y, z float32) float32 {
	sum := float64(x)*float64(y) + float64(z)
	if bits := math.Float64bits(sum); bits<<35 == 1<<63 || bits<<1-1 < 897<<53-1 {
		return fusedSlowly(x, y, z)
	}
	return float32(sum)
}

// fusedSlowly returns x·y + z rounded once, for all operands. It rounds the sum to odd: if the sum is no float64, it
// takes the neighbour with last bit 1. Rounding that float64 to float32 gives the same result as rounding the sum.
func fusedSlowly(x, y, z float32) float32 {
	a, b := float64(x)*float64(y), float64(z)
	sum := a + b
	back := sum - a
	rest := (a - (sum - back)) + (b - back) // the error of sum: a + b − sum, exactly
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
