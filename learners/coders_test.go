package learners_test

import (
	"context"
	"errors"
	"math"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/must"
	"superres/learners"
	"superres/learners/learnertest"
	"superres/learners/plugin"
	"superres/learners/sparse"
)

// hostile is a case at the edge of what a learner is to do. What all learners refuse is in learnertest.
type hostile struct {
	name            string
	y               *mat.Dense
	atoms, sparsity int
	tooSparse       bool // the sparsity, by every coder: a learner without one may go on
}

func hostileCases() []hostile {
	const m, n = 6, 30
	planted := learnertest.Planted(m, 10, 2, n, 1)
	first := func(count int) *mat.Dense { return mat.DenseCopyOf(planted.Slice(0, m, 0, count)) }
	same := mat.NewDense(m, n, nil)
	for j := range n {
		same.SetCol(j, mat.Col(nil, 0, planted))
	}
	gap := mat.DenseCopyOf(planted)
	gap.SetCol(4, make([]float64, m))
	return []hostile{
		{name: "sparsity above K", y: planted, atoms: 4, sparsity: 5, tooSparse: true},
		{name: "sparsity −1", y: planted, atoms: 4, sparsity: -1, tooSparse: true},
		{name: "K > N", y: first(5), atoms: 12, sparsity: 2},
		{name: "K > N = 1", y: first(1), atoms: 3, sparsity: 2},
		{name: "K = 1", y: planted, atoms: 1, sparsity: 1},
		{name: "one sample, one atom", y: first(1), atoms: 1, sparsity: 1},
		{name: "one row", y: mat.DenseCopyOf(planted.Slice(0, 1, 0, n)), atoms: 3, sparsity: 1},
		{name: "sparsity = K < M", y: planted, atoms: 4, sparsity: 4},
		{name: "sparsity > M", y: planted, atoms: 12, sparsity: 9},
		{name: "equal samples", y: same, atoms: 5, sparsity: 2},
		{name: "a zero sample", y: gap, atoms: 8, sparsity: 2},
		{name: "plain", y: planted, atoms: 8, sparsity: 2},
	}
}

// Numbers that mean nothing to any plug-in are refused with its spec, before any work, whatever is registered; and so
// by the plug-in itself, see the tests of each.
func TestParametersAreCheckedWithTheSpec(t *testing.T) {
	check := func(name string, params []plugin.Param, build func(spec string) error) {
		for _, p := range params {
			if _, err := strconv.ParseFloat(p.Default, 64); err != nil {
				continue // it is no number
			}
			for _, v := range []string{"-1", "NaN", "Inf", "-Inf", "", "x", "9e999"} {
				spec := name + ":" + p.Name + "=" + v
				if err := build(spec); !errors.Is(err, plugin.ErrSettings) {
					t.Errorf("%s: %v", spec, err)
				}
			}
			if spec := name + ":" + p.Name + "=" + p.Default; build(spec) != nil {
				t.Errorf("%s: %v", spec, build(spec))
			}
		}
	}
	for _, l := range learners.List() {
		check(l.Name, l.Params(), func(spec string) error { _, err := learners.New(spec); return err })
	}
	for _, c := range sparse.List() {
		check(c.Name, c.Params(), func(spec string) error { _, err := sparse.New(spec); return err })
	}
}

// A learner that is made without a spec refuses the same numbers.
func TestParametersAreCheckedByLearn(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, l := range []learners.Learner{
		learners.BLOTLESS{Inner: -1}, learners.SimCO{Mu: -1}, learners.SimCO{Mu: nan}, learners.SimCO{Mu: inf},
		learners.SimCO{Steps: -1}, learners.Online{Batch: -1}, learners.Online{Forget: -1},
		learners.Online{Forget: nan}, learners.Online{Forget: inf}, learners.ROP{Penalty: -1},
		learners.ROP{Penalty: nan},
		learners.ROP{Relaxation: 2}, learners.ROP{Relaxation: -1}, learners.ROP{Noise: -1}, learners.ROP{Noise: inf},
	} {
		y := learnertest.Planted(4, 6, 2, 20, 1)
		r, err := l.Learn(context.Background(), y, learners.Options{Atoms: 6})
		if !errors.Is(err, plugin.ErrSettings) || r != nil {
			t.Errorf("%#v: %v", l, err)
		}
	}
}

// Every learner with every coder refuses what it cannot do, in words, and does the rest: whatever is registered.
func TestEveryLearnerWithEveryCoder(t *testing.T) {
	for _, c := range hostileCases() {
		for _, coder := range sparse.List() {
			spec, err := sparse.WithSparsity(coder.Name, c.sparsity)
			if err != nil {
				spec = coder.Name // it has no such parameter
			}
			for _, l := range learners.List() {
				t.Run(c.name+"/"+l.Name+"/"+spec, func(t *testing.T) {
					coder, err := sparse.New(spec)
					if c.sparsity < 0 && spec != l.Name && errors.Is(err, plugin.ErrSettings) {
						return // refused before there is anything to code
					}
					must.Succeed(t, err)
					learner := must.Get(learners.New(l.Name))(t)
					before := mat.DenseCopyOf(c.y)
					r, err := learner.Learn(context.Background(), c.y,
						learners.Options{Atoms: c.atoms, Iterations: 3, Coder: coder, Seed: 1})
					if !mat.Equal(before, c.y) {
						t.Error("the training signals were changed")
					}
					switch {
					case c.tooSparse && err != nil:
						if r != nil || !errors.Is(err, plugin.ErrSettings) {
							t.Errorf("result %v, error %v", r != nil, err)
						}
					case err != nil:
						t.Error(err)
					default:
						learnertest.Check(t, r, c.y, c.atoms)
					}
				})
			}
		}
	}
}
