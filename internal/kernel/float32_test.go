package kernel

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

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

func TestFloat32Refuses(t *testing.T) {
	v := make([]float32, 256)
	far := append(make([]int32, 15), 250)
	refuses(t, map[string]func(){
		"rows":    func() { Mul32(v, 16, v, 8, v, 16, 7, 1, 16) },
		"short C": func() { Mul32(v[:127:127], 16, v, 8, v, 16, 8, 1, 16) },
		"offset":  func() { SumRows(v[:16], v, far) },
	})
}
