package sparse

import (
	"context"
	"flag"
	"math"

	"gonum.org/v1/gonum/mat"

	"superres/internal/kernel"
	"superres/learners/plugin"
)

// Lasso is ℓ₁ minimisation, also called basis pursuit: a convex problem in place of a greedy search. Its forms, over
// unit atoms, are
//
//	Lambda λ > 0:     min ½‖y − Dx‖₂² + λ‖x‖₁,
//	Tolerance ε > 0:  min ‖x‖₁  with  ‖y − Dx‖₂ ≤ ε   (basis pursuit denoising),
//	neither:          min ‖x‖₁  with  Dx = y          (basis pursuit),
//
// In the last two forms, if ‖y − Dx‖₂ cannot become as small as ε, or 0, the constraint is the smallest possible ‖y −
// Dx‖₂. For atoms of other lengths ‖x‖₁ is Σ ‖d_k‖·|x_k|.
//
// All lie on one path, the solutions x(λ) as λ falls from max |d_kᵀy|, where x = 0. The path is piecewise linear, and
// homotopy walks along it. With the support I, the signs s of x_I, the Gram matrix G and a = Dᵀ(y − Dx), a step is
//
//	v = G_II⁻¹ s,   x_I ← x_I + γ v,   a ← a − γ G_I v,   λ ← λ − γ,
//
// for the smallest γ at which an atom outside of the support reaches |a_k| = λ and joins, or an atom inside reaches x_k
// = 0 and leaves; ‖y − Dx‖₂² falls by γ(2λ − γ)·sᵀv. So λ and ε are met exactly, within a step. The Cholesky factor of
// G_II gains or loses a row, and at the end iterative refinement gives x its last digits.
//
// A Sparsity S does not define such a problem. It ends the path before atom S + 1 joins, unless λ or ε is met earlier.
// The coefficients at that point mean little (with S = 1 the coefficient is the difference of the two largest |d_kᵀy|).
// So with a Sparsity, or with Debias, the path only chooses the support, and the coefficients are the least-squares
// solution on it. Otherwise they are the solution of the problem and smaller. Note: K-SVD with S = 3 on a planted
// problem (M, K, N = 16, 32, 600) ends at RMSE 0.072; with coefficients of the path it would be 0.103 (with OMP 0.055).
//
// The cost is n·K for Dᵀy and (|I| + 4)·K + 2·|I|² for a step, plus |I|·n if there is a Tolerance; memory is 2K + S²
// for each worker, and nothing is allocated for a signal. A path to λ = 0 takes n to 2n steps over Gaussian atoms.
// Atoms that depend on the support are skipped: if atoms are at angles below 3e-5, |a_k| ≤ λ holds only up to 3e-5 of
// ‖y − Dx‖. A path that reaches 30·(n + K) steps ends there.
//
// B. Efron, T. Hastie, I. Johnstone, R. Tibshirani: Least angle regression, Annals of Statistics 32(2), 2004,
// doi:10.1214/009053604000000067. M. Osborne, B. Presnell, B. Turlach: A new approach to variable selection in least
// squares problems, IMA J. Numerical Analysis 20(3), 2000, doi:10.1093/imanum/20.3.389. S. Chen, D. Donoho, M.
// Saunders: Atomic decomposition by basis pursuit, SIAM J. Scientific Computing 20(1), 1998,
// doi:10.1137/S1064827596304010.
type Lasso struct {
	// Lambda is λ, in the units of the signals. The default, 0, is the smallest that Tolerance and Sparsity allow.
	Lambda float64
	// Tolerance is ε, the residual norm ‖y − Dx‖₂; not with Lambda. The default, 0, is the smallest possible norm.
	Tolerance float64
	// Sparsity is S, the largest number of non-zeros of a signal. The default, 0, is min(n, K).
	Sparsity int
	// Debias replaces the solution of the lasso by the least-squares solution on its support, as a Sparsity does.
	Debias bool
}

func init() {
	Register(Info{
		Name:      "lasso",
		Summary:   "l1 minimisation by homotopy: the lasso, basis pursuit with and without noise",
		Reference: "Efron, Hastie, Johnstone, Tibshirani 2004; Chen, Donoho, Saunders 1998",
		New: func(fs *flag.FlagSet) Coder {
			c := &Lasso{}
			fs.Float64Var(&c.Lambda, "lambda", 0, "weight of the l1 norm; 0: as small as the other limits let it be")
			fs.Float64Var(&c.Tolerance, "tolerance", 0, "residual norm that ends a signal, not with lambda; 0: least")
			fs.IntVar(&c.Sparsity, "sparsity", 0,
				"non-zeros a signal at most, with least-squares coefficients; 0: no limit")
			fs.BoolVar(&c.Debias, "debias", false, "least-squares coefficients without a sparsity too")
			return c
		},
	})
}

