package learning

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The result has the singular vectors of the matrix and singular values near 1, also for very different
// singular values, and is 0 where rows or columns are 0.
func TestOrthogonalise(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, size := range [][3]int{{288, 32, 32}, {144, 16, 16}, {40, 32, 25}, {96, 16, 4}} {
		rows, n, rank := size[0], size[1], size[2]
		x := mat.NewDense(rows, n, nil)
		for r := range min(rows, 250) {
			for c := range n {
				if rank < rows && rank < 16 && c >= rank {
					continue // a column of padding
				}
				x.Set(r, c, rng.NormFloat64()*math.Pow(30, -float64(c)/float64(n)))
			}
		}
		if rows == 40 { // as in the first layer, which has 25 rows for 32 channels
			for r := 25; r < 40; r++ {
				for c := range n {
					x.Set(r, c, 0)
				}
			}
		}
		var svd mat.SVD
		if !svd.Factorize(x, mat.SVDThin) {
			t.Fatal("no singular values")
		}
		var u, v, want mat.Dense
		svd.UTo(&u)
		svd.VTo(&v)
		w := newMuon(n)
		in, got := make([]float32, rows*n), make([]float32, rows*n)
		for i := range in {
			in[i] = float32(3 * x.At(i/n, i%n))
		}
		w.orthogonalise(got, in, rows, n)
		out := mat.NewDense(rows, n, nil)
		for i, g := range got {
			out.Set(i/n, i%n, float64(g))
		}
		want.Product(u.T(), out, &v) // diagonal
		for i := range rank {
			for j := range rank {
				switch d := want.At(i, j); {
				case i == j && !(d > 0.65 && d < 1.25):
					t.Errorf("%v: singular value %d is %g", size, i, d)
				case i != j && math.Abs(d) > 0.02:
					t.Errorf("%v: vectors %d and %d are mixed by %g", size, i, j, d)
				}
			}
		}
		for i, g := range got {
			if in[i] == 0 && x.At(i/n, 0) == 0 && g != 0 {
				t.Fatalf("%v: entry %d is %g where there was nothing", size, i, g)
			}
		}
	}
	w := newMuon(16)
	to := []float32{256: 0}[:256]
	to[3] = 5
	w.orthogonalise(to, make([]float32, 256), 16, 16)
	for _, g := range to {
		if g != 0 {
			t.Fatal("not 0 where all was 0")
		}
	}
}
