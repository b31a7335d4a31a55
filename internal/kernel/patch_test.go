package kernel

import (
	"math"
	"slices"
	"testing"
)

// orbits lists the orbits of a patch, as Orient wants them.
func orbits(side int) (list []int32) {
	for y := range (side + 1) / 2 {
		for x := y; x < (side+1)/2; x++ {
			for i := range int32(Orbit) {
				r, c := y, x
				if i&Turned != 0 {
					r, c = c, r
				}
				if i&FlipY != 0 {
					r = side - 1 - r
				}
				if i&FlipX != 0 {
					c = side - 1 - c
				}
				list = append(list, int32(r*side+c))
			}
		}
	}
	return list
}

// A patch is oriented sample by sample as its form says, and restored to what it was.
func TestOrient(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for _, side := range []int{1, 2, 5, 6, 8} {
			for n := 0; n <= 64; n += 16 {
				size := side * side
				src, mean, forms := random32(size*n, 1), random32(n, 2), make([]int32, n)
				for b := range forms {
					forms[b] = int32(b*5) & 15
				}
				list := orbits(side)
				for i := range list {
					list[i] *= int32(n)
				}
				dst, back := make([]float32, size*n), make([]float32, size*n)
				Orient(dst, list, src, list, forms, mean)
				scale, ints := random32(n, 3), make([]int32, size*n)
				for i, v := range dst {
					ints[i] = int32(v * (1 << 20))
				}
				Restore(back, list, ints, list, forms, scale)
				for b, form := range forms {
					sign := signOf(form)
					for i := range size {
						y, x := i/side, i%side
						if form&Turned != 0 {
							y, x = x, y
						}
						if form&FlipX != 0 {
							x = side - 1 - x
						}
						if form&FlipY != 0 {
							y = side - 1 - y
						}
						if want := sign * (src[(y*side+x)*n+b] - mean[b]); dst[i*n+b] != want {
							t.Fatalf("side %d, form %d, sample %d: %g, expected %g", side, form, i, dst[i*n+b], want)
						}
						if want := float32(int32((src[i*n+b]-mean[b])*(1<<20))) * scale[b]; back[i*n+b] != want {
							t.Fatalf("side %d, form %d, sample %d restored: %g, expected %g", side, form, i, back[i*n+b], want)
						}
					}
				}
			}
		}
	})
}

func TestForms(t *testing.T) {
	nan := float32(math.NaN())
	eachTier(t, func(t *testing.T) {
		for entries := 1; entries <= 9; entries++ {
			for n := 0; n <= 80; n += 16 {
				raw, weights, offsets := random32(40+n, 1), random32(4*entries, 2), make([]int32, entries)
				for i := range offsets {
					offsets[i] = int32(i * 13 % 40)
				}
				if n > 0 {
					raw[20] = nan
				}
				forms, mean, wantForms, want := make([]int32, n), make([]float32, n), make([]int32, n), make([]float32, n)
				Forms(forms, mean, raw, offsets, weights)
				formsOfGeneric(wantForms, want, raw, offsets, weights)
				same := func(a, b float32) bool { return a == b || a != a && b != b }
				if !slices.Equal(forms, wantForms) || !slices.EqualFunc(mean, want, same) { // to the last bit
					t.Fatalf("%d entries, %d lanes: %v, defined as %v", entries, n, forms, wantForms)
				}
			}
		}
		// Moments that are known: all signs and orders, zeros of both signs, NaN.
		values := []float32{-2, -1, 0, float32(math.Copysign(0, -1)), 1, 2, nan}
		for _, gx := range values {
			for _, gy := range values {
				for _, e := range values {
					raw, forms, mean := slices.Repeat([]float32{1}, 16), make([]int32, 16), make([]float32, 16)
					Forms(forms, mean, raw, []int32{0}, []float32{3, gx, gy, e})
					if want := formOf(gx, gy, e); forms[3] != want || mean[3] != 3 {
						t.Fatalf("%g, %g, %g: form %d, expected %d; mean %g", gx, gy, e, forms[3], want, mean[3])
					}
				}
			}
		}
	})
}

func TestPatchRefuses(t *testing.T) {
	v, i := make([]float32, 256), make([]int32, 16)
	far := append(make([]int32, 15), 250)
	refuses(t, map[string]func(){
		"orbit":   func() { Restore(v, i[:8], i, far[8:], i, v) },
		"list":    func() { Restore(v, i[:9], i, i[:9], i, v) },
		"moments": func() { Forms(i, v, v, i, v[:63:63]) },
	})
}
