package learners_test

import (
	"context"
	"fmt"

	"superres/learners"
	"superres/learners/planted"
)

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
