package learners

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// restart looks for atoms that have gone wrong and begins them anew. It returns how
// many.
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
		s.sum()
	}
	return count
}

// restartSpike begins the atom anew that is used by the fewest signals, if those are
// few: such an atom is no more than one large signal, and a true atom is missing. The
// missing atom shows in what is left of the other signals when only the large entries
// of X are kept: it becomes the direction in which most of that lies.
//
// How many signals use an atom is told by (Σ|x|)²/Σx², which is n for n equal ones.
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
	own := s.row(spike)
	most := 0.0
	for _, w := range own {
		most = max(most, math.Abs(w))
	}
	rest := make([]float64, s.n*s.ld) // zero for the signals that the atom was made of
	size := make([]float64, s.n)
	for j := range s.n {
		size[j] = math.Sqrt(energy(s.signal(j)))
		if size[j] == 0 || math.Abs(own[j]) > most/2 {
			size[j] = 0
			continue
		}
		r := rest[j*s.ld : (j+1)*s.ld]
		copy(r, s.signal(j))
		for k := range s.k {
			if w := s.w[k*s.n+j]; k != spike && math.Abs(w) > largeEntry*size[j] {
				axpy(-w, s.direction(k), r)
			}
		}
	}
	if !mainDirection(s.direction(spike)[:s.m], rest, size, s.ld) {
		return false
	}
	s.begin(spike, func(j int) []float64 { return rest[j*s.ld : (j+1)*s.ld] })
	return true
}

// mainDirection sets u to the direction in which most of the signals in rest lies, which are
// ld entries apart and count each by its share of a size; those of size 0 are left out. It
// reports false when nothing is there. It works on the smaller Gram matrix.
func mainDirection(u, rest, size []float64, ld int) bool {
	m, n := len(u), len(size)
	row := func(j int) []float64 { return rest[j*ld : j*ld+m] }
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
	return normalise(u) > 0
}

// restartMixture looks for an atom that has become a mixture of two, which shows in
// its coherence with another, stronger one, and takes that one out of it: what is left
// is nearly the atom that is missing. The most coherent is taken first.
func (s *ropState) restartMixture() bool {
	worst, partner, most := -1, -1, coherent
	for k := range s.k {
		l, c := s.closest(k)
		if c > most && energy(s.row(k)) < energy(s.row(l)) {
			worst, partner, most = k, l, c
		}
	}
	if worst < 0 {
		return false
	}
	u, d := s.direction(worst)[:s.m], s.direction(partner)[:s.m]
	axpy(-dot(u, d), d, u)
	if normalise(u) == 0 { // two equal atoms: any other direction
		for i := range u {
			u[i] = s.rng.NormFloat64()
		}
		normalise(u)
	}
	s.begin(worst, func(j int) []float64 { return s.column(s.z, worst, j) })
	return true
}

// begin makes Z_k and Q_k of the direction u_k and of its part in signals, with no
// multipliers.
func (s *ropState) begin(k int, signal func(j int) []float64) {
	u, w := s.direction(k), s.row(k)
	for j := range s.n {
		at := (k*s.n + j) * s.ld
		w[j] = dot(signal(j), u)
		s.shrink[k*s.n+j] = 1
		for i, v := range u {
			s.z[at+i] = w[j] * v
			s.q[at+i] = w[j] * v
		}
	}
}

// When an atom is begun anew.
const (
	// coherent is the |cos| between two atoms above which the weaker is taken for a
	// mixture.
	coherent = 0.68
	// fewUsers is the number of signals below which an atom is taken for one of them.
	fewUsers = 4.0
	// largeEntry, times the length of a signal, is the least entry of X that counts as
	// right while the rest is still being sorted out.
	largeEntry = 0.3
)

// closest returns the atom with the largest |cos| to atom k, and that.
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
