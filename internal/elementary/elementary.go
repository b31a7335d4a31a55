// Package elementary has functions of package math that return the same bits on all processors; in math the last bits
// differ. They consist of products, sums, quotients and roots of float64, each rounded on its own.
//
// Errors are stated in units of the last place (ulp), for finite results that are not subnormal. Float16, which package
// math lacks, reads numbers of 16 bits exactly.
package elementary

import "math"

// The constants are split. The high parts have 33 bits, so that products with integers below 2²⁰ are exact.
const (
	ln2High = 0x1.62e42fef00000p-1
	ln2Low  = math.Ln2 - ln2High

	rightHigh   = 0x1.921fb54400000p0 // the parts of π/2
	rightMiddle = 0x1.0b4611a600000p-34
	rightLow    = math.Pi/2 - rightHigh - rightMiddle
)

// horner returns the polynomial of x with the given coefficients, the highest power first.
func horner(x float64, coefficients ...float64) (sum float64) {
	for _, c := range coefficients {
		sum = float64(sum*x) + c
	}
	return sum
}

// series returns 1/first! − x/(first+2)! + x²/(first+4)! − … up to the term with 1/last!. first is 0 or 1.
func series(x float64, first, last int) (sum float64) {
	for n := last; n > first; n -= 2 {
		sum = float64(float64(1+sum)*x) / float64(-n*(n-1))
	}
	return 1 + sum
}

// Exp returns eˣ, with an error of at most 1 ulp.
func Exp(x float64) float64 {
	m, k := power(x)
	return math.Ldexp(1+m, k)
}

// power returns m and k with eˣ = 2ᵏ(1 + m), |m| ≤ √2−1. If |x| ≥ 2000, m is 0 and 2ᵏ infinite or 0. m is NaN for NaN.
func power(x float64) (m float64, k int) {
	if !(math.Abs(x) < 2000) {
		if x > 0 {
			return 0, 1 << 20
		} else if x < 0 {
			return 0, -1 << 20
		}
		return x, 0 // NaN
	}
	n := math.RoundToEven(x / math.Ln2)
	r := x - float64(n*ln2High) - float64(n*ln2Low)
	p := horner(r, 1./6227020800, 1./479001600, 1./39916800, 1./3628800, 1./362880, 1./40320, 1./5040, 1./720, 1./120,
		1./24, 1./6, 1./2)
	return r + float64(float64(r*r)*p), int(n)
}

// Exp2 returns 2ˣ, with an error of at most 2 ulp.
func Exp2(x float64) float64 {
	whole := math.Floor(x)
	if !(math.Abs(x) < 2000) {
		return Exp(x)
	}
	return math.Ldexp(Exp(float64((x-whole)*math.Ln2)), int(whole))
}

// Log returns the natural logarithm of x, with an error of at most 1 ulp: −Inf for 0, and NaN below 0.
func Log(x float64) float64 {
	switch {
	case x == 0:
		return math.Inf(-1)
	case !(x > 0):
		return math.NaN()
	case math.IsInf(x, 1):
		return x
	}
	m, k := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, k = 2*m, k-1
	}
	f := m - 1
	s := f / (2 + f)
	z := float64(s * s)
	// ln(1+f) = 2·artanh(s) = 2s + s·r, and 2s = f − s·f.
	r := float64(z * horner(z, 2./23, 2./21, 2./19, 2./17, 2./15, 2./13, 2./11, 2./9, 2./7, 2./5, 2./3))
	n := float64(k)
	return float64(n*ln2High) + (f - float64(s*(f-r)) + float64(n*ln2Low))
}

// Log1p returns the natural logarithm of 1 + x, with an error of at most 3 ulp.
func Log1p(x float64) float64 {
	u := 1 + x
	if u == 1 || math.IsInf(u, 1) {
		return x
	}
	return Log(u) * x / (u - 1) // the rounding error of u is in u − 1 too, and cancels
}

// Log2 returns the logarithm of x to base 2, exactly for powers of 2.
func Log2(x float64) float64 {
	m, k := math.Frexp(x)
	if m == 0.5 {
		return float64(k - 1)
	}
	return Log(m)/math.Ln2 + float64(k)
}

// Log10 returns the logarithm of x to base 10, with an error of at most 2 ulp.
func Log10(x float64) float64 { return Log(x) / math.Ln10 }

// Pow returns xʸ. For an integer y with |y| < 2²⁰ it multiplies, with an error of at most |y| ulp. For y = ½ it
// returns the root. Otherwise it returns e to the power of y·ln x, with at most |y·ln x| + 1 ulp: NaN for negative x.
func Pow(x, y float64) float64 {
	if y != math.Trunc(y) || math.Abs(y) >= 1<<20 {
		if y == 0.5 {
			return math.Sqrt(x)
		}
		return Exp(float64(y * Log(x)))
	}
	p := 1.
	for n := int(math.Abs(y)); n > 0; n >>= 1 {
		if n&1 == 1 {
			p = float64(p * x)
		}
		x = float64(x * x)
	}
	if y < 0 {
		return 1 / p
	}
	return p
}

// Sin returns the sine of x, with an error below 2·10⁻¹⁶ for |x| up to 10⁶.
func Sin(x float64) float64 {
	s, _ := Sincos(x)
	return s
}

// Cos returns the cosine of x, with the same error as Sin.
func Cos(x float64) float64 {
	_, c := Sincos(x)
	return c
}

// Sincos returns the sine and the cosine of x, with the errors of Sin, from the series of r: x less n quarter turns.
func Sincos(x float64) (sin, cos float64) {
	n := math.RoundToEven(x / (math.Pi / 2))
	r := x - float64(n*rightHigh) - float64(n*rightMiddle) - float64(n*rightLow)
	z := float64(r * r)
	sin, cos = float64(r*series(z, 1, 17)), series(z, 0, 16)
	switch quarter := math.Mod(n, 4); quarter {
	case 1, -3:
		return cos, -sin
	case 2, -2:
		return -sin, -cos
	case 3, -1:
		return -cos, sin
	}
	return sin, cos
}

// Hypot returns the root of x² + y², which must not overflow.
func Hypot(x, y float64) float64 { return math.Sqrt(float64(x*x) + float64(y*y)) }

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
	return math.Float32frombits(sign | (exponent+127-15)<<23 | fraction<<13) // 15 and 127 stand for 2⁰
}
