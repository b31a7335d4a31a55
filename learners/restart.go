package learners

import (
	"cmp"
	"flag"
	"math"
	"slices"

	"superres/learners/plugin"
	"superres/learners/sparse"
)

// restarts replaces bad atoms while a loop runs. Where a learner fails on a planted problem, a true atom is missing; in
// its place there is a mixture of two atoms, a second copy of an atom, or a single large signal. Such a bad atom can be
// recognised without knowing the truth: it is coherent with another atom, or few signals use it.
//
// Atoms are checked after every 2.5 % of the iterations, from 10 % to 75 % of them (isCheckDue), and also where the
// loop would end before 75 %. A check replaces at most mostRestarts atoms: first the atoms that fewer than fewUsers
// signals use (see users), then the less used atom of each pair with |cos| above similar, the most coherent pair first.
// From check to check, the replacement alternates between
//
//   - the signal with the largest residual that no other new atom has taken, and
//   - for an atom of a pair, the atom minus its projection on the other atom, which is near the missing atom if the
//     replaced atom was a mixture.
//
// A replacement may do harm, since atoms of a good dictionary may be coherent too. So the atoms of the check with the
// least objective are kept, and the last check restores them; they settle in the rest of the iterations. A loop of
// fewer than fewIterations is too short for checks.
//
// Atoms that no signal uses at all do not wait for a check: see replaceUnused.
//
// Note: mean error (1 − |cos| to the true atom) of the update of MOD, 12 planted problems of seed 101, 500 iterations:
//
//	entries, atoms, non-zeros                 16, 32, 3       24, 48, 3   24, 48, 6
//	replaced by                               N = 150   400   200         400
//	nothing: no restarts                      0.195   0.049   0.133       0.131
//	the signal with the largest residual      0.079   0.037   0.024       0.049
//	the atom minus its projection             0.074   0.013   0.026
//	the two in turns                          0.069   0.033   0.031
//	in turns, restoring the best atoms        0.053   0.013   0.024       0.080
//	the same with pairs above 0.5, not 0.6    0.054   0.011   0.026       0.052
//
// Note: undoing replacements at the next check if the objective is not below the best gives 0.106, 0.030, 0.033 and
// 0.112 in these columns, because a new atom takes longer than one check to settle.
type restarts struct {
	iterations int       // the largest number of iterations of the loop
	off        bool      // no (more) checks: keep was set, the loop is too short, or the last check is over
	round      int       // the number of checks
	best       []float64 // the atoms with the least objective so far
	objective  float64   // the objective of best
}

const (
	mostRestarts = 3   // the largest number of atoms that one check replaces
	similar      = 0.5 // the |cos| between two atoms above which the less used atom may be replaced
	// fewUsers is the number of signals below which an atom counts as a copy of a large signal.
	fewUsers = 4.0

	checkEvery            = 0.025 // of the iterations
	firstCheck, lastCheck = 0.1, 0.75
	fewIterations         = 40 // a loop of fewer iterations has no checks
)

// bindRestart adds the parameter restart to fs; it sets the opposite of keep.
func bindRestart(fs *flag.FlagSet, keep *bool) {
	fs.Var(plugin.Not{Value: keep}, "restart", "restart atoms that are coherent or hardly used; false: keep them")
}

// newRestarts returns the restarts of a loop of at most this many iterations. keep switches all replacements off.
func newRestarts(iterations int, keep bool) *restarts {
	return &restarts{iterations: iterations, off: keep || iterations < fewIterations, objective: math.Inf(1)}
}

// isCheckDue reports whether a loop of this many iterations checks its atoms after iteration done, counted from 1: at
// each multiple of checkEvery of the iterations, rounded down, from firstCheck to lastCheck of them.
func isCheckDue(done, iterations int) bool {
	total := float64(iterations)
	period := checkEvery * total
	due := done == int(period*math.Ceil(float64(done)/period))
	return due && iterations >= fewIterations && float64(done) >= firstCheck*total && float64(done) <= lastCheck*total
}

