package learning

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/mat"

	"superres/learners/sparse"
)

// refit returns the high half that suits the codes found when a picture is enlarged, which depend on the low
// half alone:
//
//	D_H ← argmin ‖Y_H − D_H·X‖²_F + λ‖D_H‖²_F,  X = code(Y_L, D_L).
//
// R. Zeyde, M. Elad, M. Protter: On single image scale-up using sparse-representations, Curves and Surfaces
// 2010, doi:10.1007/978-3-642-27413-8_47, learn their high half in this way only.
func refit(
	ctx context.Context, dl *sparse.Dictionary, low, high *mat.Dense, coder sparse.Coder,
) (*sparse.Dictionary, error) {
	x, err := coder.Code(ctx, dl, low)
	if err != nil {
		return nil, err
	}
	_, k := dl.Dims()
	m, _ := high.Dims()
	signal := make([]float64, m)
	xx, xy := x.NormalEquations(m, func(j int) []float64 { return mat.Col(signal, j, high) })
	lambda := 1e-6 * (mat.Trace(xx)/float64(k) + 1e-12)
	for i := range k {
		xx.SetSym(i, i, xx.At(i, i)+lambda)
	}
	var chol mat.Cholesky
	if !chol.Factorize(xx) {
		return nil, errors.New("coupled: the codes of the training patches are degenerate; use fewer atoms or " +
			"more patches")
	}
	var dh mat.Dense
	if err := chol.SolveTo(&dh, xy); err != nil {
		if _, warning := err.(mat.Condition); !warning {
			return nil, err
		}
	}
	return sparse.NewDictionary(dh.T())
}
