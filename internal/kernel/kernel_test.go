package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// eachTier runs a test with every form that this machine has.
func eachTier(t *testing.T, test func(t *testing.T)) {
	defer func(was int) { current = was }(current)
	for i := range tiers {
		current = i
		t.Run(Tier(), test)
	}
}

// random gives n normal numbers that are the same for a seed.
func random(n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 20))
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	return v
}

// tolerance is how far a form may be from the definition, relative to the sum of the
// absolute values of what is added, which these inputs keep below a few hundred.
const tolerance = 1e-12

func near(a, b float64) bool {
	return a == b || math.Abs(a-b) <= tolerance*max(1, math.Abs(b)) || math.IsNaN(a) && math.IsNaN(b)
}

func sameVector(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if !near(got[i], want[i]) {
			t.Fatalf("%s: entry %d is %g, defined as %g", what, i, got[i], want[i])
		}
	}
}

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

func TestLargest(t *testing.T) {
	nan := math.NaN()
	eachTier(t, func(t *testing.T) {
		for n := 8; n <= 80; n += 8 {
			for i := range n {
				v := make([]float64, n)
				for j := range v {
					v[j] = nan
				}
				v[i] = -3
				if at, value := Largest(v); at != i || value != 3 {
					t.Fatalf("%d of %d among NaN: %d, %g", i, n, at, value)
				}
				for j := range v {
					v[j] = 1 - 2*float64(j%2)
				}
				v[i], v[n-1] = -3, 3 // a tie: the first
				if at, value := Largest(v); at != i || value != 3 {
					t.Fatalf("%d of %d: %d, %g", i, n, at, value)
				}
			}
			for _, x := range []float64{0, math.Copysign(0, -1), nan} {
				v := slices.Repeat([]float64{x}, n)
				if at, value := Largest(v); at != 0 || value != 0 {
					t.Errorf("%d times %g: %d, %g", n, x, at, value)
				}
			}
			v := random(n, uint64(n))
			v[n/2] = math.Inf(-1)
			if at, value := Largest(v); at != n/2 || !math.IsInf(value, 1) {
				t.Errorf("an infinite one of %d: %d, %g", n, at, value)
			}
		}
		if at, value := Largest(nil); at != 0 || value != 0 {
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
				if _, largest := Largest(corr); !near(got, want) || got != largest {
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
			want := scoreGeneric(wantScore, wantFresh, p, corr, 1e-2, 1e-6)
			got := Score(score, fresh, p, corr, 1e-2, 1e-6)
			sameVector(t, "fresh", fresh, wantFresh)
			sameVector(t, "score", score, wantScore)
			if !near(got, want) || slices.Index(score, got) < 0 {
				t.Errorf("%d: largest %g, defined as %g", n, got, want)
			}
		}
	})
}

// The loops of ROP, over columns of all lengths.
func TestROP(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for ld := 8; ld <= 48; ld += 8 {
			for n := range 10 {
				var got, want [8][]float64
				fill := func() (v [8][]float64) {
					for i := range v {
						v[i] = random(ld*n+1, uint64(i))
					}
					return v
				}
				got, want = fill(), fill()
				u, shrink, w := random(ld, 20), random(n, 21), random(n, 22)
				for j := range shrink {
					if shrink[j] < 0 {
						shrink[j] = 0
					}
				}
				length, wantLength := make([]float64, n), make([]float64, n)
				check := func(what string) {
					t.Helper()
					for i := range got {
						sameVector(t, fmt.Sprintf("%s, array %d, %d columns of %d", what, i, n, ld), got[i], want[i])
					}
					sameVector(t, what+", lengths", length, wantLength)
				}
				ROPUpdate(got[0], got[1], got[2], got[3], got[4], u, shrink, w, length, 1.6)
				ropUpdateGeneric(want[0], want[1], want[2], want[3], want[4], u, shrink, w, wantLength, 1.6)
				check("update")
				out, wantOut := []float64{1, 2}, []float64{1, 2}
				ROPResidual(got[0], got[1], got[3], got[4], got[5], shrink, w, out, ld, 0.9)
				ropResidualGeneric(want[0], want[1], want[3], want[4], want[5], shrink, w, wantOut, ld, 0.9)
				check("residual")
				sameVector(t, "residual sums", out, wantOut)
				next, wantNext := random(ld, 23), random(ld, 23)
				PowerStep(got[1][:n*ld], u, next)
				powerStepGeneric(want[1][:n*ld], u, wantNext)
				sameVector(t, "power step", next, wantNext)
				for j, s := range shrink {
					if s == 0 { // not to be looked at
						got[0][j*ld], want[0][j*ld] = math.NaN(), math.NaN()
					}
				}
				Project(got[1], got[0], u, shrink, length, out)
				projectGeneric(want[1], want[0], u, shrink, wantLength, wantOut)
				check("projection")
				sameVector(t, "projection sums", out, wantOut)
				Rescale(got[0], got[1], u, shrink, w, 0.7)
				rescaleGeneric(want[0], want[1], u, shrink, w, 0.7)
				check("rescale")
			}
		}
	})
}

