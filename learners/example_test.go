package learners_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"superres/learners"
	"superres/learners/sparse"
)

// A learner is made by its spec, those of other modules too once their packages are imported, such as
// testdata/outside/exemplars.
func Example() {
	learner, err := learners.New("ksvd:exact=false")
	if err != nil {
		panic(err)
	}
	y := mat.NewDense(2, 4, []float64{
		1, 0, 2, 0,
		0, 1, 0, -3,
	})
	r, err := learner.Learn(context.Background(), y, learners.Options{Atoms: 2, Coder: sparse.OMP{Sparsity: 1}})
	if err != nil {
		panic(err)
	}
	last := r.Steps[len(r.Steps)-1]
	_, atoms := r.Dictionary.Dims()
	fmt.Printf("%d atoms, RMSE %.0f, %s\n", atoms, last.RMSE, r.Stop)
	// Output: 2 atoms, RMSE 0, residual is zero
}
