package planted

import (
	"context"
	"fmt"
	"math"
	"time"

	"superres/learners"
	"superres/learners/sparse"
)

// Task is one trial to be run. Tasks that differ in the learner alone get the same
// signals and the same first dictionary.
type Task struct {
	// M is the number of entries of a signal.
	M int `json:"m"`
	// K is the number of atoms.
	K int `json:"k"`
	// S is the number of non-zeros of a signal.
	S int `json:"s"`
	// N is the number of signals.
	N int `json:"n"`
	// Noise is that of the signals, relative to their root mean square: see New.
	Noise float64 `json:"noise"`
	// Trial is the number of the problem, from 0.
	Trial int `json:"trial"`
	// Seed is that of all random draws.
	Seed uint64 `json:"seed"`
	// Learner is a spec of learners.New.
	Learner string `json:"learner"`
	// Coder is a spec of sparse.New. Learners without a coder ignore it.
	Coder string `json:"coder"`
	// Limit is how many iterations there are at most.
	Limit int `json:"limit"`
	// Program is the fingerprint of the programs that learn or code. It is empty when all is
	// done within this one.
	Program string `json:"program,omitempty"`
}

// Trial is a task that has been run.
type Trial struct {
	Task
	Recovery
	// RMSE is ‖Y − DX‖_F / √(MN).
	RMSE float64 `json:"rmse"`
	// NonZeros is the mean number of non-zeros of a signal.
	NonZeros float64 `json:"non_zeros"`
	// Iterations is how many there were. 0 is that the learner does not tell.
	Iterations int `json:"iterations,omitempty"`
	// Replaced is how many atoms were begun anew in all iterations.
	Replaced int `json:"replaced"`
	// Stop is the learners.StopReason.
	Stop string `json:"stop"`
	// Seconds is the time it took, beside the other trials of the sweep.
	Seconds float64 `json:"seconds"`
	// Failure is why there is no result. Empty is that there is one.
	Failure string `json:"failure,omitempty"`
}

// Panel returns the task's panel.
func (t Task) Panel() Panel { return Panel{t.M, t.K, t.S} }

// Weight is roughly proportional to the work of a task, for showing progress.
func (t Task) Weight() float64 {
	return float64(t.N) * float64(t.K) * float64(t.M+t.K) * float64(t.Limit)
}

// Run runs a task. Its numbers, but for Seconds, do not depend on what runs beside it.
// What fails is told in the trial; the error is ctx's.
func (t Task) Run(ctx context.Context) (Trial, error) {
	r := Trial{Task: t}
	if err := r.run(ctx); err != nil {
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		r = Trial{Task: t, Failure: err.Error()} // what it came to before may be no number
	}
	return r, nil
}

func (t *Trial) run(ctx context.Context) error {
	learner, err := learners.New(t.Learner)
	if err != nil {
		return err
	}
	coder, err := sparse.New(t.Coder)
	if err != nil {
		return err
	}
	p, err := New(t.Panel(), t.N, t.Noise, t.Seed, t.Task.Trial)
	if err != nil {
		return err
	}
	began := time.Now()
	r, err := learner.Learn(ctx, p.Y, learners.Options{
		Atoms: t.K, Iterations: t.Limit, Coder: coder, Seed: stream(int(t.Seed), t.Task.Trial),
	})
	if err != nil {
		return err
	}
	t.Seconds = time.Since(began).Seconds()
	if t.Recovery, err = Measure(r.Dictionary, p.Dictionary); err != nil {
		return err
	}
	last := r.Steps[len(r.Steps)-1]
	t.RMSE, t.NonZeros, t.Iterations, t.Stop = last.RMSE, last.NonZeros, last.Iteration, string(r.Stop)
	for _, s := range r.Steps {
		t.Replaced += s.Replaced
	}
	for _, v := range []float64{t.Assigned, t.InOrder, t.RMSE} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("planted: %s gave a result that is not finite", t.Learner)
		}
	}
	return nil
}
