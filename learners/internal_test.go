package learners

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/kernel"
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
		must.Succeed(t, solveSym(&got, xx, &xy))
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

// The leading vector agrees with a singular value decomposition, for more rows than columns and fewer, at any gap
// between the first two singular values.
func TestLeading(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 30))
	lead := &leading{}
	for _, c := range []struct{ rows, m int }{{1, 5}, {4, 5}, {5, 5}, {9, 5}, {8, 8}, {300, 45}, {20, 45}} {
		for _, gap := range []float64{0.5, 1e-1, 1e-3, 1e-5, 1e-13, 0} {
			e := mat.NewDense(c.rows, c.m, nil)
			e.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, e)
			var svd mat.SVD
			if !svd.Factorize(e, mat.SVDThin) {
				t.Fatal("SVD")
			}
			var left, right mat.Dense
			svd.UTo(&left)
			svd.VTo(&right)
			values := svd.Values(nil)
			if len(values) > 1 {
				values[1] = values[0] * (1 - gap)
			}
			var scaled mat.Dense
			scaled.Mul(&left, mat.NewDiagDense(len(values), values))
			e.Mul(&scaled, right.T())
			u := make([]float64, c.m)
			padded := mat.NewDense(c.rows, kernel.Pad(c.m), nil)
			padded.Slice(0, c.rows, 0, c.m).(*mat.Dense).Copy(e)
			must.Succeed(t, lead.rightVector(padded.RawMatrix().Data, c.m, u))
			Normalise(u)
			var image mat.VecDense
			image.MulVec(e, mat.NewVecDense(c.m, u))
			if got := mat.Norm(&image, 2); math.Abs(got-values[0]) > 1e-12*values[0] {
				t.Errorf("%v, gap %g: reaches %g of %g", c, gap, got, values[0])
			}
			want := mat.Col(nil, 0, &right)
			if c := math.Abs(dot(u, want)); gap > 1e-6 && math.Sqrt(max(0, 2-2*c)) > 1e-7 {
				t.Errorf("%v, gap %g: |cos| 1 - %g", c, gap, 1-c)
			}
		}
		u := []float64{1, 1, 1, 1, 1}
		if err := lead.rightVector(make([]float64, 32), 5, u); err != nil || energy(u) != 0 {
			t.Errorf("of zeros: %v, %v", u, err)
		}
	}
}

// Signals with far more entries than there are signals, which lie in a few dimensions, are learned as they are in
// those dimensions.
func TestLongSignals(t *testing.T) {
	const m, n, k, entries = 6, 20, 10, 64
	rng := rand.New(rand.NewPCG(3, 40))
	var qr mat.QR
	qr.Factorize(gauss(rng, entries, entries))
	var whole, longY, longD mat.Dense
	qr.QTo(&whole)
	q := whole.Slice(0, entries, 0, m)
	p := supportProblem(t, gauss(rng, m, k), 2, n, 9)
	y := mat.DenseCopyOf(mat.NewDense(n, m, p.signals).T())
	y.Apply(func(_, _ int, v float64) float64 { return v + 0.02*rng.NormFloat64() }, y)
	d := gauss(rng, m, k)
	longY.Mul(q, y)
	longD.Mul(q, d)
	for name, c := range map[string]struct {
		learner    Learner
		iterations int
	}{
		"mod": {MOD{}, 4}, "ksvd": {KSVD{}, 4}, "approximate": {KSVD{Approximate: true}, 4}, "simco": {SimCO{}, 4},
		"online":   {Online{}, 4},
		"blotless": {BLOTLESS{Inner: 5}, 2}, "rop": {ROP{}, 30}, "restarts": {ROP{}, 80},
	} {
		t.Run(name, func(t *testing.T) {
			var results [2]*Result
			replaced := 0
			for i, start := range []mat.Matrix{d, &longD} {
				init := must.Get(sparse.NewDictionary(start))(t)
				opt := Options{Init: init, Iterations: c.iterations, Coder: sparse.OMP{Sparsity: 2}}
				results[i] = must.Get(c.learner.Learn(context.Background(), []*mat.Dense{y, &longY}[i], opt))(t)
				for _, s := range results[i].Steps {
					replaced += s.Replaced
				}
			}
			if name == "restarts" && replaced == 0 {
				t.Error("no atom is restarted")
			}
			var want, got, short, long mat.Dense
			want.Mul(q, results[0].Dictionary.Matrix())
			if far := largestDistance(columns(results[1].Dictionary.Matrix()), &want); !(far < 1e-8) {
				t.Errorf("an atom is %g from what it is in %d dimensions", far, m)
			}
			short.Mul(results[0].Dictionary.Matrix(), results[0].Codes.Dense())
			got.Mul(results[1].Dictionary.Matrix(), results[1].Codes.Dense())
			if long.Mul(q, &short); !mat.EqualApprox(&got, &long, 1e-8) {
				t.Error("D·X differs")
			}
		})
	}
}

// The shortest X comes from the pseudoinverse of D, whichever side is the smaller.
func TestShortest(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 41))
	for _, c := range []struct{ m, n, k int }{{6, 9, 10}, {30, 4, 5}, {30, 4, 1}, {30, 1, 5}, {5, 4, 9}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			d, y := gauss(rng, c.m, c.k), gauss(rng, c.m, c.n)
			if c.k == 5 {
				d.SetCol(1, mat.Col(nil, 0, d)) // dependent atoms share what one would have
			}
			start := must.Get(sparse.NewDictionary(d))(t)
			s := must.Get(newROPState(columns(y), c.m, start, 1, false))(t)
			var svd mat.SVD
			if !svd.Factorize(d, mat.SVDThin) {
				t.Fatal("SVD")
			}
			rank := 0
			for _, v := range svd.Values(nil) {
				if v > 1e-9 {
					rank++
				}
			}
			var want mat.Dense
			svd.SolveTo(&want, y, rank)
			want.Scale(s.scale, &want)
			if got := mat.NewDense(c.k, c.n, s.w); !mat.EqualApprox(got, &want, 1e-9*math.Sqrt(float64(c.n))) {
				t.Errorf("X is\n%v, expected\n%v", mat.Formatted(got), mat.Formatted(&want))
			}
		})
	}
}
