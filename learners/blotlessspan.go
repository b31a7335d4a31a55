package learners

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Coordinates of R_b where there are fewer signals than entries. With R_bᵀR_b = V·Λ·Vᵀ over the eigenvalues that are
// not rounding error,
//
//	U = R_b·V·Λ^−½,   R_b = U·(Λ^½·Vᵀ),
//
// U is an orthonormal basis of the span of R_b. R_b has no component orthogonal to it, so that the update of a block
// is the same in these coordinates, with Λ for R_b·R_bᵀ. The new atoms are combinations of the columns of R̂, and so
// U times the atoms found in coordinates. U itself is not computed.

// reduce computes the coordinates. The rows of the given matrix are the columns of R_b.
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
	b.rank, b.m = rank, max(rank, 1) // where R_b is zero, a single coordinate that is zero
	b.rr, b.r, b.basis = mat.NewSymDense(b.m, nil), make([]float64, n*b.m), mat.NewDense(n, b.m, nil)
	first := n - rank
	for i, value := range eig.Values(nil)[first:] {
		b.rr.SetSym(i, i, value)
		root := math.Sqrt(value)
		for j := range n {
			b.r[j*b.m+i] = v.At(j, first+i) * root
			b.basis.Set(j, i, v.At(j, first+i)/root)
		}
	}
	return nil
}

// column returns column j of R_b.
func (b *block) column(j int) []float64 { return b.r[j*b.m : (j+1)*b.m] }

// toEntries returns d with its rows taken from coordinates to the entries of signals.
func (b *block) toEntries(d *mat.Dense) *mat.Dense {
	if b.basis == nil {
		return d
	}
	var weights, rows mat.Dense
	weights.Mul(d, b.basis.T())
	rows.Mul(&weights, mat.NewDense(b.p.n, b.p.m, b.p.residual))
	return &rows
}

// decompose returns the eigenvalues and eigenvectors of a Gram matrix by ascending eigenvalue, and its numerical rank.
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
