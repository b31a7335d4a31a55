package planted_test

import (
	"context"
	"fmt"

	"superres/learners"
	"superres/learners/planted"
	"superres/learners/sparse"
)

// Signals are made from a dictionary, and a learner that knows the signals alone finds it again.
func Example() {
	p, err := planted.New(planted.Panel{M: 16, K: 32, S: 3}, 800, 0, 1, 0)
	if err != nil {
		panic(err)
	}
	learner, err := learners.New("ksvd")
	if err != nil {
		panic(err)
	}
	r, err := learner.Learn(context.Background(), p.Y,
		learners.Options{Atoms: 32, Iterations: 60, Coder: sparse.OMP{Sparsity: 3}, Seed: 1})
	if err != nil {
		panic(err)
	}
	found, err := planted.Measure(r.Dictionary, p.Dictionary)
	if err != nil {
		panic(err)
	}
	fmt.Printf("more than nine tenths of the atoms: %v\n", found.Recovered > 0.9)
	// Output: more than nine tenths of the atoms: true
}
