package learners

import (
	"context"
	"errors"
	"flag"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"superres/internal/plugin"
)

// KSVD updates one atom at a time together with its row of the codes. With ω the
// signals that use atom k and E = R_ω + d_k x^k_ω the residual without it,
//
//	exact:        d_k ← u₁, x^k_ω ← σ₁v₁ᵀ, the leading singular triplet of E,
//	approximate:  d_k ← E (x^k_ω)ᵀ at length 1, then x^k_ω ← d_kᵀ E,
//
// and R is brought up to date before the next atom. The atoms are taken in their
// order. The triplet comes from the smaller Gram matrix of E, so an atom costs
// |ω|·M² + M³ exact and 2·|ω|·M approximate.
//
// M. Aharon, M. Elad, A. Bruckstein: K-SVD, IEEE Trans. Signal Processing 54
// (2006), doi:10.1109/TSP.2006.881199. Approximate form: R. Rubinstein,
// M. Zibulevsky, M. Elad, Technion CS-2008-08.
type KSVD struct {
	Approximate bool // one power iteration in place of the singular triplet
}

func init() {
	Register(Info{
		Name:      "ksvd",
		Summary:   "K-SVD: each atom with its coefficients, by a singular triplet",
		Reference: "Aharon, Elad, Bruckstein 2006; Rubinstein, Zibulevsky, Elad 2008",
		New: func(fs *flag.FlagSet) Learner {
			l := &KSVD{}
			fs.Var(plugin.Not{Value: &l.Approximate}, "exact", "the exact triplet; false: one power iteration")
			return l
		},
	})
}

var errEigen = errors.New("learners: an eigenvalue decomposition did not converge")

// Learn implements Learner.
func (l KSVD) Learn(ctx context.Context, y *mat.Dense, opt Options) (*Result, error) {
	return alternate(ctx, y, opt, l.update)
}

func (l KSVD) update(ctx context.Context, p *problem) error {
	var e, x []float64
	for k := range p.k {
		if err := ctx.Err(); err != nil {
			return err
		}
		signals, places := p.row(k)
		if len(signals) == 0 {
			continue
		}
		// E, one signal a row of e, and the old coefficients.
		e, x = e[:0], x[:0]
		for i, j := range signals {
			e = append(e, p.rest(int(j))...)
			x = append(x, p.codes.Value[places[i]])
			axpy(x[i], p.atom(k), e[i*p.m:])
		}
		rows := blas64.General{Rows: len(signals), Cols: p.m, Stride: p.m, Data: e}
		u := make([]float64, p.m)
		if l.Approximate {
			blas64.Gemv(blas.Trans, 1, rows, vector(x), 0, vector(u))
		} else if err := leading(rows, u); err != nil {
			return err
		}
		if normalise(u) == 0 {
			continue // nothing is left for this atom to explain: keep it
		}
		copy(p.atom(k), u)
		blas64.Gemv(blas.NoTrans, 1, rows, vector(u), 0, vector(x))
		for i, j := range signals {
			p.codes.Value[places[i]] = x[i]
			rest := p.rest(int(j))
			copy(rest, e[i*p.m:(i+1)*p.m])
			axpy(-x[i], u, rest)
		}
	}
	return nil
}

// leading sets u (length M) to the leading right singular vector of the rows of
// e, not normalised, from the smaller of the two Gram matrices. u is zero when e is.
func leading(e blas64.General, u []float64) error {
	size, trans := e.Cols, blas.Trans
	if e.Rows < e.Cols {
		size, trans = e.Rows, blas.NoTrans
	}
	gram := mat.NewSymDense(size, nil)
	blas64.Syrk(trans, 1, e, 0, gram.RawSymmetric())
	var eig mat.EigenSym
	if !eig.Factorize(gram, true) {
		return errEigen
	}
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	last := mat.Col(nil, size-1, &vectors)
	if eig.Values(nil)[size-1] <= 0 {
		clear(u)
	} else if trans == blas.Trans {
		copy(u, last)
	} else {
		blas64.Gemv(blas.Trans, 1, e, vector(last), 0, vector(u))
	}
	return nil
}

func vector(v []float64) blas64.Vector { return blas64.Vector{N: len(v), Data: v, Inc: 1} }
