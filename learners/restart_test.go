package learners

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/must"
	"superres/learners/sparse"
	"superres/learners/sparse/sparsetest"
)

// From a start in which one atom is a copy of another, turned a little, learners find all planted atoms with restarts,
// and all but one without. BLOTLESS finds it without, too.
func TestRestartFindsTheMissingAtom(t *testing.T) {
	const m, k, n = 12, 16, 400
	truth, y := plantedAtoms(m, k, 5), plantedSignals(m, k, 2, n, 5)
	start := slices.Clone(truth)
	copy(start[:m], start[m:2*m])
	start[0] += 0.1
	d := must.Get(sparse.FromAtoms(m, start))(t)
	found := func(l Learner) float64 {
		opt := Options{Init: d, Iterations: 80, Coder: sparse.OMP{Sparsity: 2}}
		return nearest(truth[:m], k, must.Get(l.Learn(context.Background(), y, opt))(t).Dictionary.Atom)
	}
	for name, l := range map[string][2]Learner{
		"mod": {MOD{}, MOD{Keep: true}}, "ksvd": {KSVD{}, KSVD{Keep: true}}, "simco": {SimCO{}, SimCO{Keep: true}},
		"blotless": {BLOTLESS{}, BLOTLESS{Keep: true}}, "online": {Online{}, Online{Keep: true}},
	} {
		if with, without := found(l[0]), found(l[1]); with < 0.999 || name != "blotless" && without > 0.99 {
			t.Errorf("%s: the missing atom is met with |cos| %g with restarts, %g without", name, with, without)
		}
	}
}

// The last check goes back to the atoms with the least objective, and nothing restarts after it.
func TestRestartsGoBackToTheBest(t *testing.T) {
	const m, k, n = 6, 8, 40
	y := plantedSignals(m, k, 2, n, 3)
	signals := columns(y)
	signal := func(j int) []float64 { return signals[j*m : (j+1)*m] }
	r, atoms := newRestarts(100, false), plantedAtoms(m, k, 4)
	errs := slices.Repeat([]float64{1}, n)
	var best []float64
	for it := 1; it <= 100; it++ {
		if !r.isDue(it, false) {
			continue
		}
		objective := math.Abs(float64(it) - 40) // least at a check in the middle
		if objective == 0 {
			best = slices.Clone(atoms)
		}
		d := must.Get(sparse.FromAtoms(m, slices.Clone(atoms)))(t)
		before := slices.Clone(atoms)
		count, changed := r.check(it, atoms, sparsetest.Code(t, sparse.OMP{Sparsity: 2}, d, y), objective, errs, signal)
		if moved := !slices.Equal(before, atoms); moved != changed || count > mostRestarts {
			t.Errorf("iteration %d: %d atoms, changed %v, in truth %v", it, count, changed, moved)
		}
		for a := range k {
			if length := energy(atoms[a*m : (a+1)*m]); math.Abs(length-1) > 1e-12 {
				t.Errorf("iteration %d: ‖d‖² is %g", it, length)
			}
		}
	}
	if best == nil || !slices.Equal(atoms, best) || !r.off {
		t.Error("the last check does not go back to the best atoms")
	}
}

// An atom with few users restarts before a coherent one, of which the less used goes; half of the mixtures are
// projected on what their partner lacks.
func TestCandidates(t *testing.T) {
	atoms := []float64{1, 0, 0, 0.8, 0.6, 0, 0, 0, 1}
	x := mat.NewDense(3, 8, nil)
	for j := range 8 {
		x.Set(0, j, 1)
		x.Set(1, j, 0.5)
	}
	x.Set(2, 3, 9)
	codes := &sparse.Codes{Atoms: 3, Start: []int{0}}
	for j := range 8 {
		for a := range 3 {
			if v := x.At(a, j); v != 0 {
				codes.Index, codes.Value = append(codes.Index, int32(a)), append(codes.Value, v)
			}
		}
		codes.Start = append(codes.Start, len(codes.Index))
	}
	list := candidates(atoms, codes)
	if len(list) != 2 || list[0].atom != 2 || list[1].atom != 1 || list[1].other != 0 {
		t.Fatalf("%+v", list)
	}
	r := newRestarts(100, false)
	r.round = 1 // the next projects
	signal := func(j int) []float64 { return []float64{0, 3, 4} }
	if count := r.renew(atoms, codes, slices.Repeat([]float64{1}, 8), signal); count != 2 {
		t.Errorf("%d atoms are restarted", count)
	}
	want := []float64{1, 0, 0, 0, 1, 0, 0, 0.6, 0.8}
	if far := largestMove(atoms, want); far > 1e-12 {
		t.Errorf("atoms %v, expected %v", atoms, want)
	}
}

// The loop of a lasso goes on while the lasso's objective falls, though the residual does not.
func TestLoopStopsByItsObjective(t *testing.T) {
	y := plantedSignals(12, 24, 3, 80, 8)
	opt := Options{Atoms: 24, Iterations: 300, Coder: sparse.Lasso{Lambda: 0.03}, Seed: 1}
	var objective, residual []float64
	lasso := opt.Coder.(sparse.Lasso)
	_, err := alternate(context.Background(), y, opt, true, func(ctx context.Context, p *problem) error {
		if err := modUpdate(ctx, p); err != nil {
			return err
		}
		e := energy(p.residual)
		objective, residual = append(objective, lasso.Objective(e, p.codes)), append(residual, e)
		return nil
	})
	must.Succeed(t, err)
	stall := func(v []float64) int { // the iteration after which v stalls
		best, at := math.Inf(1), 0
		for i, x := range v {
			if x < best*(1-stallGain) {
				best, at = x, i
			}
			if i-at >= stallSteps {
				return i + 1
			}
		}
		return len(v)
	}
	if stall(residual) >= stall(objective) || stall(objective) != len(objective) {
		t.Errorf("%d iterations, the objective stalls after %d, the residual after %d", len(objective),
			stall(objective), stall(residual))
	}
}
