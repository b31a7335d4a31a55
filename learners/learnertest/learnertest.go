// Package learnertest is the conformance suite of all learners. The test of a learner calls Run once.
package learnertest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/must"
	"superres/learners"
	"superres/learners/sparse"
	"superres/learners/sparse/sparsetest"
)

// Run checks that a learner does everything that the comments of learners.Learner say.
func Run(t *testing.T, learner learners.Learner) {
	t.Helper()
	ctx := context.Background()
	y := Planted(8, 12, 2, 90, 1)
	opt := learners.Options{Atoms: 12, Iterations: 15, Coder: sparse.OMP{Sparsity: 2}, Seed: 3}
	learn := func(t *testing.T, y *mat.Dense, o learners.Options) *learners.Result {
		t.Helper()
		return must.Get(learner.Learn(ctx, y, o))(t)
	}

	t.Run("result", func(t *testing.T) {
		before := mat.DenseCopyOf(y)
		var traced []learners.Step
		o := opt
		o.Trace = func(s learners.Step) { traced = append(traced, s) }
		r := learn(t, y, o)
		if !mat.Equal(before, y) {
			t.Error("the training signals were changed")
		}
		if !reflect.DeepEqual(traced, r.Steps) || len(r.Steps) == 0 || r.Stop == "" {
			t.Errorf("%d steps traced, %d in the result, stop %q", len(traced), len(r.Steps), r.Stop)
		}
		Check(t, r, y, 12)
		first, last := r.Steps[0], r.Steps[len(r.Steps)-1]
		if first.Primal == 0 && last.RMSE > first.RMSE { // a learner with a constraint may begin with Y = DX
			t.Errorf("RMSE went from %g to %g", first.RMSE, last.RMSE)
		}
	})

	t.Run("same bits", func(t *testing.T) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
		var first *learners.Result
		for _, procs := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(procs)
			r := learn(t, y, opt)
			if first == nil {
				first = r
			} else if !mat.Equal(first.Dictionary.Matrix(), r.Dictionary.Matrix()) ||
				!reflect.DeepEqual(first.Codes, r.Codes) {
				t.Errorf("%d workers give another result", procs)
			}
		}
	})

	t.Run("scale", func(t *testing.T) {
		// The result does not depend on the units of the signals. In BLOTLESS rounding errors grow by 10¹² in an
		// iteration, so that only one iteration with a wide tolerance can be compared.
		o := opt
		o.Iterations = 1
		base := learn(t, y, o)
		for _, power := range []int{-460, -300, 300, 460} {
			var scaled mat.Dense
			scaled.Scale(math.Ldexp(1, power), y)
			if r := learn(t, &scaled, o); !mat.EqualApprox(base.Dictionary.Matrix(), r.Dictionary.Matrix(), 0.01) {
				t.Errorf("signals times 2^%d give another dictionary", power)
			}
		}
	})

	t.Run("start", func(t *testing.T) {
		// The first dictionary is the given one, for any seed.
		o := opt
		o.Atoms, o.Iterations = 0, 2
		o.Init = sparsetest.Dictionary(t, 8, 12, 5)
		first := learn(t, y, o).Steps[0].RMSE
		o.Seed = 99
		if learn(t, y, o).Steps[0].RMSE != first {
			t.Error("a given start depends on the seed")
		}
		o.Init = sparsetest.Dictionary(t, 8, 12, 6)
		if learn(t, y, o).Steps[0].RMSE == first {
			t.Error("another start gives the same first step")
		}
	})

	t.Run("few", func(t *testing.T) {
		for name, c := range map[string]struct{ signals, atoms int }{
			"one atom": {90, 1}, "one signal": {1, 3}, "fewer signals than atoms": {5, 12}, "one of each": {1, 1},
		} {
			signals := mat.DenseCopyOf(y.Slice(0, 8, 0, c.signals))
			t.Run(name, func(t *testing.T) {
				o := learners.Options{Atoms: c.atoms, Iterations: 5, Coder: sparse.OMP{Sparsity: 1}}
				Check(t, learn(t, signals, o), signals, c.atoms)
			})
		}
	})

	t.Run("memory", func(t *testing.T) { memory(t, learner) })

	t.Run("refused", func(t *testing.T) {
		nan, inf := mat.DenseCopyOf(y), mat.DenseCopyOf(y)
		nan.Set(3, 7, math.NaN())
		inf.Set(0, 0, math.Inf(1))
		var large, small mat.Dense // each signal can be squared, but the squares cannot be summed
		large.Scale(1e153, y)
		small.Scale(1e-160, y)
		for name, bad := range map[string]*mat.Dense{
			"NaN": nan, "Inf": inf, "empty": {}, "zero": mat.NewDense(8, 4, nil), "too large": &large,
			"too small": &small,
		} {
			if r, err := learner.Learn(ctx, bad, opt); err == nil || r != nil {
				t.Errorf("%s: result %v, error %v", name, r != nil, err)
			}
		}
		for name, o := range map[string]learners.Options{
			"no atoms": {}, "negative": {Atoms: -1}, "iterations": {Atoms: 3, Iterations: -1},
			"start of another size": {Init: sparsetest.Dictionary(t, 7, 12, 5)},
		} {
			if _, err := learner.Learn(ctx, y, o); err == nil {
				t.Errorf("%s: no error", name)
			}
		}
	})

	t.Run("cancellation", func(t *testing.T) {
		ctx, cancel := context.WithCancel(ctx)
		o := opt
		o.Trace = func(s learners.Step) {
			if s.Iteration == 2 {
				cancel()
			}
		}
		r, err := learner.Learn(ctx, y, o)
		if err == nil && len(r.Steps) == 1 {
			return // the learner has no second iteration
		}
		if !errors.Is(err, context.Canceled) || r == nil || r.Stop != learners.Cancelled || len(r.Steps) != 2 {
			t.Fatalf("cancelled in iteration 2: %+v, %v", r, err)
		}
		Check(t, r, y, 12)
	})
}