// pathSteps·(n + K) is the largest number of steps of a path. Note: the longest paths seen had 12,000 steps, at n = 45
// and K = 512, over atoms that are samples of one smooth pulse at K positions.
const pathSteps = 30

// Check returns an error for invalid parameters.
func (c Lasso) Check() error {
	if c.Lambda > 0 && c.Tolerance > 0 {
		return plugin.Errorf("sparse: lambda %g and tolerance %g are two problems, expected one of them",
			c.Lambda, c.Tolerance)
	}
	return plugin.CheckNumbers("sparse",
		map[string]float64{"lambda": c.Lambda, "sparsity": float64(c.Sparsity), "tolerance": c.Tolerance})
}

func (c Lasso) MostNonZeros() int { return c.Sparsity }

// Objective implements Penalised for unit atoms. It is ‖Y − DX‖² if the coefficients are least-squares solutions (with
// a Sparsity or Debias), otherwise ½‖Y − DX‖² + λ‖X‖₁ with a Lambda, and ‖X‖₁ without.
func (c Lasso) Objective(squaredError float64, x *Codes) float64 {
	if c.Sparsity > 0 || c.Debias {
		return squaredError
	}
	sum := 0.0
	for _, v := range x.Value {
		sum += math.Abs(v)
	}
	if c.Lambda > 0 {
		return squaredError/2 + c.Lambda*sum
	}
	return sum
}

// Code implements Coder. limited tells a worker that Sparsity, rather than n or K, bounds the number of non-zeros.
func (c Lasso) Code(ctx context.Context, d *Dictionary, y *mat.Dense) (*Codes, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	return codeLimited(ctx, d, y, c.Sparsity, c.Tolerance, func(most int) solver {
		w := &lassoWorker{
			leastSquares: newLeastSquares(d, most), Lasso: c, limited: most < min(d.n, d.k),
			slope: make([]float64, d.k), excluded: make([]bool, d.k),
			sign: make([]float64, most), pace: make([]float64, most), pull: make([]float64, most),
		}
		return w.solve
	})
}

// lassoWorker codes signals for one worker.
type lassoWorker struct {
	leastSquares
	Lasso
	limited  bool      // whether Sparsity, rather than n or K, limits the support
	corr     []float64 // a = Dᵀ(y − Dx) over the unit atoms
	slope    []float64 // G_I v: by how much a falls when λ falls by 1
	excluded []bool    // whether an atom is in the support, depends on it, or has length 0
	sign     []float64 // s
	pace     []float64 // v
	pull     []float64 // λ·s
}

// solve is the solver of Lasso: it follows the path from x = 0 until λ, the tolerance or the sparsity is reached.
func (w *lassoWorker) solve(y, corr []float64, index []int32, x []float64) int {
	energy := dot(y, y)
	target := w.Tolerance * w.Tolerance
	if energy == 0 || w.Tolerance > 0 && energy <= target {
		return 0
	}
	w.corr = corr[:w.d.k]
	for k, length := range w.d.norms {
		w.excluded[k] = length == 0
	}
	floor := rounding * math.Sqrt(energy)
	end := max(w.Lambda, floor)
	join, lambda := kernel.FindLargest(corr)
	limit := pathSteps * (w.d.n + w.d.k)
	count, met := 0, false
	for step := 0; lambda > end && step < limit; step++ {
		if join >= 0 {
			if count == w.most && w.limited {
				break
			}
			w.excluded[join] = true
			if count < w.most && w.extend(int32(join), index[:count]) {
				index[count], x[count] = int32(join), 0
				w.sign[count] = math.Copysign(1, w.corr[join])
				count++
			}
		}
		fall := w.setDirection(index[:count])
		gamma, next, leave := w.nextEvent(lambda, lambda-w.Lambda, x[:count])
		lambda -= gamma
		axpy(gamma, w.pace[:count], x[:count])
		axpy(-gamma, w.slope, w.corr)
		if w.Tolerance > 0 { // computed backwards from the end of the step, where squares lose no digits
			if spare := target - w.residual(y, index[:count], x); spare >= 0 {
				back := math.Sqrt(lambda*lambda+spare/fall) - lambda
				axpy(-back, w.pace[:count], x[:count])
				lambda, met = lambda+back, true
				break
			}
		}
		if join = next; leave >= 0 {
			w.leave(leave, count, index, x)
			count--
		}
	}
	if lambda <= end && !met {
		lambda = w.Lambda
	}
	count = w.settle(y, index[:count], x[:count], lambda, met)
	unscale(w.d, index[:count], x, floor)
	return count
}

