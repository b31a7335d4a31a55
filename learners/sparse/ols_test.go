package sparse_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/learners/sparse"
	"superres/learners/sparse/sparsetest"
)

func newOLS(s int, tolerance float64) sparse.Coder {
	return sparse.OLS{Sparsity: s, Tolerance: tolerance}
}

func TestOLS(t *testing.T) { sparsetest.Run(t, newOLS) }

func TestOLSOnHardDictionaries(t *testing.T) { hardDictionaries(t, newOLS) }

// slowOLS is the definition: try every atom, solve least squares by QR, and keep
// the one that leaves the least.
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

// This is also the test that each step takes the best single atom: the
// definition tries all.
func TestOLSAgainstTheDefinition(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs beside anything else")
	}
	againstTheDefinition(t, func(s int) sparse.Coder { return sparse.OLS{Sparsity: s} }, slowOLS)
}

// A code's residual is orthogonal to its atoms, supports are nested, the first
// atom is OMP's, and where the first two are not OMP's they leave less.
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

// Atoms that are nearly parallel keep their digits, as in OMP.
func TestOLSWithCoherentAtoms(t *testing.T) {
	for _, angle := range []float64{1e-2, 1e-3, 1e-4} {
		d, err := sparse.NewDictionary(mat.NewDense(4, 3, []float64{1, 1, 0, 0, angle, 0, 0, 0, 1, 0, 0, 0}))
		if err != nil {
			t.Fatal(err)
		}
		y := mat.NewDense(4, 1, []float64{1, 5 * angle, 0, 0})
		for _, c := range []sparse.OLS{{Sparsity: 2}, {Tolerance: 1e-11}} {
			if r := sparsetest.Residuals(d, mustCode(t, c, d, y), y)[0]; r > 1e-11 {
				t.Errorf("angle %g, %+v: residual %g", angle, c, r)
			}
		}
	}
}

// A small second component is found down to 1e-9 of the first.
func TestOLSFindsSmallComponents(t *testing.T) {
	d := sparsetest.Dictionary(t, 16, 32, 3)
	for _, small := range []float64{1e-6, 1e-8, 1e-9} {
		y := mat.NewDense(16, 1, nil)
		for i := range 16 {
			y.Set(i, 0, d.Atom(4)[i]+small*d.Atom(20)[i])
		}
		for _, c := range []sparse.OLS{{Sparsity: 5}, {Tolerance: small / 100}} {
			index, value := mustCode(t, c, d, y).Column(0)
			if !slices.Equal(index, []int32{4, 20}) || math.Abs(value[1]/small-1) > 1e-4 {
				t.Errorf("%g with %+v: coded as %v %v", small, c, index, value)
			}
		}
	}
}

func BenchmarkOLS(b *testing.B) {
	benchmark(b, func(s int) sparse.Coder { return sparse.OLS{Sparsity: s} })
}
