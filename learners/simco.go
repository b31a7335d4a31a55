package learners

import (
	"context"
	"flag"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"superres/internal/elementary"
	"superres/internal/parallel"
	"superres/learners/plugin"
)

// SimCO updates all atoms and all coefficients together. On a fixed support Ω the best X is a function of D, which
// leaves the minimisation of a function of D alone,
//
//	f_μ(D) = Σ_n min { ‖y_n − Dx‖² + μ‖x‖² : x on Ω_n },
//
// with the gradient G = −2(Y − DX)Xᵀ at the minimising X. The atoms lie on spheres: with g_k = G_k − d_k(d_kᵀG_k), each
// atom moves on a great circle,
//
//	d_k(t) = d_k cos(c_k t) − (g_k/‖g_k‖) sin(c_k t),   c_k = ‖g_k‖ / mean ‖g‖,
//
// all by the same t, which a golden-section search chooses; X is solved for again at every t of the search. An atom
// does not move if its gradient is rounding error.
//
// f_0 is discontinuous where atoms of a support become parallel, and descent gets stuck near such a D. A μ > 0 keeps D
// away from there: μ begins at Mu and falls in equal steps to 0, which it reaches halfway through the iterations.
// Learning may stop as Stalled or Settled only after that. The codes are always plain least squares, without μ.
//
// Note: Mu = 0 is the primitive form of the paper; with a coder in the loop a large Mu finds more atoms. Mean error
// (1 − |cos| to the true atom) of 20 planted problems with M = 16 entries, K = 32 atoms, S = 3 non-zeros and N
// signals, and, in the last column, of 12 with M = 24, K = 48, S = 6; 500 iterations:
//
//	            N=100  150    200    400    400
//	Mu = 0      0.231  0.171  0.150  0.051  0.167
//	Mu = 0.05   0.213  0.162  0.108  0.051  0.102
//	Mu = 4      0.160  0.103  0.068  0.031  0.028
//
// An evaluation of f costs N·(S²/2 + 2S)·M + N·S³/6, and a step takes about ten evaluations.
//
// W. Dai, T. Xu, W. Wang: Simultaneous codeword optimization (SimCO) for dictionary update and learning, IEEE Trans.
// Signal Processing 60 (2012), doi:10.1109/TSP.2012.2215026.
type SimCO struct {
	// Mu is μ in the first iteration. The default, 0, is no regularisation: the primitive form.
	Mu float64
	// Steps is the number of gradient steps in an iteration. The default, 0, is 1.
	Steps int
	// Keep keeps coherent and rarely used atoms. By default they are replaced during learning: see restart.go.
	Keep bool
}

func init() {
	Register(Info{
		Name:      "simco",
		Summary:   "SimCO: all atoms and coefficients together, by gradient steps on spheres",
		Reference: "Dai, Xu, Wang 2012",
		Revision:  1,
		New: func(fs *flag.FlagSet) Learner {
			l := &SimCO{}
			fs.Float64Var(&l.Mu, "mu", 0, "regularisation to begin with, falling to 0 over half of the iterations; "+
				"0: none")
			fs.IntVar(&l.Steps, "steps", 1, "gradient steps in an iteration")
			bindRestart(fs, &l.Keep)
			return l
		},
	})
}

// Check returns an error for invalid parameters.
func (l SimCO) Check() error {
	return plugin.CheckNumbers("learners: simco", map[string]float64{"mu": l.Mu, "steps": float64(l.Steps)})
}

func (l SimCO) Learn(ctx context.Context, y *mat.Dense, opt Options) (*Result, error) {
	if err := l.Check(); err != nil {
		return nil, err
	}
	return alternate(ctx, y, opt, l.Keep, l.update)
}

// Memory implements Learner. It counts the gradient, the atoms before a step, and a Cholesky factor for every worker.
func (SimCO) Memory(m, n, k, s int) float64 {
	return twoStageMemory(m, n, k, s, 8*2*float64(k)*float64(m)+8*workers(n)*square(min(s, k))+float64(n))
}

// update makes the gradient steps of one iteration.
func (l SimCO) update(ctx context.Context, p *problem) error {
	mu := l.Mu * max(0, 1-2*float64(p.iteration-1)/float64(p.iterations)) // 0 after half of the iterations
	p.transient = mu > 0                                                  // μ still falls: alternate must not stop yet
	for range max(l.Steps, 1) {
		f, err := p.fit(ctx, mu)
		if err != nil {
			return err
		}
		if err := p.descend(ctx, mu, f); err != nil {
			return err
		}
	}
	_, err := p.fit(ctx, 0) // the codes are plain least squares for any μ
	return err
}

