package learners

import (
	"context"
	"errors"
	"flag"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"superres/internal/kernel"
	"superres/learners/plugin"
)

// KSVD updates one atom at a time together with its row of the codes. With ω the signals that use atom k, R = Y − DX,
// and E = R_ω + d_k x^k_ω the residual of these signals without the atom,
//
//	exact:        d_k ← u₁, x^k_ω ← σ₁v₁ᵀ, the leading singular triplet of E,
//	approximate:  d_k ← E (x^k_ω)ᵀ at length 1, then x^k_ω ← d_kᵀ E,
//
// and R is updated before the next atom. Atoms are updated in the order of their numbers. The triplet comes from the
// smaller Gram matrix of E (leading.go), so an exact update costs |ω|·M² and a few M³, an approximate one 4·|ω|·M.
//
// M. Aharon, M. Elad, A. Bruckstein: K-SVD, IEEE Trans. Signal Processing 54 (2006), doi:10.1109/TSP.2006.881199.
// Approximate form: R. Rubinstein, M. Zibulevsky, M. Elad, Technion CS-2008-08.
type KSVD struct {
	// Approximate makes one power iteration for each atom. By default the singular triplet is exact.
	Approximate bool
	// Keep keeps coherent and rarely used atoms. By default they are replaced during learning: see restart.go.
	Keep bool
}

func init() {
	Register(Info{
		Name:      "ksvd",
		Summary:   "K-SVD: each atom with its coefficients, by a singular triplet",
		Reference: "Aharon, Elad, Bruckstein 2006; Rubinstein, Zibulevsky, Elad 2008",
		Revision:  1,
		New: func(fs *flag.FlagSet) Learner {
			l := &KSVD{}
			fs.Var(plugin.Not{Value: &l.Approximate}, "exact", "the exact triplet; false: one power iteration")
			bindRestart(fs, &l.Keep)
			return l
		},
	})
}

var errEigen = errors.New("learners: an eigenvalue decomposition did not converge")

func (l KSVD) Learn(ctx context.Context, y *mat.Dense, opt Options) (*Result, error) {
	return alternate(ctx, y, opt, l.Keep, l.update)
}

// Memory implements Learner. It counts the coefficients of an atom that all signals use and, unless Approximate is set,
// the residual E of that atom, and five matrices of the size of the smaller Gram matrix of E, to decompose it.
func (l KSVD) Memory(m, n, k, s int) float64 {
	update := 8 * float64(n)
	if !l.Approximate {
		update += 8*float64(n)*float64(kernel.Pad(m)) + 8*5*square(kernel.Pad(min(m, n)))
	}
	return twoStageMemory(m, n, k, s, update)
}

// update updates all atoms one after the other. With r_j the residual of signal j, and x_j its coefficient of the atom
// d, the column of E for the signal is r_j + x_j·d.
func (l KSVD) update(ctx context.Context, p *problem) error {
	largest, ld := 0, kernel.Pad(p.m) // the largest number of signals that use one atom; the stride of E
	for k := range p.k {
		signals, _ := p.row(k)
		largest = max(largest, len(signals))
	}
	x, u, lead := make([]float64, 0, largest), make([]float64, p.m), &leading{}
	var room []float64 // memory for the largest E, column after column
	if !l.Approximate {
		room = make([]float64, largest*ld)
	}
	for k := range p.k {
		if err := ctx.Err(); err != nil {
			return err
		}
		signals, positions := p.row(k)
		if len(signals) == 0 {
			continue
		}
		x = x[:0]
		for _, pos := range positions {
			x = append(x, p.codes.Value[pos])
		}
		d := p.atom(k)
		if l.Approximate { // u = E·x = ‖x‖²·d + Σ x_j·r_j
			clear(u)
			axpy(dot(x, x), d, u)
			for i, j := range signals {
				axpy(x[i], p.residualOf(int(j)), u)
			}
		} else {
			e := room[:len(signals)*ld]
			for i, j := range signals {
				copy(e[i*ld:], p.residualOf(int(j)))
				axpy(x[i], d, e[i*ld:i*ld+p.m])
			}
			if err := lead.rightVector(e, p.m, u); err != nil {
				return err
			}
		}
		if Normalise(u) == 0 {
			continue // E is zero: the atom stays
		}
		cos := dot(u, d)
		for i, j := range signals {
			residual := p.residualOf(int(j))
			coefficient := dot(u, residual) + x[i]*cos // uᵀ(r_j + x_j·d), the new coefficient
			axpy(x[i], d, residual)
			axpy(-coefficient, u, residual)
			p.codes.Value[positions[i]] = coefficient
		}
		copy(d, u)
	}
	return nil
}

func vector(v []float64) blas64.Vector { return blas64.Vector{N: len(v), Data: v, Inc: 1} }
