package learners

import (
	"gonum.org/v1/gonum/mat"

	"superres/internal/kernel"
)

// leading finds leading singular vectors and keeps its memory for the next.
//
// A Gram matrix G with eigenvalues λ₁ > λ₂ ≥ … is squared until nothing but the first
// is left: with A = G/tr G, A ← A²/tr A² takes the share of the others from ε to about
// ε², and ends at vvᵀ. How far it is shows in tr A² = ‖A‖_F² = Σλ², which is nearly
// 1 − 2ε. About log₂(16/ln(λ₁/λ₂)) products of M³ find v to rounding, where a whole
// decomposition takes 9 of them in loops that are far slower. Where the first two
// eigenvalues are equal but for rounding it does not end, and the decomposition decides.
type leading struct {
	gram, next []float64
}

func newLeading() *leading { return &leading{} }

// squarings end the attempt: then λ₂ > (1 − 1e-10)·λ₁.
const squarings = 40

// right sets u (length m) to the leading right singular vector of the rows of e, of m
// entries each and zeros up to the width of package kernel, not normalised. u is zero when
// e is.
func (l *leading) right(e []float64, m int, u []float64) error {
	wide := kernel.Pad(m)
	count := len(e) / wide
	if count >= m {
		l.gram = sized(l.gram, wide*wide)
		kernel.Mul(l.gram, wide, e, wide, e, wide, wide, count, wide)
		return l.vector(m, wide, u)
	}
	row := func(i int) []float64 { return e[i*wide : i*wide+m] }
	ld := kernel.Pad(count)
	l.gram = sized(l.gram, ld*ld)
	clear(l.gram)
	for i := range count {
		for j := range i + 1 {
			v := dot(row(i), row(j))
			l.gram[i*ld+j], l.gram[j*ld+i] = v, v
		}
	}
	weights := make([]float64, count)
	if err := l.vector(count, ld, weights); err != nil {
		return err
	}
	clear(u)
	for i, w := range weights {
		axpy(w, row(i), u)
	}
	return nil
}

// vector sets v to the leading eigenvector of l.gram, of size rows and columns with
// stride ld, zeros around it; v is zero when the matrix is.
func (l *leading) vector(size, ld int, v []float64) error {
	clear(v)
	trace := 0.0
	for i := range size {
		trace += l.gram[i*ld+i]
	}
	if trace <= 0 {
		return nil
	}
	a, b := l.gram, sized(l.next, ld*ld)
	l.next = b
	whole := mat.NewSymDense(size, nil)
	for i := range size {
		copy(whole.RawSymmetric().Data[i*size:], a[i*ld:i*ld+size])
	}
	scale, last := 1/trace, false
	for range squarings {
		for i := range a {
			a[i] *= scale
		}
		if last {
			column(a, size, ld, v)
			return nil
		}
		kernel.Mul(b, ld, a, ld, a, ld, ld, ld, ld)
		square := 0.0 // tr A²
		for i := range size {
			square += b[i*ld+i]
		}
		last = 1-square < 1e-8 // the others have 5e-9 now, and their square in A²
		scale = 1 / square
		a, b = b, a
	}
	var eig mat.EigenSym
	if !eig.Factorize(whole, true) {
		return errEigen
	}
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	mat.Col(v, size-1, &vectors)
	return nil
}

// column copies the column of a = v·vᵀ with the largest entry on the diagonal.
func column(a []float64, size, ld int, v []float64) {
	best := 0
	for i := range size {
		if a[i*ld+i] > a[best*ld+best] {
			best = i
		}
	}
	copy(v, a[best*ld:best*ld+size])
}

// sized returns v with n entries, whatever they are.
func sized(v []float64, n int) []float64 {
	if cap(v) < n {
		return make([]float64, n)
	}
	return v[:n]
}
