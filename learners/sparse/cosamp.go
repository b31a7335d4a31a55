package sparse

import (
	"context"
	"flag"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// CoSaMP is compressive sampling matching pursuit: from x = 0, r = y, each round widens the support of x to 3S atoms
// and prunes it to S,
//
//	Ĩ = supp(x) ∪ {2S largest |d_kᵀr|},   x̃ = argmin ‖y − D_Ĩ x‖₂,
//	x = the S largest entries of x̃,   r = y − D x,
//
// over unit atoms. It is [SP] with twice the candidates, and with the residual of the pruned x̃ instead of the
// least-squares solution on its support, so that an atom just pruned is a candidate again. The paper leaves the
// stopping rule open. Here each round also computes the least-squares solution on its support. When that solution has
// no smaller residual than in the round before, the code is the solution of the round before.
//
// The cost is n·K for Dᵀy and, in a round, S·K for Dᵀr = Dᵀy − G_I x_I, K to find the largest entries, and O(S³ + S·n)
// for the two least-squares solutions, 27·S³ where SP has 8·S³. Memory is 2K + 9S² for each worker, and nothing is
// allocated for a signal. Atoms that depend on the atoms before them are left out of a support. If 3S is near n, as in
// small patches, x̃ fits any signal and says little about which atoms to keep: use SP or [OMP] then.
//
// With a Tolerance, or without a Sparsity, S is the least that reaches the Tolerance, or the most if none does: see SP.
//
// D. Needell, J. Tropp: CoSaMP: Iterative signal recovery from incomplete and inaccurate samples, Applied and
// Computational Harmonic Analysis 26(3), 2009, doi:10.1016/j.acha.2008.07.002.
type CoSaMP struct {
	// Sparsity is S or, with a Tolerance, the largest S. The default, 0, is as many as are needed, at most min(n, K).
	Sparsity int
	// Tolerance is the residual norm ‖y − Dx‖₂ that a code should reach; S is the smallest number, up to Sparsity, that
	// does. The default, 0, means S = Sparsity or, if Sparsity is 0 too, a residual norm at rounding error.
	Tolerance float64
}

func init() {
	Register(Info{
		Name:      "cosamp",
		Summary:   "compressive sampling matching pursuit: widen to 3S atoms, prune to S, repeat",
		Reference: "Needell, Tropp 2009",
		New: func(fs *flag.FlagSet) Coder {
			c := &CoSaMP{}
			fs.IntVar(&c.Sparsity, "sparsity", 0, "non-zeros a signal; with a tolerance, the most; 0: no limit")
			fs.Float64Var(&c.Tolerance, "tolerance", 0, "residual norm to reach with the fewest non-zeros; 0: "+
				"use the whole sparsity, or fit exactly if that is 0 too")
			return c
		},
	})
}

// Check returns an error for invalid parameters.
func (c CoSaMP) Check() error { return checkLimits(c.Sparsity, c.Tolerance) }

func (c CoSaMP) MostNonZeros() int { return c.Sparsity }

// Code implements Coder. For a signal, w.pursue finds the support of S atoms, and w.grow chooses S: see CoSaMP.
func (c CoSaMP) Code(ctx context.Context, d *Dictionary, y *mat.Dense) (*Codes, error) {
	return codeLimited(ctx, d, y, c.Sparsity, c.Tolerance, func(most int) solver {
		w := &cosampWorker{newSubspace(d, 3*most), make([]float64, most)} // a widened support has up to 3S atoms
		return func(y, corr []float64, index []int32, value []float64) int {
			w.start = corr[:d.k]
			return w.grow(y, c.Sparsity, c.Tolerance, most, w.pursue, index, value)
		}
	})
}

// cosampWorker codes signals for one worker.
type cosampWorker struct {
	*subspace
	pruned []float64 // x on the atoms of w.next before their least-squares solution
}

// pursue sets w.best to the best support of s atoms that the rounds of CoSaMP find, with its least-squares solution.
// They end when a residual norm is at most floor, which is rounding error, or no longer falls.
func (w *cosampWorker) pursue(y []float64, s int, floor float64) {
	copy(w.corr, w.start)
	w.best.atoms, w.best.squaredError = w.best.atoms[:0], dot(y, y)
	for w.best.squaredError > floor*floor {
		w.widened.atoms = append(w.widened.atoms[:0], w.best.atoms...)
		w.order = appendLargest(w.order[:0], w.corr, 2*s, floor)
		for _, atom := range w.order {
			if !slices.Contains(w.best.atoms, atom) {
				w.widened.atoms = append(w.widened.atoms, atom)
			}
		}
		w.solve(y, &w.widened)
		w.prune(s)
		pruned := w.pruned[:copy(w.pruned, w.next.x[:len(w.next.atoms)])]
		w.solve(y, &w.next)
		if !(w.next.squaredError < w.best.squaredError*(1-rounding)) {
			return // no longer less by more than rounding error
		}
		w.best, w.next = w.next, w.best
		w.correlate(w.best.atoms, pruned) // sets corr to Dᵀr for the x before its least-squares solution
	}
}
