package learners

import (
	"cmp"
	"context"
	"flag"
	"math"

	"gonum.org/v1/gonum/mat"

	"superres/internal/elementary"
	"superres/learners/plugin"
	"superres/learners/sparse"
)

// Lasso learns with codes that are sparse by their ℓ₁ norm, so that it needs no number of non-zeros:
//
//	minimise ½‖Y − DX‖² + λ‖X‖₁  over X and D with atoms of length 1.
//
// X is the solution of the lasso for D, by homotopy (sparse.Lasso), and D the least-squares dictionary for X (MOD) with
// atoms scaled to length 1. λ falls geometrically over the first iterations. A large λ leaves few and large entries in
// a code, which finds the atoms; a small λ shrinks the entries little, which makes the atoms accurate. Without noise
// the last λ limits that accuracy; with noise of standard deviation σ the best last λ is about σ√(2·ln K).
//
// Note: mean error (1 − |cos| to the true atom) of 4 planted problems of seed 7, M = 16 entries, K = 32 atoms, S = 3
// non-zeros, N signals, 500 iterations, by first and last λ; blank: not tried:
//
//	                    N = 100  200    400
//	0.15, 0.01          0.059    0.009  0.007
//	0.3, 0.01           0.073    0.007  0.005
//	0.3, 0.01, Keep     0.095    0.029  0.026
//	0.3, 0.003          0.067    0.044  0.029
//	0.5, 0.01           0.044    0.003  0.002
//	0.5, 0.03           0.072    0.009
//	0.7, 0.01           0.063    0.028
//
// An iteration costs N lasso paths, longer for codes with more non-zeros, and MOD's update.
//
// J. Mairal, F. Bach, J. Ponce, G. Sapiro: Online learning for matrix factorization and sparse coding, JMLR 11 (2010),
// states the problem; the update of D is by K. Engan, S. Aase, J. Husøy, ICASSP 1999.
type Lasso struct {
	// Lambda is the last λ, as a share, below 1, of the root mean square length of the signals. The default is 0.01.
	Lambda float64
	// First is the first λ, as the same share. The default, 0, is 0.5, or Lambda if that is larger.
	First float64
	// Keep keeps coherent and rarely used atoms. By default they are replaced during learning: see restart.go.
	Keep bool
}

const (
	lassoFirst, lassoLast = 0.5, 0.01
	annealUntil           = 0.8 // of the iterations: λ is constant after that
)

func init() {
	Register(Info{
		Name:      "lasso",
		Summary:   "MOD over lasso codes with a weight that falls; needs no coder and is not told the sparsity",
		Reference: "Mairal, Bach, Ponce, Sapiro 2010; Engan, Aase, Husøy 1999",
		New: func(fs *flag.FlagSet) Learner {
			l := &Lasso{}
			fs.Float64Var(&l.Lambda, "lambda", 0, "last weight of the l1 norm, as a share of the signals' length; "+
				"0: 0.01")
			fs.Float64Var(&l.First, "first", 0, "first weight of the l1 norm; 0: 0.5, or as lambda where that is more")
			bindRestart(fs, &l.Keep)
			return l
		},
	})
}

// Check returns an error for invalid parameters.
func (l Lasso) Check() error {
	for name, v := range map[string]float64{"lambda": l.Lambda, "first": l.First} {
		if !(v >= 0 && v < 1) {
			return plugin.Errorf("learners: lasso: %s %g, expected 0 or more and less than 1", name, v)
		}
	}
	if l.First > 0 && l.First < cmp.Or(l.Lambda, lassoLast) {
		return plugin.Errorf("learners: lasso: first %g, expected at least lambda, %g", l.First, cmp.Or(l.Lambda,
			lassoLast))
	}
	return nil
}

func (Lasso) IgnoresCoder() {}

// Memory implements Learner. Codes may have a non-zero for each entry of a signal.
func (l Lasso) Memory(m, n, k, _ int) float64 { return MOD{}.Memory(m, n, k, min(m, k)) }

// Learn implements Learner. In place of opt.Coder it uses a lasso coder, with a λ that falls from First to Lambda.
func (l Lasso) Learn(ctx context.Context, y *mat.Dense, opt Options) (*Result, error) {
	if err := l.Check(); err != nil {
		return nil, err
	}
	opt, d, err := Prepare(y, opt)
	if err != nil {
		return nil, err
	}
	_, n := y.Dims()
	last := cmp.Or(l.Lambda, lassoLast)
	first := cmp.Or(l.First, max(lassoFirst, last))
	length := mat.Norm(y, 2) / math.Sqrt(float64(n))    // of the signals, in the root mean square
	falls := int(annealUntil * float64(opt.Iterations)) // the number of iterations before λ has its last value
	weight := func(it int) float64 {                    // λ for an iteration counted from 1, in the units of Y
		share := min(1, float64(it-1)/float64(max(1, falls)))
		return length * first * elementary.Pow(last/first, share)
	}
	coder := &changingLasso{sparse.Lasso{Lambda: weight(1)}}
	opt.Coder = coder
	if opt.Init == nil {
		opt.Init = d // so that alternate does not choose the first dictionary a second time
	}
	return alternate(ctx, y, opt, l.Keep, func(ctx context.Context, p *problem) error {
		p.transient = p.iteration <= falls && first > last // λ still falls: alternate must not stop yet
		if err := modUpdate(ctx, p); err != nil {
			return err
		}
		coder.Lambda = weight(p.iteration + 1)
		return nil
	})
}

// changingLasso is a lasso with a weight λ that a learner changes between calls of Code.
type changingLasso struct{ sparse.Lasso }
