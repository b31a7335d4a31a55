package sparse

import (
	"context"
	"flag"
	"math"

	"gonum.org/v1/gonum/mat"

	"superres/internal/kernel"
)

// OLS is orthogonal least squares: each step adds the atom to the support I that makes the residual smallest,
//
//	k = argmin_k min_x ‖y − D_{I∪k} x‖₂ = argmax_k |d_kᵀr| / ‖d_k − P_I d_k‖,
//
// where P_I projects on the span of the support; then the coefficients become the least-squares coefficients on I.
// [OMP] divides by ‖d_k‖ instead: it overlooks an atom whose part outside of the span is small but points in the
// missing direction. SPAMS calls this method OMP.
//
// It is computed recursively, as Batch-OMP: with p_j = Dᵀq_j for the orthonormal basis q of the chosen unit atoms and a
// = Dᵀr (see [OMP]), the part of every atom outside of the span is known from
//
//	s_k = ‖d_k − P_I d_k‖² = 1 − Σ_j p_jk²,   k = argmax a_k²/s_k,   ‖r‖² ← ‖r‖² − a_k²/s_k.
//
// The cost is n·K for Dᵀy and (j+3)·K for step j; memory is S·K for each worker, and nothing is allocated for a signal.
//
// An atom that depends on the support, with s_k at rounding error, is skipped. Stopping and refinement are as in OMP.
//
// S. Chen, S. A. Billings, W. Luo: Orthogonal least squares methods and their application to non-linear system
// identification, Int. J. Control 50(5), 1989, doi:10.1080/00207178908953472.
type OLS struct {
	// Sparsity is the largest number of non-zeros of a signal. The default, 0, is min(n, K).
	Sparsity int
	// Tolerance is the residual norm ‖y − Dx‖₂ at which the pursuit ends. The default, 0, is rounding error.
	Tolerance float64
}

func init() {
	Register(Info{
		Name:      "ols",
		Summary:   "orthogonal least squares: the atom that leaves the least residual joins",
		Reference: "Chen, Billings, Luo 1989",
		New: func(fs *flag.FlagSet) Coder {
			c := &OLS{}
			fs.IntVar(&c.Sparsity, "sparsity", 0, "non-zeros a signal at most, even above the tolerance; 0: no limit")
			fs.Float64Var(&c.Tolerance, "tolerance", 0, "residual norm at which a signal ends; 0: rounding error")
			return c
		},
	})
}

// Check returns an error for invalid parameters.
func (c OLS) Check() error { return checkLimits(c.Sparsity, c.Tolerance) }

func (c OLS) MostNonZeros() int { return c.Sparsity }

// Code implements Coder, by the pursuit of OMP with the choice of OLS.
func (c OLS) Code(ctx context.Context, d *Dictionary, y *mat.Dense) (*Codes, error) {
	return codeLimited(ctx, d, y, c.Sparsity, c.Tolerance, func(most int) solver {
		w := &olsWorker{ompWorker: newOMPWorker(d, most, c.Tolerance), outside: make([]float64, d.padded),
			score: make([]float64, d.padded)}
		return w.solve
	})
}

// olsWorker codes signals for one worker.
type olsWorker struct {
	*ompWorker
	outside []float64 // s_k, or +Inf for an atom that was chosen or depends on the support
	score   []float64 // a_k²/s_k
	last    int       // the atom that joined last
}

// solve is the solver of OLS: the pursuit of OMP with the choice of OLS.
func (w *olsWorker) solve(y, corr []float64, index []int32, value []float64) int {
	for k := range w.outside {
		w.outside[k] = 1
	}
	return w.pursue(y, corr, index, value, w.choose)
}

// choose returns the atom that joins a support of count atoms: the first with the largest a_k²/s_k among the atoms with
// |a_k| above floor, or -1 if there is none. a is corr. s is outside, which choose first updates for the atom that
// joined last. s is +Inf for members of the support and for atoms that depend on them.
func (w *olsWorker) choose(floor float64, count int) int {
	if count == 0 {
		w.last = w.ompWorker.choose(floor, 0)
		return w.last
	}
	w.outside[w.last] = math.Inf(1)
	p := w.basis[(count-1)*w.d.padded : count*w.d.padded]
	largest := kernel.Score(w.score, w.outside, p, w.corr, independent, floor)
	if largest == 0 {
		return -1
	}
	w.last, _ = kernel.FindFirst(w.score, largest)
	return w.last
}
