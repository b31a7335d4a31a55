package sparse

import (
	"context"
	"flag"
	"math"

	"gonum.org/v1/gonum/mat"
)

// OMP is orthogonal matching pursuit: at each step the atom with the largest
// |d_kᵀr|/‖d_k‖ joins the support I, and the coefficients become the least-squares
// ones on I,
//
//	x_I = argmin ‖y − D_I x‖₂,   r = y − D_I x_I.
//
// It is computed in the Batch-OMP form. With the Gram matrix G of the unit atoms
// and a = Dᵀy known, no residual is formed: the Cholesky factor L of G_II grows
// by one row for each atom, and with p_j = Dᵀq_j for the orthonormal basis q of
// the chosen atoms,
//
//	p_j = (G_k − Σ_{i<j} L_ji p_i) / L_jj,   a ← a − (q_jᵀy) p_j,   ‖r‖² ← ‖r‖² − (q_jᵀy)².
//
// The cost is n·K for Dᵀy and (j+1)·K for step j; memory is S·K a worker and
// nothing is allocated for a signal.
//
// A signal ends when it has Sparsity atoms, when ‖r‖₂ ≤ Tolerance, or when what
// is left is rounding error: later picks would be noise. The recurrence for ‖r‖²
// loses its digits where little is left, so there the residual is formed; and the
// coefficients get one step of iterative refinement, which gives atoms that are
// nearly parallel their digits back.
//
// Y. Pati, R. Rezaiifar, P. Krishnaprasad: Orthogonal matching pursuit, Asilomar
// 1993, doi:10.1109/ACSSC.1993.342465. R. Rubinstein, M. Zibulevsky, M. Elad:
// Efficient implementation of the K-SVD algorithm using batch orthogonal matching
// pursuit, Technion CS-2008-08.
type OMP struct {
	Sparsity  int     // at most so many non-zeros a signal; 0: no limit but n and K
	Tolerance float64 // stop at this residual norm ‖y − Dx‖₂; 0: at rounding error
}

func init() {
	Register(Info{
		Name:      "omp",
		Summary:   "orthogonal matching pursuit, in its Batch-OMP form",
		Reference: "Pati, Rezaiifar, Krishnaprasad 1993; Rubinstein, Zibulevsky, Elad 2008",
		New: func(fs *flag.FlagSet) Coder {
			c := &OMP{}
			fs.IntVar(&c.Sparsity, "sparsity", 0, "non-zeros a signal at most; 0: no limit")
			fs.Float64Var(&c.Tolerance, "tolerance", 0, "residual norm at which a signal ends")
			return c
		},
	})
}

// Code implements Coder.
func (c OMP) Code(ctx context.Context, d *Dictionary, y *mat.Dense) (*Codes, error) {
	most, err := budget(c.Sparsity, c.Tolerance, d)
	if err != nil {
		return nil, err
	}
	return codeEach(ctx, d, y, most, func() solver {
		return newOMPWorker(d, most, c.Tolerance).solve
	})
}

// ompWorker is the part of a worker that does not depend on how the next atom is
// chosen.
type ompWorker struct {
	leastSquares
	tolerance float64   // squared
	corr      []float64 // Dᵀr over the unit atoms
	basis     []float64 // most×K: row j is p_j = Dᵀq_j
	proj      []float64 // q_jᵀy
}

func newOMPWorker(d *Dictionary, most int, tolerance float64) *ompWorker {
	return &ompWorker{
		leastSquares: newLeastSquares(d, most), tolerance: tolerance * tolerance,
		corr: make([]float64, d.k), basis: make([]float64, most*d.k), proj: make([]float64, most),
	}
}

func (w *ompWorker) solve(y []float64, index []int32, value []float64) int {
	return w.pursue(y, index, value, func(floor float64) int {
		if best, size := largest(w.corr); size > floor {
			return best
		}
		return -1
	}, func(int) {})
}

// pursue codes a signal: choose names the atom that is to join, or -1 when only
// rounding error, at most floor, is left; joined hears of it when another may
// follow.
func (w *ompWorker) pursue(y []float64, index []int32, value []float64, choose func(floor float64) int, joined func(member int)) int {
	energy := dot(y, y)
	if energy == 0 {
		return 0
	}
	correlate(w.d, y, w.corr)
	floor := rounding * math.Sqrt(energy)
	left := energy
	count := 0
	for count < w.most && (w.tolerance == 0 || left > w.tolerance) {
		best := choose(floor)
		if best < 0 || !w.join(best, count, index[:count]) {
			break
		}
		index[count] = int32(best)
		left -= w.proj[count] * w.proj[count]
		if count++; count < w.most {
			joined(count - 1)
		}
		if w.tolerance > 0 && left < 1e-8*energy {
			w.backward(w.proj[:count], value)
			left = w.residual(y, index[:count], value)
		}
	}
	w.backward(w.proj[:count], value)
	w.refine(y, index[:count], value, nil)
	unscale(w.d, index[:count], value, floor)
	return count
}

// join adds atom best as member j of the support. It reports false, and changes
// nothing that counts, when the atom depends on the support.
func (w *ompWorker) join(best, j int, support []int32) bool {
	k := w.d.k
	row := w.chol[j*w.most : j*w.most+j+1]
	rest := 1.0
	for i := range support {
		row[i] = w.basis[i*k+best]
		rest -= row[i] * row[i]
	}
	if rest <= independent {
		return false
	}
	row[j] = math.Sqrt(rest)
	w.proj[j] = w.corr[best] / row[j]
	if j+1 == w.most {
		return true // nothing will be chosen after it
	}
	p := w.basis[j*k : (j+1)*k]
	copy(p, w.gram[best*k:(best+1)*k])
	for i := range support {
		axpy(-row[i], w.basis[i*k:(i+1)*k], p)
	}
	scale := 1 / row[j]
	for i := range p {
		p[i] *= scale
	}
	axpy(-w.proj[j], p, w.corr)
	for _, i := range support {
		w.corr[i] = 0
	}
	w.corr[best] = 0
	return true
}
