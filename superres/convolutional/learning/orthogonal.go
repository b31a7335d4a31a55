package learning

import (
	"math"

	"superres/internal/kernel"
)

// The weights of a layer, a matrix W of side²·in rows and out columns, move along the
// running mean of their gradient M, made orthogonal:
//
//	W ← W − rate·(M(MᵀM)^(−1/2) + decay·W),
//
// so that all directions in which M reaches move by as much, not only the few that most of a
// gradient lies in. With it 1,200 steps reach what Adam needs 2,000 for, with or without
// layers that are products of two (K. Bhardwaj and others: Collapsible linear blocks, MLSys
// 2022, arXiv:2103.09404), and no more memory is needed for it than for the mean.
// K. Jordan and others: Muon, an optimizer for hidden layers in neural networks, 2024,
// https://kellerjordan.github.io/posts/muon.
//
// What is noise in M moves W as far as what is not, so without a decay the weights grow:
// after 80,000 steps the singular values of a layer were 5 in the middle, of 12 layers that
// undo each other, and rounding them to integers cost more than 0.1 dB.
//
// The root is that of a few steps of a Newton-Schulz iteration, X ← X(aI + bXᵀX + c(XᵀX)²),
// whose coefficients, theirs, bring singular values from 10⁻³ up to between 0.7 and 1.2,
// which is near enough. Since X stays M·P with a symmetric P, it is made on XᵀX and P alone.
const (
	schulzSteps = 6
	schulzA     = 3.4445
	schulzB     = -4.7750
	schulzC     = 2.0315
)

// work is what orthogonal works with: four matrices of n×n, and one that is transposed.
type work struct {
	gram, next, p, poly, turned []float32
}

func newWork(rows, n int) work {
	make := func(n int) []float32 { return make([]float32, n) }
	return work{make(n * n), make(n * n), make(n * n), make(n * n), make(rows * n)}
}

// orthogonal sets to, rows×n, to x·(xᵀx)^(−1/2), nearly; where x is 0, to 0. rows is a
// multiple of kernel.Rows32, n of kernel.Lanes.
func (w *work) orthogonal(to, x []float32, rows, n int) {
	multiply := func(to, a, b []float32) { kernel.Mul32(to, n, a, n, b, n, n, n, n) } // a is symmetric
	kernel.Mul32(w.gram, n, x, n, x, n, n, rows, n)
	trace := 0.0
	for i := range n {
		trace += float64(w.gram[i*n+i])
	}
	if !(trace > 0) {
		clear(to)
		return
	}
	clear(w.p)
	for i := range n {
		w.p[i*n+i] = float32(1 / math.Sqrt(trace))
	}
	unit := float32(1 / trace)
	for i := range w.gram {
		w.gram[i] *= unit
	}
	for range schulzSteps {
		multiply(w.next, w.gram, w.gram)
		for i, v := range w.next {
			w.poly[i] = schulzB*w.gram[i] + schulzC*v
		}
		for i := range n {
			w.poly[i*n+i] += schulzA
		}
		multiply(w.next, w.p, w.poly)
		w.p, w.next = w.next, w.p
		multiply(w.next, w.poly, w.gram)
		multiply(w.gram, w.poly, w.next)
	}
	for r := range rows {
		for i, v := range x[r*n : (r+1)*n] {
			w.turned[i*rows+r] = v
		}
	}
	kernel.Mul32(to, n, w.turned, rows, w.p, n, rows, n, n)
}
