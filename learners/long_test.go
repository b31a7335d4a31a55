package learners

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/must"
	"superres/learners/sparse"
)

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
