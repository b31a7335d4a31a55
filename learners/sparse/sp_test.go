package sparse_test

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/learners/sparse"
	"superres/learners/sparse/sparsetest"
)

func newSP(s int, tolerance float64) sparse.Coder {
	return sparse.SP{Sparsity: s, Tolerance: tolerance}
}

func TestSP(t *testing.T) { sparsetest.Run(t, newSP) }

func TestSPOnHardDictionaries(t *testing.T) { hardDictionaries(t, newSP) }

// slowSP is the definition, with residuals formed and least squares by QR.
func slowSP(d *sparse.Dictionary, y []float64, s int) (support []int, x []float64) {
	support = slowLargest(slowCorrelations(d, y), s)
	x, r := slowFit(d, y, support)
	for length(r) > 1e-11*length(y) {
		c := slowCorrelations(d, r)
		for _, k := range support {
			c[k] = 0
		}
		wide := slices.Clone(support)
		for _, k := range slowLargest(c, s) {
			if c[k] != 0 {
				wide = append(wide, k)
			}
		}
		wideX, _ := slowFit(d, y, wide)
		var next []int
		for _, at := range slowLargest(wideX, s) {
			next = append(next, wide[at])
		}
		nextX, nextR := slowFit(d, y, next)
		if length(nextR) >= length(r)*(1-1e-11) {
			break
		}
		support, x, r = next, nextX, nextR
	}
	return support, x
}

func TestSPAgainstTheDefinition(t *testing.T) {
	againstTheDefinition(t, func(s int) sparse.Coder { return sparse.SP{Sparsity: s} }, slowSP)
}

func TestSPRecoversPlantedCodes(t *testing.T) { recoversPlanted(t, newSP) }

func TestSPTakesTheSmallestSparsity(t *testing.T) { smallestSparsity(t, newSP) }

// A code is the least-squares solution on its support, and never worse than that on the S atoms it starts from.
func TestSPIdentities(t *testing.T) {
	d := sparsetest.Dictionary(t, 16, 32, 3)
	y := sparsetest.Gaussian(16, 100, 4)
	x := mustCode(t, sparse.SP{Sparsity: 5}, d, y)
	leastSquaresOnSupport(t, d, x, y)
	better := 0
	for j, r := range sparsetest.Residuals(d, x, y) {
		signal := mat.Col(nil, j, y)
		_, start := slowFit(d, signal, slowLargest(slowCorrelations(d, signal), 5))
		if r > length(start)*(1+1e-12) {
			t.Errorf("signal %d: residual %g, %g at the start", j, r, length(start))
		}
		if r < length(start)*(1-1e-6) {
			better++
		}
	}
	if better < 50 {
		t.Errorf("better than its start for %d of 100 signals", better)
	}
}

func BenchmarkSP(b *testing.B) {
	benchmark(b, func(s int) sparse.Coder { return sparse.SP{Sparsity: s} })
}
