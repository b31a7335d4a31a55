package learners

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas/blas64"

	"superres/internal/parallel"
)

// fit sets the code of every signal to the x on its support with the least ‖y − Dx‖² + μ‖x‖² for the current atoms,
// and the residual to Y − DX for these codes. It returns f_μ(D), the sum of the least values (see SimCO).
func (p *problem) fit(ctx context.Context, mu float64) (float64, error) {
	const grain = 64                             // signals that a worker takes at a time
	sums := make([]float64, (p.n+grain-1)/grain) // summed in order at the end, for the same bits with any workers
	largest := 0                                 // the largest support
	for j := range p.n {
		largest = max(largest, p.codes.Start[j+1]-p.codes.Start[j])
	}
	err := parallel.For(ctx, p.n, grain, func() func(lo, hi int) {
		chol := make([]float64, largest*largest)
		return func(lo, hi int) {
			sum := 0.0
			for j := lo; j < hi; j++ {
				index, x := p.codes.Column(j)
				residual := p.residualOf(j)
				copy(residual, p.signal(j))
				p.ridge(index, residual, mu, chol, x)
				for i, k := range index {
					axpy(-x[i], p.atom(int(k)), residual)
					sum += mu * x[i] * x[i]
				}
				sum += energy(residual)
			}
			sums[lo/grain] = sum
		}
	})
	f := 0.0
	for _, v := range sums {
		f += v
	}
	return f, err
}

// ridge sets x to argmin ‖y − D_I x‖² + μ‖x‖² for the support I of atoms of length 1. It solves L·Lᵀx = D_Iᵀy, where L,
// the Cholesky factor of D_IᵀD_I + μ·1, is written to chol with 1/L_ii on the diagonal: row by row forwards, with the
// forward substitution, then backwards. An atom that depends linearly on the atoms before it gets coefficient 0.
func (p *problem) ridge(support []int32, y []float64, mu float64, chol, x []float64) {
	n := len(support)
	for i, a := range support {
		atom, row := p.atom(int(a)), chol[i*n:i*n+i+1]
		v, pivot := dot(atom, y), 1+mu
		for j, b := range support[:i] {
			l := dot(atom, p.atom(int(b)))
			other := chol[j*n : j*n+j+1]
			for h, w := range other[:j] {
				l -= w * row[h]
			}
			row[j] = l * other[j]
			v -= row[j] * x[j]
			pivot -= row[j] * row[j]
		}
		row[i] = 0 // 1/L_ii, or 0 if the pivot is rounding error
		if pivot > 1e-10 {
			row[i] = 1 / math.Sqrt(pivot)
		}
		x[i] = v * row[i]
	}
	for i := n - 1; i >= 0; i-- {
		v := x[i]
		for j := i + 1; j < n; j++ {
			v -= chol[j*n+i] * x[j]
		}
		x[i] = v * chol[i*n+i]
	}
}

func dot(a, b []float64) float64 {
	return blas64.Implementation().Ddot(len(a), a, 1, b, 1)
}
