package sparse_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/must"
	"superres/learners/sparse"
	"superres/learners/sparse/sparsetest"
)

// lassoProblem is a dictionary of unit atoms with 30 signals.
type lassoProblem struct {
	name string
	d    *sparse.Dictionary
	y    *mat.Dense
}

// lassoProblems are Gaussian dictionaries wide and tall, repeated atoms of both signs, rows that depend on one
// another, and small integers, where many atoms come to |a_k| = λ at once.
func lassoProblems(t *testing.T) (problems []lassoProblem) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 0))
	integers := func(r, c, top int) *mat.Dense {
		m := mat.NewDense(r, c, nil)
		m.Apply(func(int, int, float64) float64 { return float64(rng.IntN(2*top+1) - top) }, m)
		return m
	}
	for _, c := range []struct{ n, k int }{{1, 1}, {1, 5}, {4, 4}, {6, 4}, {9, 32}, {16, 64}, {20, 8}, {32, 100}} {
		add := func(name string, atoms, y *mat.Dense) {
			for j := range c.k {
				atom := atoms.ColView(j).(*mat.VecDense)
				if length := mat.Norm(atom, 2); length > 0 {
					atom.ScaleVec(1/length, atom)
				}
			}
			d := must.Get(sparse.NewDictionary(atoms))(t)
			problems = append(problems, lassoProblem{fmt.Sprintf("%s %d×%d", name, c.n, c.k), d, y})
		}
		add("Gaussian", sparsetest.Gaussian(c.n, c.k, 3), sparsetest.Gaussian(c.n, 30, 4))
		twins := sparsetest.Gaussian(c.n, c.k, 5)
		for j := 1; j < c.k; j += 2 {
			twins.ColView(j).(*mat.VecDense).ScaleVec(float64(j%4-2), twins.ColView(j-1))
		}
		add("twins", twins, sparsetest.Gaussian(c.n, 30, 6))
		flat := sparsetest.Gaussian(c.n, c.k, 7)
		for i := c.n/2 + 1; i < c.n; i++ {
			flat.SetRow(i, flat.RawRowView(i-c.n/2))
		}
		add("dependent rows", flat, sparsetest.Gaussian(c.n, 30, 8))
		add("signs", integers(c.n, c.k, 1), integers(c.n, 30, 1))
		add("integers", integers(c.n, c.k, 2), integers(c.n, 30, 3))
	}
	return problems
}

// lassoState returns r = y − Dx of signal j, Dᵀr and ‖x‖₁.
func lassoState(d *sparse.Dictionary, codes *sparse.Codes, y *mat.Dense, j int) (r, corr []float64, l1 float64) {
	index, value := codes.Column(j)
	support := make([]int, len(index))
	for i, k := range index {
		support[i] = int(k)
		l1 += math.Abs(value[i])
	}
	r = slowResidual(d, mat.Col(nil, j, y), support, value)
	return r, slowCorrelations(d, r), l1
}

// A code is optimal: a_k = λ·sign(x_k) on the support and |a_k| ≤ λ beside it, with the λ that was given, or under
// which the residual has the length that was given; λ is 0 where the residual is as small as it can be.
func TestLassoIsOptimal(t *testing.T) {
	for _, p := range lassoProblems(t) {
		least := sparsetest.Residuals(p.d, sparsetest.Code(t, sparse.Lasso{}, p.d, p.y), p.y)
		for _, c := range []sparse.Lasso{{Lambda: 1}, {Lambda: 0.3}, {Lambda: 1e-3}, {Lambda: 1e-7}, {Tolerance: 1},
			{Tolerance: 0.3}, {Tolerance: 1e-3}, {Tolerance: 1e-7}, {}} {
			codes := sparsetest.Code(t, c, p.d, p.y)
			must.Succeed(t, codes.Check())
			for j := range 30 {
				r, corr, _ := lassoState(p.d, codes, p.y, j)
				index, value := codes.Column(j)
				lambda := c.Lambda
				if c.Tolerance > 0 && c.Tolerance >= mat.Norm(p.y.ColView(j), 2) {
					if len(index) > 0 {
						t.Fatalf("%s %+v signal %d is coded", p.name, c, j)
					}
					continue
				}
				if c.Tolerance > least[j]*(1+1e-6) {
					lambda = math.Abs(corr[slowLargest(corr, 1)[0]])
					if math.Abs(length(r)-c.Tolerance) > 1e-7*c.Tolerance {
						t.Fatalf("%s %+v signal %d: residual %g", p.name, c, j, length(r))
					}
				}
				for k, a := range corr {
					want := a
					if at := slices.Index(index, int32(k)); at >= 0 {
						want = math.Copysign(lambda, value[at])
					}
					if math.Abs(a) > lambda+1e-9 || math.Abs(a-want) > 1e-9 {
						t.Fatalf("%s %+v signal %d: a = %g, expected %g, λ = %g", p.name, c, j, a, want, lambda)
					}
				}
			}
		}
	}
}

