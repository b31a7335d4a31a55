package learners_test

import (
	"context"
	"math"
	"reflect"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/learners"
	"superres/learners/learnertest"
	"superres/learners/sparse"
)

func TestOnline(t *testing.T) { learnertest.Run(t, learners.Online{}) }

// Small batches are drawn by the seed alone.
func TestOnlineBatchesAreDrawnBySeed(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	y := learnertest.Planted(8, 12, 2, 90, 1)
	learn := func(procs int, seed uint64) *learners.Result {
		runtime.GOMAXPROCS(procs)
		r := learners.Must(learners.Online{Batch: 16}.Learn(context.Background(), y,
			learners.Options{Atoms: 12, Iterations: 6, Coder: sparse.OMP{Sparsity: 2}, Seed: seed}))(t)
		return r
	}
	a, b, c := learn(1, 3), learn(8, 3), learn(1, 4)
	if !mat.Equal(a.Dictionary.Matrix(), b.Dictionary.Matrix()) || !reflect.DeepEqual(a.Codes, b.Codes) {
		t.Error("8 workers give another result than 1")
	}
	if mat.Equal(a.Dictionary.Matrix(), c.Dictionary.Matrix()) {
		t.Error("another seed gives the same result")
	}
}

// The codes returned are those of the coder over the dictionary returned.
func TestOnlineCodesAreTheCoders(t *testing.T) {
	y := learnertest.Planted(8, 12, 2, 300, 2)
	coder := sparse.OMP{Sparsity: 2}
	r := learners.Must(learners.Online{Batch: 64}.Learn(context.Background(), y,
		learners.Options{Atoms: 12, Iterations: 3, Coder: coder}))(t)
	codes, err := coder.Code(context.Background(), r.Dictionary, y)
	if err != nil || !mat.EqualApprox(codes.Dense(), r.Codes.Dense(), 1e-12) {
		t.Errorf("coding again gives other codes (%v)", err)
	}
}

// From many signals it finds as many planted atoms as MOD does, within a few.
func TestOnlineFindsPlantedAtoms(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	var missed [2]int
	for seed := range uint64(3) {
		y, truth, _, _ := plantedSupport(16, 32, 3, 2000, seed)
		for i, l := range []learners.Learner{learners.MOD{}, learners.Online{Forget: 30}} {
			r := learners.Must(l.Learn(context.Background(), y,
				learners.Options{Atoms: 32, Iterations: 80, Coder: sparse.OMP{Sparsity: 3}, Seed: seed}))(t)
			var cos mat.Dense
			cos.Mul(truth.T(), r.Dictionary.Matrix())
			for k := range 32 {
				best := 0.0
				for _, v := range cos.RawRowView(k) {
					best = max(best, math.Abs(v))
				}
				if best < 0.99 {
					missed[i]++
				}
			}
		}
	}
	if missed[1] > missed[0]+5 || missed[1] > 15 {
		t.Errorf("of 96 atoms MOD misses %d, online %d", missed[0], missed[1])
	}
}

// A planted orthonormal basis with 1-sparse signals is found exactly, in batches of any size.
func TestOnlineFindsABasis(t *testing.T) {
	y := mat.NewDense(4, 40, nil)
	for j := range 40 {
		y.Set(j%4, j, float64(j+1)*math.Pow(-1, float64(j)))
	}
	for _, batch := range []int{0, 7, 1} {
		r := learners.Must(learners.Online{Batch: batch}.Learn(context.Background(), y,
			learners.Options{Atoms: 4, Seed: 2, Coder: sparse.OMP{Sparsity: 1}}))(t)
		if r.Stop != learners.Exact {
			t.Errorf("batches of %d: %s at RMSE %g", batch, r.Stop, r.Steps[len(r.Steps)-1].RMSE)
		}
	}
}

// Atoms that nothing uses after a pass begin anew, and are counted.
func TestOnlineReplacesUnusedAtoms(t *testing.T) {
	y := learnertest.Planted(6, 10, 2, 80, 9)
	same := mat.NewDense(6, 10, nil)
	for k := range 10 {
		same.Set(0, k, 1)
	}
	start := learners.Must(sparse.NewDictionary(same))(t)
	r := learners.Must(learners.Online{}.Learn(context.Background(), y,
		learners.Options{Init: start, Iterations: 30, Coder: sparse.OMP{Sparsity: 2}}))(t)
	if r.Steps[0].Replaced < 7 || len(r.Warnings) != 0 {
		t.Errorf("replaced %d in the first step, warnings %v", r.Steps[0].Replaced, r.Warnings)
	}
}
