package sparse

import (
	"context"
	"flag"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// SP is subspace pursuit, which improves a support I of S atoms. It starts from the S atoms with the largest
// |d_kᵀy|/‖d_k‖, and each round widens the support to 2S atoms and narrows it again,
//
//	Ĩ = I ∪ {S largest |d_kᵀr|},   x̃ = argmin ‖y − D_Ĩ x‖₂,
//	I = {S largest |x̃_k|},   x_I = argmin ‖y − D_I x‖₂,   r = y − D_I x_I,
//
// over unit atoms, until ‖r‖ no longer falls; the support with the smallest ‖r‖ is kept. Unlike in [OMP], a wrong atom
// can leave the support; over incoherent atoms, planted codes with few non-zeros are found.
//
// The cost is n·K for Dᵀy and, in a round, S·K for Dᵀr = Dᵀy − G_I x_I, K to find the largest entries, and O(S³ + S·n)
// for the two least-squares solutions by the Cholesky factor of the Gram matrix; there are most often 1 to 5 rounds.
// Memory is 2K + 4S² for each worker, and nothing is allocated for a signal. Atoms that depend on the atoms before them
// are left out of a support, so a support has at most n atoms.
//
// S is the Sparsity if there is no Tolerance. With a Tolerance, or with neither, a signal is coded with S = 1, 2, 3, …,
// each from the beginning. It gets the code of the smallest S that reaches the Tolerance, or of the largest S if none
// does. The cost is then the sum over S.
//
// W. Dai, O. Milenkovic: Subspace pursuit for compressive sensing signal reconstruction, IEEE Trans. Information
// Theory 55(5), 2009, doi:10.1109/TIT.2009.2016006.
type SP struct {
	// Sparsity is S or, with a Tolerance, the largest S. The default, 0, is as many as are needed, at most min(n, K).
	Sparsity int
	// Tolerance is the residual norm ‖y − Dx‖₂ that a code should reach; S is the smallest number, up to Sparsity, that
	// does. The default, 0, means S = Sparsity or, if Sparsity is 0 too, a residual norm at rounding error.
	Tolerance float64
}

func init() {
	Register(Info{
		Name:      "sp",
		Summary:   "subspace pursuit: a support of fixed size, mended until it fits no better",
		Reference: "Dai, Milenkovic 2009",
		New: func(fs *flag.FlagSet) Coder {
			c := &SP{}
			fs.IntVar(&c.Sparsity, "sparsity", 0, "non-zeros a signal; with a tolerance, the most; 0: no limit")
			fs.Float64Var(&c.Tolerance, "tolerance", 0, "residual norm to reach with the fewest non-zeros; 0: "+
				"use the whole sparsity, or fit exactly if that is 0 too")
			return c
		},
	})
}

// Check returns an error for invalid parameters.
func (c SP) Check() error { return checkLimits(c.Sparsity, c.Tolerance) }

func (c SP) MostNonZeros() int { return c.Sparsity }

// Code implements Coder. For a signal, w.pursue finds the support of S atoms, and w.grow chooses S: see SP.
func (c SP) Code(ctx context.Context, d *Dictionary, y *mat.Dense) (*Codes, error) {
	return codeLimited(ctx, d, y, c.Sparsity, c.Tolerance, func(most int) solver {
		w := &spWorker{newSubspace(d, 2*most)} // a widened support has up to 2S atoms
		return func(y, corr []float64, index []int32, value []float64) int {
			w.start = corr[:d.k]
			return w.grow(y, c.Sparsity, c.Tolerance, most, w.pursue, index, value)
		}
	})
}

// spWorker codes signals for one worker.
type spWorker struct{ *subspace }

// pursue sets w.best to the best support of s atoms that the rounds of SP find, with its least-squares solution. They
// end when a residual norm is at most floor, which is rounding error, or no longer falls.
func (w *spWorker) pursue(y []float64, s int, floor float64) {
	w.best.atoms = appendLargest(w.best.atoms[:0], w.start, s, floor) // start is Dᵀy
	w.solve(y, &w.best)
	for w.best.squaredError > floor*floor {
		w.correlate(w.best.atoms, w.best.x)
		for _, atom := range w.best.atoms {
			w.corr[atom] = 0 // it should be 0, and is rounding error
		}
		w.widened.atoms = append(w.widened.atoms[:0], w.best.atoms...)
		w.widened.atoms = appendLargest(w.widened.atoms, w.corr, s, floor)
		w.solve(y, &w.widened)
		w.prune(s) // sets w.next to the atoms with the s largest coefficients
		w.solve(y, &w.next)
		if !(w.next.squaredError < w.best.squaredError*(1-rounding)) {
			return // no longer less by more than rounding error
		}
		w.best, w.next = w.next, w.best
	}
}

// subspace is the state that workers of [SP] and [CoSaMP] share: the best support so far, the widened support, and the
// next support, each with its solution.
type subspace struct {
	leastSquares
	start               []float64 // Dᵀy over the unit atoms
	corr                []float64 // Dᵀr
	best, widened, next partial
	order               []int32 // a buffer for the indices of largest entries
}

// partial is a support with coefficients over its unit atoms.
type partial struct {
	atoms        []int32
	x            []float64
	squaredError float64 // ‖y − D_I·x‖²
}

// newSubspace returns a subspace for supports of up to widest atoms; at most n of them enter a least-squares solution.
func newSubspace(d *Dictionary, widest int) *subspace {
	part := func() partial { return partial{atoms: make([]int32, 0, widest), x: make([]float64, widest)} }
	return &subspace{
		leastSquares: newLeastSquares(d, min(widest, d.n, d.k)),
		corr:         make([]float64, d.k),
		best:         part(), widened: part(), next: part(), order: make([]int32, 0, widest),
	}
}

// grow writes the code of y to index and value and returns its number of atoms. It calls pursue with s = most if there
// is a sparsity but no tolerance, otherwise with s = 1, 2, … until the tolerance or s = most is reached.
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
	for ; s < most && w.best.squaredError > target; s++ {
		pursue(y, s+1, floor)
	}
	count := copy(index, w.best.atoms)
	copy(value, w.best.x[:count])
	unscale(w.d, index[:count], value, floor)
	return count
}

// solve sets p to the least-squares solution for y on its atoms. It drops atoms that depend on the atoms before them.
func (w *subspace) solve(y []float64, p *partial) {
	p.atoms = p.atoms[:w.fit(y, w.start, p.atoms, p.x)]
	p.squaredError = w.residual(y, p.atoms, p.x)
}

// correlate sets w.corr to Dᵀ(y − D_I·x) for the support I, which is atoms.
func (w *subspace) correlate(atoms []int32, x []float64) {
	copy(w.corr, w.start)
	for j, atom := range atoms {
		axpy(-x[j], w.row(int(atom))[:w.d.k], w.corr)
	}
}

// prune sets w.next to the s atoms of w.widened with the largest coefficients, and to these coefficients. The atoms
// keep their order, in which they are linearly independent.
func (w *subspace) prune(s int) {
	w.order = appendLargest(w.order[:0], w.widened.x[:len(w.widened.atoms)], s, 0)
	slices.Sort(w.order)
	w.next.atoms = w.next.atoms[:len(w.order)]
	for j, i := range w.order {
		w.next.atoms[j], w.next.x[j] = w.widened.atoms[i], w.widened.x[i]
	}
}
