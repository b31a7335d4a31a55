package learners

import (
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"superres/learners/sparse"
)

var errRank = errors.New("learners: the training signals span fewer dimensions than there are atoms")

// whitenedBase returns U·diag(σ/√N), M×K, for the k largest singular values σ of y (M×N) and their left vectors U. The
// coordinates of the signals over this base, √N·Vᵀ, are uncorrelated and have mean square 1. If the rows of X are
// uncorrelated and of equal energy, D is this base times an orthogonal matrix, except for the lengths of the atoms
// (Zhai, Yang, Liao, Wright, Ma: Complete dictionary learning via ℓ⁴-norm maximization over the orthogonal group, JMLR
// 21 (2020), section 3.4). It returns errRank if the rank of y is less than k, or if its decomposition fails.
func whitenedBase(y *mat.Dense, k int) (*mat.Dense, error) {
	m, n := y.Dims()
	small := min(m, n)
	if k > small {
		return nil, errRank
	}
	length := mat.Norm(y, 2) / math.Sqrt(float64(n)) // so that no square overflows
	var scaled mat.Dense
	scaled.Scale(1/length, y)
	// The squares of the singular values are the eigenvalues of both YYᵀ/N and YᵀY/N. The smaller matrix is used: a
	// signal may have 300,000 entries, and no memory holds a matrix of 300,000 rows and columns.
	gram := mat.NewSymDense(small, nil)
	if n < m {
		gram.SymOuterK(1/float64(n), scaled.T())
	} else {
		gram.SymOuterK(1/float64(n), &scaled)
	}
	var eig mat.EigenSym
	if !eig.Factorize(gram, true) {
		return nil, errRank
	}
	values := eig.Values(nil)
	if values[small-k] <= 1e-12*values[small-1] {
		return nil, errRank
	}
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	base := mat.NewDense(m, k, nil)
	for j := range k {
		v, column := mat.NewVecDense(small, mat.Col(nil, small-1-j, &vectors)), base.ColView(j).(*mat.VecDense)
		if n < m { // v is a right singular vector: Y·v = σ·u
			column.MulVec(&scaled, v)
			column.ScaleVec(length/math.Sqrt(float64(n)), column)
		} else {
			column.ScaleVec(math.Sqrt(values[small-1-j])*length, v)
		}
	}
	return base, nil
}

// whitenedStart returns a first dictionary of opt.Atoms atoms, at most M, over which the codes of y are uncorrelated:
// the whitened base times a random rotation. If the rank of y is less than the number of atoms, it returns d.
//
// Note: the K signals of the usual start may be nearly dependent. The codes over such atoms are long, and K ≤ M atoms
// allow no shorter codes. Errors of ROP in 8 planted problems of seed 7, M = K = 16, S = 3, N = 300, 500 iterations:
// 0.00, 0.00, 0.00, 0.11, 0.26, 0.30, 0.31 and 0.47 from signals, all below 0.00001 from this start.
func whitenedStart(y *mat.Dense, d *sparse.Dictionary, opt Options) (*sparse.Dictionary, error) {
	base, err := whitenedBase(y, opt.Atoms)
	if errors.Is(err, errRank) {
		return d, nil
	} else if err != nil {
		return nil, err
	}
	r, err := rotation(opt.Atoms, rand.New(rand.NewPCG(opt.Seed, 4)))
	if err != nil {
		return nil, err
	}
	var turned mat.Dense
	turned.Mul(base, r)
	m, k := turned.Dims()
	atoms := make([]float64, 0, m*k)
	for j := range k {
		atoms = append(atoms, mat.Col(nil, j, &turned)...)
		Normalise(atoms[j*m:])
	}
	return sparse.FromAtoms(m, atoms)
}

// rotation returns a random orthogonal k×k matrix: UVᵀ, which is nearest to a Gaussian matrix U·diag(σ)·Vᵀ.
func rotation(k int, rng *rand.Rand) (*mat.Dense, error) {
	g := mat.NewDense(k, k, nil)
	g.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, g)
	var svd mat.SVD
	if !svd.Factorize(g, mat.SVDThin) {
		return nil, errors.New("learners: the singular values of a rotation were not found")
	}
	var u, v, q mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	q.Mul(&u, v.T())
	return &q, nil
}
