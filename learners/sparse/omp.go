package sparse

import (
	"context"
	"flag"
	"math"

	"gonum.org/v1/gonum/mat"

	"superres/internal/kernel"
)

// OMP is orthogonal matching pursuit: at each step the atom with the largest |d_kᵀr|/‖d_k‖ joins the support I, and the
// coefficients become the least-squares coefficients on I,
//
//	x_I = argmin ‖y − D_I x‖₂,   r = y − D_I x_I.
//
// It is computed in the Batch-OMP form, which knows the Gram matrix G of the unit atoms and a = Dᵀy and so needs no
// residual: the Cholesky factor L of G_II grows by one row for each atom, and with p_j = Dᵀq_j for the orthonormal
// basis q of the chosen atoms,
//
//	p_j = (G_k − Σ_{i<j} L_ji p_i) / L_jj,   a ← a − (q_jᵀy) p_j,   ‖r‖² ← ‖r‖² − (q_jᵀy)².
//
// The cost is n·K for Dᵀy, which is computed for several signals at a time, and (j+3)·K for step j, in one pass; the
// memory is (S+32)·K for each worker, and nothing is allocated for a signal.
//
// The pursuit of a signal ends when it has Sparsity atoms, when ‖r‖₂ ≤ Tolerance, or when r is rounding error, since
// later choices would be noise. The recurrence for ‖r‖² loses its digits if r is small, so a small residual is computed
// directly. One step of iterative refinement restores the digits of the coefficients if atoms are nearly parallel.
//
// Y. Pati, R. Rezaiifar, P. Krishnaprasad: Orthogonal matching pursuit, Asilomar 1993, doi:10.1109/ACSSC.1993.342465.
// R. Rubinstein, M. Zibulevsky, M. Elad: Efficient implementation of the K-SVD algorithm using batch orthogonal
// matching pursuit, Technion CS-2008-08.
type OMP struct {
	// Sparsity is the largest number of non-zeros of a signal. The default, 0, is min(n, K).
	Sparsity int
	// Tolerance is the residual norm ‖y − Dx‖₂ at which the pursuit ends. The default, 0, is rounding error.
	Tolerance float64
}

func init() {
	Register(Info{
		Name:      "omp",
		Summary:   "orthogonal matching pursuit, in its Batch-OMP form",
		Reference: "Pati, Rezaiifar, Krishnaprasad 1993; Rubinstein, Zibulevsky, Elad 2008",
		New: func(fs *flag.FlagSet) Coder {
			c := &OMP{}
			fs.IntVar(&c.Sparsity, "sparsity", 0, "non-zeros a signal at most, even above the tolerance; 0: no limit")
			fs.Float64Var(&c.Tolerance, "tolerance", 0, "residual norm at which a signal ends; 0: rounding error")
			return c
		},
	})
}

// Check returns an error for invalid parameters.
func (c OMP) Check() error { return checkLimits(c.Sparsity, c.Tolerance) }

func (c OMP) MostNonZeros() int { return c.Sparsity }

func (c OMP) Code(ctx context.Context, d *Dictionary, y *mat.Dense) (*Codes, error) {
	return codeLimited(ctx, d, y, c.Sparsity, c.Tolerance, func(most int) solver {
		return newOMPWorker(d, most, c.Tolerance).solve
	})
}

// ompWorker codes signals for one worker of OMP or OLS, which differ in how they choose the next atom.
type ompWorker struct {
	leastSquares
	squaredTolerance float64   // 0: none
	corr             []float64 // Dᵀr over the unit atoms
	top              float64   // max |corr|, set by pursue and join
	basis            []float64 // most×padded: row j is p_j = Dᵀq_j
	proj             []float64 // q_jᵀy
}

// newOMPWorker returns a worker. most is the largest number of atoms in a support.
func newOMPWorker(d *Dictionary, most int, tolerance float64) *ompWorker {
	w := &ompWorker{leastSquares: newLeastSquares(d, most), squaredTolerance: tolerance * tolerance,
		proj: make([]float64, most)}
	w.basis = make([]float64, most*d.padded)
	return w
}

// choose returns the first atom with the largest |corr|, or -1 if the largest is at most floor.
func (w *ompWorker) choose(floor float64, _ int) int {
	if w.top <= floor {
		return -1
	}
	best, _ := kernel.FindFirst(w.corr, w.top)
	return best
}

func (w *ompWorker) solve(y, corr []float64, index []int32, value []float64) int {
	return w.pursue(y, corr, index, value, w.choose)
}

// pursue codes a signal y by adding atoms to the support until it has w.most, reaches the tolerance, or the next atom
// depends on it. It writes the atoms to index, their coefficients to value, and returns their number. corr is Dᵀy, and
// Dᵀr after join. choose gets the number of atoms so far, and returns the next atom, or -1 for a residual up to floor.
func (w *ompWorker) pursue(y, corr []float64, index []int32, value []float64,
	choose func(floor float64, count int) int) int {
	energy := dot(y, y)
	if energy == 0 {
		return 0
	}
	w.corr = corr
	_, w.top = kernel.FindLargest(corr)
	floor := rounding * math.Sqrt(energy)
	squaredError := energy
	count := 0
	for count < w.most && (w.squaredTolerance == 0 || squaredError > w.squaredTolerance) {
		best := choose(floor, count)
		if best < 0 || !w.join(best, count, index) {
			break
		}
		squaredError -= w.proj[count] * w.proj[count]
		count++
		if w.squaredTolerance > 0 && squaredError < 1e-8*energy { // the difference has lost its digits
			w.solveTransposed(w.proj[:count], value)
			squaredError = w.residual(y, index[:count], value)
		}
	}
	w.solveTransposed(w.proj[:count], value)
	w.refine(y, index[:count], value, nil)
	unscale(w.d, index[:count], value, floor)
	return count
}

// join makes an atom member j of the support, or returns false and changes nothing if the atom depends on the support.
// It computes row j of L (chol), p_j (basis) and q_jᵀy (proj), and updates Dᵀr (corr), by the formulas at OMP.
func (w *ompWorker) join(atom, j int, support []int32) bool {
	ld := w.d.padded
	row := w.chol[j*w.most : j*w.most+j+1]
	pivot := 1.0
	for i := range j {
		row[i] = w.basis[i*ld+atom]
		pivot -= row[i] * row[i]
	}
	if pivot <= independent {
		return false
	}
	row[j] = math.Sqrt(pivot)
	w.proj[j] = w.corr[atom] / row[j]
	support[j] = int32(atom)
	if j+1 == w.most {
		return true // the support is complete, so nothing else is needed
	}
	w.top = kernel.Advance(w.basis[j*ld:(j+1)*ld], w.corr, w.row(atom), w.basis, ld, row[:j], 1/row[j], w.proj[j])
	stale := false                    // whether w.top is the |corr| of a member of the support
	for _, i := range support[:j+1] { // the |corr| of a member is rounding error
		stale = stale || math.Abs(w.corr[i]) == w.top
		w.corr[i] = 0
	}
	if stale {
		_, w.top = kernel.FindLargest(w.corr)
	}
	return true
}
