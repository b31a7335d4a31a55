package learning

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/must"
	"superres/learners/sparse"
	"superres/patches/plane"
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
