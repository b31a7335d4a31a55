package sparse_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/must"
	"superres/learners/plugin"
	"superres/learners/sparse"
	"superres/learners/sparse/sparsetest"
)

// coders has every coder of this package with its definition, which is slow and nil where the optimality of the codes
// is tested instead.
var coders = []struct {
	name  string
	build func(sparsity int, tolerance float64) sparse.Coder
	slow  func(d *sparse.Dictionary, y []float64, sparsity int) (support []int, x []float64)
}{
	{"mp", func(s int, e float64) sparse.Coder { return sparse.MP{Sparsity: s, Tolerance: e} }, slowMP},
	{"omp", func(s int, e float64) sparse.Coder { return sparse.OMP{Sparsity: s, Tolerance: e} }, slowOMP},
	{"ols", func(s int, e float64) sparse.Coder { return sparse.OLS{Sparsity: s, Tolerance: e} }, slowOLS},
	{"sp", newSP, slowSP},
	{"cosamp", newCoSaMP, slowCoSaMP},
	{"lasso", func(s int, e float64) sparse.Coder { return sparse.Lasso{Sparsity: s, Tolerance: e} }, nil},
	{"debiased lasso",
		func(s int, e float64) sparse.Coder { return sparse.Lasso{Sparsity: s, Tolerance: e, Debias: true} }, nil},
}

func newSP(s int, e float64) sparse.Coder     { return sparse.SP{Sparsity: s, Tolerance: e} }
func newCoSaMP(s int, e float64) sparse.Coder { return sparse.CoSaMP{Sparsity: s, Tolerance: e} }

func TestCoders(t *testing.T) {
	for _, c := range coders {
		t.Run(c.name, func(t *testing.T) {
			sparsetest.Run(t, c.build)
			t.Run("hard dictionaries", func(t *testing.T) { checkHardDictionaries(t, c.build) })
			if c.slow != nil && !(c.name == "ols" && testing.Short()) {
				t.Run("definition", func(t *testing.T) { compareWithDefinition(t, c.build, c.slow) })
			}
		})
	}
}

// compareWithDefinition compares a coder with slow at 1e-9.
func compareWithDefinition(t *testing.T, build func(s int, tolerance float64) sparse.Coder,
	slow func(d *sparse.Dictionary, y []float64, s int) (support []int, x []float64)) {
	t.Helper()
	for _, c := range []struct{ n, k, s int }{{9, 32, 3}, {16, 32, 4}, {6, 4, 4}, {45, 128, 7}} {
		d, y := sparsetest.Dictionary(t, c.n, c.k, 7), sparsetest.Gaussian(c.n, 60, 8)
		codes := sparsetest.Code(t, build(c.s, 0), d, y)
		for j := range 60 {
			support, x := slow(d, mat.Col(nil, j, y), c.s)
			index, value := codes.Column(j)
			if len(index) != len(support) {
				t.Fatalf("%+v signal %d: atoms %v, expected %v", c, j, index, support)
			}
			for i, k := range support {
				at := slices.Index(index, int32(k))
				if at < 0 || math.Abs(value[at]-x[i]) > 1e-9 {
					t.Fatalf("%+v signal %d: atoms %v %g, expected %v %g", c, j, index, value, support, x)
				}
			}
		}
	}
}

// checkHardDictionaries checks a coder on atoms that repeat, are nearly parallel or number fewer than the entries, and
// on very small and very large signals.
func checkHardDictionaries(t *testing.T, build func(sparsity int, tolerance float64) sparse.Coder) {
	t.Helper()
	m := sparsetest.Gaussian(6, 12, 1)
	for i := range 6 {
		m.Set(i, 3, m.At(i, 2))
		m.Set(i, 4, -2*m.At(i, 2))
		m.Set(i, 7, m.At(i, 6)*(1+1e-7*float64(i)))
		m.Set(i, 9, 0)
	}
	check := func(d *sparse.Dictionary, scale float64, s int, tolerance float64) {
		y := sparsetest.Gaussian(6, 70, 2)
		y.Scale(scale, y)
		x := sparsetest.Code(t, build(s, tolerance), d, y)
		must.Succeed(t, x.Check())
		for j, r := range sparsetest.Residuals(d, x, y) {
			size := mat.Norm(y.ColView(j), 2)
			if r > size*(1+1e-9) || size/scale > 1e-3 && len(x.Index) == 0 {
				t.Fatalf("%d non-zeros, scale %g, S = %d: residual %g of %g", len(x.Index), scale, s, r, size)
			}
		}
	}
	for _, matrix := range []mat.Matrix{m, m.Slice(0, 6, 0, 5), m.Slice(0, 6, 2, 3)} {
		d := must.Get(sparse.NewDictionary(matrix))(t)
		_, k := d.Dims()
		for _, scale := range []float64{1e-120, 1, 1e120} {
			for _, s := range []int{0, 1, min(4, k), k} {
				check(d, scale, s, 0)
				check(d, scale, s, 0.1*scale)
			}
		}
	}
}

