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
	M       int     `json:"m"`
	K       int     `json:"k"`
	S       int     `json:"s"`
	N       int     `json:"n"`
	Noise   float64 `json:"noise"`
	Trial   int     `json:"trial"` // from 0
	Seed    uint64  `json:"seed"`
	Learner string  `json:"learner"` // a spec of learners.New
	Coder   string  `json:"coder"`   // a spec of sparse.New; learners without a coder ignore it
	Limit   int     `json:"limit"`   // on the iterations
}

// Trial is a task that has been run.
type Trial struct {
	Task
	Recovery
	RMSE       float64 `json:"rmse"`      // ‖Y − DX‖_F / √(MN)
	NonZeros   float64 `json:"non_zeros"` // mean of a signal
	Iterations int     `json:"iterations"`
	Replaced   int     `json:"replaced"` // atoms begun anew
	Stop       string  `json:"stop"`
	Seconds    float64 `json:"seconds"`           // beside the other trials of the sweep
	Failure    string  `json:"failure,omitempty"` // why there is no result, else empty
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
