package kernel

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

func TestFindLargest(t *testing.T) {
	nan := math.NaN()
	eachTier(t, func(t *testing.T) {
		for n := 8; n <= 80; n += 8 {
			for i := range n {
				v := make([]float64, n)
				for j := range v {
					v[j] = nan
				}
				v[i] = -3
				if at, value := FindLargest(v); at != i || value != 3 {
					t.Fatalf("%d of %d among NaN: %d, %g", i, n, at, value)
				}
				for j := range v {
					v[j] = 1 - 2*float64(j%2)
				}
				v[i], v[n-1] = -3, 3 // a tie: the first
				if at, value := FindLargest(v); at != i || value != 3 {
					t.Fatalf("%d of %d: %d, %g", i, n, at, value)
				}
			}
			for _, x := range []float64{0, math.Copysign(0, -1), nan} {
				v := slices.Repeat([]float64{x}, n)
				if at, value := FindLargest(v); at != 0 || value != 0 {
					t.Errorf("%d times %g: %d, %g", n, x, at, value)
				}
			}
			v := random(n, uint64(n))
			v[n/2] = math.Inf(-1)
			if at, value := FindLargest(v); at != n/2 || !math.IsInf(value, 1) {
				t.Errorf("an infinite one of %d: %d, %g", n, at, value)
			}
		}
		if at, value := FindLargest(nil); at != 0 || value != 0 {
			t.Errorf("none: %d, %g", at, value)
		}
	})
}

// The product of a batch of signals and a panel of atoms.
func BenchmarkMul(b *testing.B) {
	for _, n := range []int{9, 30, 64} {
		a, u, c := random(32*n, 1), random(32*n, 2), make([]float64, 32*32)
		benchmark(b, fmt.Sprintf("n=%d", n), float64(2*32*32*n), 0, func() { Mul(c, 32, a, 32, u, 32, 32, n, 32) })
	}
}

func BenchmarkFindLargest(b *testing.B) {
	v := random(512, 1)
	benchmark(b, "n=512", 0, 8*512, func() { FindLargest(v) })
}

// A step of OMP with three members before it.
func BenchmarkAdvance(b *testing.B) {
	const n = 512
	p, corr, gram, basis, row := make([]float64, n), random(n, 1), random(n, 2), random(4*n, 3), []float64{.1, .2, .3}
	benchmark(b, "n=512", 2*5*n, 0, func() { Advance(p, corr, gram, basis, n, row, 1, 1e-3) })
}

func BenchmarkScore(b *testing.B) {
	const n = 512
	score, fresh, p, corr := make([]float64, n), random(n, 1), make([]float64, n), random(n, 2)
	benchmark(b, "n=512", 0, 8*5*n, func() { Score(score, fresh, p, corr, 1e-9, 1e-9) })
}
