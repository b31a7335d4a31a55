package learners

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"superres/internal/kernel"
	"superres/learners/sparse"
)

// ropState is the state of ROP's ADMM in a reduced form. The plain form (in the test file) keeps P, Q, Z, Λ1, Λ2 for
// every atom. All five follow from
//
//	Q̂_k = P_k + Λ1_k,   Ẑ_k = P_k + Λ2_k,
//
// because Q_k is Q̂_k with each column q̂ shortened to q = s·q̂, where s = (1 − 1/(ρ‖q̂‖))₊ or the concave shrinkage
// (see ROP.Norm); Z_k = u·wᵀ is the best rank-one approximation of Ẑ_k; Λ1 = Q̂ − Q and Λ2 = Ẑ − Z. The P-step has a
// closed form; with g = 2s − 1 and
//
//	S = Σ_k (g·Q̂_k + 2uwᵀ − Ẑ_k),   ΣP = (S + K(V − Λ0))/(K+2),   E = ΣP − V + Λ0,
//
// and over-relaxation by α (Boyd et al. 2011, section 3.4.3; the paper has α = 1)
//
//	P_k = (g·Q̂_k + 2uwᵀ − Ẑ_k − E)/2,
//	Q̂_k ← αP_k + (1 − αs)·Q̂_k,   Ẑ_k ← αP_k + Ẑ_k − αuwᵀ.
//
// So one pass over two arrays is an iteration (roppass.go). V is Y or, with noise, the split variable of ‖Y − ΣP‖ ≤ ε:
// with B = αΣP + (1 − α)V + Λ0,
//
//	V ← Y + min(1, ε/‖B − Y‖)·(B − Y),   Λ0 ← B − V.
//
// In memory a column has ld entries: M entries, then zeros up to a multiple of the vector width of package kernel.
type ropState struct {
	m, n, k, ld int
	alpha       float64   // the relaxation, 0..2
	concave     float64   // c, see kernel.Shorten
	ball        float64   // ε, for Y multiplied by scale; 0 if Y = ΣZ must hold
	scale       float64   // the factor by which Y was multiplied
	y           []float64 // N×ld: signal after signal
	v           []float64 // N×ld: V; the same slice as y until relax is called
	q, z        []float64 // K×N×ld: Q̂ and Ẑ
	shrink      []float64 // K×N: s
	u, w        []float64 // K×ld and K×N: Z_k = u_k·w_kᵀ, u_k of length 1
	lambda      []float64 // N×ld: Λ0
	s, e        []float64 // N×ld: S and E
	parts       []ropPart // the shares of the groups of atoms in S and in the sums
	power       int       // how many power steps for u an iteration makes
	exact       bool      // make u the leading singular vector, instead of power steps
	rng         *rand.Rand
	step        Step // measures of the last sweep; Learn adds its number, time and replaced atoms
}

// newROPState returns the state for the start d: Z = u·wᵀ with the w of shortestCodes, Q = Z, multipliers of zero, and
// Y, the signals of m entries, scaled to a mean square length of 1. noisy adds noise to atoms, so that equal ones part.
func newROPState(signals []float64, m int, d *sparse.Dictionary, seed uint64, noisy bool) (*ropState, error) {
	_, k := d.Dims()
	n, ld := len(signals)/m, kernel.Pad(m)
	s := &ropState{
		m: m, n: n, k: k, ld: ld, scale: math.Sqrt(float64(n) / energy(signals)), y: make([]float64, n*ld),
		q: kernel.NewArray(k * n * ld), z: kernel.NewArray(k * n * ld), shrink: make([]float64, k*n),
		u: make([]float64, k*ld), w: make([]float64, k*n), lambda: make([]float64, n*ld),
		s: make([]float64, n*ld), e: make([]float64, n*ld), parts: make([]ropPart, (k+ropGrain-1)/ropGrain),
		power: 2, alpha: relaxation, rng: rand.New(rand.NewPCG(seed, 3)),
	}
	for i := range s.parts {
		s.parts[i].s = make([]float64, n*ld)
	}
	for j := range n {
		for i, v := range signals[j*m : (j+1)*m] {
			s.y[j*ld+i] = v * s.scale
		}
	}
	s.v = s.y
	for j := range k {
		u := s.direction(j)[:m]
		copy(u, d.Atom(j))
		if noisy {
			for i := range u {
				u[i] += 1e-3 * s.rng.NormFloat64()
			}
			Normalise(u)
		}
	}
	x, err := s.shortestCodes()
	if err != nil {
		return nil, err
	}
	for j := range k {
		copy(s.w[j*n:], x.RawRowView(j))
		for i, v := range s.row(j) {
			s.shrink[j*n+i] = 1
			axpy(v, s.direction(j), s.column(s.q, j, i))
		}
	}
	copy(s.z, s.q)
	s.sum()
	return s, nil
}

