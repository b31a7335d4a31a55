package sparse_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/learners/sparse"
	"superres/learners/sparse/sparsetest"
)

func TestOMP(t *testing.T) {
	sparsetest.Run(t, func(s int, tolerance float64) sparse.Coder {
		return sparse.OMP{Sparsity: s,
			Tolerance: tolerance}
	})
}

// slowOMP is the definition, with residuals formed and least squares by QR.
func slowOMP(d *sparse.Dictionary, y []float64, sparsity int) (support []int, x []float64) {
	for r := y; len(support) < sparsity; {
		c := slowCorrelations(d, r)
		best := slowLargest(c, 1)[0]
		if math.Abs(c[best]) < 1e-10 {
			break
		}
		support = append(support, best)
		x, r = slowFit(d, y, support)
	}
	return support, x
}

func TestOMPAgainstTheDefinition(t *testing.T) {
	againstTheDefinition(t, func(s int) sparse.Coder { return sparse.OMP{Sparsity: s} }, slowOMP)
}

// The residual of a code is orthogonal to its atoms, and a signal that is sparse over few incoherent atoms is coded
// by these alone.
func TestOMPIdentities(t *testing.T) {
	d := sparsetest.Dictionary(t, 16, 32, 3)
	y := sparsetest.Gaussian(16, 100, 4)
	leastSquaresOnSupport(t, d, mustCode(t, sparse.OMP{Sparsity: 5}, d, y), y)
	two := mat.NewDense(16, 1, nil)
	for i := range 16 {
		two.Set(i, 0, 3*d.Atom(4)[i]-d.Atom(20)[i])
	}
	index, value := mustCode(t, sparse.OMP{Sparsity: 9}, d, two).Column(0)
	if !slices.Equal(index, []int32{4, 20}) || math.Abs(value[0]-3) > 1e-12 || math.Abs(value[1]+1) > 1e-12 {
		t.Errorf("coded as %v %v", index, value)
	}
}

func BenchmarkOMP(b *testing.B) {
	benchmark(b, func(s int) sparse.Coder { return sparse.OMP{Sparsity: s} })
}

// Atoms that are nearly parallel keep their digits: a signal in their span leaves nothing over, and a tolerance means
// what it says.
func TestCoherentAtoms(t *testing.T) {
	for _, angle := range []float64{1e-2, 1e-3, 1e-4} {
		d := must(sparse.NewDictionary(mat.NewDense(4, 3, []float64{1, 1, 0, 0, angle, 0, 0, 0, 1, 0, 0, 0})))(t)
		y := mat.NewDense(4, 1, []float64{1, 5 * angle, 0, 0})
		for _, c := range []sparse.Coder{
			sparse.OMP{Sparsity: 2}, sparse.OMP{Tolerance: 1e-11}, sparse.OLS{Sparsity: 2},
			sparse.OLS{Tolerance: 1e-11},
		} {
			if r := sparsetest.Residuals(d, mustCode(t, c, d, y), y)[0]; r > 1e-11 {
				t.Errorf("angle %g, %#v: residual %g", angle, c, r)
			}
		}
	}
}

// A small second component is found down to 1e-9 of the first.
func TestSmallComponents(t *testing.T) {
	d := sparsetest.Dictionary(t, 16, 32, 3)
	for _, small := range []float64{1e-6, 1e-8, 1e-9} {
		y := mat.NewDense(16, 1, nil)
		for i := range 16 {
			y.Set(i, 0, d.Atom(4)[i]+small*d.Atom(20)[i])
		}
		for _, c := range []sparse.Coder{
			sparse.OMP{Sparsity: 5}, sparse.OMP{Tolerance: small / 100}, sparse.OLS{Sparsity: 5},
			sparse.OLS{Tolerance: small / 100},
		} {
			index, value := mustCode(t, c, d, y).Column(0)
			if !slices.Equal(index, []int32{4, 20}) || math.Abs(value[1]/small-1) > 1e-4 {
				t.Errorf("%g with %#v: coded as %v %v", small, c, index, value)
			}
		}
	}
}

func TestCodesCheckAndCompact(t *testing.T) {
	good := &sparse.Codes{Atoms: 4, Start: []int{0, 2, 2, 3}, Index: []int32{1, 3, 0}, Value: []float64{5, 0, 7}}
	if good.Check() == nil {
		t.Error("a coefficient of zero passes")
	}
	c := good.Compact()
	if err := c.Check(); err != nil || len(c.Index) != 2 || c.Start[1] != 1 || c.Start[3] != 2 {
		t.Errorf("%v: %+v", err, c)
	}
	for _, bad := range []*sparse.Codes{
		{}, {Start: []int{0, 10, 3}, Index: []int32{0, 1, 2}, Value: []float64{1, 1, 1}, Atoms: 9},
		{Start: []int{0, 2}, Index: []int32{1, 0}, Value: []float64{1, 1}, Atoms: 9},
		{Start: []int{0, 1}, Index: []int32{9}, Value: []float64{1}, Atoms: 9},
		{Start: []int{0, 1}, Index: []int32{0}, Value: []float64{math.NaN()}, Atoms: 9},
	} {
		if bad.Check() == nil {
			t.Errorf("%+v passes", bad)
		}
	}
}

func TestNormalEquations(t *testing.T) {
	d := sparsetest.Dictionary(t, 6, 9, 1)
	y := sparsetest.Gaussian(6, 40, 2)
	c := must(sparse.OMP{Sparsity: 3}.Code(context.Background(), d, y))(t)
	xx, xy := c.NormalEquations(6, func(j int) []float64 { return mat.Col(nil, j, y) })
	var wantXX, wantXY mat.Dense
	x := c.Dense()
	wantXX.Mul(x, x.T())
	wantXY.Mul(x, y.T())
	if !mat.EqualApprox(xx, &wantXX, 1e-12) || !mat.EqualApprox(xy, &wantXY, 1e-12) {
		t.Error("not X·Xᵀ and X·Yᵀ")
	}
}

// Every coder here says how many non-zeros its spec allows, and one that does not know has 0.
func TestMostNonZeros(t *testing.T) {
	for _, name := range sparse.Names() {
		for spec, want := range map[string]int{name: 0, name + ":sparsity=4": 4} {
			c := must(sparse.New(spec))(t)
			if got := sparse.MostNonZeros(c); got != want {
				t.Errorf("%s: %d, expected %d", spec, got, want)
			}
		}
	}
	if got := sparse.MostNonZeros(struct{ sparse.Coder }{sparse.OMP{Sparsity: 4}}); got != 0 {
		t.Errorf("a coder that does not say: %d", got)
	}
}
