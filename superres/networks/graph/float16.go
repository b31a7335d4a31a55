package graph

import "math"

// Float16 returns the value of a half-precision number, given as its bits in the format binary16 of IEEE 754.
func Float16(bits uint16) float32 {
	sign := uint32(bits>>15) << 31
	exponent, fraction := uint32(bits>>10&31), uint32(bits&1023)
	switch exponent {
	case 0: // fraction·2⁻²⁴
		return math.Float32frombits(math.Float32bits(float32(fraction)*(1.0/(1<<24))) | sign)
	case 31: // infinite, or not a number
		return math.Float32frombits(sign | 255<<23 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13)
}
