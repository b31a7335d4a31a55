package learners_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/learners"
	"superres/learners/learnertest"
	"superres/learners/plugin"
	"superres/learners/sparse"
)

func TestBLOTLESS(t *testing.T)      { learnertest.Run(t, learners.BLOTLESS{}) }
func TestPlainBLOTLESS(t *testing.T) { learnertest.Run(t, learners.BLOTLESS{Plain: true}) }

// One update of 1, 5 and 20 steps on consecutive blocks reproduces an independent NumPy program, which inverts V2.
func TestBLOTLESSAgainstAnotherProgram(t *testing.T) {
	f := load(t)
	start, err := sparse.NewDictionary(f["D"])
	if err != nil {
		t.Fatal(err)
	}
	for _, inner := range []int{1, 5, 20} {
		r, err := learners.InOrder{Inner: inner, Plain: true}.Learn(context.Background(), f["Y"],
			learners.Options{Init: start, Coder: sparse.OMP{Sparsity: 2}, Iterations: 1})
		if err != nil {
			t.Fatal(err)
		}
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

func TestBLOTLESSRefuses(t *testing.T) {
	y := learnertest.Planted(6, 8, 2, 30, 1)
	if _, err := (learners.BLOTLESS{Inner: -1}).Learn(context.Background(), y,
		learners.Options{Atoms: 8}); !errors.Is(err, plugin.ErrSettings) {
		t.Error(err)
	}
}
