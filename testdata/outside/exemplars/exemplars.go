// Package exemplars is a learner whose dictionary consists of training signals, drawn at random: it learns nothing.
// It is the simplest learner, and a baseline for the others.
package exemplars

import (
	"context"
	"flag"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"superres/learners"
	"superres/learners/plugin"
	"superres/learners/sparse"
)

// Exemplars is the learner.
type Exemplars struct {
	// Skip is added to the seed, so that other signals are drawn; 0: the seed decides alone.
	Skip int
}

// init registers the learner, with its name, its texts for help and its parameter.
func init() {
	learners.Register(learners.Info{
		Name:      "exemplars",
		Summary:   "training signals themselves, drawn by the seed",
		Reference: "Yang, Wright, Huang, Ma 2008",
		New: func(fs *flag.FlagSet) learners.Learner {
			l := &Exemplars{}
			fs.IntVar(&l.Skip, "skip", 0, "added to the seed, to draw other signals")
			return l
		},
	})
}

// Check returns a usage error if Skip is negative.
func (l Exemplars) Check() error {
	if l.Skip < 0 {
		return plugin.Errorf("exemplars: skip %d, expected 0 or more", l.Skip)
	}
	return nil
}

// Memory implements learners.Learner. It counts two copies of the atoms, the codes and, whichever is more, the work
// of the coder or two arrays of the size of y: the signals rebuilt from their codes, and the residual.
func (Exemplars) Memory(m, n, k, s int) float64 {
	held, working := sparse.Memory(m, k, n, s)
	return 8*2*float64(m)*float64(k) + held + max(working, 8*2*float64(m)*float64(n))
}

// Learn implements learners.Learner. It draws atoms, unless opt.Init gives them, and codes y over them, in one step.
func (l Exemplars) Learn(ctx context.Context, y *mat.Dense, opt learners.Options) (*learners.Result, error) {
	began := time.Now()
	opt, d, err := learners.Prepare(y, opt)
	if err != nil {
		return nil, err
	}
	if l.Skip > 0 && opt.Init == nil {
		if d, err = learners.Start(y, opt.Atoms, opt.Seed+uint64(l.Skip)); err != nil {
			return nil, err
		}
	}
	x, err := opt.Coder.Code(ctx, d, y)
	if err != nil {
		return nil, err
	}
	var rest mat.Dense
	rest.Sub(y, x.Rebuild(d))
	m, n := y.Dims()
	step := learners.Step{
		Iteration: 1, RMSE: mat.Norm(&rest, 2) / math.Sqrt(float64(m*n)), NonZeros: float64(len(x.Index)) / float64(n),
		Elapsed: time.Since(began),
	}
	if opt.Trace != nil {
		opt.Trace(step)
	}
	return learners.Finish(&learners.Result{Dictionary: d, Codes: x, Steps: []learners.Step{step},
		Stop: learners.Settled})
}
