package kernel

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

func TestMul(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for _, rows := range []int{0, 4, 8, 20} {
			for _, inner := range []int{0, 1, 3, 30} {
				for _, cols := range []int{0, 8, 16, 24, 32, 40, 72, 128} {
					lda, ldb, ldc := rows+inner%5, cols+3, cols+5
					a, b := random(lda*inner+rows, 1), random(ldb*inner+cols, 2)
					c := random(ldc*rows+cols, 3)
					want := slices.Clone(c)
					mulGeneric(want, ldc, a, lda, b, ldb, rows, inner, cols)
					Mul(c, ldc, a, lda, b, ldb, rows, inner, cols)
					sameVector(t, fmt.Sprintf("%d×%d×%d", rows, inner, cols), c, want)
				}
			}
		}
	})
}

// Every row of a product has the bits that it has alone, and so has every group of
// columns: the code of a signal does not depend on its neighbours.
func TestMulRowsAreIndependent(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		const rows, inner, cols = 20, 31, 72
		a, b := random(rows*inner, 1), random(inner*cols, 2)
		c := make([]float64, rows*cols)
		Mul(c, cols, a, rows, b, cols, rows, inner, cols)
		for r := range rows {
			one, got := make([]float64, 4*inner), make([]float64, 4*8)
			for i := range inner {
				one[4*i+2] = a[i*rows+r]
			}
			for k := 0; k < cols; k += 8 {
				Mul(got, 8, one, 4, b[k:], cols, 4, inner, 8)
				if !slices.Equal(got[16:24], c[r*cols+k:r*cols+k+8]) {
					t.Fatalf("row %d, columns from %d differ", r, k)
				}
			}
		}
	})
}

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

func TestAdvance(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for n := 8; n <= 88; n += 8 {
			for rows := range 6 {
				ld := n + 5
				corr, gram, basis, row := random(n, 1), random(n, 2), random(ld*rows+n, 3), random(rows, 4)
				p, wantP, wantCorr := make([]float64, n), make([]float64, n), slices.Clone(corr)
				want := advanceGeneric(wantP, wantCorr, gram, basis, ld, row, 1.7, -0.4)
				got := Advance(p, corr, gram, basis, ld, row, 1.7, -0.4)
				sameVector(t, "p", p, wantP)
				sameVector(t, "corr", corr, wantCorr)
				if _, largest := FindLargest(corr); !near(got, want) || got != largest {
					t.Errorf("%d, %d rows: largest %g, defined as %g", n, rows, got, want)
				}
			}
		}
	})
}

func TestScore(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for n := 8; n <= 88; n += 8 {
			p, corr, fresh := random(n, 1), random(n, 2), slices.Repeat([]float64{2}, n)
			fresh[n/3], corr[n/2], corr[n-1], fresh[1] = math.Inf(1), 1e-9, math.NaN(), 1e-3
			score, wantFresh, wantScore := make([]float64, n), slices.Clone(fresh), make([]float64, n)
			want := scoresGeneric(wantScore, wantFresh, p, corr, 1e-2, 1e-6)
			got := Score(score, fresh, p, corr, 1e-2, 1e-6)
			sameVector(t, "fresh", fresh, wantFresh)
			sameVector(t, "score", score, wantScore)
			if !near(got, want) || slices.Index(score, got) < 0 {
				t.Errorf("%d: largest %g, defined as %g", n, got, want)
			}
		}
	})
}

func TestDenseRefuses(t *testing.T) {
	v := make([]float64, 64)
	refuses(t, map[string]func(){
		"length":    func() { FindLargest(v[:9]) },
		"rows":      func() { Mul(v, 8, v, 8, v, 8, 3, 1, 8) },
		"short C":   func() { Mul(v[:24:24], 8, v, 8, v, 8, 4, 1, 8) },
		"short B":   func() { Mul(v, 8, v, 8, v[:15:15], 8, 4, 2, 8) },
		"short row": func() { Advance(v[:8], v, v, v[:15:15], 8, v[:2], 1, 1) },
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
