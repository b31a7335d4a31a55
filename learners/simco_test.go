package learners

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/must"
	"superres/learners/sparse"
	"superres/learners/sparse/sparsetest"
)

// codedProblem returns the problem that an update of k atoms gets: n Gaussian signals of m entries and length 1
// over Gaussian atoms, s non-zeros each.
func codedProblem(t *testing.T, m, k, s, n int) *problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 0))
	d := must.Get(sparse.NewDictionary(gauss(rng, m, k)))(t)
	y := gauss(rng, m, n)
	return newProblem(y, d, sparsetest.Code(t, sparse.OMP{Sparsity: s}, d, y))
}

func mustFit(t *testing.T, p *problem, mu float64) float64 {
	t.Helper()
	return must.Get(p.fit(context.Background(), mu))(t)
}

// f, the codes, the gradient and the atoms after one step agree with an independent NumPy program, with and without
// regularisation.
func TestSimCOAgainstAnotherProgram(t *testing.T) {
	all := LoadSteps(t)
	y := all["Y"]
	d := must.Get(sparse.NewDictionary(all["D"]))(t)
	for _, mu := range []float64{0, 0.05} {
		want := func(name string) *mat.Dense { return all[fmt.Sprintf("simco_mu%g_%s", mu, name)] }
		codes := sparsetest.Code(t, sparse.OMP{Sparsity: 2}, d, y)
		p := newProblem(y, d, codes)
		f := mustFit(t, p, mu)
		if math.Abs(f-want("f").At(0, 0)) > 1e-9 {
			t.Errorf("mu %g: f is %g, expected %g", mu, f, want("f").At(0, 0))
		}
		if !mat.EqualApprox(codes.Dense(), want("X"), 1e-9) {
			t.Errorf("mu %g: X differs", mu)
		}
		g, _, err := p.gradient(context.Background())
		if err != nil || !mat.EqualApprox(mat.NewDense(8, 6, g).T(), want("grad"), 1e-9) {
			t.Errorf("mu %g: the gradient differs (%v)", mu, err)
		}
		err = p.descend(context.Background(), mu, f)
		if err != nil || !mat.EqualApprox(mat.NewDense(8, 6, p.atoms).T(), want("D_after_1"), 1e-9) {
			t.Errorf("mu %g: D differs after a step (%v)", mu, err)
		}
	}
}

// An atom that depends on others of its support gets a zero, and the fit is as good as without it.
func TestFitWithDependentAtoms(t *testing.T) {
	d := must.Get(sparse.NewDictionary(mat.NewDense(3, 3, []float64{1, 1, 0, 0, 0, 1, 0, 0, 0})))(t)
	codes := &sparse.Codes{Atoms: 3, Start: []int{0, 3, 5}, Index: []int32{0, 1, 2, 0, 1}, Value: make([]float64, 5)}
	p := newProblem(mat.NewDense(3, 2, []float64{3, 1, 4, 2, 5, 3}), d, codes)
	if f := mustFit(t, p, 0); f != 25+13 {
		t.Errorf("f is %g", f)
	}
	if want := []float64{3, 0, 4, 1, 0}; !slices.Equal(p.codes.Value, want) {
		t.Errorf("codes %v, expected %v", p.codes.Value, want)
	}
	if want := []float64{0, 0, 5, 0, 2, 3}; !slices.Equal(p.residual, want) {
		t.Errorf("residual %v, expected %v", p.residual, want)
	}
}

// f_μ never rises on a fixed support, the atoms keep their length, and an update ends with the least-squares codes
// and their residual.
func TestSimCODescends(t *testing.T) {
	for _, mu := range []float64{0, 0.05, 4} {
		p := codedProblem(t, 10, 15, 3, 80)
		first := mustFit(t, p, mu)
		before := first
		for range 40 {
			must.Succeed(t, p.descend(context.Background(), mu, before))
			f := mustFit(t, p, mu)
			if f > before {
				t.Fatalf("mu %g: f rose from %g to %g", mu, before, f)
			}
			before = f
		}
		if before > 0.98*first {
			t.Errorf("mu %g: f went from %g to %g only", mu, first, before)
		}
		must.Succeed(t, (SimCO{Mu: mu, Steps: 2}).update(context.Background(), p))
		values, left := slices.Clone(p.codes.Value), energy(p.residual)
		if f := mustFit(t, p, 0); math.Abs(f-left) > 1e-12*f || !slices.Equal(values, p.codes.Value) {
			t.Errorf("mu %g: the update leaves %g, least squares %g", mu, left, f)
		}
		for k := range p.k {
			if length := math.Sqrt(energy(p.atom(k))); math.Abs(length-1) > 1e-14 {
				t.Errorf("mu %g: atom %d has length %g", mu, k, length)
			}
		}
	}
}

// Where the gradient is zero nothing moves; an atom that no signal uses never does.
func TestSimCOFixedPoint(t *testing.T) {
	p := codedProblem(t, 8, 12, 2, 50)
	for i := range p.signals {
		p.signals[i] -= p.residual[i] // now D and X are exact
	}
	p.refresh()
	before := slices.Clone(p.atoms)
	must.Succeed(t, (SimCO{Steps: 3}).update(context.Background(), p))
	if !slices.Equal(before, p.atoms) {
		t.Errorf("the atoms moved by %g", largestMove(before, p.atoms))
	}

	p = codedProblem(t, 8, 12, 1, 5)
	before = slices.Clone(p.atoms)
	must.Succeed(t, (SimCO{}).update(context.Background(), p))
	moved := 0
	for k := range p.k {
		signals, _ := p.row(k)
		move := largestMove(before[k*p.m:(k+1)*p.m], p.atom(k))
		if len(signals) == 0 && move > 0 {
			t.Errorf("atom %d moved, and no signal uses it", k)
		}
		if move > 0 {
			moved++
		}
	}
	if moved == 0 {
		t.Error("nothing moved")
	}
}

// The search finds the minimum of a parabola near and far, tries no worse a t than 0, and passes errors on.
func TestGoldenSection(t *testing.T) {
	for _, at := range []float64{1e-5, 0.004, 0.01, 1.7} {
		best, err := goldenSection(at*at, 10, func(t float64) (float64, error) { return (t - at) * (t - at), nil })
		if err != nil || math.Abs(best-at) > 0.25*at {
			t.Errorf("minimum at %g: found %g, %v", at, best, err)
		}
	}
	tries := 0
	best, err := goldenSection(1, 10, func(t float64) (float64, error) { tries++; return 1 + t, nil })
	if err != nil || best != 0 || tries > 40 {
		t.Errorf("a rising function: %g, %v after %d", best, err, tries)
	}
	tries = 0
	best, err = goldenSection(1, 10, func(t float64) (float64, error) { tries++; return -t, nil })
	if err != nil || best < 10 || tries > 30 {
		t.Errorf("a falling function: %g, %v after %d", best, err, tries)
	}
	for at := range 12 {
		tries = 0
		if _, err := goldenSection(1, 10, func(t float64) (float64, error) {
			if tries++; tries > at {
				return 0, context.Canceled
			}
			return (t - 0.5) * (t - 0.5), nil
		}); err == nil || tries > at+1 {
			t.Errorf("failing at the try %d: %v after %d", at, err, tries)
		}
	}
}
