package sparse_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"superres/learners/sparse"
)

// OMP codes a signal that is made of two atoms, and finds them.
func ExampleOMP() {
	d, err := sparse.NewDictionary(mat.NewDense(3, 4, []float64{
		1, 0, 0, 0.6,
		0, 1, 0, 0.8,
		0, 0, 1, 0,
	}))
	if err != nil {
		panic(err)
	}
	y := mat.NewDense(3, 1, []float64{1.2, 1.6, -3}) // 2·d₃ − 3·d₂
	codes, err := sparse.OMP{Sparsity: 2}.Code(context.Background(), d, y)
	if err != nil {
		panic(err)
	}
	index, value := codes.Column(0)
	for i, k := range index {
		fmt.Printf("atom %d: %.0f\n", k, value[i])
	}
	// Output:
	// atom 2: -3
	// atom 3: 2
}