// twins is the |cos| above which two atoms of the start count as equal.
const twins = 0.999

// withoutTwins returns d, or a copy in which each twin (see twins) of an earlier atom is replaced by a random signal
// that is no twin of any atom, as long as there are such signals. If each signal is a multiple of one atom, all signals
// with the same atom are twins, and ROP would not find the missing atoms. With M = 16, K = 24, S = 1, N = 400 the error
// of 20 planted problems of seed 7 is 0.1124 with twins and 0.0001 without.
func withoutTwins(y *mat.Dense, d *sparse.Dictionary, seed uint64) (*sparse.Dictionary, error) {
	m, k := d.Dims()
	_, n := y.Dims()
	atoms := make([]float64, 0, m*k)
	add := func(atom []float64) { // unless it is a twin
		for i := 0; i < len(atoms); i += m {
			if math.Abs(dot(atoms[i:i+m], atom)) > twins {
				return
			}
		}
		atoms = append(atoms, atom...)
	}
	for j := range k {
		add(d.Atom(j))
	}
	if len(atoms) == m*k {
		return d, nil
	}
	atom := make([]float64, m)
	for _, j := range rand.New(rand.NewPCG(seed, 5)).Perm(n) {
		if mat.Col(atom, j, y); Normalise(atom) > 0 {
			add(atom)
		}
		if len(atoms) == m*k {
			break
		}
	}
	for j := 0; len(atoms) < m*k; j++ { // too few different signals: repeat the first atoms of d
		atoms = append(atoms, d.Atom(j)...)
	}
	return sparse.FromAtoms(m, atoms)
}

// shortestCodes returns the shortest X, K×N, among all X with the least ‖Y − D·X‖: Dᵀ(DDᵀ)⁺Y = (DᵀD)⁺DᵀY. It solves the
// second form where both K and N are less than M, otherwise the first.
func (s *ropState) shortestCodes() (*mat.Dense, error) {
	atoms := mat.NewDense(s.k, s.ld, s.u).Slice(0, s.k, 0, s.m)
	signals := mat.NewDense(s.n, s.ld, s.y).Slice(0, s.n, 0, s.m)
	var x mat.Dense
	if s.k < s.m && s.n < s.m {
		gram := mat.NewSymDense(s.k, nil)
		gram.SymOuterK(1, atoms)
		var dy mat.Dense
		dy.Mul(atoms, signals.T())
		err := solveSym(&x, gram, &dy)
		return &x, err
	}
	dd := mat.NewSymDense(s.m, nil)
	dd.SymOuterK(1, atoms.T())
	var solved mat.Dense
	if err := solveSym(&solved, dd, mat.DenseCopyOf(signals.T())); err != nil {
		return nil, err
	}
	x.Mul(atoms, &solved)
	return &x, nil
}

// direction, row and signal return u_k, w_k and y_j.
func (s *ropState) direction(k int) []float64 { return s.u[k*s.ld : (k+1)*s.ld] }
func (s *ropState) row(k int) []float64       { return s.w[k*s.n : (k+1)*s.n] }
func (s *ropState) signal(j int) []float64    { return s.y[j*s.ld : (j+1)*s.ld] }

