package learners

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Coordinates of R_b where there are fewer signals than entries. With R_bᵀR_b = V·Λ·Vᵀ
// over the eigenvalues that are not rounding error,
//
//	U = R_b·V·Λ^−½,   R_b = U·(Λ^½·Vᵀ),
//
// U is an orthonormal basis of the span of R_b. Orthogonal to it [R_b; X_b] has nothing, so
// that a block is the same in these coordinates, with Λ for R_b·R_bᵀ, and its new atoms, which
// are combinations of the columns of R̂, are U times those found. U itself is not made.

// reduce finds the coordinates; the rows given are the columns of R_b.
func (b *block) reduce(rows blas64.General) error {
	n := rows.Rows
	gram := mat.NewSymDense(n, nil)
	blas64.Syrk(blas.NoTrans, 1, rows, 0, gram.RawSymmetric())
	eig, rank, err := decompose(gram)
	if err != nil {
		return err
	}
	var v mat.Dense
	eig.VectorsTo(&v)
	b.rank, b.m = rank, max(rank, 1) // of nothing, a coordinate that is zero
	b.rr, b.r, b.back = mat.NewSymDense(b.m, nil), make([]float64, n*b.m), mat.NewDense(n, b.m, nil)
	first := n - rank
	for i, value := range eig.Values(nil)[first:] {
		b.rr.SetSym(i, i, value)
		root := math.Sqrt(value)
		for j := range n {
			b.r[j*b.m+i] = v.At(j, first+i) * root
			b.back.Set(j, i, v.At(j, first+i)/root)
		}
	}
	return nil
}

// rest returns the column of R_b of a signal.
func (b *block) rest(j int) []float64 { return b.r[j*b.m : (j+1)*b.m] }

// whole takes the rows of d from the coordinates to the entries of signals.
func (b *block) whole(d *mat.Dense) *mat.Dense {
	if b.back == nil {
		return d
	}
	var weights, all mat.Dense
	weights.Mul(d, b.back.T())
	all.Mul(&weights, mat.NewDense(b.p.n, b.p.m, b.p.residual))
	return &all
}

// decompose returns the eigenvalues and eigenvectors of a Gram matrix, the lowest first, and
// its rank, to its accuracy.
func decompose(gram *mat.SymDense) (eig *mat.EigenSym, rank int, err error) {
	eig = new(mat.EigenSym) // with vectors: without, gonum panics where the entries are tiny
	if !eig.Factorize(gram, true) {
		return nil, 0, errEigen
	}
	values := eig.Values(nil)
	for _, v := range values {
		if v > values[len(values)-1]*1e-12 {
			rank++
		}
	}
	return eig, rank, nil
}