// isDue reports whether check must be called once the given number of iterations is done: at each regular check, and if
// the loop is about to end before the last check.
func (r *restarts) isDue(done int, ending bool) bool {
	return !r.off && (isCheckDue(done, r.iterations) || ending && float64(done) <= lastCheck*float64(r.iterations))
}

// check is called after iteration number done, which ended with the given codes and objective. It replaces some atoms
// and returns how many. The last check, or one that finds no atom to replace, instead restores the atoms of the least
// objective so far, and ends the checks. changed reports whether atoms (K×M, atom after atom) changed. errs is
// ‖y − Dx‖² of every signal, 0 for rounding error. signal returns signal j.
func (r *restarts) check(done int, atoms []float64, codes *sparse.Codes, objective float64, errs []float64,
	signal func(j int) []float64) (count int, changed bool) {
	if objective < r.objective {
		r.best, r.objective = append(r.best[:0], atoms...), objective
	}
	if next := float64(done) + checkEvery*float64(r.iterations); next <= lastCheck*float64(r.iterations) {
		if count = r.renew(atoms, codes, errs, signal); count > 0 {
			return count, true
		}
	}
	r.off = true
	changed = !slices.Equal(atoms, r.best)
	copy(atoms, r.best)
	return 0, changed
}

// renew replaces at most mostRestarts candidates in atoms, by the signals with the largest errs or, in every other
// round, an atom of a pair by what it has beside the other atom. It returns how many it replaced. It skips a candidate
// if this call has already replaced the candidate's atom or the atom with which it is coherent.
func (r *restarts) renew(atoms []float64, codes *sparse.Codes, errs []float64, signal func(j int) []float64) int {
	r.round++
	m := len(atoms) / codes.Atoms
	atom := func(k int) []float64 { return atoms[k*m : (k+1)*m] }
	worst, count := worstSignals(errs), 0
	gone := make([]bool, codes.Atoms)
	for _, c := range candidates(atoms, codes) {
		if count == min(mostRestarts, len(worst)) {
			break
		}
		if gone[c.atom] || c.other >= 0 && gone[c.other] {
			continue
		}
		d := atom(c.atom)
		if r.round%2 == 0 && c.other >= 0 { // take the projection off
			axpy(-dot(d, atom(c.other)), atom(c.other), d)
		} else {
			copy(d, signal(worst[count]))
		}
		if Normalise(d) < 1e-6 { // the two atoms of the pair were equal
			copy(d, signal(worst[count]))
			Normalise(d)
		}
		gone[c.atom] = true
		count++
	}
	return count
}

// candidate is an atom that may be replaced.
type candidate struct {
	atom  int
	other int     // the atom that it is coherent with; −1 if it is a candidate because few signals use it
	score float64 // candidates with a larger score come first
}

// candidates returns the atoms that may be replaced, the least useful first: atoms with few users, and of each pair of
// coherent atoms the one that is used less. An atom may be listed more than once.
func candidates(atoms []float64, codes *sparse.Codes) []candidate {
	m, k := len(atoms)/codes.Atoms, codes.Atoms
	sum, square := make([]float64, k), make([]float64, k) // Σ|x| and Σx² of each atom, to estimate its users
	for i, a := range codes.Index {
		v := math.Abs(codes.Value[i])
		sum[a], square[a] = sum[a]+v, square[a]+v*v
	}
	var list []candidate
	for a := range k {
		if n := users(sum[a], square[a]); n < fewUsers {
			list = append(list, candidate{a, -1, 2 - n/fewUsers}) // a score above 1, so before all pairs
		}
		for b := range a {
			c := math.Abs(dot(atoms[a*m:(a+1)*m], atoms[b*m:(b+1)*m]))
			if c <= similar {
				continue
			}
			if square[a] <= square[b] {
				list = append(list, candidate{a, b, c}) // a may be replaced, b stays
			} else {
				list = append(list, candidate{b, a, c})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
	return list
}

// users estimates how many signals use an atom from sum = Σ|x| and square = Σx² over its row of X: n for n equal |x|.
func users(sum, square float64) float64 {
	if square == 0 {
		return 0
	}
	return sum * sum / square
}
