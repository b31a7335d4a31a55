package learners

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"superres/internal/parallel"
	"superres/learners/sparse"
)

// ropState is the state of ROP's ADMM in its reduced form. The plain form (the test
// file has it) keeps P, Q, Z, Λ1, Λ2 for every atom. All of it follows from
//
//	Q̂_k = P_k + Λ1_k,   Ẑ_k = P_k + Λ2_k,
//
// because Q_k is Q̂_k with each column shortened, q = s·q̂ with s = (1 − 1/(ρ‖q̂‖))₊,
// Z_k = u·wᵀ is the best rank-one approximation of Ẑ_k, Λ1 = Q̂ − Q and Λ2 = Ẑ − Z.
// The P-step has a closed form; with g = 2s − 1 and
//
//	S = Σ_k (g·Q̂_k + 2uwᵀ − Ẑ_k),   ΣP = (S + K(V − Λ0))/(K+2),   E = ΣP − V + Λ0,
//
// and over-relaxation by α (Boyd et al. 2011, section 3.4.3; the paper has α = 1)
//
//	P_k = (g·Q̂_k + 2uwᵀ − Ẑ_k − E)/2,
//	Q̂_k ← αP_k + (1 − αs)·Q̂_k,   Ẑ_k ← αP_k + Ẑ_k − αuwᵀ.
//
// So one pass over two arrays is an iteration. V is Y, or, with noise, the split
// variable of ‖Y − ΣP‖ ≤ ε: with B = αΣP + (1 − α)V + Λ0,
//
//	V ← Y + min(1, ε/‖B − Y‖)·(B − Y),   Λ0 ← B − V.
type ropState struct {
	m, n, k int
	alpha   float64   // the relaxation, 0..2
	ball    float64   // ε, for signals as scaled
	scale   float64   // Y was multiplied by it
	y       []float64 // N×M: signal after signal
	v       []float64 // N×M: V; y itself when ε is zero
	q, z    []float64 // K×N×M: Q̂ and Ẑ
	shrink  []float64 // K×N: s
	u, w    []float64 // K×M and K×N: Z_k = u_k·w_kᵀ, u_k of length 1
	lambda  []float64 // N×M: Λ0
	s       []float64 // N×M: S
	power   int       // steps of the power iteration for u in an iteration
	rng     *rand.Rand
	step    Step
}

// newROPState starts from the dictionary d: Z from the shortest X with D·X = Y,
// Q = Z, no multipliers. A start drawn from the signals gets a little noise, so
// that equal signals do not stay equal atoms.
func newROPState(signals []float64, m int, d *sparse.Dictionary, seed uint64, noisy bool) (*ropState, error) {
	_, k := d.Dims()
	n := len(signals) / m
	s := &ropState{
		m: m, n: n, k: k, y: signals, scale: math.Sqrt(float64(n) / energy(signals)),
		q: make([]float64, k*n*m), z: make([]float64, k*n*m), shrink: make([]float64, k*n),
		u: make([]float64, 0, k*m), w: make([]float64, k*n), lambda: make([]float64, n*m),
		power: 2, alpha: relaxation, rng: rand.New(rand.NewPCG(seed, 3)),
	}
	for i := range s.y {
		s.y[i] *= s.scale
	}
	s.v = s.y
	for j := range k {
		s.u = append(s.u, d.Atom(j)...)
		if noisy {
			for i := range m {
				s.u[j*m+i] += 1e-3 * s.rng.NormFloat64()
			}
			normalise(s.u[j*m:])
		}
	}
	// X = Dᵀ(DDᵀ)⁺Y.
	dd := mat.NewSymDense(m, nil)
	dd.SymOuterK(1, mat.NewDense(k, m, s.u).T())
	yt := mat.DenseCopyOf(mat.NewDense(n, m, s.y).T())
	var solved, x mat.Dense
	if err := solveSym(&solved, dd, yt); err != nil {
		return nil, err
	}
	x.Mul(mat.NewDense(k, m, s.u), &solved)
	for j := range k {
		copy(s.w[j*n:], x.RawRowView(j))
		for i, v := range s.w[j*n : (j+1)*n] {
			s.shrink[j*n+i] = 1
			at := (j*n + i) * m
			axpy(v, s.u[j*m:(j+1)*m], s.q[at:at+m])
		}
	}
	copy(s.z, s.q)
	s.sum()
	return s, nil
}

