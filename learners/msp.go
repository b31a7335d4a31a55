package learners

import (
	"context"
	"flag"
	"math"
	"math/rand/v2"
	"time"

	"gonum.org/v1/gonum/mat"

	"superres/learners/plugin"
	"superres/learners/sparse"
)

// MSP (matching, stretching, projection) finds complete dictionaries, K ≤ M, by making the codes of whitened signals as
// spiky as a rotation can. With W the whitened signals (whiten.go) it climbs
//
//	maximise ‖RᵀW‖₄⁴  over orthogonal R,   R ← polar(W (WᵀR)^{∘3}),
//	D = U·diag(σ)·R with atoms of length 1,
//
// where ∘3 is the third power of every entry, and polar(A) = UVᵀ for A = U·diag(s)·Vᵀ. Each step raises the sum of
// fourth powers, since that is convex. The coder has no part in this; each iteration codes the signals once over D, so
// that its error is known as the errors of other learners are.
//
// The sum is largest at the true R for independent entries that are 0 often enough, in the limit of many signals; so
// the error falls as N grows, and has a floor for every N. A step costs 2·K²·N and a decomposition of K³.
//
// Y. Zhai, Z. Yang, Z. Liao, J. Wright, Y. Ma: Complete dictionary learning via ℓ⁴-norm maximization over the
// orthogonal group, JMLR 21 (2020), Algorithm 2 and section 3.4.
type MSP struct{}

func init() {
	Register(Info{
		Name:      "msp",
		Summary:   "largest l4 norm over rotations, for complete dictionaries: as many atoms as entries, or fewer",
		Reference: "Zhai, Yang, Liao, Wright, Ma 2020",
		New:       func(*flag.FlagSet) Learner { return &MSP{} },
	})
}

// Memory implements Learner. It counts the whitened signals, their codes by R, and the squares of rotations.
func (MSP) Memory(m, n, k, s int) float64 {
	codes, coding := sparse.Memory(m, k, n, s)
	atoms, signals := float64(m)*float64(k), float64(n)
	own := 8 * (float64(m)*signals + 2*float64(k)*signals + 4*square(min(m, n)) + 6*square(k) + 4*atoms)
	return own + 2*codes + max(coding, 8*float64(m)*signals)
}

// Learn implements Learner. It returns an error that wraps plugin.ErrSettings for more atoms than entries, or than the
// rank of y.
func (MSP) Learn(ctx context.Context, y *mat.Dense, opt Options) (*Result, error) {
	began := time.Now()
	opt, d, err := Prepare(y, opt)
	if err != nil {
		return nil, err
	}
	m, n := y.Dims()
	if opt.Atoms > m {
		return nil, plugin.Errorf("learners: msp finds complete dictionaries: expected %d atoms at most for "+
			"signals of %d entries, got %d; use another learner", m, m, opt.Atoms)
	}
	t, err := whiten(y, opt.Atoms)
	if err != nil {
		return nil, plugin.Errorf("%v, %d; use fewer, or another learner", err, opt.Atoms)
	}
	r, err := t.start(d, opt)
	if err != nil {
		return nil, err
	}
	watch := newProgress(opt, y, began)
	atoms := t.atoms(r)
	for done := false; !done; {
		if err := ctx.Err(); err != nil {
			return watch.fail(ctx, err)
		}
		var x, step mat.Dense // RᵀW
		x.Mul(r.T(), t.w)
		fourth := 0.0
		x.Apply(func(_, _ int, v float64) float64 {
			fourth += v * v * v * v
			return v * v * v
		}, &x)
		step.Mul(t.w, x.T())
		if r, err = nearestOrthogonal(&step); err != nil {
			return nil, err
		}
		before := atoms
		atoms = t.atoms(r)
		d, err := sparse.FromAtoms(m, atoms)
		if err != nil {
			return nil, err
		}
		codes, err := opt.Coder.Code(ctx, d, y)
		if err != nil {
			return watch.fail(ctx, err)
		}
		errs, err := squaredErrors(ctx, y, d, codes)
		if err != nil {
			return watch.fail(ctx, err)
		}
		sum := 0.0
		for _, v := range errs {
			sum += v
		}
		done = watch.endStep(d, codes, sum, -fourth/float64(n), 0, largestMove(before, atoms))
	}
	return Finish(watch.result)
}

// start returns the rotation nearest to the dictionary d where the caller gave it, or else a random one.
func (t whitening) start(d *sparse.Dictionary, opt Options) (*mat.Dense, error) {
	if opt.Init == nil {
		return rotation(t.k, rand.New(rand.NewPCG(opt.Seed, 4)))
	}
	// base = U·diag(σ), so that baseᵀD divided by σ² has the coordinates of D.
	var r mat.Dense
	r.Mul(t.base.T(), d.Matrix())
	for i := range t.k {
		scale := energy(mat.Col(nil, i, t.base))
		row := r.RawRowView(i)
		for j := range row {
			row[j] /= math.Max(scale, math.SmallestNonzeroFloat64)
		}
	}
	return nearestOrthogonal(&r)
}