// With Dx = y, ‖x‖₁ is as small as can be: the dual problem, max yᵀw with
// |d_kᵀw| ≤ 1, has the same value at w = r/λ for a small λ.
func TestBasisPursuitClosesTheDualityGap(t *testing.T) {
	const small = 1e-7
	for _, p := range lassoProblems(t) {
		codes := sparsetest.Code(t, sparse.Lasso{}, p.d, p.y)
		near := sparsetest.Code(t, sparse.Lasso{Lambda: small}, p.d, p.y)
		for j := range 30 {
			r, _, l1 := lassoState(p.d, codes, p.y, j)
			w, corr, _ := lassoState(p.d, near, p.y, j)
			y := mat.Col(nil, j, p.y)
			top := math.Abs(corr[slowLargest(corr, 1)[0]])
			if top > small*(1+1e-6) {
				t.Fatalf("%s signal %d: |a| = %g", p.name, j, top)
			}
			for i := range y { // in the span of the atoms
				y[i], w[i] = y[i]-r[i], w[i]-r[i]
			}
			if dual := inner(y, w) / small; math.Abs(l1-dual) > 1e-6*(1+l1) {
				t.Fatalf("%s signal %d: ‖x‖₁ = %g, dual %g", p.name, j, l1, dual)
			}
		}
	}
}

// With a Sparsity the support is taken from the path just before it grows larger, and the coefficients are the
// least-squares ones. Atoms also leave the support along the path.
func TestLassoPath(t *testing.T) {
	d := sparsetest.Dictionary(t, 16, 32, 3)
	const sparsity = 4
	left := 0
	for seed := range uint64(8) {
		y := sparsetest.Gaussian(16, 1, 100+seed)
		atoms := func(lambda float64) []int32 { return sparsetest.Code(t, sparse.Lasso{Lambda: lambda}, d, y).Index }
		corr := slowCorrelations(d, mat.Col(nil, 0, y))
		top := math.Abs(corr[slowLargest(corr, 1)[0]])
		before := atoms(top)
		if next := atoms(top * (1 - 1e-9)); len(before) != 0 || len(next) != 1 {
			t.Errorf("λ = max |a|: %v, just below it: %v", before, next)
		}
		passed := false
		for lambda := top * 0.98; lambda > 1e-3; lambda *= 0.98 {
			now := atoms(lambda)
			for _, k := range before {
				if !slices.Contains(now, k) {
					left++
				}
			}
			if !passed && len(now) > sparsity {
				passed = true
				low, high := lambda, lambda/0.98
				for range 60 {
					if middle := (low + high) / 2; len(atoms(middle)) > sparsity {
						low = middle
					} else {
						high = middle
					}
				}
				got := sparsetest.Code(t, sparse.Lasso{Sparsity: sparsity}, d, y)
				if want := atoms(high * (1 + 1e-12)); !slices.Equal(got.Index, want) {
					t.Errorf("S = %d: atoms %v, the path has %v before it has more", sparsity, got.Index, want)
				}
				checkLeastSquares(t, d, got, y)
			}
			before = now
		}
	}
	if left < 10 {
		t.Errorf("%d atoms left the support", left)
	}
}

