package learners

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// This file computes coordinates of R_b for blocks with fewer signals than entries. With R_bᵀR_b = V·Λ·Vᵀ, restricted
// to the eigenvalues that are not rounding error,
//
//	U = R_b·V·Λ^−½,   R_b = U·(Λ^½·Vᵀ),
//
// U is an orthonormal basis of the span of R_b. R_b has no component orthogonal to it, so the update of a block is the
// same in these coordinates, with Λ in place of R_b·R_bᵀ. The new atoms are combinations of the columns of R̂, and
// therefore U times the atoms found in coordinates. U itself is not computed.

// reduce sets m, r, rr, rank and basis of the block: with R_b = UΣVᵀ, r is ΣVᵀ, the coordinates of R_b over U, rr Σ²,
// and basis VΣ⁻¹, so that R_b·basis = U. The argument holds the columns of R_b as rows.
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
	b.rank, b.m = rank, max(rank, 1) // if R_b is zero: one coordinate, which is zero
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

// column returns column j of R_b, in entries or in coordinates.
func (b *block) column(j int) []float64 { return b.r[j*b.m : (j+1)*b.m] }

// toEntries converts the rows of d, weights of the columns of R_b·basis, to entries. Without a basis they are entries.
func (b *block) toEntries(d *mat.Dense) *mat.Dense {
	if b.basis == nil {
		return d
	}
	var weights, rows mat.Dense
	weights.Mul(d, b.basis.T())
	rows.Mul(&weights, mat.NewDense(b.p.n, b.p.m, b.p.residual))
	return &rows
}

// decompose returns the eigenvalues of a Gram matrix, ascending, with their eigenvectors, and the numerical rank: the
// number of eigenvalues above 1e-12 of the largest.
func decompose(gram *mat.SymDense) (eig *mat.EigenSym, rank int, err error) {
	eig = new(mat.EigenSym) // with vectors: without them gonum panics if the entries are tiny
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
