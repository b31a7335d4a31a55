package plugins

import "testing"

// Over uses a sparsity that the user set or returns an error; a default sparsity is reduced to the atoms, or left out.
func TestCoderOver(t *testing.T) {
	for _, c := range []struct {
		coder Coder
		atoms int
		want  string // "": an error
	}{
		{Coder{Spec: "omp", Sparsity: 3}, 100, "omp:sparsity=3"},
		{Coder{Spec: "omp", Sparsity: 3}, 2, "omp:sparsity=2"},
		{Coder{Spec: "omp", Sparsity: 3, SparsityGiven: true}, 2, "omp:sparsity=3"},
		{Coder{Spec: "omp:sparsity=1", Sparsity: 3, SparsityGiven: true}, 100, "omp:sparsity=1"},
		{Coder{Spec: "omp:tolerance=0.1", Sparsity: 0, SparsityGiven: true}, 100, "omp:tolerance=0.1"},
		{Coder{Spec: "lasso:lambda=1", Sparsity: 3}, 100, "lasso:lambda=1"},
		{Coder{Spec: "opm", Sparsity: 3}, 100, "opm"}, // making the coder returns the error
		{Coder{Spec: "opm", Sparsity: 3, SparsityGiven: true}, 100, ""},
	} {
		got, err := c.coder.Over(c.atoms)
		if (err == nil) != (c.want != "") || err == nil && got != c.want {
			t.Errorf("%+v over %d atoms: %q, %v, expected %q", c.coder, c.atoms, got, err, c.want)
		}
	}
}
