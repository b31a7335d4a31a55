package sparse_test

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/learners/sparse"
	"superres/learners/sparse/sparsetest"
)

func newCoSaMP(s int, tolerance float64) sparse.Coder {
	return sparse.CoSaMP{Sparsity: s, Tolerance: tolerance}
}

func TestCoSaMP(t *testing.T) { sparsetest.Run(t, newCoSaMP) }

func TestCoSaMPOnHardDictionaries(t *testing.T) { hardDictionaries(t, newCoSaMP) }

// slowCoSaMP is the definition, with residuals formed and least squares by QR. rounds limits the rounds.
func slowCoSaMP(d *sparse.Dictionary, y []float64, s, rounds int) (support []int, x []float64) {
	r, left := y, length(y) // r of the pruned code, left of the solution
	for ; rounds > 0 && left > 1e-11*length(y); rounds-- {
		wide := slices.Clone(support)
		for _, k := range slowLargest(slowCorrelations(d, r), 2*s) {
			if !slices.Contains(wide, k) {
				wide = append(wide, k)
			}
		}
		wide = wide[:min(len(wide), len(y))] // random: more depend on the first n
		wideX, _ := slowFit(d, y, wide)
		var next []int
		var pruned []float64
		for _, at := range slowLargest(wideX, s) {
			next, pruned = append(next, wide[at]), append(pruned, wideX[at])
		}
		nextX, nextR := slowFit(d, y, next)
		if length(nextR) >= left*(1-1e-11) {
			break
		}
		support, x, left = next, nextX, length(nextR)
		r = slowResidual(d, y, next, pruned)
	}
	return support, x
}

func TestCoSaMPAgainstTheDefinition(t *testing.T) {
	againstTheDefinition(t, func(s int) sparse.Coder { return sparse.CoSaMP{Sparsity: s} },
		func(d *sparse.Dictionary, y []float64, s int) ([]int, []float64) { return slowCoSaMP(d, y, s, 1000) })
}

func TestCoSaMPRecoversPlantedCodes(t *testing.T) { recoversPlanted(t, newCoSaMP) }

func TestCoSaMPTakesTheSmallestSparsity(t *testing.T) { smallestSparsity(t, newCoSaMP) }

// A code is the least-squares solution on its support, and never worse than that of the first round.
func TestCoSaMPIdentities(t *testing.T) {
	d := sparsetest.Dictionary(t, 32, 64, 3)
	y := sparsetest.Gaussian(32, 100, 4)
	x := mustCode(t, sparse.CoSaMP{Sparsity: 5}, d, y)
	leastSquaresOnSupport(t, d, x, y)
	better := 0
	for j, r := range sparsetest.Residuals(d, x, y) {
		signal := mat.Col(nil, j, y)
		support, _ := slowCoSaMP(d, signal, 5, 1)
		_, start := slowFit(d, signal, support)
		if r > length(start)*(1+1e-12) {
			t.Errorf("signal %d: residual %g, %g after one round", j, r, length(start))
		}
		if r < length(start)*(1-1e-6) {
			better++
		}
	}
	if better < 20 {
		t.Errorf("better than its first round for %d of 100 signals", better)
	}
}

func BenchmarkCoSaMP(b *testing.B) {
	benchmark(b, func(s int) sparse.Coder { return sparse.CoSaMP{Sparsity: s} })
}