// parts runs body for every atom, chunk by chunk, and returns the sums of what the
// chunks add into a vector of the given length, in the order of the chunks.
func (s *ropState) parts(length int, body func(k int, sum []float64, scratch []float64)) []float64 {
	const grain = 8
	sums := make([][]float64, (s.k+grain-1)/grain)
	// The background context never ends, so there is no error.
	_ = parallel.For(context.Background(), s.k, grain, func() func(lo, hi int) {
		scratch := make([]float64, 2*s.m+s.n)
		return func(lo, hi int) {
			sum := make([]float64, length)
			for k := lo; k < hi; k++ {
				body(k, sum, scratch)
			}
			sums[lo/grain] = sum
		}
	})
	total := make([]float64, length)
	for _, sum := range sums {
		axpy(1, sum, total)
	}
	return total
}

// sum computes S anew.
func (s *ropState) sum() {
	s.s = s.parts(s.n*s.m, func(k int, sum, _ []float64) { s.addTo(sum, k) })
}

// addTo adds atom k's part of S.
func (s *ropState) addTo(sum []float64, k int) {
	u := s.u[k*s.m : (k+1)*s.m]
	for j := range s.n {
		at := (k*s.n + j) * s.m
		q, z, to := s.q[at:at+s.m], s.z[at:at+s.m], sum[j*s.m:(j+1)*s.m]
		g, w := 2*s.shrink[k*s.n+j]-1, 2*s.w[k*s.n+j]
		for i, v := range q {
			to[i] += g*v + w*u[i] - z[i]
		}
	}
}

// The sums of an iteration that are not S, by their place behind it.
const (
	sumPQ     = iota // ‖P − Q‖²
	sumQZ            // ‖Q − Z‖²
	sumDeltaQ        // ‖Q − old Q‖²
	sumDeltaZ        // ‖Z − old Z‖²
	sumQ             // ‖Q‖²
	sumLambda        // ‖Λ1‖² + ‖Λ2‖²
	sumCount         // non-zeros of X
	sums
)

// iterate does one iteration with the penalty ρ and multiplies the scaled
// multipliers by rescale afterwards, for a penalty that changes.
func (s *ropState) iterate(penalty, rescale float64) {
	size := s.n * s.m
	e := make([]float64, size)
	miss := 0.0 // ‖ΣP − Y‖²
	for i, v := range s.s {
		p := (v + float64(s.k)*(s.v[i]-s.lambda[i])) / float64(s.k+2)
		e[i] = p - s.v[i] + s.lambda[i]
		miss += (p - s.v[i]) * (p - s.v[i])
	}
	// Behind S: D·X on the support of Q, then the sums.
	total := s.parts(2*size+sums, func(k int, sum, scratch []float64) {
		s.update(k, penalty, e, sum[2*size:], scratch)
		s.rescale(k, rescale)
		s.addTo(sum[:size], k)
		u := s.u[k*s.m : (k+1)*s.m]
		for j := range s.n {
			if s.shrink[k*s.n+j] > 0 {
				axpy(s.w[k*s.n+j], u, sum[size+j*s.m:size+(j+1)*s.m])
				sum[2*size+sumCount]++
			}
		}
	})
	moved := s.constrain(e, rescale)
	s.s = total[:size]
	left := 0.0
	for i, v := range total[size : 2*size] {
		left += (s.y[i] - v) * (s.y[i] - v)
	}
	t := total[2*size:]
	size2 := math.Sqrt(t[sumQ]) + 1e-12
	s.step = Step{
		RMSE:     math.Sqrt(left/float64(size)) / s.scale,
		NonZeros: t[sumCount] / float64(s.n),
		Primal:   max(math.Sqrt(miss/float64(s.n)), math.Sqrt(t[sumPQ])/size2, math.Sqrt(t[sumQZ])/size2),
		Dual:     (math.Sqrt(t[sumDeltaQ]) + math.Sqrt(t[sumDeltaZ]) + moved) / (math.Sqrt(t[sumLambda]) + 1e-12),
	}
}

