package learn

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/must"
	"superres/learners/sparse"
)

// The parts of a split have every signal once, in the order of the data, and its folds every entry once.
func TestSplit(t *testing.T) {
	for _, c := range []struct{ m, n, heldOut, folds int }{{2, 3, 2, 2}, {9, 20, 4, 9}, {37, 50, 25, 10}} {
		y := mat.NewDense(c.m, c.n, nil)
		y.Apply(func(i, j int, _ float64) float64 { return float64(c.n*i + j) }, y)
		s := newSplit(y, c.heldOut, 3)
		var signals, entries []int
		for _, part := range []*mat.Dense{s.training, s.heldOut} {
			_, n := part.Dims()
			for j := range n {
				first := part.At(0, j)
				if j > 0 && first <= part.At(0, j-1) {
					t.Errorf("%+v: signals out of order", c)
				}
				if part.At(c.m-1, j) != first+float64(c.n*(c.m-1)) {
					t.Errorf("%+v: signal %d is mixed up", c, j)
				}
				signals = append(signals, int(first))
			}
		}
		if _, n := s.heldOut.Dims(); n != c.heldOut || len(s.folds) != c.folds {
			t.Errorf("%+v: %d held out, %d folds", c, n, len(s.folds))
		}
		for _, fold := range s.folds {
			if len(fold) != c.m/c.folds && len(fold) != c.m/c.folds+1 {
				t.Errorf("%+v: a fold of %d entries", c, len(fold))
			}
			entries = append(entries, fold...)
		}
		slices.Sort(signals)
		slices.Sort(entries)
		for _, list := range [][]int{signals, entries} {
			for i, v := range list {
				if i != v {
					t.Fatalf("%+v: %v", c, list)
				}
			}
		}
		if len(signals) != c.n || len(entries) != c.m {
			t.Errorf("%+v: %d signals, %d entries", c, len(signals), len(entries))
		}
	}
}

// Hidden entries of multiples of an atom are predicted exactly from the other entries; if the coder chooses no atom,
// every entry counts once, as for whole signals; and the errors of whole signals agree with the codes.
func TestHiddenErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 0))
	const m, k, n = 23, 9, 70
	atoms := mat.NewDense(m, k, nil)
	atoms.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, atoms)
	d := must.Get(sparse.NewDictionary(atoms))(t)
	y := mat.NewDense(m, n, nil)
	for j := range n {
		c := rng.NormFloat64()
		for i := range m {
			y.Set(i, j, c*atoms.At(i, j%k))
		}
	}
	ctx, folds := context.Background(), newSplit(y, 2, 1).folds
	told, err := hiddenErrors(ctx, sparse.OMP{Sparsity: 1}, d, y, folds)
	if err != nil || len(told) != n || slices.Max(told) > 1e-24 {
		t.Errorf("multiples of atoms: %v, %v", slices.Max(told), err)
	}

	noise := mat.NewDense(m, n, nil)
	noise.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, noise)
	none := sparse.OMP{Tolerance: 1e9}
	hidden, err := hiddenErrors(ctx, none, d, noise, folds)
	whole, codes, err2 := codedErrors(ctx, none, d, noise)
	if err != nil || err2 != nil || codes.NonZeros() != 0 {
		t.Fatal(err, err2, codes.NonZeros())
	}
	for j := range n {
		want := mat.Norm(noise.ColView(j), 2)
		want *= want / m
		if math.Abs(hidden[j]-want) > 1e-12*want || math.Abs(whole[j]-want) > 1e-12*want {
			t.Errorf("signal %d: %g hidden, %g whole, expected %g", j, hidden[j], whole[j], want)
		}
	}

	three := sparse.OMP{Sparsity: 3}
	whole, codes, err = codedErrors(ctx, three, d, noise)
	if err != nil || codes.NonZeros() != 3 {
		t.Fatal(err, codes.NonZeros())
	}
	rest := codes.Rebuild(d)
	rest.Sub(noise, rest)
	sum := 0.0
	for _, e := range whole {
		sum += e * m
	}
	if want := mat.Norm(rest, 2); math.Abs(math.Sqrt(sum)-want) > 1e-12*want {
		t.Errorf("‖Y − DX‖ is %g, expected %g", math.Sqrt(sum), want)
	}
}
