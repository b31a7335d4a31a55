package learners_test

import (
	"errors"
	"math"
	"testing"

	"superres/internal/must"
	"superres/learners"
	"superres/learners/planted"
	"superres/learners/plugin"
	"superres/learners/sparse"
)

// problem returns a planted problem with n signals.
func problem(t *testing.T, p planted.Panel, n int) *planted.Problem {
	t.Helper()
	return must.Get(planted.New(p, n, 0, 5, 0))(t)
}

// recovered returns the error and the share of the true atoms that a learner finds.
func recovered(t *testing.T, l learners.Learner, p *planted.Problem, o learners.Options) planted.Recovery {
	t.Helper()
	return must.Get(planted.Measure(learn(t, l, p.Y, o).Dictionary, p.Dictionary))(t)
}

// The lasso finds a planted dictionary without the sparsity, whatever coder it is given; its objective at the end has
// the last weight, and a larger last weight leaves fewer non-zeros.
func TestLassoLearner(t *testing.T) {
	p := problem(t, planted.Panel{M: 16, K: 24, S: 2}, 400)
	o := learners.Options{Atoms: 24, Iterations: 200, Coder: sparse.OMP{Sparsity: 7}}
	if got := recovered(t, learners.Lasso{}, p, o); got.Recovered < 0.9 {
		t.Errorf("%+v", got)
	}
	few, many := learn(t, learners.Lasso{Lambda: 0.2}, p.Y, o), learn(t, learners.Lasso{Lambda: 0.001}, p.Y, o)
	if a, b := last(few).NonZeros, last(many).NonZeros; a >= b {
		t.Errorf("lambda 0.2 has %g non-zeros, 0.001 has %g", a, b)
	}
	for _, l := range []learners.Lasso{{Lambda: 1}, {Lambda: -1}, {First: 0.001}, {Lambda: math.NaN()}} {
		if err := l.Check(); !errors.Is(err, plugin.ErrSettings) {
			t.Errorf("%+v: %v", l, err)
		}
	}
}

// last returns the last step of a result.
func last(r *learners.Result) learners.Step { return r.Steps[len(r.Steps)-1] }
