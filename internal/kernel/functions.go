package kernel

import "math"

// Functions of float32 are computed from polynomials of fused products, roots and quotients, so that they have the same
// bits in all tiers. NaN gives NaN. An error in ulp is a bound on the relative error, in units of the last place.

// Function is a function of one float32.
type Function int

// The functions, with a bound on the error, and the values outside of the stated range.
const (
	Exp       Function = iota // 1 ulp from −86.9 to 88.7; e^−86.9 below, ∞ above
	Sigmoid                   // 2 ulp above −86; e^−86.9 at −∞
	Tanh                      // 2 ulp
	Erf                       // 1.2e−7
	SiLU                      // x·σ(x): 2 ulp above −86; −0 below −89, NaN at −∞
	GELU                      // x·Φ(x): 1.5e−7·|x|; NaN at −∞
	GELUTanh                  // x·σ(2√(2/π)·(x + 0.044715x³)): 2e−7·|x|; NaN at −∞
	Mish                      // x·tanh(ln(1+eˣ)): 3 ulp above −86; NaN at −∞
	ELU                       // x, or eˣ−1 below 0: 1 ulp
	Softplus                  // ln(1+eˣ): 2 ulp above −86
	HardSwish                 // x·clip(x/6 + ½, 0, 1)
	Abs
	Square
	Sqrt // exactly rounded; NaN below 0
	functions
)

// curves holds for each function its definition for one float32, and the operation for a slice.
var curves = [functions]struct {
	of func(float32) float32
	by func(dst, src []float32)
}{
	Exp: {exp, expFloats}, Sigmoid: {sigmoid, sigmoidFloats}, Tanh: {tanh, tanhFloats}, Erf: {erf, erfFloats},
	SiLU: {silu, siluFloats}, GELU: {gelu, geluFloats}, GELUTanh: {geluTanh, geluTanhFloats},
	Mish: {mish, mishFloats}, ELU: {elu, eluFloats}, Softplus: {softplus, softplusFloats},
	HardSwish: {hardSwish, hardSwishFloats}, Abs: {abs, absFloats},
	Square: {square, squareFloats}, Sqrt: {sqrt, sqrtFloats},
}

// At returns the value of the function at x.
func (f Function) At(x float32) float32 { return curves[f].of(x) }

// Compute sets each entry of dst to the function of the same entry of src. dst may be src.
func (f Function) Compute(dst, src []float32) {
	eachFloat(dst, src, src, func(dst, a, _ []float32) { curves[f].by(dst, a) })
}

func eachOf(dst, src []float32, curve func(float32) float32) {
	for i, v := range src[:len(dst)] {
		dst[i] = curve(v)
	}
}

func expFloatsGeneric(dst, src []float32)       { eachOf(dst, src, exp) }
func sigmoidFloatsGeneric(dst, src []float32)   { eachOf(dst, src, sigmoid) }
func tanhFloatsGeneric(dst, src []float32)      { eachOf(dst, src, tanh) }
func erfFloatsGeneric(dst, src []float32)       { eachOf(dst, src, erf) }
func siluFloatsGeneric(dst, src []float32)      { eachOf(dst, src, silu) }
func geluFloatsGeneric(dst, src []float32)      { eachOf(dst, src, gelu) }
func geluTanhFloatsGeneric(dst, src []float32)  { eachOf(dst, src, geluTanh) }
func mishFloatsGeneric(dst, src []float32)      { eachOf(dst, src, mish) }
func eluFloatsGeneric(dst, src []float32)       { eachOf(dst, src, elu) }
func softplusFloatsGeneric(dst, src []float32)  { eachOf(dst, src, softplus) }
func hardSwishFloatsGeneric(dst, src []float32) { eachOf(dst, src, hardSwish) }
func absFloatsGeneric(dst, src []float32)       { eachOf(dst, src, abs) }
func squareFloatsGeneric(dst, src []float32)    { eachOf(dst, src, square) }
func sqrtFloatsGeneric(dst, src []float32)      { eachOf(dst, src, sqrt) }

// lesser and greater return a if a is less, or greater, than b. Otherwise, and if either is NaN, they return b.
func lesser(a, b float32) float32 {
	if a < b {
		return a
	}
	return b
}