// constrain brings V and Λ0 to the next iteration, Λ0 times rescale, and returns how
// far V moved.
func (s *ropState) constrain(e []float64, rescale float64) (moved float64) {
	for i, v := range e {
		// Λ0 becomes B − V with the old V: αΣP + (1 − α)V + Λ0 − V.
		s.lambda[i] += s.alpha * (v - s.lambda[i])
	}
	if s.ball > 0 {
		length := 0.0
		for i, l := range s.lambda {
			d := l + s.v[i] - s.y[i]
			length += d * d
		}
		inside := min(1, s.ball/(math.Sqrt(length)+1e-300))
		for i, l := range s.lambda {
			next := s.y[i] + inside*(l+s.v[i]-s.y[i])
			s.lambda[i] = l + s.v[i] - next
			moved += (next - s.v[i]) * (next - s.v[i])
			s.v[i] = next
		}
	}
	for i := range s.lambda {
		s.lambda[i] *= rescale
	}
	return math.Sqrt(moved)
}

// update brings Q̂, Ẑ and the factors of atom k to the next iteration and adds its
// residuals to sum.
func (s *ropState) update(k int, penalty float64, e, sum, scratch []float64) {
	m, n := s.m, s.n
	u, w := s.u[k*m:(k+1)*m], s.w[k*n:(k+1)*n]
	shrink := s.shrink[k*n : (k+1)*n]
	q, z := s.q[k*n*m:(k+1)*n*m], s.z[k*n*m:(k+1)*n*m]
	p, next, oldW := scratch[:m], scratch[m:2*m], scratch[2*m:]
	for j := range n {
		qj, zj, ej := q[j*m:(j+1)*m], z[j*m:(j+1)*m], e[j*m:(j+1)*m]
		old, g, ww := shrink[j], 2*shrink[j]-1, 2*w[j]
		length := 0.0
		for i, a := range qj {
			b, c := zj[i], ww*u[i]-ej[i]
			p[i] = (g*a - b + c) / 2
			next[i] = old * a // the old Q
			qj[i] = s.alpha*p[i] + (1-s.alpha*old)*a
			zj[i] = s.alpha*(p[i]-w[j]*u[i]) + b
			length += qj[i] * qj[i]
		}
		now := max(0, 1-1/(penalty*math.Sqrt(length)+1e-300))
		shrink[j] = now
		for i, a := range qj {
			v := now * a
			sum[sumPQ] += (p[i] - v) * (p[i] - v)
			sum[sumDeltaQ] += (next[i] - v) * (next[i] - v)
		}
		sum[sumQ] += now * now * length
		sum[sumLambda] += (1 - now) * (1 - now) * length
	}
	// Z: a few power steps for u, from where it was.
	copy(p, u)
	copy(oldW, w)
	for range s.power {
		clear(next)
		for j := range n {
			zj := z[j*m : (j+1)*m]
			axpy(product(zj, u), zj, next)
		}
		if normalise(next) == 0 {
			break // Ẑ is zero: the atom is dead, its direction stays
		}
		copy(u, next)
	}
	for j := range n {
		qj, zj := q[j*m:(j+1)*m], z[j*m:(j+1)*m]
		w[j] = product(zj, u)
		for i, a := range qj {
			v := w[j] * u[i]
			sum[sumQZ] += (shrink[j]*a - v) * (shrink[j]*a - v)
			sum[sumLambda] += (zj[i] - v) * (zj[i] - v)
		}
	}
	sum[sumDeltaZ] += max(0, energy(w)+energy(oldW)-2*product(p, u)*product(oldW, w))
}

