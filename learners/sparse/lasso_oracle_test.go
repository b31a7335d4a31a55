package sparse_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"

	"superres/learners/sparse"
	"superres/learners/sparse/sparsetest"
)

// The lasso against its optimality conditions, its dual problem and two other solvers.

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
			d := must(sparse.NewDictionary(atoms))(t)
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
		least := sparsetest.Residuals(p.d, mustCode(t, sparse.Lasso{}, p.d, p.y), p.y)
		for _, c := range []sparse.Lasso{{Lambda: 1}, {Lambda: 0.3}, {Lambda: 1e-3}, {Lambda: 1e-7}, {Tolerance: 1},
			{Tolerance: 0.3}, {Tolerance: 1e-3}, {Tolerance: 1e-7}, {}} {
			codes := mustCode(t, c, p.d, p.y)
			if err := codes.Check(); err != nil {
				t.Fatal(err)
			}
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
		codes, near := mustCode(t, sparse.Lasso{}, p.d, p.y), mustCode(t, sparse.Lasso{Lambda: small}, p.d, p.y)
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

// slowLasso minimises ½‖y − Dx‖² + λ‖x‖₁ over unit atoms by coordinate descent.
func slowLasso(d *sparse.Dictionary, y []float64, lambda float64) []float64 {
	_, k := d.Dims()
	x, r := make([]float64, k), slices.Clone(y)
	for range 20000 {
		moved := 0.0
		for j := range k {
			a := inner(d.Atom(j), r) + x[j]
			next := math.Copysign(max(0, math.Abs(a)-lambda), a)
			r = slowResidual(d, r, []int{j}, []float64{next - x[j]})
			moved, x[j] = max(moved, math.Abs(next-x[j])), next
		}
		if moved < 1e-13 {
			break
		}
	}
	return x
}

func TestLassoAgainstCoordinateDescent(t *testing.T) {
	for _, c := range []struct {
		n, k   int
		lambda float64
	}{{9, 32, 0.3}, {12, 20, 0.05}, {6, 4, 0.1}, {20, 60, 0.7}} {
		againstDense(t, sparse.Lasso{Lambda: c.lambda}, sparsetest.Dictionary(t, c.n, c.k, 7), 1e-9,
			func(d *sparse.Dictionary, y []float64) []float64 { return slowLasso(d, y, c.lambda) })
	}
}

// slowBasisPursuit is the linear program min Σ(u + v) with D(u − v) = y, u, v ≥ 0.
func slowBasisPursuit(d *sparse.Dictionary, y []float64) []float64 {
	n, k := d.Dims()
	both, cost := mat.NewDense(n, 2*k, nil), make([]float64, 2*k)
	for j := range k {
		for i, v := range d.Atom(j) {
			both.Set(i, j, v)
			both.Set(i, k+j, -v)
		}
		cost[j], cost[k+j] = 1, 1
	}
	_, x, err := lp.Simplex(cost, both, y, 1e-12, nil)
	if err != nil {
		panic(err)
	}
	for j := range k {
		x[j] -= x[k+j]
	}
	return x[:k]
}

func TestBasisPursuitAgainstSimplex(t *testing.T) {
	for _, c := range []struct{ n, k int }{{4, 9}, {9, 32}, {12, 20}, {5, 5}} {
		againstDense(t, sparse.Lasso{}, sparsetest.Dictionary(t, c.n, c.k, 7), 1e-8, slowBasisPursuit)
	}
}

// againstDense compares a coder with a slow solver on 20 signals.
func againstDense(t *testing.T, c sparse.Coder, d *sparse.Dictionary, tolerance float64,
	slow func(d *sparse.Dictionary, y []float64) []float64) {
	t.Helper()
	n, k := d.Dims()
	y := sparsetest.Gaussian(n, 20, 8)
	got := mustCode(t, c, d, y).Dense()
	for j := range 20 {
		for i, want := range slow(d, mat.Col(nil, j, y)) {
			if math.Abs(got.At(i, j)-want) > tolerance {
				t.Fatalf("%+v with %d atoms of %d, signal %d: x[%d] = %g, expected %g", c, k, n, j, i, got.At(i, j),
					want)
			}
		}
	}
}
