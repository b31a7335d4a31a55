package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomPairs are words of two integers of 16 bits, of at most so much.
func randomPairs(n, most int, seed uint64) []int32 {
	rng := rand.New(rand.NewPCG(seed, 1))
	v := make([]int32, n)
	for i := range v {
		for range 2 {
			v[i] = v[i]<<16 | int32(rng.IntN(2*most+1)-most)&0xffff
		}
	}
	return v
}

// Integers are the entries over their scale, at most half of it away.
func TestPairs(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for n := 0; n <= 80; n += 16 {
			for entries := 1; entries <= 9; entries++ {
				for _, peak := range []int{1, 8191, 32767} {
					ldp, ld := n+3, n+5
					p := random32(ldp*entries, 1)
					if n > 0 {
						for i := range entries {
							p[i*ldp], p[i*ldp+1], p[i*ldp+2] = 0, 1e30*p[i*ldp+1], 1e-33*p[i*ldp+2]
							p[i*ldp+3] = float32(i) - 3.5 // halves
						}
					}
					words, scale := randomWords(ld*(entries+1)/2, 0, 255, 2), make([]float32, n)
					want, wantScale := slices.Clone(words), make([]float32, n)
					Pairs(words, ld, scale, p, ldp, entries, peak)
					if n > 0 {
						pairsGeneric(want, ld, wantScale, p, ldp, entries, float32(peak))
					}
					if !slices.Equal(words, want) || !slices.Equal(scale, wantScale) {
						t.Fatalf("%d lanes of %d differ from what is defined", n, entries)
					}
					for b := range n {
						for i := range entries + entries%2 {
							v := int(int16(words[i/2*ld+b] >> (16 * (i % 2))))
							if i >= entries && v != 0 || abs(v) > peak || i < entries && math.Abs(float64(p[i*ldp+b]-float32(v)*scale[b])) > 0.51*float64(scale[b]) {
								t.Fatalf("lane %d, entry %d of %d: %d, peak %d", b, i, entries, v, peak)
							}
						}
					}
				}
			}
		}
	})
}

func TestMulPairs(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for _, rows := range []int{0, 8, 16, 40} {
			for _, words := range []int{1, 2, 5, 40} {
				for cols := 0; cols <= 144; cols += 16 {
					lda, ldb, ldc := rows+3, cols+2, cols+5
					// No sum exceeds 31 bits: 80 products of 25.
					a, b := randomPairs(lda*words, 1023, 1), randomPairs(ldb*words, 32767, 2)
					c := randomWords(ldc*rows+cols, 0, 255, 3)
					want := slices.Clone(c)
					for r := range rows {
						for k := range cols {
							sum := int32(0)
							for i := range words {
								x, y := a[i*lda+r], b[i*ldb+k]
								sum += int32(int16(x))*int32(int16(y)) + (x>>16)*(y>>16)
							}
							want[r*ldc+k] = sum
						}
					}
					MulPairs(c, ldc, a, lda, b, ldb, rows, words, cols)
					if !slices.Equal(c, want) {
						t.Fatalf("%d×%d×%d differs", rows, words, cols)
					}
				}
			}
		}
	})
}

// The largest sums that a stage can have come out whole, of both signs.
func TestMulPairsAtItsLimit(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		const words, peak, entry = 129, 4054, 1992 // 258 samples, of length 65,000 and 32,000
		pair := func(v int32) int32 { return v&0xffff | v<<16 }
		a, b, c := make([]int32, 8*words), make([]int32, 16*words), make([]int32, 8*16)
		for i := range words {
			for r := range 8 {
				a[8*i+r] = pair(entry * int32(1-r%2*2))
			}
			for k := range 16 {
				b[16*i+k] = pair(peak * int32(1-k%2*2))
			}
		}
		MulPairs(c, 16, a, 8, b, 16, 8, words, 16)
		for i, v := range c {
			want := int32(2 * words * peak * entry)
			if (i/16+i)%2 == 1 {
				want = -want
			}
			if v != want {
				t.Fatalf("entry %d: %d, expected %d", i, v, want)
			}
		}
	})
}

func TestPairsRefuses(t *testing.T) {
	v, w := make([]float32, 256), make([]int32, 256)
	refuses(t, map[string]func(){
		"peak":        func() { Pairs(w, 16, v[:16], v, 16, 4, 32768) },
		"short p":     func() { Pairs(w, 16, v[:16], v[:63:63], 16, 4, 8191) },
		"short pairs": func() { Pairs(w[:31:31], 16, v[:16], v, 16, 3, 8191) },
		"rows":        func() { MulPairs(w, 16, w, 8, w, 16, 7, 1, 16) },
		"short C":     func() { MulPairs(w[:127:127], 16, w, 8, w, 16, 8, 1, 16) },
	})
}
