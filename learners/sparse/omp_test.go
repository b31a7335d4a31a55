package sparse_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/learners/sparse"
	"superres/learners/sparse/sparsetest"
)

func TestOMP(t *testing.T) {
	sparsetest.Run(t, func(s int, tolerance float64) sparse.Coder { return sparse.OMP{Sparsity: s, Tolerance: tolerance} })
}

// slowOMP is the definition: form the residual, pick, solve least squares by QR.
func slowOMP(d *sparse.Dictionary, y []float64, sparsity int) map[int]float64 {
	n, k := d.Dims()
	r := append([]float64(nil), y...)
	var support []int
	var x mat.VecDense
	for len(support) < sparsity {
		best, most := -1, 0.0
		for j := range k {
			c := 0.0
			for i, v := range d.Atom(j) {
				c += v * r[i] / d.Norm(j)
			}
			if math.Abs(c) > most {
				best, most = j, math.Abs(c)
			}
		}
		if most < 1e-10 {
			break
		}
		support = append(support, best)
		m := mat.NewDense(n, len(support), nil)
		for i, j := range support {
			m.SetCol(i, d.Atom(j))
		}
		x.Reset()
		if err := x.SolveVec(m, mat.NewVecDense(n, append([]float64(nil), y...))); err != nil {
			break
		}
		var fit mat.VecDense
		fit.MulVec(m, &x)
		for i := range r {
			r[i] = y[i] - fit.AtVec(i)
		}
	}
	code := map[int]float64{}
	for i, j := range support {
		code[j] = x.AtVec(i)
	}
	return code
}

func TestOMPAgainstTheDefinition(t *testing.T) {
	for _, c := range []struct{ n, k, s int }{{9, 32, 3}, {16, 32, 16}, {6, 4, 4}, {45, 128, 7}} {
		d := sparsetest.Dictionary(t, c.n, c.k, 7)
		y := sparsetest.Gaussian(c.n, 60, 8)
		x, err := sparse.OMP{Sparsity: c.s}.Code(context.Background(), d, y)
		if err != nil {
			t.Fatal(err)
		}
		for j := range 60 {
			want := slowOMP(d, mat.Col(nil, j, y), c.s)
			index, value := x.Column(j)
			if len(index) != len(want) {
				t.Fatalf("%+v signal %d: %d atoms, expected %d", c, j, len(index), len(want))
			}
			for i, k := range index {
				if math.Abs(value[i]-want[int(k)]) > 1e-9 {
					t.Fatalf("%+v signal %d atom %d: %g, expected %g", c, j, k, value[i], want[int(k)])
				}
			}
		}
	}
}

// The residual of a code is orthogonal to its atoms, and a signal that is sparse
// over few incoherent atoms is recovered with no further picks.
func TestOMPIdentities(t *testing.T) {
	d := sparsetest.Dictionary(t, 16, 32, 3)
	y := sparsetest.Gaussian(16, 100, 4)
	x, err := sparse.OMP{Sparsity: 5}.Code(context.Background(), d, y)
	if err != nil {
		t.Fatal(err)
	}
	var r mat.Dense
	r.Sub(y, x.Rebuild(d))
	for j := range 100 {
		index, _ := x.Column(j)
		for _, k := range index {
			if c := mat.Dot(mat.NewVecDense(16, d.Atom(int(k))), r.ColView(j)); math.Abs(c) > 1e-12 {
				t.Fatalf("signal %d: residual has %g of atom %d", j, c, k)
			}
		}
	}
	two := mat.NewDense(16, 1, nil)
	for i := range 16 {
		two.Set(i, 0, 3*d.Atom(4)[i]-d.Atom(20)[i])
	}
	x, err = sparse.OMP{Sparsity: 9}.Code(context.Background(), d, two)
	if err != nil {
		t.Fatal(err)
	}
	index, value := x.Column(0)
	if len(index) != 2 || index[0] != 4 || index[1] != 20 || math.Abs(value[0]-3) > 1e-12 || math.Abs(value[1]+1) > 1e-12 {
		t.Errorf("coded as %v %v", index, value)
	}
}

func BenchmarkOMP(b *testing.B) {
	for _, c := range []struct{ n, k, s int }{{9, 512, 3}, {25, 512, 3}, {45, 512, 5}} {
		b.Run(fmt.Sprintf("n=%d/atoms=%d/nonzeros=%d", c.n, c.k, c.s), func(b *testing.B) {
			m := sparsetest.Gaussian(c.n, c.k, 1)
			d, err := sparse.NewDictionary(m)
			if err != nil {
				b.Fatal(err)
			}
			y := sparsetest.Gaussian(c.n, 4096, 2)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := (sparse.OMP{Sparsity: c.s}).Code(context.Background(), d, y); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*4096/b.Elapsed().Seconds(), "signals/s")
		})
	}
}

// Atoms that are nearly parallel keep their digits: a signal in their span leaves
// nothing over, and a tolerance means what it says.
func TestOMPWithCoherentAtoms(t *testing.T) {
	for _, angle := range []float64{1e-2, 1e-3, 1e-4} {
		m := mat.NewDense(4, 3, []float64{1, 1, 0, 0, angle, 0, 0, 0, 1, 0, 0, 0})
		d, err := sparse.NewDictionary(m)
		if err != nil {
			t.Fatal(err)
		}
		y := mat.NewDense(4, 1, []float64{1, 5 * angle, 0, 0})
		for _, c := range []sparse.OMP{{Sparsity: 2}, {Tolerance: 1e-11}} {
			x, err := c.Code(context.Background(), d, y)
			if err != nil {
				t.Fatal(err)
			}
			if r := sparsetest.Residuals(d, x, y)[0]; r > 1e-11 {
				t.Errorf("angle %g, %+v: residual %g", angle, c, r)
			}
		}
	}
}

// A small second component is found down to 1e-9 of the first.
func TestOMPFindsSmallComponents(t *testing.T) {
	d := sparsetest.Dictionary(t, 16, 32, 3)
	for _, small := range []float64{1e-6, 1e-8, 1e-9} {
		y := mat.NewDense(16, 1, nil)
		for i := range 16 {
			y.Set(i, 0, d.Atom(4)[i]+small*d.Atom(20)[i])
		}
		for _, c := range []sparse.OMP{{Sparsity: 5}, {Tolerance: small / 100}} {
			x, err := c.Code(context.Background(), d, y)
			if err != nil {
				t.Fatal(err)
			}
			if index, value := x.Column(0); len(index) != 2 || index[0] != 4 || index[1] != 20 || math.Abs(value[1]/small-1) > 1e-4 {
				t.Errorf("%g with %+v: coded as %v %v", small, c, index, value)
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
	c, err := sparse.OMP{Sparsity: 3}.Code(context.Background(), d, y)
	if err != nil {
		t.Fatal(err)
	}
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
			c, err := sparse.New(spec)
			if err != nil {
				t.Fatal(err)
			}
			if got := sparse.MostNonZeros(c); got != want {
				t.Errorf("%s: %d, expected %d", spec, got, want)
			}
		}
	}
	if got := sparse.MostNonZeros(struct{ sparse.Coder }{sparse.OMP{Sparsity: 4}}); got != 0 {
		t.Errorf("a coder that does not say: %d", got)
	}
}
