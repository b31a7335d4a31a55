package learners

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// restart replaces at most one atom that copies a large signal and two that mix two atoms. It returns how many.
func (s *ropState) restart() int {
	count := 0
	if s.restartSpike() {
		count++
	}
	for range 2 {
		if !s.restartMixture() {
			break
		}
		count++
	}
	if count > 0 {
		s.sum() // S for the new atoms
	}
	return count
}

// restartSpike replaces the atom that the fewest signals use, if they are fewer than fewUsers: such an atom is a copy
// of a large signal, and a true atom is missing. The missing atom dominates the residual of the other signals when only
// the large entries of X are kept: the new atom is the main direction of that residual. restartSpike returns false if
// it has replaced no atom. (Σ|x|)²/Σx² estimates how many signals use an atom: it is n for n equal entries.
func (s *ropState) restartSpike() bool {
	spike, users := -1, fewUsers
	for k := range s.k {
		sum, square := 0.0, 0.0
		for j, w := range s.row(k) {
			if s.shrink[k*s.n+j] > 0 {
				sum, square = sum+math.Abs(w), square+w*w
			}
		}
		if square > 0 && sum*sum/square < users {
			spike, users = k, sum*sum/square
		}
	}
	if spike < 0 {
		return false
	}
	weights := s.row(spike)
	largest := 0.0
	for _, w := range weights {
		largest = max(largest, math.Abs(w))
	}
	residual := make([]float64, s.n*s.ld) // stays zero for the signals that the atom copies
	size := make([]float64, s.n)
	for j := range s.n {
		size[j] = math.Sqrt(energy(s.signal(j)))
		if size[j] == 0 || math.Abs(weights[j]) > largest/2 {
			size[j] = 0 // leave out a signal that is zero, or that the atom copies
			continue
		}
		r := residual[j*s.ld : (j+1)*s.ld]
		copy(r, s.signal(j))
		for k := range s.k {
			if w := s.w[k*s.n+j]; k != spike && math.Abs(w) > largeEntry*size[j] {
				axpy(-w, s.direction(k), r)
			}
		}
	}
	if !mainDirection(s.direction(spike)[:s.m], residual, size, s.ld) {
		return false
	}
	s.setAtom(spike, func(j int) []float64 { return residual[j*s.ld : (j+1)*s.ld] })
	return true
}

// mainDirection sets u to the leading left singular vector of the residuals, each divided by its size. Residuals of
// size 0 are left out. Residuals begin ld entries apart. It returns false if all residuals are zero, or if the
// decomposition fails. The vector comes from the smaller of the two Gram matrices.
func mainDirection(u, residual, size []float64, ld int) bool {
	m, n := len(u), len(size)
	row := func(j int) []float64 { return residual[j*ld : j*ld+m] }
	gram := mat.NewSymDense(min(m, n), nil)
	for j, v := range size {
		if v == 0 {
			continue
		}
		if m <= n {
			gram.SymRankOne(gram, 1/(v*v), mat.NewVecDense(m, row(j)))
			continue
		}
		for i, w := range size[:j+1] {
			if w > 0 {
				gram.SetSym(i, j, dot(row(i), row(j))/(v*w))
			}
		}
	}
	last := min(m, n) - 1
	var eig mat.EigenSym
	if !eig.Factorize(gram, true) || eig.Values(nil)[last] <= 0 {
		return false
	}
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	if m <= n {
		mat.Col(u, last, &vectors)
		return true
	}
	clear(u)
	for j, v := range size {
		if v > 0 {
			axpy(vectors.At(j, last)/v, row(j), u)
		}
	}
	return Normalise(u) > 0
}

// restartMixture replaces the weaker atom of the most coherent pair: a mixture of two atoms is coherent with a stronger
// one, and minus its projection on that one it is nearly the missing atom. It returns false without a |cos| above
// the constant coherent.
func (s *ropState) restartMixture() bool {
	worst, partner, largest := -1, -1, coherent
	for k := range s.k {
		l, c := s.closest(k)
		if c > largest && energy(s.row(k)) < energy(s.row(l)) {
			worst, partner, largest = k, l, c
		}
	}
	if worst < 0 {
		return false
	}
	u, d := s.direction(worst)[:s.m], s.direction(partner)[:s.m]
	axpy(-dot(u, d), d, u)
	if Normalise(u) == 0 { // the two atoms were equal: take a random direction
		for i := range u {
			u[i] = s.rng.NormFloat64()
		}
		Normalise(u)
	}
	s.setAtom(worst, func(j int) []float64 { return s.column(s.z, worst, j) })
	return true
}

// setAtom sets w_k to the components along u_k of the vectors from signal, Z_k = Q_k = u_k·w_kᵀ, and multipliers to 0.
func (s *ropState) setAtom(k int, signal func(j int) []float64) {
	u, w := s.direction(k), s.row(k)
	for j := range s.n {
		first := (k*s.n + j) * s.ld
		w[j] = dot(signal(j), u)
		s.shrink[k*s.n+j] = 1
		for i, v := range u {
			s.z[first+i] = w[j] * v
			s.q[first+i] = w[j] * v
		}
	}
}

// The thresholds for replacing an atom.
const (
	// coherent is the |cos| between two atoms above which the weaker atom counts as a mixture.
	coherent = 0.68
	// largeEntry, times the length of a signal, is the smallest entry of X that restartSpike keeps: large entries are
	// reliable before the rest have settled.
	largeEntry = 0.3
)

// closest returns the atom with the largest |cos| to atom k, and this |cos|.
func (s *ropState) closest(k int) (other int, c float64) {
	for l := range s.k {
		if l == k {
			continue
		}
		if v := math.Abs(dot(s.direction(k), s.direction(l))); v > c {
			other, c = l, v
		}
	}
	return other, c
}
