package kernel

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

func TestPaint(t *testing.T) {
	const wr, wb = 0.5, 0.2
	eachTier(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 7, 16, 31, 100} {
			l, r, b := uniform32(n, 1), uniform32(n, 2), uniform32(n, 3)
			if n > 5 {
				l[0], r[0], b[0] = 0.5, 0, 0 // half way between two levels
				l[3], r[4], b[5] = float32(math.NaN()), float32(math.NaN()), float32(math.Inf(1))
			}
			got := make([]uint8, 4*n+1)
			Paint(got, l, r, b, wr, wb)
			for x := range n {
				y, u, v := float64(l[x]), float64(r[x]), float64(b[x])
				for c, value := range []float64{y + u, y - wr*u - wb*v, y + v, 1} {
					value = 255*min(max(value, 0), 1) + 0.5
					if math.IsNaN(value) {
						value = 0
					}
					if at := float64(got[4*x+c]); at > value+1e-4 || at+1 < value-1e-4 {
						t.Fatalf("pixel %d of %d, channel %d: level %g of %g", x, n, c, at, value)
					}
				}
			}
			if got[4*n] != 0 {
				t.Fatalf("%d pixels, and one more", n)
			}
			for from := range n { // a pixel is the same wherever it stands
				one := make([]uint8, 4)
				Paint(one, l[from:from+1], r[from:], b[from:], wr, wb)
				if !slices.Equal(one, got[4*from:4*from+4]) {
					t.Fatalf("pixel %d is %v alone, %v among %d", from, one, got[4*from:4*from+4], n)
				}
			}
		}
	})
}

func BenchmarkPaint(b *testing.B) {
	const n = 1536
	l, r, blue, dst := uniform32(n, 1), uniform32(n, 2), uniform32(n, 3), make([]uint8, 4*n)
	benchmark(b, fmt.Sprintf("n=%d", n), 0, 16*n, func() { Paint(dst, l, r, blue, 0.5, 0.2) })
}
