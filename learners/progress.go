package learners

import (
	"context"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"superres/learners/sparse"
)

// The limits at which a loop ends before its last iteration.
const (
	exactResidual = 1e-9 // relative to ‖Y‖_F
	settledMove   = 1e-9 // largest change of an atom's entry
	stallSteps    = 60
	stallGain     = 1e-3
)

// progress follows a loop over iterations: it keeps the result of the last one and
// tells when there is no more to do.
type progress struct {
	opt    Options
	m, n   int
	total  float64 // ‖Y‖²
	began  time.Time
	result *Result // of the last whole iteration; nil before the first
	best   float64 // ‖Y − DX‖ that an improvement undercuts; at first infinite
	bestAt int     // the iteration that reached it
}

func newProgress(opt Options, y *mat.Dense, began time.Time) *progress {
	m, n := y.Dims()
	length := mat.Norm(y, 2)
	return &progress{opt: opt, m: m, n: n, total: length * length, began: began, best: math.Inf(1)}
}

// done takes in an iteration that left ‖Y − DX‖² = left, began atoms anew and
// changed no entry of the others by more than move. It tells whether to end.
func (w *progress) done(d *sparse.Dictionary, codes *sparse.Codes, left float64, replaced int, move float64) bool {
	if w.result == nil {
		w.result = &Result{}
	}
	r := w.result
	it := len(r.Steps) + 1
	step := Step{
		Iteration: it, RMSE: math.Sqrt(left / float64(w.m*w.n)), NonZeros: float64(len(codes.Index)) / float64(w.n),
		Replaced: replaced, Elapsed: time.Since(w.began),
	}
	r.Dictionary, r.Codes, r.Steps, r.Stop = d, codes, append(r.Steps, step), IterationLimit
	if w.opt.Trace != nil {
		w.opt.Trace(step)
	}
	if root := math.Sqrt(left); root < w.best*(1-stallGain) {
		w.best, w.bestAt = root, it
	}
	switch {
	case left <= exactResidual*exactResidual*w.total:
		r.Stop = Exact
	case replaced == 0 && move <= settledMove:
		r.Stop = Settled
	case it-w.bestAt >= stallSteps:
		r.Stop = Stalled
	}
	return r.Stop != IterationLimit || it == w.opt.Iterations
}

// fail ends a loop in the midst of an iteration.
func (w *progress) fail(ctx context.Context, err error) (*Result, error) {
	if ctx.Err() != nil {
		return cancelled(w.result), ctx.Err()
	}
	return nil, err
}