// Check checks that a result is consistent: its sizes, unit atoms, signs, and the error of its last step.
func Check(t *testing.T, r *learners.Result, y *mat.Dense, atoms int) {
	t.Helper()
	m, n := y.Dims()
	rows, k := r.Dictionary.Dims()
	if rows != m || k != atoms || r.Codes.Atoms != atoms || r.Codes.Signals() != n {
		t.Fatalf("dictionary %d×%d, codes %d×%d for %d×%d signals and %d atoms", rows, k, r.Codes.Atoms,
			r.Codes.Signals(), m, n, atoms)
	}
	if err := r.Codes.Check(); err != nil {
		t.Fatal(err)
	}
	for j := range k {
		if math.Abs(r.Dictionary.Norm(j)-1) > 1e-12 {
			t.Errorf("atom %d has length %g", j, r.Dictionary.Norm(j))
		}
		largest := 0.0
		for _, v := range r.Dictionary.Atom(j) {
			if math.Abs(v) > math.Abs(largest) {
				largest = v
			}
		}
		if largest < 0 {
			t.Errorf("the largest entry of atom %d is negative", j)
		}
	}
	var residual mat.Dense
	residual.Sub(y, r.Codes.Rebuild(r.Dictionary))
	rmse := mat.Norm(&residual, 2) / math.Sqrt(float64(m*n))
	if got := r.Steps[len(r.Steps)-1].RMSE; math.Abs(got-rmse) > 1e-9*mat.Norm(y, 2) {
		t.Errorf("the last step says RMSE %g, dictionary and codes give %g", got, rmse)
	}
}

// Planted returns m×n signals. Each combines s of k Gaussian atoms with N(0,1) coefficients.
func Planted(m, k, s, n int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	d := sparsetest.Gaussian(m, k, seed)
	for j := range k {
		atom := d.ColView(j).(*mat.VecDense)
		atom.ScaleVec(1/mat.Norm(atom, 2), atom)
	}
	x := mat.NewDense(k, n, nil)
	for j := range n {
		for _, i := range rng.Perm(k)[:s] {
			x.Set(i, j, rng.NormFloat64())
		}
	}
	var y mat.Dense
	y.Mul(d, x)
	return &y
}

// memory checks that the Memory of a learner does not overflow for the largest problems.
func memory(t *testing.T, learner learners.Learner) {
	for _, v := range []int{1 << 30, math.MaxInt} {
		if bytes := learner.Memory(1<<30, 1<<30, v, 1<<30); !(bytes > 1<<60) {
			t.Errorf("Memory says %g bytes for the largest sizes", bytes)
		}
	}
}
