// Package sparsetest is the conformance suite of all sparse coders. The test of a coder calls Run once.
package sparsetest

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
	"superres/learners/sparse"
)

// Run checks the coders that build returns. build gets the largest number of non-zeros, 0 for no limit, and the
// residual norm to reach, 0 for the smallest possible.
func Run(t *testing.T, build func(sparsity int, tolerance float64) sparse.Coder) {
	t.Helper()
	ctx := context.Background()
	d := Dictionary(t, 8, 20, 1)
	y := Gaussian(8, 150, 2)
	coder := build(3, 0)

	t.Run("shape", func(t *testing.T) {
		before := mat.DenseCopyOf(y)
		x := Code(t, coder, d, y)
		if err := x.Check(); err != nil {
			t.Fatal(err)
		}
		if x.Atoms != 20 || x.Signals() != 150 {
			t.Fatalf("codes are %d×%d", x.Atoms, x.Signals())
		}
		for j := range 150 {
			if index, _ := x.Column(j); len(index) > 3 {
				t.Fatalf("signal %d has %d non-zeros, allowed 3", j, len(index))
			}
		}
		if !mat.Equal(before, y) {
			t.Error("the signals were changed")
		}
	})

	t.Run("workers", func(t *testing.T) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
		var first *sparse.Codes
		for _, procs := range []int{1, 2, 8} {
			runtime.GOMAXPROCS(procs)
			x := Code(t, coder, d, y)
			if first == nil {
				first = x
			}
			if !reflect.DeepEqual(first, x) {
				t.Errorf("%d workers give other codes", procs)
			}
		}
		alone := Code(t, coder, d, mat.DenseCopyOf(y.Slice(0, 8, 100, 101)))
		index, value := first.Column(100)
		if i, v := alone.Column(0); !reflect.DeepEqual(i, index) || !reflect.DeepEqual(v, value) {
			t.Error("a signal's code depends on the other signals")
		}
	})

	t.Run("one atom", func(t *testing.T) {
		// A multiple of an atom is coded by that atom.
		for k := range 20 {
			y := mat.NewDense(8, 1, nil)
			for i, v := range d.Atom(k) {
				y.Set(i, 0, -2.5*v)
			}
			index, value := Code(t, coder, d, y).Column(0)
			if len(index) != 1 || index[0] != int32(k) || math.Abs(value[0]+2.5) > 1e-6 {
				t.Fatalf("−2.5·atom %d is coded as %v %v", k, index, value)
			}
		}
	})

	t.Run("tolerance", func(t *testing.T) {
		for _, tolerance := range []float64{0.5, 1e-3} {
			x := Code(t, build(0, tolerance), d, y)
			for j, r := range Residuals(d, x, y) {
				if r > tolerance*(1+1e-6) {
					t.Fatalf("signal %d: residual %g, allowed %g", j, r, tolerance)
				}
			}
		}
	})

	t.Run("lengths of atoms", func(t *testing.T) {
		scaled := d.Matrix()
		scale := make([]float64, 20)
		for k := range scale {
			scale[k] = math.Exp(float64(k%7) - 3)
			for i := range 8 {
				scaled.Set(i, k, scaled.At(i, k)*scale[k])
			}
		}
		ds := must.Get(sparse.NewDictionary(scaled))(t)
		want, got := Code(t, coder, d, y), Code(t, coder, ds, y)
		if !reflect.DeepEqual(want.Index, got.Index) {
			t.Fatal("the lengths of the atoms change the choice")
		}
		for i, k := range got.Index {
			if math.Abs(got.Value[i]*scale[k]-want.Value[i]) > 1e-8 {
				t.Fatalf("coefficient %d: %g·%g, expected %g", i, got.Value[i], scale[k], want.Value[i])
			}
		}
	})

	t.Run("zero", func(t *testing.T) {
		m := d.Matrix()
		m.SetCol(5, make([]float64, 8))
		withZero := must.Get(sparse.NewDictionary(m))(t)
		if use := Code(t, coder, withZero, y).Usage(); use[5] != 0 {
			t.Error("an atom of length 0 is used")
		}
		if x := Code(t, coder, d, mat.NewDense(8, 3, nil)); len(x.Index) != 0 {
			t.Error("the zero signal has a code")
		}
	})

	t.Run("errors", func(t *testing.T) {
		nan, inf := mat.DenseCopyOf(y), mat.DenseCopyOf(y)
		nan.Set(3, 77, math.NaN())
		inf.Set(0, 0, math.Inf(-1))
		for name, bad := range map[string]*mat.Dense{"NaN": nan, "Inf": inf, "empty": {}, "7 rows": Gaussian(7, 3, 1)} {
			if x, err := coder.Code(ctx, d, bad); err == nil || x != nil {
				t.Errorf("%s: no error", name)
			}
		}
		for name, bad := range map[string]sparse.Coder{"sparsity −1": build(-1, 0),
			"sparsity 21 of 20 atoms": build(21, 0), "tolerance −1": build(1, -1)} {
			if _, err := bad.Code(ctx, d, y); err == nil {
				t.Errorf("%s: no error", name)
			}
		}
	})

	t.Run("cancellation", func(t *testing.T) {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := coder.Code(ctx, d, y); !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v", err)
		}
	})
}

// Dictionary returns a dictionary of k Gaussian atoms of length 1.
func Dictionary(t *testing.T, n, k int, seed uint64) *sparse.Dictionary {
	t.Helper()
	m := Gaussian(n, k, seed)
	for j := range k {
		col := m.ColView(j).(*mat.VecDense)
		col.ScaleVec(1/mat.Norm(col, 2), col)
	}
	return must.Get(sparse.NewDictionary(m))(t)
}

// Gaussian returns an r×c matrix of independent N(0,1) values.
func Gaussian(r, c int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 0))
	m := mat.NewDense(r, c, nil)
	for i := range r {
		for j := range c {
			m.Set(i, j, rng.NormFloat64())
		}
	}
	return m
}

// Residuals returns ‖y_j − D·x_j‖₂ for every signal.
func Residuals(d *sparse.Dictionary, x *sparse.Codes, y *mat.Dense) []float64 {
	var r mat.Dense
	r.Sub(y, x.Rebuild(d))
	norms := make([]float64, x.Signals())
	for j := range norms {
		norms[j] = mat.Norm(r.ColView(j), 2)
	}
	return norms
}

// Code codes the columns of y over d with the coder c, and ends the test if there is an error.
func Code(t testing.TB, c sparse.Coder, d *sparse.Dictionary, y *mat.Dense) *sparse.Codes {
	t.Helper()
	return must.Get(c.Code(context.Background(), d, y))(t)
}
