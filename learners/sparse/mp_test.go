package sparse_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/learners/sparse"
	"superres/learners/sparse/sparsetest"
)

func newMP(s int, tolerance float64) sparse.Coder {
	return sparse.MP{Sparsity: s, Tolerance: tolerance}
}

func TestMP(t *testing.T) { sparsetest.Run(t, newMP) }

func TestMPOnHardDictionaries(t *testing.T) { hardDictionaries(t, newMP) }

// slowMP is the definition: the residual and all its correlations at each step.
func slowMP(d *sparse.Dictionary, y []float64, sparsity int) (support []int, x []float64) {
	_, k := d.Dims()
	n := len(y)
	code := make([]float64, k)
	r := y
	for range 100 * n {
		c := slowCorrelations(d, r)
		best := slowLargest(c, 1)[0]
		if math.Abs(c[best]) < 1e-11*length(y) {
			break
		}
		if code[best] == 0 {
			if len(support) == sparsity {
				break
			}
			support = append(support, best)
		}
		code[best] += c[best]
		r = slowResidual(d, r, []int{best}, []float64{c[best]})
	}
	for _, k := range support {
		x = append(x, code[k])
	}
	return support, x
}

func TestMPAgainstTheDefinition(t *testing.T) {
	againstTheDefinition(t, func(s int) sparse.Coder { return sparse.MP{Sparsity: s} }, slowMP)
}

// Each step changes one coefficient, and the residual loses the energy of that change and no more.
func TestMPConservesEnergy(t *testing.T) {
	d := sparsetest.Dictionary(t, 12, 30, 1)
	y := sparsetest.Gaussian(12, 50, 2)
	before := mat.NewDense(30, 50, nil)
	left := sparsetest.Residuals(d, &sparse.Codes{Atoms: 30, Start: make([]int, 51)}, y)
	again := 0
	for steps := 1; steps <= 25; steps++ {
		x := mustCode(t, sparse.MP{Steps: steps}, d, y)
		after := x.Dense()
		for j, r := range sparsetest.Residuals(d, x, y) {
			energy, changed := 0.0, 0
			for k := range 30 {
				if v := after.At(k, j) - before.At(k, j); v != 0 {
					energy, changed = energy+v*v, changed+1
					if before.At(k, j) != 0 {
						again++
					}
				}
			}
			if changed != 1 || r >= left[j] || math.Abs(left[j]*left[j]-energy-r*r) > 1e-12 {
				t.Fatalf("step %d signal %d: %d changes of energy %g, residual %g after %g", steps, j, changed,
					energy, r, left[j])
			}
			left[j] = r
		}
		before = after
	}
	if again == 0 {
		t.Error("no atom was chosen twice")
	}
}

func TestMPSteps(t *testing.T) {
	d := sparsetest.Dictionary(t, 8, 20, 1)
	y := sparsetest.Gaussian(8, 150, 2)
	if _, err := (sparse.MP{Steps: -1}).Code(context.Background(), d, y); err == nil {
		t.Error("no error for −1 steps")
	}
	// More atoms than entries may be chosen.
	most := 0
	x := mustCode(t, sparse.MP{}, d, y)
	for j, r := range sparsetest.Residuals(d, x, y) {
		index, _ := x.Column(j)
		most = max(most, len(index))
		if r > 1e-9 {
			t.Errorf("signal %d: residual %g", j, r)
		}
	}
	if most <= 8 {
		t.Errorf("at most %d atoms", most)
	}
}

func BenchmarkMP(b *testing.B) {
	benchmark(b, func(s int) sparse.Coder { return sparse.MP{Sparsity: s} })
}
