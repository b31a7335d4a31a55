package sparse_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/learners/sparse"
	"superres/learners/sparse/sparsetest"
)

// Definitions, slow, for the oracles of the coders. Atoms have length 1.

// slowFit solves least squares on a support by QR and returns x and y − D_I·x.
func slowFit(d *sparse.Dictionary, y []float64, support []int) (x, r []float64) {
	n, _ := d.Dims()
	r = slices.Clone(y)
	if len(support) == 0 {
		return nil, r
	}
	m := mat.NewDense(n, len(support), nil)
	for i, k := range support {
		m.SetCol(i, d.Atom(k))
	}
	var v mat.VecDense
	if err := v.SolveVec(m, mat.NewVecDense(n, slices.Clone(y))); err != nil {
		panic(err)
	}
	return v.RawVector().Data, slowResidual(d, y, support, v.RawVector().Data)
}

func slowResidual(d *sparse.Dictionary, y []float64, support []int, x []float64) []float64 {
	r := slices.Clone(y)
	for j, k := range support {
		for i, v := range d.Atom(k) {
			r[i] -= x[j] * v
		}
	}
	return r
}

// slowLargest returns the places of the m largest |v|, largest first.
func slowLargest(v []float64, m int) []int {
	order := make([]int, len(v))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(v[b]), math.Abs(v[a])) })
	return order[:min(m, len(v))]
}

func slowCorrelations(d *sparse.Dictionary, r []float64) []float64 {
	_, k := d.Dims()
	c := make([]float64, k)
	for j := range c {
		c[j] = inner(d.Atom(j), r)
	}
	return c
}

func inner(a, b []float64) float64 {
	return mat.Dot(mat.NewVecDense(len(a), a), mat.NewVecDense(len(b), b))
}

func length(r []float64) float64 { return math.Sqrt(inner(r, r)) }

