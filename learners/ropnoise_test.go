package learners

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/must"
	"superres/learners/sparse"
)

// Over the dictionary that signals were made from, the estimate is the noise that was added to them, and next to
// nothing where none was.
func TestNoiseEstimate(t *testing.T) {
	const m, k, s, n = 16, 32, 3, 400
	rng := rand.New(rand.NewPCG(5, 1))
	d := must.Get(sparse.FromAtoms(m, plantedAtoms(m, k, 5)))(t)
	for _, noise := range []float64{0, 0.05, 0.5} {
		y := make([]float64, m*n)
		for j := range n {
			for _, a := range rng.Perm(k)[:s] {
				axpy(10*rng.NormFloat64(), d.Atom(a), y[j*m:(j+1)*m])
			}
		}
		for i := range y {
			y[i] += noise * rng.NormFloat64()
		}
		got, err := must.Get(newROPState(y, m, d, 1, false))(t).estimateNoise(context.Background())
		if err != nil || got < 0.9*noise || got > 1.2*noise+1e-9 {
			t.Errorf("noise %g: estimated %g, %v", noise, got, err)
		}
	}
}

// The parameter noise is a number or auto, and shows as it is read.
func TestNoiseParam(t *testing.T) {
	for text, ok := range map[string]bool{"0.5": true, "auto": true, "0": true, "loud": false} {
		l := &ROP{}
		p := noiseParam{l}
		if err := p.Set(text); (err == nil) != ok || ok && (p.String() != text || l.EstimateNoise != (text == "auto")) {
			t.Errorf("%s: %v, %s", text, err, p)
		}
	}
}

// The whitened base has orthogonal columns and, where K is the rank, YYᵀ/N is its product with its transpose. Signals
// of less than rank K are refused, at once where there is no room for the square of their length.
func TestWhitenedBase(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, size := range [][2]int{{6, 40}, {40, 6}} {
		m, n := size[0], size[1]
		y := mat.NewDense(m, n, nil)
		y.Apply(func(i, _ int, _ float64) float64 { return float64(i+1) * 1e3 * rng.NormFloat64() }, y)
		base := must.Get(whitenedBase(y, min(m, n)))(t)
		var columns, product, want mat.Dense
		columns.Mul(base.T(), base)
		for i := range min(m, n) {
			columns.Set(i, i, 0)
		}
		product.Mul(base, base.T())
		want.Mul(y, y.T())
		want.Scale(1/float64(n), &want)
		if scale := mat.Norm(&want, 2); mat.Norm(&columns, 2) > 1e-12*scale ||
			!mat.EqualApprox(&product, &want, 1e-12*scale) {
			t.Errorf("%d×%d: the base is not U·diag(σ/√N)", m, n)
		}
		flat := mat.NewDense(m, n, nil)
		flat.Outer(1, y.ColView(0), y.RowView(0))
		if _, err := whitenedBase(flat, 2); err == nil || !strings.Contains(err.Error(), "dimensions") {
			t.Errorf("%d×%d: two coordinates of signals on a line: %v", m, n, err)
		}
	}
	long := mat.NewDense(300_000, 3, nil)
	long.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, long)
	if _, err := whitenedBase(long, 2); err != nil {
		t.Error(err)
	}
}

// ROP finds complete dictionaries. From its usual start, signals, it would fail in half of the problems.
func TestROPComplete(t *testing.T) {
	const m, n = 8, 150
	for seed := range uint64(3) {
		y, truth := plantedSignals(m, m, 2, n, seed), plantedAtoms(m, m, seed)
		r := must.Get(ROP{}.Learn(context.Background(), y, Options{Atoms: m, Iterations: 300, Seed: seed}))(t)
		for k := range m {
			if best := nearest(truth[k*m:(k+1)*m], m, r.Dictionary.Atom); best < 0.95 {
				t.Errorf("seed %d: true atom %d has |cos| %.4f to the nearest", seed, k, best)
			}
		}
	}
}

// Signals of noise alone give codes that are not sparse, and a warning that says so.
func TestROPWarnsOfDenseCodes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	y := mat.NewDense(8, 60, nil)
	y.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, y)
	r := must.Get(ROP{}.Learn(context.Background(), y, Options{Atoms: 12, Iterations: 60}))(t)
	for _, w := range r.Warnings {
		if strings.Contains(w.Error(), "noise=auto") {
			return
		}
	}
	t.Errorf("%.1f non-zeros a signal, warnings %v", r.Steps[len(r.Steps)-1].NonZeros, r.Warnings)
}
