package learners

import (
	"context"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"superres/learners/sparse"
)

// A loop ends early if the residual is at most exactResidual, if it replaces no atom and moves no entry of an atom by
// more than settledMove, or if the objective has not fallen by the share stallGain within stallSteps iterations.
const (
	exactResidual = 1e-9 // relative to ‖Y‖_F
	settledMove   = 1e-9 // the largest change of an entry of an atom
	stallSteps    = 60
	stallGain     = 1.999e-3 // of the objective; where that is ‖Y − DX‖², it is 0.1 % of ‖Y − DX‖
)

// progress records the iterations of a loop: it keeps the result of the last iteration and decides when to end.
type progress struct {
	opt    Options
	m, n   int
	total  float64 // ‖Y‖²
	began  time.Time
	result *Result // of the last complete iteration; nil before the first
	best   float64 // the smallest objective that counted as an improvement; infinite at first
	bestAt int     // the iteration that reached best
}

// newProgress begins to record a loop that learns from y.
func newProgress(opt Options, y *mat.Dense, began time.Time) *progress {
	m, n := y.Dims()
	length := mat.Norm(y, 2)
	return &progress{opt: opt, m: m, n: n, total: length * length, began: began, best: math.Inf(1)}
}

// endStep records an iteration: its dictionary and codes, ‖Y − DX‖², the objective (often the same number), how many
// atoms were replaced, and the largest change of an entry of an atom. It reports whether it was the last one.
func (w *progress) endStep(d *sparse.Dictionary, codes *sparse.Codes, squaredError, objective float64, replaced int,
	move float64) bool {
	if w.result == nil {
		w.result = &Result{}
	}
	r := w.result
	it := len(r.Steps) + 1
	step := Step{
		Iteration: it, RMSE: math.Sqrt(squaredError / float64(w.m*w.n)),
		NonZeros: codes.NonZeros(),
		Replaced: replaced, Elapsed: time.Since(w.began),
	}
	r.Dictionary, r.Codes, r.Steps, r.Stop = d, codes, append(r.Steps, step), IterationLimit
	if w.opt.Trace != nil {
		w.opt.Trace(step)
	}
	if objective < w.best-stallGain*math.Abs(w.best) || math.IsInf(w.best, 1) {
		w.best, w.bestAt = objective, it
	}
	switch {
	case squaredError <= exactResidual*exactResidual*w.total:
		r.Stop = Exact
	case replaced == 0 && move <= settledMove:
		r.Stop = Settled
	case it-w.bestAt >= stallSteps:
		r.Stop = Stalled
	}
	return r.Stop != IterationLimit || it == w.opt.Iterations
}

// mayGoOn reports whether the loop may continue after atoms are replaced, even if endStep has ended it: there are
// iterations left, and the residual is not zero.
func (w *progress) mayGoOn() bool {
	return w.result.Stop != Exact && len(w.result.Steps) < w.opt.Iterations
}

// goOn lets the loop continue after atoms were replaced. The count of iterations without improvement starts again.
func (w *progress) goOn() {
	w.result.Stop, w.bestAt = IterationLimit, len(w.result.Steps)
}

// fail ends a loop in which an iteration failed with err. If ctx has ended, it returns the result of the previous
// iteration, nil if there is none, with ctx.Err().
func (w *progress) fail(ctx context.Context, err error) (*Result, error) {
	if ctx.Err() != nil {
		return finishCancelled(w.result), ctx.Err()
	}
	return nil, err
}