// setDirection sets w.pace to v = G_II⁻¹s and w.slope to G_I·v for the support I and its signs s. It returns sᵀv.
func (w *lassoWorker) setDirection(support []int32) float64 {
	pace := w.pace[:len(support)]
	w.forward(w.sign[:len(support)], pace)
	w.solveTransposed(pace, pace)
	clear(w.slope)
	for j, atom := range support {
		axpy(pace[j], w.row(int(atom))[:w.d.k], w.slope)
	}
	return dot(w.sign[:len(support)], pace)
}

// nextEvent returns by how much λ falls from lambda, at most limit, until an atom joins or a member leaves the support.
// join is that atom, or -1 if none joins. leave is the index of the member in the support, or -1 if none leaves.
func (w *lassoWorker) nextEvent(lambda, limit float64, x []float64) (gamma float64, join, leave int) {
	gamma, join, leave = limit, -1, -1
	slope, excluded := w.slope[:len(w.corr)], w.excluded[:len(w.corr)]
	for k, a := range w.corr {
		// If |a| and λ approach, they meet at gap/rate. The division is skipped if gap/rate is beyond γ.
		gap, rate := lambda-a, 1-slope[k]
		if gap >= gamma*rate {
			gap, rate = lambda+a, 1+slope[k]
		}
		if gap < gamma*rate && rate > rounding && !excluded[k] {
			gamma, join = max(0, gap/rate), k
		}
	}
	for j, v := range w.pace[:len(x)] {
		if fall := -v * w.sign[j]; fall > 0 && x[j]*w.sign[j] < gamma*fall {
			gamma, join, leave = max(0, x[j]*w.sign[j]/fall), -1, j
		}
	}
	return gamma, join, leave
}

// leave removes member j from the support of count members. Atoms that depended on the support may join again.
func (w *lassoWorker) leave(j, count int, index []int32, x []float64) {
	for k, length := range w.d.norms {
		w.excluded[k] = length == 0
	}
	w.remove(j, count)
	copy(w.sign[j:], w.sign[j+1:count])
	copy(x[j:], x[j+1:count])
	copy(index[j:], index[j+1:count])
	for _, atom := range index[:count-1] {
		w.excluded[atom] = true
	}
}

// settle refines x to full accuracy at the given λ. If met is true, the Tolerance was reached, and settle moves λ to
// meet the Tolerance exactly; least-squares coefficients use λ = 0. If the path led over nearly dependent atoms, a
// member may have stayed too long, which shows in a changed sign: settle removes it. It returns how many members stay.
func (w *lassoWorker) settle(y []float64, index []int32, x []float64, lambda float64, met bool) int {
	if w.Debias || w.Sparsity > 0 {
		lambda, met = 0, false
	}
	rounds := 2 // of refinement
	if met {
		rounds = 5 // of Newton's method for λ
	}
	for {
		for range rounds {
			for j, s := range w.sign[:len(x)] {
				w.pull[j] = lambda * s
			}
			w.refine(y, index, x, w.pull) // D_Iᵀ(y − D_I·x) = λ·s, as at the minimum
			if met {
				excess := (w.residual(y, index, x) - w.Tolerance*w.Tolerance) / dot(w.sign[:len(x)], w.pace[:len(x)])
				lambda = math.Sqrt(max(0, lambda*lambda-excess)) // as ‖y − Dx‖² grows with λ² at the rate sᵀv
			}
		}
		flipped, least := -1, 0.0
		for j, v := range x {
			if v*w.sign[j] < least {
				flipped, least = j, v*w.sign[j]
			}
		}
		if flipped < 0 || lambda == 0 {
			return len(x)
		}
		w.leave(flipped, len(x), index, x)
		index, x = index[:len(x)-1], x[:len(x)-1]
		w.setDirection(index)
	}
}
