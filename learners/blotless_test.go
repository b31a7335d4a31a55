package learners_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/learners"
	"superres/learners/learnertest"
	"superres/learners/sparse"
)

func TestBLOTLESS(t *testing.T)      { learnertest.Run(t, learners.BLOTLESS{}) }
func TestPlainBLOTLESS(t *testing.T) { learnertest.Run(t, learners.BLOTLESS{Plain: true}) }

// One update of 1, 5 and 20 steps on consecutive blocks reproduces an independent NumPy program, which inverts V2.
func TestBLOTLESSAgainstAnotherProgram(t *testing.T) {
	f := load(t)
	start := learners.Must(sparse.NewDictionary(f["D"]))(t)
	for _, inner := range []int{1, 5, 20} {
		r := learners.Must(learners.InOrder{Inner: inner, Plain: true}.Learn(context.Background(), f["Y"],
			learners.Options{Init: start, Coder: sparse.OMP{Sparsity: 2}, Iterations: 1}))(t)
		d, x := r.Dictionary.Matrix(), r.Codes.Dense()
		wantD, wantX := f[fmt.Sprintf("blotless_inner%d_D", inner)], f[fmt.Sprintf("blotless_inner%d_X", inner)]
		for k := range 8 { // the signs are ours
			sign := math.Copysign(1, mat.Dot(d.ColView(k), wantD.ColView(k)))
			for i := range 6 {
				d.Set(i, k, sign*d.At(i, k))
			}
			for j := range 30 {
				x.Set(k, j, sign*x.At(k, j))
			}
		}
		if !mat.EqualApprox(d, wantD, 1e-9) || !mat.EqualApprox(x, wantX, 1e-9) {
			t.Errorf("%d steps differ", inner)
		}
	}
}
