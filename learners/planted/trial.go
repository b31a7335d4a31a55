package planted

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"superres/learners"
	"superres/learners/sparse"
)

// Task describes a trial to run. Tasks that differ only in the learner have the same signals and first dictionary.
type Task struct {
	// M is the number of entries of a signal.
	M int `json:"m"`
	// K is the number of atoms.
	K int `json:"k"`
	// S is the number of non-zeros of a signal.
	S int `json:"s"`
	// N is the number of signals.
	N int `json:"n"`
	Model
	// Atoms is the number of atoms that the learner looks for. The default, 0, is K.
	Atoms int `json:"atoms,omitempty"`
	// Trial is the number of the problem, counted from 0.
	Trial int `json:"trial"`
	// Seed is the seed of all random numbers.
	Seed uint64 `json:"seed"`
	// Learner is a spec of learners.New.
	Learner string `json:"learner"`
	// Coder is a spec of sparse.New. Learners without a coder ignore it.
	Coder string `json:"coder"`
	// Limit is the largest number of iterations.
	Limit int `json:"limit"`
	// Program is the fingerprint of the external programs that learn or code. It is empty if there are none.
	Program string `json:"program,omitempty"`
	// Revision joins the revisions of the learner and of the coder, such as "1.0". Stored trials of another revision
	// differ from what the learner and the coder compute now.
	Revision string `json:"revision"`
}

// Revision returns the current value of Task.Revision for the specs of a learner and a coder.
func Revision(learner, coder string) (string, error) {
	l, err := learners.Revision(learner)
	if err != nil {
		return "", err
	}
	c, err := sparse.Revision(coder)
	return fmt.Sprintf("%d.%d", l, c), err
}

// Trial is the result of a task.
type Trial struct {
	Task
	Recovery
	// RMSE is ‖Y − DX‖_F / √(MN).
	RMSE float64 `json:"rmse"`
	// Least is the smallest RMSE of all iterations, 0 if not recorded. The dictionary comes from the last iteration.
	Least float64 `json:"least,omitempty"`
	// Falling reports whether the RMSE still fell at the last iteration: see learners.Result.
	Falling bool `json:"falling,omitempty"`
	// NonZeros is the mean number of non-zeros of a signal.
	NonZeros float64 `json:"non_zeros"`
	// Iterations is the number of iterations, or 0 where the learner does not report it.
	Iterations int `json:"iterations,omitempty"`
	// Replaced is how many atoms were replaced, over all iterations.
	Replaced int `json:"replaced"`
	// Stop is the learners.StopReason as text.
	Stop string `json:"stop"`
	// Seconds is the time that the trial took while other trials of the same sweep were running.
	Seconds float64 `json:"seconds"`
	// Failure says why the trial failed. It is empty if the trial succeeded.
	Failure string `json:"failure,omitempty"`
}

// Panel returns the panel of the task.
func (t Task) Panel() Panel { return Panel{t.M, t.K, t.S} }

// Weight estimates the work of a task, in any unit.
func (t Task) Weight() float64 {
	return float64(t.N) * float64(t.K) * float64(t.M+t.K) * float64(t.Limit)
}

// Run runs a task. Apart from Seconds the result does not depend on what else runs. A failure of the learner is part of
// the result; the only error is ctx.Err().
func (t Task) Run(ctx context.Context) (Trial, error) {
	r := Trial{Task: t}
	if err := r.run(ctx); err != nil {
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		r = Trial{Task: t, Failure: err.Error()} // without figures, which may not be finite
	}
	return r, nil
}

// run runs the task and sets the fields of t for the result.
func (t *Trial) run(ctx context.Context) error {
	learner, err := learners.New(t.Learner)
	if err != nil {
		return err
	}
	coder, err := sparse.New(t.Coder)
	if err != nil {
		return err
	}
	p, err := t.Model.New(t.Panel(), t.N, t.Seed, t.Task.Trial)
	if err != nil {
		return err
	}
	began := time.Now()
	r, err := learner.Learn(ctx, p.Y, learners.Options{
		Atoms: cmp.Or(t.Atoms, t.K), Iterations: t.Limit, Coder: coder, Seed: stream(int(t.Seed), t.Task.Trial),
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
	t.Least, t.Falling = r.Least(), r.Falling()
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