// descend makes one gradient step from atoms for which fit has set codes and residual; f is f_μ there. It leaves codes
// and residual of another step that it tried: fit must follow.
func (p *problem) descend(ctx context.Context, mu, f float64) error {
	g, length, err := p.gradient(ctx)
	if err != nil {
		return err
	}
	negligible := 1e-14 * energy(p.signals)
	sum, largest := 0.0, 0.0
	for k, v := range length {
		if v <= negligible {
			length[k] = 0
			continue
		}
		sum, largest = sum+v, max(largest, v)
	}
	if largest == 0 {
		return nil
	}
	mean := sum / float64(p.k)
	from := slices.Clone(p.atoms)
	rotate := func(t float64) {
		for k, v := range length {
			if v == 0 {
				continue
			}
			d, h, atom := from[k*p.m:(k+1)*p.m], g[k*p.m:(k+1)*p.m], p.atom(k)
			sin, cos := elementary.Sincos(v / mean * t)
			for i := range atom {
				atom[i] = cos*d[i] - sin/v*h[i]
			}
			Normalise(atom) // so that rounding errors do not add up
		}
	}
	t, err := goldenSection(f, math.Pi*mean/largest, func(t float64) (float64, error) { // at most half a turn
		rotate(t)
		return p.fit(ctx, mu)
	})
	if err != nil {
		return err
	}
	if copy(p.atoms, from); t > 0 {
		rotate(t)
	}
	return nil
}

// gradient returns the Riemannian gradient g of f_μ, atom after atom, and each ‖g_k‖. fit has set codes and residual.
func (p *problem) gradient(ctx context.Context) (g, length []float64, err error) {
	g, length = make([]float64, p.m*p.k), make([]float64, p.k)
	const grain = 4 // atoms that a worker takes at a time
	err = parallel.For(ctx, p.k, grain, func() func(lo, hi int) {
		return func(lo, hi int) {
			for k := lo; k < hi; k++ {
				row, atom := g[k*p.m:(k+1)*p.m], p.atom(k)
				signals, positions := p.row(k)
				for i, j := range signals {
					axpy(-2*p.codes.Value[positions[i]], p.residualOf(int(j)), row) // G_k = −2(Y − DX)·(row k of X)ᵀ
				}
				axpy(-dot(atom, row), atom, row)     // leaves the part orthogonal to the atom
				length[k] = blas64.Nrm2(vector(row)) // not by dot: the square of the length may underflow or overflow
			}
		}
	})
	return g, length, err
}

// goldenSection searches for the t > 0 with the least f(t). It returns the best t that it tried, or 0 if no f(t) was
// below f0 = f(0). It brackets a minimum between 0 and t4, at first 0.01: t4 grows by the golden ratio while f falls
// and t4 is below limit, and shrinks while f(t2) at the smaller inner point t2 is not below f0. Three steps narrow it.
func goldenSection(f0, limit float64, f func(t float64) (float64, error)) (best float64, err error) {
	const ratio = math.Phi - 1
	least := f0
	try := func(t float64) float64 {
		if err != nil {
			return math.Inf(1)
		}
		var v float64
		if v, err = f(t); v < least {
			best, least = t, v
		}
		return v
	}
	t1, t4 := 0.0, 1e-2
	t2, t3 := ratio*ratio*t4, ratio*t4
	f2, f3, f4 := try(t2), try(t3), try(t4)
	for f4 < f3 && t4 < limit {
		t2, t3, t4 = t3, t4, t4/ratio
		f2, f3, f4 = f3, f4, try(t4)
	}
	for f2 >= f0 {
		if t4 < 1e-7 || err != nil {
			return best, err
		}
		t2, t3, t4 = ratio*t2, t2, t3
		f2, f3 = try(t2), f2
	}
	for range 3 {
		if f2 < f3 {
			t2, t3, t4 = t1+ratio*ratio*(t3-t1), t2, t3
			f2, f3 = try(t2), f2
		} else {
			t1, t2, t3 = t2, t3, t2+ratio*(t4-t2)
			f2, f3 = f3, try(t3)
		}
	}
	return best, err
}
