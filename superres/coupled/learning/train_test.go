package learning

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/golden"
	"superres/internal/must"
	"superres/learners/sparse"
	"superres/patches/plane"
	"superres/superres"
	"superres/superres/resample"
)

// refit returns the least-squares solution: its gradient is nearly 0.
func TestRefit(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 0))
	random := func(r, c int) *mat.Dense {
		m := mat.NewDense(r, c, nil)
		m.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, m)
		return m
	}
	low, high := random(4, 200), random(16, 200)
	dl := must.Get(sparse.NewDictionary(random(4, 7)))(t)
	coder := sparse.OMP{Sparsity: 2}
	dh := must.Get(refit(t.Context(), dl, low, high, coder))(t)
	x := must.Get(coder.Code(t.Context(), dl, low))(t)
	// The residual is orthogonal to the codes: (Y_H − D_H·X)·Xᵀ = λ·D_H, nearly zero.
	var rest, gradient mat.Dense
	rest.Sub(high, x.Rebuild(dh))
	gradient.Mul(&rest, x.Dense().T())
	if g := mat.Norm(&gradient, 2); g > 1e-4*mat.Norm(high, 2) {
		t.Errorf("the gradient is %g", g)
	}
}

// The sampler takes every pair with the same probability, wherever it comes in the order.
func TestSamplerIsFair(t *testing.T) {
	count := make([]int, 100)
	for seed := range uint64(400) {
		s := newSampler(Trainer{Scale: 2, Degradation: resample.Box, Patch: 1, Patches: 10, Seed: seed})
		p := plane.New(20, 20)
		for i := range p.Pix {
			p.Pix[i] = float32(i/40*10+i%20/2) / 255 // a level of its own for each block of 2×2
		}
		s.add(p)
		for _, v := range s.low {
			count[int(math.Round(255*v))]++
		}
	}
	for i, c := range count { // expected 40, standard deviation 6
		if c < 15 || c > 70 {
			t.Errorf("pair %d was drawn %d times, expected about 40", i, c)
		}
	}
}

// Defaults are the options recorded in the embedded model, except for the seed.
func TestDefaultsAreTheRecipe(t *testing.T) {
	m := must.Get(superres.Load(golden.Shipped(t, "coupled.npz")))(t)
	recorded := golden.Recorded{TB: t, Command: m.Provenance.Command}
	flag, decimal, number := recorded.Flag, recorded.Decimal, recorded.Number
	want := Trainer{
		Scale: number("scale"), Degradation: resample.Degradation(flag("degradation")), Patch: number("patch"),
		Patches: number("patches"),
		Flat:    decimal("flat") / 255, Reductions: []float64{decimal("reduce")}, Mean: flag("mean") == "true",
		Detail: flag("detail") == "true", Refit: flag("refit") == "true",
		Learner: flag("learner"), Coder: flag("coder") + ":sparsity=" + flag("sparsity"), Atoms: number("atoms"),
		Iterations:  number("iterations"),
		BackProject: number("back-projection"), Seed: uint64(number("seed")),
	}
	got := Defaults()
	got.Seed = 1
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the documentation says\n%+v\nthe model was learned by\n%+v", got, want)
	}
}