func greater(a, b float32) float32 {
	if a > b {
		return a
	}
	return b
}

func abs(x float32) float32    { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }
func square(x float32) float32 { return x * x }
func sqrt(x float32) float32   { return float32(math.Sqrt(float64(x))) }
func signed(x, sign float32) float32 { // x, which is not negative, with the sign of sign
	return math.Float32frombits(math.Float32bits(x) | math.Float32bits(sign)&(1<<31))
}

// horner returns the value at x of the polynomial with these coefficients, of the highest power first, by fused steps.
func horner(x float32, coefficients ...float32) float32 {
	sum := coefficients[0]
	for _, c := range coefficients[1:] {
		sum = fused(sum, x, c)
	}
	return sum
}

// power returns m and s with eˣ = 2s(1 + m), where s is a power of 2 and |m| at most √2−1. It limits x to −86.9..88.8.
// With x = r + n·ln 2 for an integer n, m = eʳ − 1 is r plus r² times a polynomial of r.
func power(x float32) (m, s float32) {
	const toInteger = 3 << 22
	x = lesser(88.8, greater(-86.9, x))
	place := fused(x, 1.44269504, toInteger) // x/ln 2, rounded to an integer in the lowest bits
	n := place - toInteger
	r := fused(n, -1.42860677e-6, fused(n, -0.693145752, x)) // the two constants add up to −ln 2
	m = fused(r*r, horner(r, 0.00139464485, 0.00836658478, 0.0416662805, 0.166665435, 0.5), r)
	return m, math.Float32frombits((math.Float32bits(place) + 126) << 23) // s = 2ⁿ⁻¹
}

func exp(x float32) float32 {
	m, s := power(x)
	half := fused(m, s, s)
	return half + half
}

func expm1(x float32) float32 {
	m, s := power(x)
	half := fused(m, s, s-0.5)
	return half + half
}

func sigmoid(x float32) float32 { return 1 / (1 + exp(-x)) }
func silu(x float32) float32    { return x / (1 + exp(-x)) }

func tanh(x float32) float32 {
	m := expm1(-2 * abs(x))
	return signed(abs(m)/(m+2), x)
}

// erf returns the error function of x: for |x| up to 0.875 a polynomial, else 1 − e^−p, p a polynomial of min(|x|, 4).
func erf(x float32) float32 {
	z := abs(x)
	near := z * horner(z*z, -0.000622242107, 0.00503587211, -0.0267939549, 0.112825245, -0.376125574, 1.12837911)
	z = lesser(4, z)
	p := horner(z, -0.00019990257, 0.00308200694, -0.022381071, 0.104250282, 0.636820555, 1.12788939, 0.00014420088)
	far := 1 - exp(-p)
	if z > 0.875 {
		near = far
	}
	return signed(near, x)
}

func gelu(x float32) float32 { return x * fused(erf(x*0.707106781), 0.5, 0.5) }

func geluTanh(x float32) float32 { return x / (1 + exp(x*fused(x*x, -0.0713548163, -1.59576912))) }

// mish returns x·tanh(ln(1+e)), e = eˣ, with the tanh as w/(w+2), w = e² + 2e. From x = 20 on, the tanh is 1.
func mish(x float32) float32 {
	e := exp(lesser(20, x))
	w := float32(e * (e + 2))
	return x * (w / (w + 2))
}

func elu(x float32) float32 {
	if math.Signbit(float64(x)) {
		return expm1(x)
	}
	return x
}

// softplus returns ln(1 + eˣ) as max(x, 0) + ln(1 + t), t = e^−|x|, with a polynomial for the logarithm divided by t.
func softplus(x float32) float32 {
	t := exp(-abs(x))
	p := horner(t, 0.0053839949, -0.0301107075, 0.079210341, -0.137465909, 0.191451028, -0.248529434, 0.333203435,
		-0.49999553, 1)
	return float32(t*p) + greater(x, 0)
}

func hardSigmoid(x float32) float32 { return lesser(1, greater(0, fused(x, 1./6, 0.5))) }
func hardSwish(x float32) float32   { return x * hardSigmoid(x) }
