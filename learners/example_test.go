package learners_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"superres/learners"
	"superres/learners/planted"
	"superres/learners/sparse"
)

// A learner is made by its spec. Importing a package of another module, such as testdata/outside/exemplars, adds its
// learners.
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

// ROP learns a dictionary of signals that were made from one, and finds it again.
func ExampleROP() {
	p, err := planted.New(planted.Panel{M: 16, K: 24, S: 2}, 800, 0, 1, 0)
	if err != nil {
		panic(err)
	}
	r, err := learners.ROP{}.Learn(context.Background(), p.Y, learners.Options{Atoms: 24, Iterations: 300, Seed: 1})
	if err != nil {
		panic(err)
	}
	rows, atoms := r.Dictionary.Dims()
	found, err := planted.Measure(r.Dictionary, p.Dictionary)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d×%d, %.0f %% of the atoms found\n", rows, atoms, 100*found.Recovered)
	// Output: 16×24, 100 % of the atoms found
}

func ExampleNew() {
	learner, err := learners.New("ksvd:exact=false")
	fmt.Printf("%+v %v\n", learner, err)
	_, err = learners.New("ksvd:exat=false")
	fmt.Println(err)
	// Output:
	// &{Approximate:true Keep:false} <nil>
	// unknown learner ksvd: parameter "exat"; did you mean "exact"? (known: exact restart)
}
