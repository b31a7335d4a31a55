package learners

import (
	"context"
	"flag"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// MOD is the method of optimal directions. With the codes fixed, it computes the least-squares dictionary,
//
//	D ← Y Xᵀ (X Xᵀ)⁺,
//
// then scales each atom to length 1, and multiplies its row of X by the atom's old length. An atom that no signal uses
// makes X Xᵀ singular and is not changed. One update costs N·S² for X Xᵀ, N·S·M for Y Xᵀ and K³/3 + M·K² to solve.
//
// K. Engan, S. Aase, J. Husøy: Method of optimal directions for frame design, ICASSP 1999,
// doi:10.1109/ICASSP.1999.760624.
type MOD struct {
	// Keep keeps coherent and rarely used atoms. By default they are replaced during learning: see restart.go.
	Keep bool
}

func init() {
	Register(Info{
		Name:      "mod",
		Summary:   "method of optimal directions: least squares for the whole dictionary",
		Reference: "Engan, Aase, Husøy 1999",
		Revision:  1,
		New: func(fs *flag.FlagSet) Learner {
			l := &MOD{}
			bindRestart(fs, &l.Keep)
			return l
		},
	})
}

func (l MOD) Learn(ctx context.Context, y *mat.Dense, opt Options) (*Result, error) {
	return alternate(ctx, y, opt, l.Keep, modUpdate)
}

// Memory implements Learner. It counts X Xᵀ, X Yᵀ, and the memory for solving the equations.
func (MOD) Memory(m, n, k, s int) float64 {
	return twoStageMemory(m, n, k, s, 8*3*square(k)+8*3*float64(k)*float64(m))
}

// modUpdate sets all atoms to the least-squares solution for the codes, at length 1, and scales coefficients to fit.
func modUpdate(_ context.Context, p *problem) error {
	xx, xy := p.codes.NormalEquations(p.m, p.signal)
	var d mat.Dense // K×M: the new atoms by rows
	if err := solveSym(&d, xx, xy); err != nil {
		return err
	}
	for k := range p.k {
		atom := d.RawRowView(k)
		length := Normalise(atom)
		if length < 1e-10 {
			continue // unused, or rounding error: the old atom and its coefficients stay
		}
		copy(p.atom(k), atom)
		_, positions := p.row(k)
		for _, pos := range positions {
			p.codes.Value[pos] *= length
		}
	}
	p.refresh() // the residual
	return nil
}

// solveSym sets x = a⁺b for a symmetric positive semidefinite a: by a Cholesky factor if the condition number is below
// 1e12, otherwise from the eigenvalues, leaving out the ones below 1e-12 of the largest. It first scales a to a unit
// diagonal, so that rarely used atoms count as much. A row of zeros in a gives one in x. It changes a and b.
func solveSym(x *mat.Dense, a *mat.SymDense, b *mat.Dense) error {
	n, _ := b.Dims()
	scale := make([]float64, n)
	for i := range n {
		if v := a.At(i, i); v > 0 {
			scale[i] = 1 / math.Sqrt(v)
		}
	}
	for i := range n {
		for j := i; j < n; j++ {
			a.SetSym(i, j, a.At(i, j)*scale[i]*scale[j])
		}
		if scale[i] == 0 { // a row of zeros would make a singular
			a.SetSym(i, i, 1)
		}
		scaleRow(b, i, scale[i])
	}
	var chol mat.Cholesky
	if chol.Factorize(a) && chol.Cond() < 1e12 {
		if err := chol.SolveTo(x, b); err != nil {
			return err
		}
	} else {
		var eig mat.EigenSym
		if !eig.Factorize(a, true) {
			return errEigen
		}
		values := eig.Values(nil)
		var v, vb mat.Dense
		eig.VectorsTo(&v)
		vb.Mul(v.T(), b)
		for i, value := range values {
			if value > values[n-1]*1e-12 {
				scaleRow(&vb, i, 1/value)
			} else {
				scaleRow(&vb, i, 0)
			}
		}
		x.Mul(&v, &vb)
	}
	for i, s := range scale {
		scaleRow(x, i, s)
	}
	return nil
}

func scaleRow(x *mat.Dense, i int, s float64) {
	row := x.RawRowView(i)
	for j := range row {
		row[j] *= s
	}
}

func axpy(a float64, x, y []float64) {
	blas64.Implementation().Daxpy(len(x), a, x, 1, y, 1)
}
