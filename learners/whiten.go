package learners

import (
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"superres/learners/sparse"
)

// whitening maps signals to K coordinates that are uncorrelated and have mean square 1, for K at most the rank of Y.
// With Y = U·diag(σ)·Vᵀ and its K largest singular values, the coordinates are √N·Vᵀ. Where the rows of X are
// uncorrelated and of equal energy, D is U·diag(σ)·R for an orthogonal R, but for the lengths of atoms; so X = RᵀW, and
// only R has to be found (Zhai, Yang, Liao, Wright, Ma: Complete dictionary learning via ℓ⁴-norm maximization over the
// orthogonal group, JMLR 21 (2020), section 3.4).
type whitening struct {
	k    int
	base *mat.Dense // U·diag(σ/√N), M×K
	w    *mat.Dense // √N·Vᵀ, K×N
}

var errRank = errors.New("learners: the training signals span fewer dimensions than there are atoms")

// whiten returns the whitening of y (M×N) to k coordinates. It fails where the rank of y is less than k.
func whiten(y *mat.Dense, k int) (whitening, error) {
	m, n := y.Dims()
	small := min(m, n)
	if k > small {
		return whitening{}, errRank
	}
	length := mat.Norm(y, 2) / math.Sqrt(float64(n)) // so that no square overflows
	var scaled mat.Dense
	scaled.Scale(1/length, y)
	// The squares of the singular values are the eigenvalues of YYᵀ/N and of YᵀY/N. The smaller one is taken: for
	// signals of 300,000 entries there is no room for the other.
	gram := mat.NewSymDense(small, nil)
	if n < m {
		gram.SymOuterK(1/float64(n), scaled.T())
	} else {
		gram.SymOuterK(1/float64(n), &scaled)
	}
	var eig mat.EigenSym
	if !eig.Factorize(gram, true) {
		return whitening{}, errRank
	}
	values := eig.Values(nil)
	if values[small-k] <= 1e-12*values[small-1] {
		return whitening{}, errRank
	}
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	t := whitening{k: k, base: mat.NewDense(m, k, nil), w: mat.NewDense(k, n, nil)}
	for j := range k {
		root, v := math.Sqrt(values[small-1-j]), mat.NewVecDense(small, mat.Col(nil, small-1-j, &vectors))
		base, w := t.base.ColView(j).(*mat.VecDense), t.w.RowView(j).(*mat.VecDense)
		if n < m {
			base.MulVec(&scaled, v)
			base.ScaleVec(length/math.Sqrt(float64(n)), base)
			w.ScaleVec(math.Sqrt(float64(n)), v)
		} else {
			base.ScaleVec(root*length, v)
			w.MulVec(scaled.T(), v)
			w.ScaleVec(1/root, w)
		}
	}
	return t, nil
}

// atoms returns the dictionary U·diag(σ/√N)·R by atoms, each of length 1.
func (t whitening) atoms(r *mat.Dense) []float64 {
	m, k := t.base.Dims()
	var d mat.Dense
	d.Mul(t.base, r)
	list := make([]float64, 0, m*k)
	for j := range k {
		list = append(list, mat.Col(nil, j, &d)...)
		Normalise(list[j*m:])
	}
	return list
}

// whitenedStart returns a first dictionary of opt.Atoms atoms, at most M, over which the codes of y are uncorrelated:
// the whitening of y with a random rotation. Where the rank of y is less than the number of atoms, it returns d.
//
// Note: the K signals of the usual start may be nearly dependent, and then the codes over them are long, which no K ≤ M
// atoms can share among them. Errors of ROP in 8 problems of seed 7, (16,16,3), N = 300, 500 iterations: 0.00, 0.00,
// 0.00, 0.11, 0.26, 0.30, 0.31 and 0.47 from signals, all below 0.00001 from here.
func whitenedStart(y *mat.Dense, d *sparse.Dictionary, opt Options) (*sparse.Dictionary, error) {
	t, err := whiten(y, opt.Atoms)
	if errors.Is(err, errRank) {
		return d, nil
	} else if err != nil {
		return nil, err
	}
	r, err := rotation(opt.Atoms, rand.New(rand.NewPCG(opt.Seed, 4)))
	if err != nil {
		return nil, err
	}
	m, _ := y.Dims()
	return sparse.FromAtoms(m, t.atoms(r))
}

// rotation returns a random orthogonal k×k matrix.
func rotation(k int, rng *rand.Rand) (*mat.Dense, error) {
	g := mat.NewDense(k, k, nil)
	g.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, g)
	return nearestOrthogonal(g)
}

// nearestOrthogonal returns the orthogonal matrix nearest to a, which is UVᵀ for a = U·diag(σ)·Vᵀ.
func nearestOrthogonal(a *mat.Dense) (*mat.Dense, error) {
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThin) {
		return nil, errors.New("learners: the singular values of a rotation were not found")
	}
	var u, v, q mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	q.Mul(&u, v.T())
	return &q, nil
}