// column returns column j of atom k in Q̂ or Ẑ.
func (s *ropState) column(array []float64, k, j int) []float64 {
	first := (k*s.n + j) * s.ld
	return array[first : first+s.ld]
}

// iterate makes one sweep with penalty ρ, sets step, and multiplies the scaled multipliers by rescale = ρ/(next ρ).
func (s *ropState) iterate(penalty, rescale float64) {
	squaredMiss, count := 0.0, float64(s.k) // ‖ΣP − V‖², and K
	scale := 1 / (count + 2)
	v, lambda, e := s.v[:len(s.s)], s.lambda[:len(s.s)], s.e[:len(s.s)]
	for i, sum := range s.s {
		d := (sum+count*(v[i]-lambda[i]))*scale - v[i] // ΣP − V
		e[i] = d + lambda[i]                           // E = ΣP − V + Λ0, from which pass computes every P_k
		squaredMiss += d * d
	}
	t := s.pass(penalty, rescale) // sums of squares: t[sumPQ] is ‖P − Q‖²
	squaredError, used := s.gather(rescale)
	moved := s.constrain(rescale)
	size := math.Sqrt(t[sumQ]) + 1e-12 // ‖Q‖, never 0, as it divides
	s.step = Step{
		RMSE:     math.Sqrt(squaredError/float64(s.n*s.m)) / s.scale,
		NonZeros: float64(used) / float64(s.n),
		Primal:   max(math.Sqrt(squaredMiss/float64(s.n)), math.Sqrt(t[sumPQ])/size, math.Sqrt(t[sumQZ])/size),
		Dual: (math.Sqrt(t[sumMovedQ]) + math.Sqrt(t[sumMovedZ]) +
			moved) / (math.Sqrt(t[sumLambda1]+t[sumLambda2]) + 1e-12),
	}
}

// constrain updates V and Λ0, multiplies Λ0 by rescale, and returns the distance that V moved.
func (s *ropState) constrain(rescale float64) (moved float64) {
	e := s.e[:len(s.lambda)]
	for i, l := range s.lambda {
		// As E = ΣP − V + Λ0, this is B − V for B = αΣP + (1 − α)V + Λ0 and the old V. Without noise V stays Y.
		s.lambda[i] = l + s.alpha*(e[i]-l)
	}
	if s.ball > 0 { // with noise: V moves to the point of the ball ‖Y − V‖ ≤ ε that is nearest to B
		length := 0.0 // ‖B − Y‖²
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
	if rescale != 1 {
		for i := range s.lambda {
			s.lambda[i] *= rescale
		}
	}
	return math.Sqrt(moved)
}

// fill sets the dictionary of r to the atoms u_k, and the codes of r to the entries of w_k, in the units of Y, that
// are in use: those where the column of Q_k is not zero. It returns r, or nil if no iteration was completed.
func (s *ropState) fill(r *Result) *Result {
	if len(r.Steps) == 0 {
		return nil
	}
	atoms := make([]float64, 0, s.k*s.m)
	for k := range s.k {
		atoms = append(atoms, s.direction(k)[:s.m]...)
	}
	d, err := sparse.FromAtoms(s.m, atoms)
	if err != nil {
		return nil // cannot happen: atoms have length 1
	}
	used, count := func(i int) bool { return s.shrink[i] > 0 && s.w[i] != 0 }, 0
	for i := range s.w {
		if used(i) {
			count++
		}
	}
	c := &sparse.Codes{Atoms: s.k, Start: make([]int, 1, s.n+1), Index: make([]int32, 0, count),
		Value: make([]float64, 0, count)}
	for j := range s.n {
		for k := range s.k {
			if i := k*s.n + j; used(i) {
				c.Index, c.Value = append(c.Index, int32(k)), append(c.Value, s.w[i]/s.scale)
			}
		}
		c.Start = append(c.Start, len(c.Index))
	}
	r.Dictionary, r.Codes = d, c
	return r
}
