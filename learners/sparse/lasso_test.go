package sparse_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/learners/plugin"
	"superres/learners/sparse"
	"superres/learners/sparse/sparsetest"
)

func newLasso(s int, tolerance float64) sparse.Coder {
	return sparse.Lasso{Sparsity: s, Tolerance: tolerance}
}

func newDebiasedLasso(s int, tolerance float64) sparse.Coder {
	return sparse.Lasso{Sparsity: s, Tolerance: tolerance, Debias: true}
}

func TestLasso(t *testing.T)         { sparsetest.Run(t, newLasso) }
func TestDebiasedLasso(t *testing.T) { sparsetest.Run(t, newDebiasedLasso) }

func TestLassoOnHardDictionaries(t *testing.T) {
	hardDictionaries(t, newLasso)
	hardDictionaries(t, newDebiasedLasso)
}

// Along the path ‖x‖₁ grows, the residual falls and atoms join and leave; the point that meets a Tolerance is the one
// whose residual is that; with a Sparsity the atoms are those of the point just before there are more.
func TestLassoPath(t *testing.T) {
	d := sparsetest.Dictionary(t, 16, 32, 3)
	const sparsity = 4
	left := 0
	for seed := range uint64(8) {
		y := sparsetest.Gaussian(16, 1, 100+seed)
		corr := slowCorrelations(d, mat.Col(nil, 0, y))
		top := math.Abs(corr[slowLargest(corr, 1)[0]])
		if x := mustCode(t, sparse.Lasso{Lambda: top}, d, y); len(x.Index) != 0 {
			t.Errorf("λ = max |a|: %v", x.Index)
		}
		at := func(lambda float64) (*sparse.Codes, float64, float64) {
			x := mustCode(t, sparse.Lasso{Lambda: lambda}, d, y)
			r, _, l1 := lassoState(d, x, y, 0)
			return x, length(r), l1
		}
		before, beforeRest, beforeL1 := at(top * (1 - 1e-9))
		if len(before.Index) != 1 {
			t.Fatalf("below max |a|: %v", before.Index)
		}
		more := 0.0 // the first λ with more than sparsity non-zeros
		for lambda := top * 0.98; lambda > 1e-3; lambda *= 0.98 {
			x, rest, l1 := at(lambda)
			if l1 < beforeL1 || rest > beforeRest {
				t.Fatalf("λ = %g: ‖x‖₁ = %g after %g, residual %g after %g", lambda, l1, beforeL1, rest, beforeRest)
			}
			for _, k := range before.Index {
				if !slices.Contains(x.Index, k) {
					left++
				}
			}
			ball := mustCode(t, sparse.Lasso{Tolerance: rest}, d, y)
			if !mat.EqualApprox(x.Dense(), ball.Dense(), 1e-9) {
				t.Fatalf("λ = %g: not the code of its residual", lambda)
			}
			if more == 0 && len(x.Index) > sparsity {
				more = lambda
				low, high := lambda, lambda/0.98
				for range 60 {
					middle := (low + high) / 2
					if x, _, _ := at(middle); len(x.Index) > sparsity {
						low = middle
					} else {
						high = middle
					}
				}
				want, _, _ := at(high * (1 + 1e-12))
				got := mustCode(t, sparse.Lasso{Sparsity: sparsity}, d, y)
				if !slices.Equal(got.Index, want.Index) {
					t.Errorf("S = %d: atoms %v, the path has %v before it has more", sparsity, got.Index, want.Index)
				}
				leastSquaresOnSupport(t, d, got, y)
			}
			before, beforeRest, beforeL1 = x, rest, l1
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
		plain := mustCode(t, c, d, y)
		c.Debias = true
		fitted := mustCode(t, c, d, y)
		leastSquaresOnSupport(t, d, fitted, y)
		if !slices.Equal(plain.Index, fitted.Index) {
			t.Errorf("%+v: other atoms", c)
		}
		c.Debias, c.Sparsity = false, 16
		if limited := mustCode(t, c, d, y); !slices.Equal(limited.Index, fitted.Index) ||
			!slices.Equal(limited.Value, fitted.Value) {
			t.Errorf("%+v: not the debiased code", c)
		}
	}
}

// Planted codes with few atoms are the shortest there are in the ℓ₁ norm, and small ones beside large ones are found.
func TestLassoRecoversPlantedCodes(t *testing.T) {
	d := sparsetest.Dictionary(t, 64, 128, 3)
	planted := mat.NewDense(128, 50, nil)
	for j := range 50 {
		for i := range 4 {
			planted.Set((j*37+i*(29+j%3))%128, j, float64(1+i)*float64(1-2*(i%2)))
		}
		planted.Set((j*37+11)%128, j, math.Pow(10, -float64(j%10)))
	}
	var y mat.Dense
	y.Mul(d.Matrix(), planted)
	for _, c := range []sparse.Lasso{{}, {Debias: true}, {Tolerance: 1e-11, Debias: true},
		{Tolerance: 1e-11, Sparsity: 20}} {
		if x := mustCode(t, c, d, &y); !mat.EqualApprox(x.Dense(), planted, 1e-12) {
			t.Errorf("%+v: not the planted codes: %d non-zeros", c, len(x.Index))
		}
	}
}

// A code grows with its signal, λ and ε, however small or large.
func TestLassoScales(t *testing.T) {
	d := sparsetest.Dictionary(t, 9, 30, 3)
	y := sparsetest.Gaussian(9, 40, 4)
	for _, c := range []sparse.Lasso{{}, {Lambda: 0.3}, {Tolerance: 0.3}, {Sparsity: 3}} {
		want := mustCode(t, c, d, y)
		for _, scale := range []float64{1e-120, 1e120} {
			var scaled mat.Dense
			scaled.Scale(scale, y)
			c := c
			c.Lambda, c.Tolerance = c.Lambda*scale, c.Tolerance*scale
			got := mustCode(t, c, d, &scaled)
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
	d := must(sparse.NewDictionary(m))(t)
	y := sparsetest.Gaussian(12, 100, 2)
	for _, lambda := range []float64{0.3, 1e-4} {
		codes := mustCode(t, sparse.Lasso{Lambda: lambda}, d, y)
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
	least := sparsetest.Residuals(d, mustCode(t, sparse.Lasso{}, d, y), y)
	for _, tolerance := range []float64{1.5, 2} {
		for j, r := range sparsetest.Residuals(d, mustCode(t, sparse.Lasso{Tolerance: tolerance}, d, y), y) {
			if least[j] < tolerance && r > tolerance*(1+1e-6) {
				t.Errorf("ε = %g signal %d: residual %g", tolerance, j, r)
			}
		}
	}
}

func TestLassoRefuses(t *testing.T) {
	d, y := sparsetest.Dictionary(t, 8, 20, 1), sparsetest.Gaussian(8, 3, 2)
	for _, c := range []struct {
		lasso sparse.Lasso
		says  string
	}{
		{sparse.Lasso{Lambda: -1}, "lambda -1"},
		{sparse.Lasso{Lambda: math.NaN()}, "lambda NaN"},
		{sparse.Lasso{Lambda: 2, Tolerance: 3}, "lambda 2 and tolerance 3"},
		{sparse.Lasso{Tolerance: math.NaN()}, "tolerance NaN"},
		{sparse.Lasso{Sparsity: 21}, "sparsity 21"},
	} {
		if _, err := c.lasso.Code(context.Background(), d, y); !errors.Is(err, plugin.ErrSettings) ||
			!strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v", c.lasso, err)
		}
	}
}

func BenchmarkLasso(b *testing.B) {
	benchmark(b, func(s int) sparse.Coder { return sparse.Lasso{Sparsity: s} })
}