// checkLeastSquares checks that no atom of a code is left in its residual.
func checkLeastSquares(t *testing.T, d *sparse.Dictionary, codes *sparse.Codes, y *mat.Dense) {
	t.Helper()
	var r mat.Dense
	r.Sub(y, codes.Rebuild(d))
	for j := range codes.Signals() {
		index, _ := codes.Column(j)
		for _, k := range index {
			if c := inner(d.Atom(int(k)), mat.Col(nil, j, &r)); math.Abs(c) > 1e-11 {
				t.Fatalf("signal %d: residual has %g of atom %d", j, c, k)
			}
		}
	}
}

// Each step of MP changes one coefficient, and the residual loses the energy of that change and no more. Atoms are
// chosen again, and more of them than a signal has entries.
func TestMPConservesEnergy(t *testing.T) {
	d, y := sparsetest.Dictionary(t, 12, 30, 1), sparsetest.Gaussian(12, 50, 2)
	before := mat.NewDense(30, 50, nil)
	left := sparsetest.Residuals(d, &sparse.Codes{Atoms: 30, Start: make([]int, 51)}, y)
	again := 0
	for steps := 1; steps <= 25; steps++ {
		x := sparsetest.Code(t, sparse.MP{Steps: steps}, d, y)
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
	most := 0
	x := sparsetest.Code(t, sparse.MP{}, d, y)
	for j, r := range sparsetest.Residuals(d, x, y) {
		index, _ := x.Column(j)
		most = max(most, len(index))
		if r > 1e-9 {
			t.Errorf("signal %d: residual %g", j, r)
		}
	}
	if again == 0 || most <= 12 {
		t.Errorf("%d choices of an atom again, at most %d atoms a signal", again, most)
	}
}

// SP and CoSaMP find 4 of 128 atoms of 64 entries exactly, with S known and with S to be found. A code with a tolerance
// has the smallest S that reaches it, or the last S.
func TestSubspacePursuits(t *testing.T) {
	d := sparsetest.Dictionary(t, 64, 128, 3)
	planted := plantedCodes()
	var y mat.Dense
	y.Mul(d.Matrix(), planted)
	small, rest := sparsetest.Dictionary(t, 16, 32, 5), sparsetest.Gaussian(16, 40, 6)
	for _, build := range []func(int, float64) sparse.Coder{newSP, newCoSaMP} {
		for _, c := range []sparse.Coder{build(4, 0), build(0, 1e-6), build(9, 1e-6), build(0, 0)} {
			if x := sparsetest.Code(t, c, d, &y); len(x.Index) != 200 || !mat.EqualApprox(x.Dense(), planted, 1e-12) {
				t.Errorf("%+v: not the planted codes: %d non-zeros", c, len(x.Index))
			}
		}
		got := sparsetest.Code(t, build(6, 1.5), small, rest)
		for j := range 40 {
			one := mat.DenseCopyOf(rest.Slice(0, 16, j, j+1))
			s := 1
			want := sparsetest.Code(t, build(s, 0), small, one)
			for ; s < 6 && sparsetest.Residuals(small, want, one)[0] > 1.5; s++ {
				want = sparsetest.Code(t, build(s+1, 0), small, one)
			}
			if index, value := got.Column(j); !slices.Equal(index, want.Index) || !slices.Equal(value, want.Value) {
				t.Errorf("%T, signal %d: %v, expected %v of S = %d", build(1, 0), j, index, want.Index, s)
			}
		}
	}
}

// plantedCodes returns 50 codes over 128 atoms with 4 non-zeros each.
func plantedCodes() *mat.Dense {
	x := mat.NewDense(128, 50, nil)
	for j := range 50 {
		for i := range 4 {
			x.Set((j*37+i*(29+j%3))%128, j, float64(1+i)*float64(1-2*(i%2)))
		}
	}
	return x
}

// Atoms that are nearly parallel keep their digits: a signal in their span leaves nothing over. A small second
// component is found down to 1e-9 of the first.
func TestDigitsAreKept(t *testing.T) {
	for _, angle := range []float64{1e-2, 1e-3, 1e-4} {
		atoms := mat.NewDense(4, 3, []float64{1, 1, 0, 0, angle, 0, 0, 0, 1, 0, 0, 0})
		d := must.Get(sparse.NewDictionary(atoms))(t)
		y := mat.NewDense(4, 1, []float64{1, 5 * angle, 0, 0})
		for _, c := range []sparse.Coder{sparse.OMP{Sparsity: 2}, sparse.OMP{Tolerance: 1e-11},
			sparse.OLS{Sparsity: 2}, sparse.OLS{Tolerance: 1e-11}} {
			if r := sparsetest.Residuals(d, sparsetest.Code(t, c, d, y), y)[0]; r > 1e-11 {
				t.Errorf("angle %g, %#v: residual %g", angle, c, r)
			}
		}
	}
	d := sparsetest.Dictionary(t, 16, 32, 3)
	for _, small := range []float64{1e-6, 1e-8, 1e-9} {
		y := mat.NewDense(16, 1, nil)
		for i := range 16 {
			y.Set(i, 0, d.Atom(4)[i]+small*d.Atom(20)[i])
		}
		for _, c := range []sparse.Coder{sparse.OMP{Sparsity: 5}, sparse.OMP{Tolerance: small / 100},
			sparse.OLS{Sparsity: 5}, sparse.OLS{Tolerance: small / 100}} {
			index, value := sparsetest.Code(t, c, d, y).Column(0)
			if !slices.Equal(index, []int32{4, 20}) || math.Abs(value[1]/small-1) > 1e-4 {
				t.Errorf("%g with %#v: coded as %v %v", small, c, index, value)
			}
		}
	}
}

// Each coder states how many non-zeros its spec allows; a coder that is not Limited has 0, no limit. Parameters without
// a meaning are refused by Code as they are in a spec.
func TestParameters(t *testing.T) {
	for _, info := range sparse.List() {
		for spec, want := range map[string]int{info.Name: 0, info.Name + ":sparsity=4": 4} {
			if got := sparse.MostNonZeros(must.Get(sparse.New(spec))(t)); got != want {
				t.Errorf("%s: %d, expected %d", spec, got, want)
			}
		}
	}
	if got := sparse.MostNonZeros(struct{ sparse.Coder }{sparse.OMP{Sparsity: 4}}); got != 0 {
		t.Errorf("a coder that is not Limited: %d", got)
	}
	d, y := sparsetest.Dictionary(t, 8, 20, 1), sparsetest.Gaussian(8, 3, 2)
	for says, c := range map[string]sparse.Coder{
		"steps -1": sparse.MP{Steps: -1}, "lambda -1": sparse.Lasso{Lambda: -1},
		"lambda NaN":               sparse.Lasso{Lambda: math.NaN()},
		"lambda 2 and tolerance 3": sparse.Lasso{Lambda: 2, Tolerance: 3},
		"tolerance NaN":            sparse.Lasso{Tolerance: math.NaN()}, "sparsity 21": sparse.Lasso{Sparsity: 21},
	} {
		_, err := c.Code(context.Background(), d, y)
		if !errors.Is(err, plugin.ErrSettings) || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// 100 times the signals take memory for their codes, two slices for 64 signals, and no more.
func TestNothingIsAllocatedForASignal(t *testing.T) {
	d := sparsetest.Dictionary(t, 9, 32, 1)
	for _, c := range []sparse.Coder{sparse.OMP{Sparsity: 3}, sparse.OLS{Sparsity: 3}} {
		count := func(signals int) float64 {
			y := sparsetest.Gaussian(9, signals, 2)
			return testing.AllocsPerRun(5, func() { sparsetest.Code(t, c, d, y) })
		}
		if more := count(6400) - count(64); more > 2*99+20 {
			t.Errorf("%T: %g allocations for 6,336 signals more", c, more)
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
	d, y := sparsetest.Dictionary(t, 6, 9, 1), sparsetest.Gaussian(6, 40, 2)
	c := sparsetest.Code(t, sparse.OMP{Sparsity: 3}, d, y)
	xx, xy := c.NormalEquations(6, func(j int) []float64 { return mat.Col(nil, j, y) })
	var wantXX, wantXY mat.Dense
	x := c.Dense()
	wantXX.Mul(x, x.T())
	wantXY.Mul(x, y.T())
	if !mat.EqualApprox(xx, &wantXX, 1e-12) || !mat.EqualApprox(xy, &wantXY, 1e-12) {
		t.Error("not X·Xᵀ and X·Yᵀ")
	}
}
