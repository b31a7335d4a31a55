package learners_test

import (
	"testing"

	"superres/learners"
	"superres/learners/planted"
	"superres/learners/sparse"
)

// BenchmarkLearn times what README.md states: iterations of ROP at the size of Figure 1, initialisation included, and
// K-SVD on 10,000 signals of the size of stacked patches of digits.
func BenchmarkLearn(b *testing.B) {
	for _, c := range []struct {
		name    string
		learner learners.Learner
		panel   planted.Panel
		signals int
		options learners.Options
	}{
		{"ROP", learners.ROP{Penalty: 10}, planted.Panel{M: 32, K: 64, S: 6}, 1600, learners.Options{}},
		{"K-SVD/approximate", learners.KSVD{Approximate: true}, planted.Panel{M: 45, K: 128, S: 3}, 10_000,
			learners.Options{Coder: sparse.OMP{Sparsity: 3}}},
		{"K-SVD/exact", learners.KSVD{}, planted.Panel{M: 45, K: 128, S: 3}, 10_000,
			learners.Options{Coder: sparse.OMP{Sparsity: 3}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			p, err := planted.New(c.panel, c.signals, 0.3, 1, 0)
			if err != nil {
				b.Fatal(err)
			}
			c.options.Atoms, c.options.Iterations, c.options.Seed = c.panel.K, 20, 1
			for b.Loop() {
				if _, err := c.learner.Learn(b.Context(), p.Y, c.options); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
