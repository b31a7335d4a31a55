package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func random32(n int, seed uint64) []float32 {
	v := make([]float32, n)
	for i, x := range random(n, seed) {
		v[i] = float32(x)
	}
	return v
}

// sameVector32 allows for rounding; the sums of these tests are below a few hundred.
func sameVector32(t *testing.T, what string, got, want []float32) {
	t.Helper()
	for i, w := range want {
		if g := got[i]; g != w && !(math.Abs(float64(g-w)) <= 2e-5*max(1, math.Abs(float64(w)))) && !(g != g && w != w) {
			t.Fatalf("%s: entry %d is %g, defined as %g", what, i, g, w)
		}
	}
}

func TestMul32(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for _, rows := range []int{0, 8, 16, 40} {
			for _, inner := range []int{0, 1, 3, 30} {
				for cols := 0; cols <= 144; cols += 16 {
					lda, ldb, ldc := rows+inner%5, cols+3, cols+5
					a, b := random32(lda*inner+rows, 1), random32(ldb*inner+cols, 2)
					if inner == 30 && rows > 0 && cols > 0 {
						a[lda+1], b[2*ldb+5] = float32(math.NaN()), float32(math.Inf(1))
					}
					c := random32(ldc*rows+cols, 3)
					want := slices.Clone(c)
					mul32Generic(want, ldc, a, lda, b, ldb, rows, inner, cols)
					Mul32(c, ldc, a, lda, b, ldb, rows, inner, cols)
					sameVector32(t, fmt.Sprintf("%d×%d×%d", rows, inner, cols), c, want)
				}
			}
		}
	})
}

// An entry of a product has the bits that it has in any other product.
func TestMul32EntriesAreIndependent(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		const rows, inner, cols = 24, 31, 112
		a, b := random32(rows*inner, 1), random32(inner*cols, 2)
		c, got := make([]float32, rows*cols), make([]float32, 8*16)
		Mul32(c, cols, a, rows, b, cols, rows, inner, cols)
		for r := range rows {
			one := make([]float32, 8*inner)
			for i := range inner {
				one[8*i+5] = a[i*rows+r]
			}
			for k := 0; k < cols; k += 16 {
				Mul32(got, 16, one, 8, b[k:], cols, 8, inner, 16)
				if !slices.Equal(got[5*16:6*16], c[r*cols+k:r*cols+k+16]) {
					t.Fatalf("row %d, columns from %d differ", r, k)
				}
			}
		}
	})
}

// The best vector is found at every place and lane, of equal ones the first, with NaN
// passed over.
func TestNearest(t *testing.T) {
	nan, least := float32(math.NaN()), float32(math.Inf(-1))
	eachTier(t, func(t *testing.T) {
		for n := 0; n <= 112; n += 16 {
			for _, dims := range []int{1, 5, 16} {
				const m, lda = 24, 29
				ldz := n + 3
				z, at := random32(ldz*dims+n, 1), random32(lda*dims+m, 2)
				for d := range dims {
					at[d*lda+17] = at[d*lda+4] // a tie
					at[d*lda+9] = nan
					if n > 0 {
						z[d*ldz+n/2] = nan
						z[d*ldz+n/3] = 0
					}
				}
				index, best := make([]int32, n), make([]float32, n)
				wantIndex, want := make([]int32, n), make([]float32, n)
				Nearest(index, best, z, ldz, at, lda, m, dims)
				nearestGeneric(wantIndex, want, z, ldz, at, lda, m, dims)
				sameVector32(t, fmt.Sprintf("%d lanes, %d dims", n, dims), best, want)
				if !slices.Equal(index, wantIndex) {
					t.Fatalf("%d lanes, %d dims: %v, defined as %v", n, dims, index, wantIndex)
				}
				if n > 0 && (index[n/2] != 0 || best[n/2] != least || index[n/3] != 0) {
					t.Fatalf("%d lanes: %d at %g for NaN, %d for zeros", n, index[n/2], best[n/2], index[n/3])
				}
			}
		}
		// Exact scores, so that the place of every maximum is known.
		const lanes, m = 80, 40
		z, at := make([]float32, m*lanes), make([]float32, m*m)
		for b := range lanes {
			z[(b*7)%m*lanes+b], z[m/2*lanes+b] = 2, 2
		}
		for j := range m {
			at[j*m+j] = 1
		}
		index, best := make([]int32, lanes), make([]float32, lanes)
		Nearest(index, best, z, lanes, at, m, m, m)
		for b := range lanes {
			if int(index[b]) != min(b*7%m, m/2) || best[b] != 2 {
				t.Fatalf("lane %d: %d, %g, expected %d", b, index[b], best[b], min(b*7%m, m/2))
			}
		}
	})
}

