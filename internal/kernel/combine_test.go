package kernel

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

func TestCombine(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		src := uniform32(900, 1)
		for _, n := range []int{0, 1, 7, 8, 15, 16, 17, 63, 64, 65, 127, 128, 129, 300} {
			for parts := range 9 {
				at := []int{0, 300, 1, 77, 78, 300, 301, 600}[:parts]
				weight, base := uniform32(parts, 2), uniform32(n, 3)
				if n > 5 {
					base[5] = float32(math.NaN())
				}
				got, onto := uniform32(n, 4), slices.Clone(base)
				Combine(got, src, at, weight)
				CombineOnto(onto, onto, src, at, weight)
				for x := range got {
					sum := 0.0
					for k, w := range weight {
						sum += float64(w) * float64(src[at[k]+x])
					}
					limited := min(max(float64(base[x])+sum, 0), 1)
					if x == 5 {
						limited = 0
					}
					if math.Abs(sum-float64(got[x])) > 2e-6 || !(math.Abs(limited-float64(onto[x])) <= 2e-6) {
						t.Fatalf(
							"%d parts of %d, entry %d: %g and %g, defined as %g and %g", parts, n, x, got[x], onto[x],
							sum, limited,
						)
					}
				}
			}
		}
	})
}

// A sample has the same bits wherever it stands.
func TestCombineHasNoPlace(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		const n = 300
		src, base, at, weight := uniform32(2*n+10, 1), uniform32(n, 2), []int{3, 0, n + 5, n}, uniform32(4, 3)
		whole, onto := make([]float32, n), make([]float32, n)
		Combine(whole, src, at, weight)
		CombineOnto(onto, base, src, at, weight)
		for from := range n {
			for _, count := range []int{1, 9, 40, 140} {
				part := make([]float32, min(count, n-from))
				Combine(part, src[from:], at, weight)
				if !slices.Equal(part, whole[from:from+len(part)]) {
					t.Fatalf("%d from %d differ", count, from)
				}
				CombineOnto(part, base[from:], src[from:], at, weight)
				if !slices.Equal(part, onto[from:from+len(part)]) {
					t.Fatalf("%d from %d differ, onto another", count, from)
				}
			}
		}
	})
}

// A row of a bicubic filter.
func BenchmarkCombine(b *testing.B) {
	const n = 1536
	src, base, dst := uniform32(5*n, 1), uniform32(n, 2), make([]float32, n)
	at, weight := []int{0, n, 2 * n, 3 * n}, uniform32(4, 3)
	benchmark(b, fmt.Sprintf("n=%d", n), 2*4*n, 0, func() { Combine(dst, src, at, weight) })
	benchmark(b, fmt.Sprintf("onto/n=%d", n), 2*4*n, 0, func() { CombineOnto(dst, base, src, at, weight) })
}
