package sparse_test

import (
	"slices"
	"testing"

	"superres/learners/sparse"
	"superres/learners/sparse/sparsetest"
)

func newOLS(s int, tolerance float64) sparse.Coder {
	return sparse.OLS{Sparsity: s, Tolerance: tolerance}
}

func TestOLS(t *testing.T) { sparsetest.Run(t, newOLS) }

func TestOLSOnHardDictionaries(t *testing.T) { hardDictionaries(t, newOLS) }

// slowOLS is the definition: try every atom, solve least squares by QR, and keep the one that leaves the least.
func slowOLS(d *sparse.Dictionary, y []float64, sparsity int) (support []int, x []float64) {
	_, k := d.Dims()
	for len(support) < min(sparsity, len(y)) {
		best, least := -1, length(y)
		for j := range k {
			if slices.Contains(support, j) {
				continue
			}
			if _, r := slowFit(d, y, append(slices.Clone(support), j)); length(r) < least {
				best, least = j, length(r)
			}
		}
		support = append(support, best)
		if least < 1e-11*length(y) {
			break
		}
	}
	x, _ = slowFit(d, y, support)
	return support, x
}

// This is also the test that each step takes the best single atom: the definition tries all.
func TestOLSAgainstTheDefinition(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs beside anything else")
	}
	againstTheDefinition(t, func(s int) sparse.Coder { return sparse.OLS{Sparsity: s} }, slowOLS)
}

// A code's residual is orthogonal to its atoms, supports are nested, the first atom is OMP's, and where the first two
// are not OMP's they leave less.
func TestOLSIdentities(t *testing.T) {
	d := sparsetest.Dictionary(t, 16, 32, 3)
	y := sparsetest.Gaussian(16, 100, 4)
	leastSquaresOnSupport(t, d, mustCode(t, sparse.OLS{Sparsity: 5}, d, y), y)
	last := mustCode(t, sparse.OLS{Sparsity: 1}, d, y)
	if omp := mustCode(t, sparse.OMP{Sparsity: 1}, d, y); !slices.Equal(omp.Index, last.Index) {
		t.Error("the first atom is not OMP's")
	}
	better := 0
	omp := sparsetest.Residuals(d, mustCode(t, sparse.OMP{Sparsity: 2}, d, y), y)
	for j, r := range sparsetest.Residuals(d, mustCode(t, sparse.OLS{Sparsity: 2}, d, y), y) {
		if r > omp[j]*(1+1e-12) {
			t.Errorf("signal %d: two atoms leave %g, OMP's %g", j, r, omp[j])
		}
		if r < omp[j]*(1-1e-6) {
			better++
		}
	}
	if better == 0 {
		t.Error("OLS never differs from OMP")
	}
	for s := 2; s <= 16; s++ {
		x := mustCode(t, sparse.OLS{Sparsity: s}, d, y)
		for j := range 100 {
			index, _ := x.Column(j)
			smaller, _ := last.Column(j)
			for _, k := range smaller {
				if !slices.Contains(index, k) {
					t.Fatalf("signal %d: %v is not in %v", j, smaller, index)
				}
			}
		}
		last = x
	}
}

func BenchmarkOLS(b *testing.B) {
	benchmark(b, func(s int) sparse.Coder { return sparse.OLS{Sparsity: s} })
}
