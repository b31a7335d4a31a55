package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Every pixel is the sum that the comment states, within its limits, in all tiers alike.
func TestAddPixels(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for scale := 2; scale <= 4; scale++ {
			for _, n := range []int{0, 1, 2, 7, 24} {
				for step1 := range 2 {
					outputs, step := 2*scale*scale, PadTo(6*scale*scale, Lanes)
					was, sums := uniform32(n*scale+1, 1), uniform32((n+1)*step+2*outputs+scale, 2)
					share, least, most := uniform32(n+1, 5), uniform32(n+1, 3), uniform32(n+1, 4)
					for x := range least {
						least[x], most[x] = min(least[x], most[x]), max(least[x], most[x])
					}
					got := make([]float32, n*scale+1)
					AddPixels(got[:n*scale], was, sums, scale, step, outputs, Row{share, step1}, Row{least, step1},
						Row{most, step1})
					for p := range n * scale {
						x, k := p/scale, p%scale
						sum := sums[x*step+k] + sums[(x+1)*step+outputs+k] + sums[(x+2)*step+2*outputs+k]
						v := was[p] + float32(share[x*step1]*sum)
						if want := min(max(v, least[x*step1]), most[x*step1]); got[p] != want {
							t.Fatalf("×%d, pixel %d of %d samples: %g, expected %g", scale, p, n, got[p], want)
						}
					}
					if got[n*scale] != 0 {
						t.Fatalf("×%d, %d samples: a pixel too many", scale, n)
					}
				}
			}
		}
	})
}

// TestBoundRange takes the range of nine samples as the comment states it.
func TestBoundRange(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 7, 8, 9, 40} {
			rows := [3][]float32{uniform32(n+2, 1), uniform32(n+2, 2), uniform32(n+2, 3)}
			least, most := make([]float32, n+1), make([]float32, n+1)
			BoundRange(least[:n], most[:n], rows[0], rows[1], rows[2])
			for x := range n {
				nine := slices.Concat(rows[0][x:x+3], rows[1][x:x+3], rows[2][x:x+3])
				lo, hi := slices.Min(nine), slices.Max(nine)
				if least[x] != lo-(hi-lo) || most[x] != hi+(hi-lo) {
					t.Fatalf("sample %d of %d: %g to %g around %g to %g", x, n, least[x], most[x], lo, hi)
				}
			}
			if least[n] != 0 || most[n] != 0 {
				t.Fatalf("%d samples: one too many", n)
			}
		}
	})
}

// TestBoundFlatAreas counts equal samples itself, in rows of few values with missing samples.
func TestBoundFlatAreas(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	eachTier(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 7, 8, 9, 40} {
			var rows [3][]float32
			for j := range rows {
				for x := range n + 2 {
					v := float32(rng.IntN(4))
					if x == 0 || x == n+1 || j == 2 && n == 9 {
						v = Missing
					}
					rows[j] = append(rows[j], v)
				}
			}
			least, most := make([]float32, n), make([]float32, n)
			BoundFlatAreas(least, most, rows[0], rows[1], rows[2])
			for x := range n {
				var all []float32
				for _, row := range rows {
					for _, v := range row[x : x+3] {
						if !math.Signbit(float64(v)) {
							all = append(all, v)
						}
					}
				}
				slices.Sort(all)
				lo, hi := lowest, highest
				if len(all) > 2 && all[0] == all[2] {
					lo = all[0]
				}
				if m := len(all); m > 2 && all[m-1] == all[m-3] {
					hi = all[m-1]
				}
				if least[x] != lo || most[x] != hi {
					t.Fatalf("sample %d of %d: %g and %g, expected %g and %g, of %v", x, n, least[x], most[x], lo, hi,
						all)
				}
			}
		}
	})
}