// againstTheDefinition compares a coder with slow at 1e-9.
func againstTheDefinition(t *testing.T, build func(s int) sparse.Coder,
	slow func(d *sparse.Dictionary, y []float64, s int) (support []int, x []float64)) {
	t.Helper()
	for _, c := range []struct{ n, k, s int }{{9, 32, 3}, {16, 32, 4}, {6, 4, 4}, {45, 128, 7}} {
		d := sparsetest.Dictionary(t, c.n, c.k, 7)
		y := sparsetest.Gaussian(c.n, 60, 8)
		codes := mustCode(t, build(c.s), d, y)
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

// leastSquaresOnSupport checks that no atom of a code is left in its residual.
func leastSquaresOnSupport(t *testing.T, d *sparse.Dictionary, codes *sparse.Codes, y *mat.Dense) {
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

// recoversPlanted checks that 4 of 128 atoms of 64 entries are found exactly, with S known and with S to be found.
func recoversPlanted(t *testing.T, build func(sparsity int, tolerance float64) sparse.Coder) {
	t.Helper()
	d := sparsetest.Dictionary(t, 64, 128, 3)
	y := mat.NewDense(64, 50, nil)
	planted := mat.NewDense(128, 50, nil)
	for j := range 50 {
		for i := range 4 {
			planted.Set((j*37+i*(29+j%3))%128, j, float64(1+i)*float64(1-2*(i%2)))
		}
	}
	y.Mul(d.Matrix(), planted)
	for _, c := range []sparse.Coder{build(4, 0), build(0, 1e-6), build(9, 1e-6), build(0, 0)} {
		if x := mustCode(t, c, d, y); len(x.Index) != 200 || !mat.EqualApprox(x.Dense(), planted, 1e-12) {
			t.Errorf("%+v: not the planted codes: %d non-zeros", c, len(x.Index))
		}
	}
}

// smallestSparsity checks that a code with a tolerance is that of the smallest S that reaches it, or of the last.
func smallestSparsity(t *testing.T, build func(sparsity int, tolerance float64) sparse.Coder) {
	t.Helper()
	d := sparsetest.Dictionary(t, 16, 32, 5)
	y := sparsetest.Gaussian(16, 40, 6)
	got := mustCode(t, build(6, 1.5), d, y)
	missing := 40
	for j := range 40 {
		one := mat.DenseCopyOf(y.Slice(0, 16, j, j+1))
		for s := 1; s <= 6; s++ {
			want := mustCode(t, build(s, 0), d, one)
			if sparsetest.Residuals(d, want, one)[0] > 1.5 && s < 6 {
				continue
			}
			index, value := got.Column(j)
			if !slices.Equal(index, want.Index) || !slices.Equal(value, want.Value) {
				t.Errorf("signal %d: %v, expected %v of S = %d", j, index, want.Index, s)
			}
			missing--
			break
		}
	}
	if missing != 0 {
		t.Error("not every signal was compared")
	}
}

// hardDictionaries checks a coder on atoms that repeat, are nearly parallel or number fewer than the entries, and on
// very small and very large signals.
func hardDictionaries(t *testing.T, build func(sparsity int, tolerance float64) sparse.Coder) {
	t.Helper()
	m := sparsetest.Gaussian(6, 12, 1)
	for i := range 6 {
		m.Set(i, 3, m.At(i, 2))
		m.Set(i, 4, -2*m.At(i, 2))
		m.Set(i, 7, m.At(i, 6)*(1+1e-7*float64(i)))
		m.Set(i, 9, 0)
	}
	for _, matrix := range []mat.Matrix{m, m.Slice(0, 6, 0, 5), m.Slice(0, 6, 2, 3)} {
		d := must(sparse.NewDictionary(matrix))(t)
		_, k := d.Dims()
		for _, scale := range []float64{1e-120, 1, 1e120} {
			y := sparsetest.Gaussian(6, 70, 2)
			y.Scale(scale, y)
			for _, s := range []int{0, 1, min(4, k), k} {
				for _, tolerance := range []float64{0, 0.1 * scale} {
					x := mustCode(t, build(s, tolerance), d, y)
					if err := x.Check(); err != nil {
						t.Fatal(err)
					}
					for j, r := range sparsetest.Residuals(d, x, y) {
						if size := mat.Norm(y.ColView(j), 2); r > size*(1+1e-9) || size/scale > 1e-3 &&
							len(x.Index) == 0 {
							t.Fatalf("%d atoms, scale %g, S = %d: residual %g of %g", k, scale, s, r, size)
						}
					}
				}
			}
		}
	}
}

func mustCode(t *testing.T, c sparse.Coder, d *sparse.Dictionary, y *mat.Dense) *sparse.Codes {
	t.Helper()
	return must(c.Code(context.Background(), d, y))(t)
}

// must returns a function that ends a test for an error, and returns the value otherwise.
func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// Nothing is allocated for a signal: 100 times as many take room for their codes, two slices for 64 signals, and no
// more.
func TestNothingIsAllocatedForASignal(t *testing.T) {
	d := sparsetest.Dictionary(t, 9, 32, 1)
	for _, c := range []sparse.Coder{sparse.OMP{Sparsity: 3}, sparse.OLS{Sparsity: 3}} {
		count := func(signals int) float64 {
			y := sparsetest.Gaussian(9, signals, 2)
			return testing.AllocsPerRun(5, func() {
				if _, err := c.Code(context.Background(), d, y); err != nil {
					t.Fatal(err)
				}
			})
		}
		if more := count(6400) - count(64); more > 2*99+20 {
			t.Errorf("%T: %g allocations for 6,336 signals more", c, more)
		}
	}
}

func benchmark(b *testing.B, build func(s int) sparse.Coder) {
	for _, c := range []struct{ n, k, s int }{{9, 128, 3}, {30, 512, 5}, {64, 512, 5}, {64, 1024, 3}} {
		b.Run(fmt.Sprintf("n=%d/atoms=%d/nonzeros=%d", c.n, c.k, c.s), func(b *testing.B) {
			d := must(sparse.NewDictionary(sparsetest.Gaussian(c.n, c.k, 1)))(b)
			y := sparsetest.Gaussian(c.n, 4096, 2)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := build(c.s).Code(context.Background(), d, y); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*4096/b.Elapsed().Seconds(), "signals/s")
		})
	}
}
