package networks

import (
	"math"

	"superres/superres/networks/graph"
)

// The tables of functions must be the same on all machines. The functions of package math are not: some have assembly,
// and compilers fuse their products with their sums. So they are computed here, each product rounded by itself, to a
// few units in the last place.

// evaluate returns a function of a graph.
func evaluate(f graph.Function) func(x float64) float64 {
	switch f {
	case graph.Sigmoid:
		return sigmoid
	case graph.Tanh:
		return tanh
	case graph.SiLU:
		return func(x float64) float64 { return x * sigmoid(x) }
	case graph.GELU:
		return func(x float64) float64 { return x * (1 + erf(x/math.Sqrt2)) / 2 }
	case graph.GELUTanh:
		return func(x float64) float64 {
			cube := float64(x * x * x)
			return x * (1 + tanh(float64(math.Sqrt(2/math.Pi)*(x+float64(0.044715*cube))))) / 2
		}
	case graph.Mish:
		return func(x float64) float64 { return x * tanh(softplus(x)) }
	case graph.ELU:
		return func(x float64) float64 { return max(x, 0) + (exp(min(x, 0)) - 1) }
	case graph.Softplus:
		return softplus
	case graph.Exp:
		return exp
	}
	return f.At // which needs sums and products of one kind alone
}

// exp returns eˣ.
func exp(x float64) float64 {
	x = min(max(x, -700), 700)
	n := math.Round(x / math.Ln2)
	// ln 2 in two parts, the first of which has so few digits that n times it is exact.
	const high, low = 6.93147180369123816490e-01, 1.90821492927058770002e-10
	r := x - float64(n*high)
	r -= float64(n * low)
	sum, term := 1., 1.
	for k := 1.; k < 18; k++ {
		term = float64(term*r) / k
		sum += term
	}
	return math.Ldexp(sum, int(n))
}

func sigmoid(x float64) float64 {
	if x < 0 {
		e := exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + exp(-x))
}

func tanh(x float64) float64 { return float64(2*sigmoid(2*x)) - 1 }

// softplus returns ln(1+eˣ).
func softplus(x float64) float64 {
	y := 1 + exp(-math.Abs(x)) // 1 to 2
	// Newton's method, with a term more, for the logarithm of y.
	l := y - 1
	for range 5 {
		e := exp(l)
		l += float64(2 * (y - e) / (y + e))
	}
	return max(x, 0) + l
}

// erf returns the error function, by its series near 0 and by a continued fraction elsewhere.
func erf(x float64) float64 {
	a := math.Abs(x)
	if a > 6 {
		return math.Copysign(1, x)
	}
	square := float64(a * a)
	if a < 2.5 {
		sum, term := a, a
		for k := 1.; k < 60; k++ {
			term = -float64(term*square) / k
			sum += term / (2*k + 1)
		}
		return math.Copysign(float64(2/math.Sqrt(math.Pi)*sum), x)
	}
	rest := a
	for k := 60.; k >= 1; k-- {
		rest = a + k/2/rest
	}
	return math.Copysign(1-exp(-square)/float64(math.Sqrt(math.Pi)*rest), x)
}
