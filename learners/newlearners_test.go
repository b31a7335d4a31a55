package learners_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/learners"
	"superres/learners/learnertest"
	"superres/learners/planted"
	"superres/learners/plugin"
	"superres/learners/sparse"
	"superres/learners/sparse/sparsetest"
)

// problem returns a planted problem with n signals.
func problem(t *testing.T, p planted.Panel, n int) *planted.Problem {
	t.Helper()
	return sparsetest.Must(planted.New(p, n, 0, 5, 0))(t)
}

// recovered returns the error and the share of the true atoms that a learner finds.
func recovered(t *testing.T, l learners.Learner, p *planted.Problem, o learners.Options) planted.Recovery {
	t.Helper()
	return sparsetest.Must(planted.Measure(learn(t, l, p.Y, o).Dictionary, p.Dictionary))(t)
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

// MSP finds complete dictionaries, of full and of less than full rank, by a rotation that no step makes worse; the
// result is the same for every call, consistent, and does not depend on the units of the signals.
func TestMSP(t *testing.T) {
	for _, panel := range []planted.Panel{{M: 8, K: 8, S: 2}, {M: 10, K: 6, S: 2}} {
		p := problem(t, panel, 2000)
		o := learners.Options{Atoms: panel.K, Coder: sparse.OMP{Sparsity: 2}}
		if got := recovered(t, learners.MSP{}, p, o); got.Assigned > 0.01 {
			t.Errorf("%+v: error %g", panel, got.Assigned)
		}
		r := learn(t, learners.MSP{}, p.Y, o)
		learnertest.Check(t, r, p.Y, panel.K)
		var scaled mat.Dense
		scaled.Scale(math.Ldexp(1, 400), p.Y)
		again := learn(t, learners.MSP{}, &scaled, o)
		if !mat.EqualApprox(r.Dictionary.Matrix(), again.Dictionary.Matrix(), 1e-6) {
			t.Errorf("%+v: signals times 2^400 give another dictionary", panel)
		}
		o.Init, o.Iterations = r.Dictionary, 1
		if warm := learn(t, learners.MSP{}, p.Y, o); !mat.EqualApprox(r.Dictionary.Matrix(),
			warm.Dictionary.Matrix(), 1e-6) {
			t.Errorf("%+v: it leaves its own solution", panel)
		}
	}
	y := learnertest.Planted(8, 12, 2, 90, 1)
	for name, o := range map[string]learners.Options{"more than entries": {Atoms: 12}, "no atoms": {}} {
		if _, err := (learners.MSP{}).Learn(context.Background(), y, o); !errors.Is(err, plugin.ErrSettings) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var flat mat.Dense // of rank 3
	flat.Mul(y.Slice(0, 8, 0, 3), y.Slice(0, 3, 0, 90))
	if _, err := (learners.MSP{}).Learn(context.Background(), &flat, learners.Options{Atoms: 5}); !errors.Is(err,
		plugin.ErrSettings) {
		t.Errorf("signals of rank 3: %v", err)
	}
}

// Adaptive ITKrM finds the number of atoms from too few and from too many.
func TestITKrMFindsTheNumberOfAtoms(t *testing.T) {
	p := problem(t, planted.Panel{M: 16, K: 24, S: 2}, 2000)
	for _, atoms := range []int{16, 24, 36} {
		o := learners.Options{Atoms: atoms, Iterations: 200, Coder: sparse.OMP{Sparsity: 2}}
		r := learn(t, learners.ITKrM{Adaptive: true}, p.Y, o)
		_, k := r.Dictionary.Dims()
		learnertest.Check(t, r, p.Y, k)
		got := sparsetest.Must(planted.Measure(r.Dictionary, p.Dictionary))(t)
		if k < 22 || k > 26 || got.Recovered < 0.85 {
			t.Errorf("from %d atoms: %d atoms, of which %+v of the 24 true ones", atoms, k, got)
		}
	}
}
