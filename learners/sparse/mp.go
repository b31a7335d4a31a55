package sparse

import (
	"context"
	"flag"
	"math"

	"gonum.org/v1/gonum/mat"

	"superres/internal/kernel"
	"superres/learners/plugin"
)

// MP is matching pursuit, a greedy expansion of a signal. Each step changes only the coefficient of the atom with the
// largest |d_kᵀr|/‖d_k‖; over unit atoms,
//
//	k = argmax |d_kᵀr|,   x_k ← x_k + d_kᵀr,   r ← r − (d_kᵀr) d_k,
//
// so that ‖y‖² = Σ (d_kᵀr)² + ‖r‖² over the steps so far. Unlike in [OMP], the coefficients are not the least-squares
// solution, and an atom may be chosen again.
//
// It is computed with the Gram matrix G: a ← a − a_k G_k for a = Dᵀr. The cost is n·K for Dᵀy and 2K for a step, plus n
// if there is a Tolerance, which needs the residual; a worker needs memory for K numbers, a signal none.
//
// A pursuit ends before a step that would exceed Sparsity, when ‖r‖₂ ≤ Tolerance, when r is rounding error, or after
// Steps. The residual falls geometrically, reaches zero only in the limit, and may need more than n atoms: over 2n to
// 60n Gaussian atoms, n = 8 to 64, it is at 1e-3 of the signal after n to 10n steps and at rounding error after 4n to
// 45n. With nearly parallel atoms it may fall arbitrarily slowly; then Steps ends the pursuit.
//
// S. Mallat, Z. Zhang: Matching pursuits with time-frequency dictionaries, IEEE Trans. Signal Processing 41(12),
// 1993, doi:10.1109/78.258082.
type MP struct {
	// Sparsity is the largest number of non-zeros of a signal. The default, 0, is K.
	Sparsity int
	// Tolerance is the residual norm ‖y − Dx‖₂ at which the pursuit ends. The default, 0, is rounding error.
	Tolerance float64
	// Steps is the largest number of steps for a signal. The default, 0, is 100·n.
	Steps int
}

func init() {
	Register(Info{
		Name:      "mp",
		Summary:   "matching pursuit: one coefficient a step, none refitted",
		Reference: "Mallat, Zhang 1993",
		New: func(fs *flag.FlagSet) Coder {
			c := &MP{}
			fs.IntVar(&c.Sparsity, "sparsity", 0, "non-zeros a signal at most, even above the tolerance; 0: no limit")
			fs.Float64Var(&c.Tolerance, "tolerance", 0, "residual norm at which a signal ends; 0: rounding error")
			fs.IntVar(&c.Steps, "steps", 0, "steps a signal at most; 0: 100 for each of its entries")
			return c
		},
	})
}

// Check returns an error for invalid parameters.
func (c MP) Check() error {
	return plugin.CheckNumbers("sparse",
		map[string]float64{"sparsity": float64(c.Sparsity), "tolerance": c.Tolerance, "steps": float64(c.Steps)})
}

func (c MP) MostNonZeros() int { return c.Sparsity }

// Code implements Coder.
func (c MP) Code(ctx context.Context, d *Dictionary, y *mat.Dense) (*Codes, error) {
	if _, err := maxNonZeros(c.Sparsity, c.Tolerance, d); err != nil {
		return nil, err
	}
	if err := c.Check(); err != nil {
		return nil, err
	}
	most, steps := c.Sparsity, c.Steps // not the limit of maxNonZeros, since a signal may get more than n atoms here
	if most == 0 {
		most = d.k
	}
	if steps == 0 {
		steps = 100 * d.n
	}
	gram := d.prepare()
	return codeEach(ctx, d, y, most, func() solver {
		w := &mpWorker{
			d: d, gram: gram, most: most, steps: steps, squaredTolerance: c.Tolerance * c.Tolerance,
			code: make([]float64, d.k), residual: make([]float64, d.n),
		}
		return w.solve
	})
}

// mpWorker codes signals for one worker.
type mpWorker struct {
	d                *Dictionary
	gram             []float64
	most, steps      int
	squaredTolerance float64   // 0: none
	code             []float64 // x over the unit atoms; all zero between signals
	residual         []float64 // r, kept only if there is a tolerance
}

// solve is the solver of MP. corr is Dᵀy at first and Dᵀr after each step, w.code holds x, and w.residual r.
func (w *mpWorker) solve(y, corr []float64, index []int32, value []float64) int {
	energy := dot(y, y)
	if energy == 0 {
		return 0
	}
	padded := w.d.padded
	copy(w.residual, y)
	floor := rounding * math.Sqrt(energy)
	squaredError := energy
	count := 0
	for step := 0; step < w.steps && (w.squaredTolerance == 0 || squaredError > w.squaredTolerance); step++ {
		best, size := kernel.FindLargest(corr)
		if size <= floor {
			break
		}
		if w.code[best] == 0 { // a new atom
			if count == w.most {
				break
			}
			index[count] = int32(best)
			count++
		}
		a := corr[best]
		w.code[best] += a
		axpy(-a, w.gram[best*padded:(best+1)*padded], corr)
		if w.squaredTolerance > 0 {
			axpy(-a/w.d.norms[best], w.d.Atom(best), w.residual)
			squaredError = dot(w.residual, w.residual)
		}
	}
	for j, atom := range index[:count] {
		value[j], w.code[atom] = w.code[atom], 0 // an atom may have two entries: the second gets 0
	}
	unscale(w.d, index[:count], value, floor)
	return count
}
