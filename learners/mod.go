package learners

import (
	"context"
	"flag"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// MOD is the method of optimal directions: with the codes fixed, the dictionary
// is the least-squares one,
//
//	D ← Y Xᵀ (X Xᵀ)⁺,
//
// after which the atoms are brought to length 1 and the rows of X take the
// lengths over. An atom that no signal uses makes X Xᵀ singular and is kept as it
// is. One update costs N·S² for X Xᵀ, N·S·M for Y Xᵀ and K³/3 + M·K² to solve.
//
// K. Engan, S. Aase, J. Husøy: Method of optimal directions for frame design,
// ICASSP 1999, doi:10.1109/ICASSP.1999.760624.
type MOD struct{}

func init() {
	Register(Info{
		Name:      "mod",
		Summary:   "method of optimal directions: least squares for the whole dictionary",
		Reference: "Engan, Aase, Husøy 1999",
		New:       func(*flag.FlagSet) Learner { return MOD{} },
	})
}

// Learn implements Learner.
func (MOD) Learn(ctx context.Context, y *mat.Dense, opt Options) (*Result, error) {
	return alternate(ctx, y, opt, modUpdate)
}

func modUpdate(p *problem) error {
	var used []int // the atoms that take part
	place := make([]int, p.k)
	for k := range p.k {
		if p.rowStart[k] < p.rowStart[k+1] {
			place[k] = len(used)
			used = append(used, k)
		}
	}
	if len(used) == 0 {
		return nil // every code is empty: the residual is Y
	}
	size := len(used)
	xx := mat.NewSymDense(size, nil)
	xy := mat.NewDense(size, p.m, nil)
	for j := range p.n {
		index, value := p.codes.Column(j)
		for i, k := range index {
			axpy(value[i], p.signal(j), xy.RawRowView(place[k]))
			for h, l := range index[:i+1] {
				xx.SetSym(place[l], place[k], xx.At(place[l], place[k])+value[i]*value[h])
			}
		}
	}
	var d mat.Dense // size×M: the new atoms by rows
	if err := solveSym(&d, xx, xy); err != nil {
		return err
	}
	for i, k := range used {
		atom := d.RawRowView(i)
		length := normalise(atom)
		if length == 0 {
			continue // X Xᵀ singular in this row: the old atom and its codes stay
		}
		copy(p.atom(k), atom)
		_, places := p.row(k)
		for _, at := range places {
			p.codes.Value[at] *= length
		}
	}
	p.refresh()
	return nil
}

// solveSym sets x = a⁺b for a symmetric positive semidefinite a: by Cholesky
// where a is well conditioned, else by its eigenvalues.
func solveSym(x *mat.Dense, a *mat.SymDense, b *mat.Dense) error {
	var chol mat.Cholesky
	if chol.Factorize(a) && chol.Cond() < 1e12 {
		return chol.SolveTo(x, b)
	}
	var eig mat.EigenSym
	if !eig.Factorize(a, true) {
		return errEigen
	}
	values := eig.Values(nil)
	var v, vb mat.Dense
	eig.VectorsTo(&v)
	vb.Mul(v.T(), b)
	cut := values[len(values)-1] * 1e-12
	for i, value := range values {
		row := vb.RawRowView(i)
		for j := range row {
			if value > cut {
				row[j] /= value
			} else {
				row[j] = 0
			}
		}
	}
	x.Mul(&v, &vb)
	return nil
}

// axpy adds a·x to y.
func axpy(a float64, x, y []float64) {
	blas64.Implementation().Daxpy(len(x), a, x, 1, y, 1)
}