// rescale multiplies the scaled multipliers of atom k by r: Q and Z stay.
func (s *ropState) rescale(k int, r float64) {
	if r == 1 {
		return
	}
	u := s.u[k*s.m : (k+1)*s.m]
	for j := range s.n {
		at := (k*s.n + j) * s.m
		old, w := s.shrink[k*s.n+j], s.w[k*s.n+j]
		grow := old + r*(1-old)
		s.shrink[k*s.n+j] = old / grow
		for i, z := range s.z[at : at+s.m] {
			s.q[at+i] *= grow
			s.z[at+i] = w*u[i] + r*(z-w*u[i])
		}
	}
}

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
		for j, w := range s.w[k*s.n : (k+1)*s.n] {
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
	own := s.w[spike*s.n : (spike+1)*s.n]
	most := 0.0
	for _, w := range own {
		most = max(most, math.Abs(w))
	}
	rest := make([]float64, s.n*s.m) // zero for the signals that the atom was made of
	gram := mat.NewSymDense(s.m, nil)
	for j := range s.n {
		size := math.Sqrt(energy(s.y[j*s.m : (j+1)*s.m]))
		if size == 0 || math.Abs(own[j]) > most/2 {
			continue
		}
		r := rest[j*s.m : (j+1)*s.m]
		copy(r, s.y[j*s.m:(j+1)*s.m])
		for k := range s.k {
			if w := s.w[k*s.n+j]; k != spike && math.Abs(w) > largeEntry*size {
				axpy(-w, s.u[k*s.m:(k+1)*s.m], r)
			}
		}
		gram.SymRankOne(gram, 1/(size*size), mat.NewVecDense(s.m, r))
	}
	var eig mat.EigenSym
	if !eig.Factorize(gram, true) || eig.Values(nil)[s.m-1] <= 0 {
		return false
	}
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	mat.Col(s.u[spike*s.m:(spike+1)*s.m], s.m-1, &vectors)
	s.begin(spike, func(j int) []float64 { return rest[j*s.m : (j+1)*s.m] })
	return true
}

// restartMixture looks for an atom that has become a mixture of two, which shows in
// its coherence with another, stronger one, and takes that one out of it: what is left
// is nearly the atom that is missing. The most coherent is taken first.
func (s *ropState) restartMixture() bool {
	worst, partner, most := -1, -1, coherent
	for k := range s.k {
		l, c := s.closest(k)
		if c > most && energy(s.w[k*s.n:(k+1)*s.n]) < energy(s.w[l*s.n:(l+1)*s.n]) {
			worst, partner, most = k, l, c
		}
	}
	if worst < 0 {
		return false
	}
	u, d := s.u[worst*s.m:(worst+1)*s.m], s.u[partner*s.m:(partner+1)*s.m]
	axpy(-product(u, d), d, u)
	if normalise(u) == 0 { // two equal atoms: any other direction
		for i := range u {
			u[i] = s.rng.NormFloat64()
		}
		normalise(u)
	}
	s.begin(worst, func(j int) []float64 {
		at := (worst*s.n + j) * s.m
		return s.z[at : at+s.m]
	})
	return true
}

// begin makes Z_k and Q_k of the direction u_k and of its part in signals, with no
// multipliers.
func (s *ropState) begin(k int, signal func(j int) []float64) {
	u, w := s.u[k*s.m:(k+1)*s.m], s.w[k*s.n:(k+1)*s.n]
	for j := range s.n {
		at := (k*s.n + j) * s.m
		w[j] = product(signal(j), u)
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
		if v := math.Abs(product(s.u[k*s.m:(k+1)*s.m], s.u[l*s.m:(l+1)*s.m])); v > c {
			other, c = l, v
		}
	}
	return other, c
}

// take puts the dictionary and the codes in r: u_k, and w_k where Q_k is not zero.
// It returns nil when no iteration was completed.
func (s *ropState) take(r *Result) *Result {
	if len(r.Steps) == 0 {
		return nil
	}
	atoms := slices.Clone(s.u)
	d, err := sparse.FromAtoms(s.m, atoms)
	if err != nil {
		return nil // atoms have length 1
	}
	c := &sparse.Codes{Atoms: s.k, Start: make([]int, 1, s.n+1)}
	for j := range s.n {
		for k := range s.k {
			if v := s.w[k*s.n+j]; s.shrink[k*s.n+j] > 0 && v != 0 {
				c.Index, c.Value = append(c.Index, int32(k)), append(c.Value, v/s.scale)
			}
		}
		c.Start = append(c.Start, len(c.Index))
	}
	r.Dictionary, r.Codes = d, c
	return r
}

func product(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