func TestTranspose(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	eachTier(t, func(t *testing.T) {
		for n := 0; n <= 80; n += 16 {
			for k := 0; k <= 36; k += 4 {
				stride, ld := k+k%5, n+7
				src, order := random32(50*stride+k, 1), make([]int32, n)
				for i := range order {
					order[i] = rng.Int32N(50)
				}
				got := random32(ld*k+n, 2)
				want := slices.Clone(got)
				Transpose(got, ld, src, stride, order, k)
				transposeGeneric(want, ld, src, stride, order, k)
				if !slices.Equal(got, want) {
					t.Fatalf("%d rows of %d", n, k)
				}
			}
		}
	})
}

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
				Restore(back, list, dst, list, forms)
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
						if want := src[i*n+b] - mean[b]; back[i*n+b] != want {
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
				formsGeneric(wantForms, want, raw, offsets, weights)
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

func TestRegress(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	eachTier(t, func(t *testing.T) {
		for _, in := range []int{1, 3, 40} {
			for _, out := range []int{1, 8, 9, 16, 20, 24, 33, 48, 49, 144} {
				for n := range 10 {
					const rows = 12
					ldq, ldr := in+2, PadTo(out, Lanes)+1
					q, order := random32(rows*ldq, 1), make([]int32, n)
					coefs := make([]int8, in*out+Lanes)
					for i := range coefs {
						coefs[i] = int8(rng.IntN(256) - 128)
					}
					for i, j := range rng.Perm(rows)[:n] {
						order[i] = int32(j)
					}
					got, want := random32(rows*ldr, 2), random32(rows*ldr, 2)
					Regress(got, ldr, q, ldq, order, coefs[:in*out], coefs, in, out, 0.01)
					regressGeneric(want, ldr, q, ldq, order, coefs, in, out, 0.01)
					for j := range int32(rows) {
						width := out
						if !slices.Contains(order, j) {
							width = ldr
						}
						sameVector32(t, fmt.Sprintf("%d×%d, row %d of %d", in, out, j, n), got[int(j)*ldr:][:width], want[int(j)*ldr:][:width])
						one := make([]float32, rows*ldr)
						Regress(one, ldr, q, ldq, []int32{j}, coefs, nil, in, out, 0.01)
						if slices.Contains(order, j) && !slices.Equal(one[int(j)*ldr:][:out], got[int(j)*ldr:][:out]) {
							t.Fatalf("%d×%d: row %d of %d differs from the same alone", in, out, j, n)
						}
					}
				}
			}
		}
	})
}

func TestSumRows(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for n := 0; n <= 160; n += 16 {
			for terms := range 6 {
				src, offsets := random32(50+n, 1), make([]int32, terms)
				for i := range offsets {
					offsets[i] = int32(i * 29 % 50)
				}
				got, want := random32(n, 2), make([]float32, n)
				SumRows(got, src, offsets)
				sumRowsGeneric(want, src, offsets)
				if !slices.Equal(got, want) { // the same order of sums, to the last bit
					t.Fatalf("%d terms, %d", terms, n)
				}
			}
		}
	})
}

// What does not fit is refused before any assembly runs.
func TestRefuses32(t *testing.T) {
	v, i, c := make([]float32, 256), make([]int32, 16), make([]int8, 64)
	far := append(make([]int32, 15), 250)
	for name, call := range map[string]func(){
		"lanes":        func() { Nearest(i[:15], v, v, 16, v, 8, 8, 1) },
		"vectors":      func() { Nearest(i, v, v, 16, v, 8, 7, 1) },
		"short z":      func() { Nearest(i, v, v[:31:31], 16, v, 8, 8, 2) },
		"rows":         func() { Mul32(v, 16, v, 8, v, 16, 7, 1, 16) },
		"short C":      func() { Mul32(v[:127:127], 16, v, 8, v, 16, 8, 1, 16) },
		"row":          func() { Transpose(v, 16, v, 16, far, 4) },
		"negative row": func() { Transpose(v, 16, v, 16, append(make([]int32, 15), -1), 4) },
		"offset":       func() { SumRows(v[:16], v, far) },
		"orbit":        func() { Restore(v, i[:8], v, far[8:], i) },
		"list":         func() { Restore(v, i[:9], v, i[:9], i) },
		"moments":      func() { Forms(i, v, v, i, v[:63:63]) },
		"short map":    func() { Regress(v, 16, v, 16, i[:1], c[:10:10], nil, 1, 10, 1) },
		"short r":      func() { Regress(v[:15:15], 16, v, 16, i[:1], c, nil, 1, 10, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			call()
		}()
	}
}
