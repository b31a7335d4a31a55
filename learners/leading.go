package learners

import (
	"gonum.org/v1/gonum/mat"

	"superres/internal/kernel"
)

// leading computes leading singular vectors, and reuses its memory from call to call.
//
// A Gram matrix G with eigenvalues λ₁ > λ₂ ≥ … is squared until only the first eigenvalue remains: with A = G/tr G, the
// step A ← A²/tr A² reduces the share of the other eigenvalues from ε to about ε², so that A converges to vvᵀ. tr A² =
// ‖A‖_F² = Σλ² is nearly 1 − 2ε, which tells when to stop. About log₂(16/ln(λ₁/λ₂)) products of M³ compute v to
// rounding error; an eigenvalue decomposition takes as long as 9 products, in far slower loops. If the first two
// eigenvalues are equal but for rounding, the squaring does not converge, and the decomposition is used.
type leading struct {
	gram, next []float64
}

// squarings is the largest number of squarings. If they do not suffice, λ₂ > (1 − 1e-10)·λ₁.
const squarings = 40

// rightVector sets u, of length m, to the leading right singular vector of e, not normalised. Each row of e has m
// entries, then zeros up to a multiple of the vector width of package kernel. u becomes zero if e is zero. With at
// least m rows it takes the eigenvector of eᵀe; with fewer, eᵀ times the eigenvector of the smaller e·eᵀ.
func (l *leading) rightVector(e []float64, m int, u []float64) error {
	stride := kernel.Pad(m)
	count := len(e) / stride // the number of rows
	if count >= m {
		l.gram = resize(l.gram, stride*stride)
		kernel.Mul(l.gram, stride, e, stride, e, stride, stride, count, stride)
		return l.vector(m, stride, u)
	}
	row := func(i int) []float64 { return e[i*stride : i*stride+m] }
	ld := kernel.Pad(count)
	l.gram = resize(l.gram, ld*ld)
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

// vector sets v to the leading eigenvector of the size×size matrix l.gram, which has stride ld and zeros as padding. v
// becomes zero if the matrix is zero. vector squares the matrix until one eigenvalue is left, else decomposes it.
func (l *leading) vector(size, ld int, v []float64) error {
	clear(v)
	trace := 0.0
	for i := range size {
		trace += l.gram[i*ld+i]
	}
	if trace <= 0 {
		return nil
	}
	a, b := l.gram, resize(l.next, ld*ld)
	l.next = b
	original := mat.NewSymDense(size, nil)
	for i := range size {
		copy(original.RawSymmetric().Data[i*size:], a[i*ld:i*ld+size])
	}
	scale, last := 1/trace, false
	for range squarings {
		for i := range a {
			a[i] *= scale
		}
		if last {
			copyLargestColumn(a, size, ld, v)
			return nil
		}
		kernel.Mul(b, ld, a, ld, a, ld, ld, ld, ld)
		square := 0.0 // tr A²
		for i := range size {
			square += b[i*ld+i]
		}
		last = 1-square < 1e-8 // the share of the other eigenvalues is below 5e-9, and in A² below (5e-9)²
		scale = 1 / square
		a, b = b, a
	}
	var eig mat.EigenSym
	if !eig.Factorize(original, true) {
		return errEigen
	}
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	mat.Col(v, size-1, &vectors)
	return nil
}

// copyLargestColumn copies a column of a = v·vᵀ (size×size, stride ld) to v: the one with the largest diagonal entry.
func copyLargestColumn(a []float64, size, ld int, v []float64) {
	best := 0
	for i := range size {
		if a[i*ld+i] > a[best*ld+best] {
			best = i
		}
	}
	copy(v, a[best*ld:best*ld+size])
}

// resize returns a slice of n entries with arbitrary values. It reuses the memory of v if the capacity of v suffices.
func resize(v []float64, n int) []float64 {
	if cap(v) < n {
		return make([]float64, n)
	}
	return v[:n]
}
