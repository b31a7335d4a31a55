package learners

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/kernel"
)

// The leading vector agrees with a singular value decomposition, for more rows than columns and fewer, at any gap
// between the first two singular values.
func TestLeading(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 30))
	lead := &leading{}
	for _, c := range []struct{ rows, m int }{{1, 5}, {4, 5}, {5, 5}, {9, 5}, {8, 8}, {300, 45}, {20, 45}} {
		for _, gap := range []float64{0.5, 1e-1, 1e-3, 1e-5, 1e-13, 0} {
			e := mat.NewDense(c.rows, c.m, nil)
			e.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, e)
			var svd mat.SVD
			if !svd.Factorize(e, mat.SVDThin) {
				t.Fatal("SVD")
			}
			var left, right mat.Dense
			svd.UTo(&left)
			svd.VTo(&right)
			values := svd.Values(nil)
			if len(values) > 1 {
				values[1] = values[0] * (1 - gap)
			}
			var scaled mat.Dense
			scaled.Mul(&left, mat.NewDiagDense(len(values), values))
			e.Mul(&scaled, right.T())
			u := make([]float64, c.m)
			padded := mat.NewDense(c.rows, kernel.Pad(c.m), nil)
			padded.Slice(0, c.rows, 0, c.m).(*mat.Dense).Copy(e)
			if err := lead.rightVector(padded.RawMatrix().Data, c.m, u); err != nil {
				t.Fatal(err)
			}
			Normalise(u)
			var image mat.VecDense
			image.MulVec(e, mat.NewVecDense(c.m, u))
			if got := mat.Norm(&image, 2); math.Abs(got-values[0]) > 1e-12*values[0] {
				t.Errorf("%v, gap %g: reaches %g of %g", c, gap, got, values[0])
			}
			want := mat.Col(nil, 0, &right)
			if c := math.Abs(dot(u, want)); gap > 1e-6 && math.Sqrt(max(0, 2-2*c)) > 1e-7 {
				t.Errorf("%v, gap %g: |cos| 1 - %g", c, gap, 1-c)
			}
		}
		u := []float64{1, 1, 1, 1, 1}
		if err := lead.rightVector(make([]float64, 32), 5, u); err != nil || energy(u) != 0 {
			t.Errorf("of zeros: %v, %v", u, err)
		}
	}
}
