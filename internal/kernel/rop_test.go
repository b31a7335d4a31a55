package kernel

import (
	"math"
	"testing"
)

// The sums of Project are those that its shorter forms stand for.
func TestProjectSums(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		const ld, cols = 24, 9
		z, q, u, shrink := random(ld*cols, 1), random(ld*cols, 2), random(ld, 3), make([]float64, cols)
		length := 0.0
		for _, v := range u {
			length += v * v
		}
		for i := range u {
			u[i] /= math.Sqrt(length)
		}
		for j := range shrink {
			shrink[j] = float64(j%3) / 2
		}
		w, out, want := make([]float64, cols), make([]float64, 2), make([]float64, 2)
		Project(z, q, u, shrink, w, out)
		for j, s := range shrink {
			x := 0.0
			for i, v := range u {
				x += v * z[j*ld+i]
			}
			for i, v := range u {
				a, b := s*q[j*ld+i]-x*v, z[j*ld+i]-x*v
				want[0] += a * a
				want[1] += b * b
			}
		}
		for i, v := range want {
			if math.Abs(out[i]-v) > 1e-12*v {
				t.Errorf("sum %d: %g, expected %g", i, out[i], v)
			}
		}
	})
}
