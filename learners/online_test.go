package learners

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/must"
	"superres/learners/sparse"
)

// codedOnce returns a dictionary, signals and their codes.
func codedOnce(t *testing.T, m, k, s, n int) (*sparse.Dictionary, *mat.Dense, *sparse.Codes) {
	t.Helper()
	p := codedProblem(t, m, k, s, n)
	d := must.Get(sparse.FromAtoms(m, slices.Clone(p.atoms)))(t)
	return d, mat.DenseCopyOf(mat.NewDense(n, m, p.signals).T()), p.codes
}

// The first batch alone decides A and B; then a step is block coordinate descent on ‖Y − DX‖², and many are the
// dictionary of MOD.
func TestOnlineDescent(t *testing.T) {
	const m, k, n = 6, 9, 60
	d, y, codes := codedOnce(t, m, k, 2, n)
	s := newOnlineState(d)
	s.add(y, codes, 10)

	// The slow way: each atom is the least-squares one, with its row of X fixed.
	slow, x := d.Matrix(), codes.Dense()
	for i := range k {
		var rest, atom mat.Dense
		rest.Mul(slow, x)
		rest.Sub(y, &rest)
		row := x.RowView(i)
		atom.Mul(&rest, row)
		atom.Scale(1/mat.Dot(row, row), &atom)
		old := slow.ColView(i).(*mat.VecDense)
		old.AddVec(old, atom.ColView(0))
	}
	for i := range k {
		col := slow.ColView(i).(*mat.VecDense)
		col.ScaleVec(1/mat.Norm(col, 2), col)
	}
	s.descend()
	if !mat.EqualApprox(mat.NewDense(k, m, s.atoms).T(), slow, 1e-12) {
		t.Error("a step is not block coordinate descent")
	}

	for range 2000 {
		s.descend()
	}
	p := newProblem(y, d, codes)
	must.Succeed(t, modUpdate(context.Background(), p))
	if move := largestMove(p.atoms, s.atoms); move > 1e-9 {
		t.Errorf("many steps end %g from the dictionary of MOD", move)
	}
}

// At batch t the past counts (1 − 1/t)^ρ, and the lengths that the atoms lose go into A and B: DAᵀ and B stay in
// proportion.
func TestOnlinePast(t *testing.T) {
	d, y, codes := codedOnce(t, 6, 9, 2, 60)
	s := newOnlineState(d)
	for range 2 {
		s.add(y, codes, 3) // the second at 1 + (1/2)³
	}
	once := newOnlineState(d)
	once.add(y, codes, 3)
	got := slices.Concat(s.a, s.b)
	for i, v := range slices.Concat(once.a, once.b) {
		if math.Abs(got[i]-1.125*v) > 1e-12*(1+v*v) {
			t.Fatalf("A and B have %g at %d, expected %g", got[i], i, 1.125*v)
		}
	}

	// ½ tr DᵀDA − tr DᵀB does not rise in a step.
	value := func() float64 {
		dk, a, b := mat.NewDense(9, 6, s.atoms), mat.NewDense(9, 9, s.a), mat.NewDense(9, 6, s.b)
		var gram, both, cross mat.Dense
		gram.Mul(dk, dk.T())
		both.Mul(&gram, a)
		cross.Mul(dk, b.T())
		return mat.Trace(&both)/2 - mat.Trace(&cross)
	}
	for before := value(); ; {
		s.descend()
		after := value()
		if after > before+1e-12 {
			t.Fatalf("a step raises the misfit from %g to %g", before, after)
		}
		if before-after < 1e-13 {
			return
		}
		before = after
	}
}

// An atom that is restarted has no past.
func TestOnlineReplace(t *testing.T) {
	d, y, codes := codedOnce(t, 6, 9, 2, 60)
	s := newOnlineState(d)
	s.add(y, codes, 10)
	left := make([]float64, 60)
	left[17], left[40] = 2, 5
	usage := []int{1, 0, 3, 0, 0, 1, 1, 1, 1}
	if count := s.replace(y, usage, left); count != 2 {
		t.Fatalf("replaced %d", count)
	}
	for i, atom := range []int{1, 3} {
		want := mat.Col(nil, []int{40, 17}[i], y)
		Normalise(want)
		got, a, b := s.rows(atom)
		if !slices.Equal(got, want) || energy(a)+energy(b) != 0 {
			t.Errorf("atom %d: %v, past %v %v", atom, got, a, b)
		}
		for j := range 9 {
			if s.a[j*9+atom] != 0 {
				t.Errorf("atom %d remembers atom %d", j, atom)
			}
		}
	}
	if got, _, _ := s.rows(4); !slices.Equal(got, d.Atom(4)) {
		t.Error("no signal was left for atom 4, and it changed")
	}
}
