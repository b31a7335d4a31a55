package sparse

import (
	"context"
	"flag"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// SP is subspace pursuit: a support I of S atoms that is mended as a whole. It
// starts from the S atoms with the largest |d_kᵀy|/‖d_k‖, and each round widens
// it to 2S atoms and narrows it again,
//
//	Ĩ = I ∪ {S largest |d_kᵀr|},   x̃ = argmin ‖y − D_Ĩ x‖₂,
//	I = {S largest |x̃_k|},   x_I = argmin ‖y − D_I x‖₂,   r = y − D_I x_I,
//
// over unit atoms, until ‖r‖ no longer falls; the support before that is kept.
// A wrong atom can leave again, which [OMP] cannot do; with few and incoherent
// atoms the planted ones are found.
//
// The cost is n·K for Dᵀy and, a round, S·K for Dᵀr = Dᵀy − G_I x_I, K for the
// largest of them, and O(S³ + S·n) for the two least-squares solutions by the
// Cholesky factor of the Gram matrix; rounds are few, most often 1 to 5. Memory is
// 2K + 4S² a worker and nothing is allocated for a signal. Atoms that depend on
// those before them are left out of a support, so it has n at most.
//
// S must be known. With Sparsity alone it is that. With a Tolerance, or without
// either, a signal is pursued with S = 1, 2, 3, … anew, and has the code of the
// smallest S that reaches the Tolerance, or of the last when none does; that
// costs the sum over S.
//
// W. Dai, O. Milenkovic: Subspace pursuit for compressive sensing signal
// reconstruction, IEEE Trans. Information Theory 55(5), 2009,
// doi:10.1109/TIT.2009.2016006.
type SP struct {
	// Sparsity is S, how many non-zeros a signal has at most. The default, 0, is the smallest
	// S that reaches the Tolerance, up to n and K.
	Sparsity int
	// Tolerance is the residual norm ‖y − Dx‖₂ that the smallest S, up to Sparsity, is to
	// reach. The default, 0, is S = Sparsity, or rounding error without a Sparsity.
	Tolerance float64
}

func init() {
	Register(Info{
		Name:      "sp",
		Summary:   "subspace pursuit: a support of fixed size, mended until it fits no better",
		Reference: "Dai, Milenkovic 2009",
		New: func(fs *flag.FlagSet) Coder {
			c := &SP{}
			fs.IntVar(&c.Sparsity, "sparsity", 0, "non-zeros a signal at most; 0: as few as reach the tolerance")
			fs.Float64Var(&c.Tolerance, "tolerance", 0, "residual norm that the fewest non-zeros are to reach")
			return c
		},
	})
}

// Check refuses parameters that mean nothing.
func (c SP) Check() error { return checkLimits(c.Sparsity, c.Tolerance) }

// MostNonZeros implements Limited.
func (c SP) MostNonZeros() int { return c.Sparsity }

// Code implements Coder.
func (c SP) Code(ctx context.Context, d *Dictionary, y *mat.Dense) (*Codes, error) {
	most, err := budget(c.Sparsity, c.Tolerance, d)
	if err != nil {
		return nil, err
	}
	return codeEach(ctx, d, y, most, func() solver {
		w := &spWorker{newSubspace(d, 2*most)}
		return func(y, corr []float64, index []int32, value []float64) int {
			w.start = corr[:d.k]
			return w.grow(y, c.Sparsity, c.Tolerance, most, w.pursue, index, value)
		}
	})
}

type spWorker struct{ *subspace }

// pursue leaves the support of s atoms and its solution in w.now.
func (w *spWorker) pursue(y []float64, s int, floor float64) {
	w.now.atoms = appendLargest(w.now.atoms[:0], w.start, s, floor)
	w.solve(y, &w.now)
	for w.now.left > floor*floor {
		w.correlate(w.now.atoms, w.now.x)
		for _, atom := range w.now.atoms {
			w.corr[atom] = 0 // but for rounding
		}
		w.wide.atoms = append(w.wide.atoms[:0], w.now.atoms...)
		w.wide.atoms = appendLargest(w.wide.atoms, w.corr, s, floor)
		w.solve(y, &w.wide)
		w.narrow(s)
		w.solve(y, &w.next)
		if !(w.next.left < w.now.left*(1-rounding)) {
			return
		}
		w.now, w.next = w.next, w.now
	}
}

// subspace is what [SP] and [CoSaMP] have in common: three supports with their
// solutions, and the size S.
type subspace struct {
	leastSquares
	start           []float64 // Dᵀy over the unit atoms
	corr            []float64 // Dᵀr
	now, wide, next partial
	order           []int32
}

// partial is a support and coefficients over its unit atoms.
type partial struct {
	atoms []int32
	x     []float64
	left  float64 // ‖y − D_I·x‖²
}

// newSubspace makes room for supports of widest atoms, of which n at most are
// solved for.
func newSubspace(d *Dictionary, widest int) *subspace {
	part := func() partial { return partial{atoms: make([]int32, 0, widest), x: make([]float64, widest)} }
	return &subspace{
		leastSquares: newLeastSquares(d, min(widest, d.n, d.k)),
		corr:         make([]float64, d.k),
		now:          part(), wide: part(), next: part(), order: make([]int32, 0, widest),
	}
}

// grow codes y by pursue with S = sparsity, or with the smallest S from 1 to most
// that reaches the tolerance.
func (w *subspace) grow(y []float64, sparsity int, tolerance float64, most int,
	pursue func(y []float64, s int, floor float64), index []int32, value []float64) int {
	energy := dot(y, y)
	if energy == 0 {
		return 0
	}
	floor := rounding * math.Sqrt(energy)
	target := max(tolerance, floor)
	target *= target
	if energy <= target {
		return 0
	}
	s := 1
	if sparsity > 0 && tolerance == 0 {
		s = most
	}
	pursue(y, s, floor)
	for ; s < most && w.now.left > target; s++ {
		pursue(y, s+1, floor)
	}
	count := copy(index, w.now.atoms)
	copy(value, w.now.x[:count])
	unscale(w.d, index[:count], value, floor)
	return count
}

// solve makes p the least-squares solution on its atoms, without those that
// depend on others.
func (w *subspace) solve(y []float64, p *partial) {
	p.atoms = p.atoms[:w.fit(y, w.start, p.atoms, p.x)]
	p.left = w.residual(y, p.atoms, p.x)
}

// correlate sets w.corr to Dᵀ(y − D_I·x).
func (w *subspace) correlate(atoms []int32, x []float64) {
	copy(w.corr, w.start)
	for j, atom := range atoms {
		axpy(-x[j], w.row(int(atom))[:w.d.k], w.corr)
	}
}

// narrow sets w.next to the s atoms of w.wide with the largest coefficients, in
// their order: what is independent so stays.
func (w *subspace) narrow(s int) {
	w.order = appendLargest(w.order[:0], w.wide.x[:len(w.wide.atoms)], s, 0)
	slices.Sort(w.order)
	w.next.atoms = w.next.atoms[:len(w.order)]
	for j, at := range w.order {
		w.next.atoms[j], w.next.x[j] = w.wide.atoms[at], w.wide.x[at]
	}
}
