package learners_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"superres/learners"
	"superres/learners/learnertest"
	"superres/learners/plugin"
	"superres/learners/sparse"
)

// Exemplars is a learner as another module would write it: its dictionary is made of
// training signals, as they are drawn, and nothing is learned. It is the simplest of
// all, and a baseline for the others.
type Exemplars struct {
	Skip int // of the draws, so many are thrown away; 0: none
}

func init() {
	learners.Register(learners.Info{
		Name:      "exemplars",
		Summary:   "training signals themselves, drawn by the seed",
		Reference: "Yang, Wright, Huang, Ma 2008",
		New: func(fs *flag.FlagSet) learners.Learner {
			l := &Exemplars{}
			fs.IntVar(&l.Skip, "skip", 0, "throw so many draws away")
			return l
		},
	})
}

// Check refuses parameters that mean nothing.
func (l Exemplars) Check() error {
	if l.Skip < 0 {
		return plugin.Errorf("exemplars: skip %d, expected 0 or more", l.Skip)
	}
	return nil
}

// Learn implements learners.Learner.
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
		Iteration: 1, RMSE: mat.Norm(&rest, 2) / math.Sqrt(float64(m*n)), NonZeros: float64(len(x.Index)) / float64(n), Elapsed: time.Since(began),
	}
	if opt.Trace != nil {
		opt.Trace(step)
	}
	return learners.Finish(&learners.Result{Dictionary: d, Codes: x, Steps: []learners.Step{step}, Stop: learners.Settled})
}

// A learner of another module stands beside the others once its package is imported.
func Example() {
	learner, err := learners.New("exemplars:skip=2")
	if err != nil {
		panic(err)
	}
	y := mat.NewDense(2, 4, []float64{
		1, 0, 2, 0,
		0, 1, 0, -3,
	})
	r, err := learner.Learn(context.Background(), y, learners.Options{Atoms: 4, Coder: sparse.OMP{Sparsity: 1}})
	if err != nil {
		panic(err)
	}
	_, atoms := r.Dictionary.Dims()
	fmt.Printf("%d atoms, RMSE %.0f, %s\n", atoms, r.Steps[0].RMSE, r.Stop)
	// Output: 4 atoms, RMSE 0, dictionary settled
}

func TestExemplars(t *testing.T) {
	y := learnertest.Planted(8, 12, 2, 90, 1)
	r, err := Exemplars{}.Learn(t.Context(), y, learners.Options{Atoms: 12, Coder: sparse.OMP{Sparsity: 2}})
	if err != nil {
		t.Fatal(err)
	}
	learnertest.Check(t, r, y, 12)
}
