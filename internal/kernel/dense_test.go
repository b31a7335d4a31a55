package kernel

import (
	"math"
	"slices"
	"testing"
)

// Of equal entries the first is found, and none among NaN or zeros.
func TestFindLargest(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		check := func(v []float64, index int, value float64) {
			t.Helper()
			if at, got := FindLargest(v); at != index || got != value {
				t.Fatalf("%v: %d, %g, expected %d, %g", v, at, got, index, value)
			}
		}
		check(nil, 0, 0)
		for n := 8; n <= 80; n += 8 {
			for i := range n {
				v := slices.Repeat([]float64{math.NaN()}, n)
				v[i] = -3
				check(v, i, 3)
				for j := range v {
					v[j] = 1 - 2*float64(j%2)
				}
				v[i], v[n-1] = -3, 3
				check(v, i, 3)
			}
			for _, x := range []float64{0, math.Copysign(0, -1), math.NaN()} {
				check(slices.Repeat([]float64{x}, n), 0, 0)
			}
			v := random(n, uint64(n))
			v[n/2] = math.Inf(-1)
			check(v, n/2, math.Inf(1))
		}
	})
}

// The definitions clip to the range that they state, and NaN is 0.
func TestClipping(t *testing.T) {
	v, zero := []float32{0.5, -1, 0.2, 3, float32(math.NaN())}, make([]float32, 5)
	pix := make([]uint8, 4*len(v))
	Paint(pix, v, zero, zero, 0.5, 0.2)
	onto := slices.Clone(v)
	CombineOnto(onto, onto, v, []int{0}, []float32{1})
	for i, want := range []uint8{128, 0, 51, 255, 0} {
		if c := [4]uint8(pix[4*i:]); c != [4]uint8{want, want, want, 255} {
			t.Errorf("%g is painted %v, expected %d", v[i], c, want)
		}
		if want := []float32{1, 0, 0.4, 1, 0}[i]; onto[i] != want {
			t.Errorf("twice %g, clipped: %g, expected %g", v[i], onto[i], want)
		}
	}
}