func TestShorten(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for n := 0; n <= 40; n += 8 {
			square := random(n, 1)
			for i, v := range square {
				square[i] = v * v / 50
			}
			if n > 0 {
				square[n-1], square[n/2] = 0, math.Inf(1)
			}
			for _, r := range []float64{1, 0.9} {
				var v [2][3][]float64
				for i := range v {
					v[i] = [3][]float64{make([]float64, n), make([]float64, n), {1, 2}}
				}
				Shorten(v[0][0], v[0][1], square, 10, r, v[0][2])
				shortenGeneric(v[1][0], v[1][1], square, 10, r, v[1][2])
				for i := range v[0] {
					sameVector(t, fmt.Sprintf("%d of %d", i, n), v[0][i], v[1][i])
				}
			}
			a := random(n, 2)
			Add(a, square)
			for i, v := range random(n, 2) {
				if a[i] != v+square[i] {
					t.Fatalf("sum %d of %d", i, n)
				}
			}
		}
	})
}

func TestStream(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for n := 0; n <= 80; n += 8 {
			a, b := random(n, 1), random(n, 2)
			Stream(a, b)
			for i := range n {
				if a[i] != -random(n, 1)[i] || b[i] != -random(n, 2)[i] {
					t.Fatalf("%d of %d", i, n)
				}
			}
		}
		if MultiplyAdd(3) < 24 {
			t.Error("no operations")
		}
	})
}

// What does not fit is refused before any assembly runs.
func TestRefuses(t *testing.T) {
	v := make([]float64, 64)
	for name, call := range map[string]func(){
		"length":    func() { Largest(v[:9]) },
		"rows":      func() { Mul(v, 8, v, 8, v, 8, 3, 1, 8) },
		"short C":   func() { Mul(v[:24:24], 8, v, 8, v, 8, 4, 1, 8) },
		"short B":   func() { Mul(v, 8, v, 8, v[:15:15], 8, 4, 2, 8) },
		"short row": func() { Advance(v[:8], v, v, v[:15:15], 8, v[:2], 1, 1) },
		"short q":   func() { Project(v, v[:15:15], v[:8], v[:2], v, v) },
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

func TestMasked(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for n := range 40 {
			w, s := random(n, 1), random(n, 2)
			for i := range s {
				switch i % 5 {
				case 0, 3:
					s[i] = 0
				case 1:
					s[i] = math.Copysign(0, -1)
				case 2:
					s[i] = math.NaN()
				}
			}
			x := slices.Repeat([]float64{7}, n+1)
			count, want := Masked(x, w, s), 0
			for i, v := range w {
				if s[i] == 0 {
					v = 0
				} else {
					want++
				}
				if x[i] != v {
					t.Fatalf("entry %d of %d is %g, expected %g", i, n, x[i], v)
				}
			}
			if count != want || x[n] != 7 {
				t.Fatalf("%d of %d, expected %d; then %g", count, n, want, x[n])
			}
		}
	})
}

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