// Debias keeps the support and fits it; a Sparsity that is not reached does the same.
func TestLassoDebias(t *testing.T) {
	d := sparsetest.Dictionary(t, 16, 32, 3)
	y := sparsetest.Gaussian(16, 60, 4)
	for _, c := range []sparse.Lasso{{Lambda: 0.6}, {Tolerance: 0.7}} {
		plain := sparsetest.Code(t, c, d, y)
		c.Debias = true
		fitted := sparsetest.Code(t, c, d, y)
		checkLeastSquares(t, d, fitted, y)
		if !slices.Equal(plain.Index, fitted.Index) {
			t.Errorf("%+v: other atoms", c)
		}
		c.Debias, c.Sparsity = false, 16
		if limited := sparsetest.Code(t, c, d, y); !slices.Equal(limited.Index, fitted.Index) ||
			!slices.Equal(limited.Value, fitted.Value) {
			t.Errorf("%+v: not the debiased code", c)
		}
	}
}

// A code grows with its signal, λ and ε, however small or large.
func TestLassoScales(t *testing.T) {
	d := sparsetest.Dictionary(t, 9, 30, 3)
	y := sparsetest.Gaussian(9, 40, 4)
	for _, c := range []sparse.Lasso{{}, {Lambda: 0.3}, {Tolerance: 0.3}, {Sparsity: 3}} {
		want := sparsetest.Code(t, c, d, y)
		for _, scale := range []float64{1e-120, 1e120} {
			var scaled mat.Dense
			scaled.Scale(scale, y)
			c := c
			c.Lambda, c.Tolerance = c.Lambda*scale, c.Tolerance*scale
			got := sparsetest.Code(t, c, d, &scaled)
			if !slices.Equal(got.Index, want.Index) {
				t.Fatalf("%+v: other atoms", c)
			}
			for i, v := range got.Value {
				if math.Abs(v/scale-want.Value[i]) > 1e-9 {
					t.Fatalf("%+v: %g, expected %g", c, v/scale, want.Value[i])
				}
			}
		}
	}
}

// One smooth pulse at 300 places makes atoms so dependent that the path is long and a support may lose all its
// digits. The code is optimal on its support, and beside it to the share of the residual that is promised.
func TestLassoOverSmoothAtoms(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs beside anything else")
	}
	m := mat.NewDense(12, 300, nil)
	m.Apply(func(i, j int, _ float64) float64 {
		return math.Exp(-12 * math.Pow(float64(i)/12-float64(j)/300, 2))
	}, m)
	d := must.Get(sparse.NewDictionary(m))(t)
	y := sparsetest.Gaussian(12, 100, 2)
	for _, lambda := range []float64{0.3, 1e-4} {
		codes := sparsetest.Code(t, sparse.Lasso{Lambda: lambda}, d, y)
		for j := range 100 {
			r, corr, _ := lassoState(d, codes, y, j)
			index, value := codes.Column(j)
			for k, a := range corr {
				a, want := a/d.Norm(k), lambda
				if at := slices.Index(index, int32(k)); at >= 0 {
					want = math.Copysign(lambda, value[at])
					if math.Abs(a-want) > 1e-9 {
						t.Errorf("λ = %g signal %d: a = %g, expected %g", lambda, j, a, want)
					}
				}
				if math.Abs(a) > lambda+3.2e-5*length(r) {
					t.Errorf("λ = %g signal %d: |a| = %g", lambda, j, a)
				}
			}
		}
	}
	least := sparsetest.Residuals(d, sparsetest.Code(t, sparse.Lasso{}, d, y), y)
	for _, tolerance := range []float64{1.5, 2} {
		for j, r := range sparsetest.Residuals(d, sparsetest.Code(t, sparse.Lasso{Tolerance: tolerance}, d, y), y) {
			if least[j] < tolerance && r > tolerance*(1+1e-6) {
				t.Errorf("ε = %g signal %d: residual %g", tolerance, j, r)
			}
		}
	}
}
