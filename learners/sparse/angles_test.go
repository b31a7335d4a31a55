package sparse_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/must"
	"superres/learners/sparse"
)

// gaussian is a dictionary of n×k with lengths of its own.
func gaussian(t *testing.T, n, k int) *sparse.Dictionary {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(n), uint64(k)))
	m := mat.NewDense(n, k, nil)
	m.Apply(func(_, j int, _ float64) float64 { return float64(j+1) * rng.NormFloat64() }, m)
	return must.Get(sparse.NewDictionary(m))(t)
}

// The angles against their definition, pair by pair.
func TestAngles(t *testing.T) {
	d := gaussian(t, 6, 20)
	sum, largest, near, pairs := 0.0, 0.0, 0, 0
	for i := range 20 {
		for j := range i {
			a, b := mat.NewVecDense(6, d.Atom(i)), mat.NewVecDense(6, d.Atom(j))
			cos := math.Abs(mat.Dot(a, b)) / (mat.Norm(a, 2) * mat.Norm(b, 2))
			sum, largest, pairs = sum+cos, max(largest, cos), pairs+1
			if cos > 0.6 {
				near++
			}
		}
	}
	got := d.Angles(0.6)
	if got.Pairs != pairs || got.Near != near || near == 0 || math.Abs(got.Mean-sum/float64(pairs)) > 1e-12 ||
		math.Abs(got.Max-largest) > 1e-12 || got.Max != d.Coherence() {
		t.Errorf("%+v, expected %d pairs, %d near, mean %g, largest %g", got, pairs, near, sum/float64(pairs), largest)
	}
	if welch := math.Sqrt(14.0 / (6 * 19)); got.Max < welch {
		t.Errorf("coherence %g is below the bound %g", got.Max, welch)
	}
}

// Zero atoms have no angle; equal and opposite ones are the same.
func TestAnglesAtTheEdge(t *testing.T) {
	for _, c := range []struct {
		atoms []float64 // of two entries
		want  sparse.Angles
	}{
		{[]float64{3, 4}, sparse.Angles{}},
		{[]float64{0, 0, 0, 0}, sparse.Angles{}},
		{[]float64{0, 0, 3, 4}, sparse.Angles{}},
		{[]float64{0, 0, 1, 0, 0, 2}, sparse.Angles{Pairs: 1}},
		{[]float64{1, 0, -2, 0, 0, 1}, sparse.Angles{Pairs: 3, Max: 1, Mean: 1. / 3, Near: 1}},
	} {
		d := must.Get(sparse.FromAtoms(2, c.atoms))(t)
		if got := d.Angles(0.99); got != c.want {
			t.Errorf("%v: %+v, expected %+v", c.atoms, got, c.want)
		}
	}
}

// Rank and condition of matrices made of known singular values: U·diag(s)·Vᵀ.
func TestCondition(t *testing.T) {
	rotation := func(n int) *mat.Dense {
		var qr mat.QR
		qr.Factorize(gaussian(t, n, n).Matrix())
		var q mat.Dense
		qr.QTo(&q)
		return &q
	}
	for _, c := range []struct {
		s         []float64
		rank      int
		condition float64
	}{
		{[]float64{5, 5, 5, 5}, 4, 1},
		{[]float64{8, 4, 2, 1}, 4, 8},
		{[]float64{8, 4, 2, 1e-6}, 3, 4},
		{[]float64{7, 0, 0, 0}, 1, 1},
		{[]float64{0, 0, 0, 0}, 0, 0},
	} {
		for _, k := range []int{4, 9} { // square, and more atoms than entries
			middle := mat.NewDense(4, k, nil)
			for i, v := range c.s {
				middle.Set(i, i, v)
			}
			var m mat.Dense
			m.Product(rotation(4), middle, rotation(k).T())
			for _, m := range []mat.Matrix{&m, m.T()} {
				d := must.Get(sparse.NewDictionary(m))(t)
				if rank, condition := d.Condition(); rank != c.rank || math.Abs(condition-c.condition) > 1e-9 {
					t.Errorf("%v, %d atoms: rank %d, condition %g, expected %d and %g", c.s, k, rank, condition,
						c.rank, c.condition)
				}
			}
		}
	}
}
