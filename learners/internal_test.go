package learners

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/must"
	"superres/learners/sparse"
)

// solveSym gives the least-norm solution where rows depend on one another, zeros for a row of zeros, and full
// accuracy for rows of very different size.
func TestSolveSym(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	x := mat.NewDense(4, 30, nil)
	x.Apply(func(i, _ int, _ float64) float64 { return rng.NormFloat64() * math.Pow(10, -3*float64(i)) }, x)
	d := mat.NewDense(5, 4, nil)
	d.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, d)
	for _, c := range []struct {
		name  string
		spoil func()
	}{
		{"sizes from 1 to 1e-9", func() {}},
		{"an empty row", func() { scaleRow(x, 2, 0) }},
		{"two equal rows", func() { copy(x.RawRowView(1), x.RawRowView(0)) }},
	} {
		c.spoil()
		var y, xy, got mat.Dense
		y.Mul(d, x)
		xx := mat.NewSymDense(4, nil)
		xx.SymOuterK(1, x)
		xy.Mul(x, y.T())
		if err := solveSym(&got, xx, &xy); err != nil {
			t.Fatal(err)
		}
		var fit, miss mat.Dense
		fit.Mul(got.T(), x)
		miss.Sub(&fit, &y)
		if mat.Norm(&miss, 2) > 1e-9*mat.Norm(&y, 2) {
			t.Errorf("%s: residual %g", c.name, mat.Norm(&miss, 2))
		}
		switch c.name {
		case "sizes from 1 to 1e-9":
			if !mat.EqualApprox(got.T(), d, 1e-6) {
				t.Errorf("%s: an atom used little is lost", c.name)
			}
		case "an empty row":
			if mat.Norm(got.RowView(2), 2) != 0 {
				t.Errorf("%s: gives %v", c.name, mat.Formatted(got.RowView(2).T()))
			}
		case "two equal rows":
			if !mat.EqualApprox(got.RowView(0), got.RowView(1), 1e-9) {
				t.Errorf("%s: not the least norm", c.name)
			}
		}
	}
}

// The worst represented signals replace unused atoms, the worst first, each once.
func TestReplaceUnused(t *testing.T) {
	y := mat.NewDense(3, 4, []float64{
		1, 1, 1, 1,
		0, 5, 0, 2,
		0, 0, 9, 0,
	})
	d := must.Get(sparse.NewDictionary(mat.NewDense(3, 3, []float64{1, 1, 1, 0, 0, 0, 0, 0, 0})))(t)
	codes := &sparse.Codes{Atoms: 3, Start: []int{0, 1, 2, 3, 4}, Index: []int32{0, 0, 0, 0},
		Value: []float64{1, 1, 1, 1}}
	p := newProblem(y, d, codes)
	if count := p.replaceUnused(); count != 2 {
		t.Fatalf("replaced %d", count)
	}
	if p.atom(1)[2] < 0.99 || p.atom(2)[1] < 0.97 || p.atom(0)[0] != 1 {
		t.Errorf("atoms %v", p.atoms)
	}
}

// The loop ends when the dictionary settles, and when nothing improves any more.
func TestStopReasons(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	y := mat.NewDense(4, 30, nil)
	y.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, y)
	opt := Options{Atoms: 3, Iterations: 5000, Coder: sparse.OMP{Sparsity: 1}}
	settled, err := KSVD{}.Learn(context.Background(), y, opt)
	if err != nil || settled.Stop != Settled {
		t.Errorf("K-SVD ended: %v, %v", settled.Stop, err)
	}
	// An update that turns the atoms for ever, to no use.
	stalled, err := alternate(context.Background(), y, opt, true, func(_ context.Context, p *problem) error {
		p.atoms[0], p.atoms[1] = p.atoms[1], p.atoms[0]
		return nil
	})
	if err != nil || stalled.Stop != Stalled || len(stalled.Steps) > 200 {
		t.Errorf("turning atoms ended: %v after %d, %v", stalled.Stop, len(stalled.Steps), err)
	}
}
