package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The operations on bytes have no rounding that depends on the tier: they are compared
// to the last bit.

// randomWords are words of bytes from least to most.
func randomWords(n, least, most int, seed uint64) []int32 {
	rng := rand.New(rand.NewPCG(seed, 1))
	v := make([]int32, n)
	for i := range v {
		for range Quad {
			v[i] = v[i]<<8 | int32(least+rng.IntN(most-least+1))&0xff
		}
	}
	return v
}

func abs(n int) int { return max(n, -n) }

// dot is the product of two words: the bytes of the second have Offset.
func dot(signed, offset int32) (sum int32) {
	for shift := 0; shift < 32; shift += 8 {
		sum += int32(int8(signed>>shift)) * (offset>>shift&0xff - Offset)
	}
	return sum
}

// Bytes are the entries over their scale, at most half of it away.
func TestPack(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for n := 0; n <= 80; n += 16 {
			for k := 8; k <= 64; k += 8 {
				ldc, ld := n+3, PadTo(k/Quad, PackRows)+2
				c := randomWords(ldc*k, 0, 255, 1)
				for i := range c {
					c[i] >>= 1 + i%20
				}
				if n > 0 {
					for i := range k {
						c[i*ldc], c[i*ldc+1], c[i*ldc+2] = 0, int32(i&1), int32(2*i-127) // halves
					}
				}
				words, scale, sum := randomWords(ld*n, 0, 255, 2), random32(n, 4), make([]int32, n)
				was := slices.Clone(scale)
				wantWords, wantScale, wantSum := slices.Clone(words), slices.Clone(scale), make([]int32, n)
				Pack(words, ld, scale, sum, c, ldc, k)
				packGeneric(wantWords, ld, wantScale, wantSum, c, ldc, k)
				if !slices.Equal(words, wantWords) || !slices.Equal(scale, wantScale) || !slices.Equal(sum, wantSum) {
					t.Fatalf("%d lanes of %d differ from what is defined", n, k)
				}
				for b := range n {
					total, step := int32(0), float64(scale[b])/float64(was[b])
					for i := range ld - 2 {
						for j := range Quad {
							v := int32(int8(words[b*ld+i] >> (8 * j)))
							total += v
							if e := i*Quad + j; e >= k && v != 0 || e < k && math.Abs(float64(c[e*ldc+b])-float64(v)*step) > 0.501*step {
								t.Fatalf("lane %d, entry %d of %d: %d", b, e, k, v)
							}
						}
					}
					if total != sum[b] {
						t.Fatalf("lane %d: a sum of %d, expected %d", b, sum[b], total)
					}
				}
			}
		}
	})
}

// The best vector is found at every place and lane, of equal ones the first.
func TestNearest(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for n := 0; n <= 112; n += 16 {
			for _, words := range []int{1, 2, 4, 9} {
				const m, lda = 24, 29
				ldz := n + 3
				z, at := randomWords(ldz*words+n, -127, 127, 1), randomWords(lda*words+m, 0, 255, 2)
				for i := range words {
					at[i*lda+17] = at[i*lda+4] // a tie
					at[i*lda+3] = 0            // the least there is
					if n > 0 {
						z[i*ldz+n/3] = 0
						z[i*ldz+n/2] = 0x7f7f7f7f // the greatest
					}
				}
				index, best, want := make([]int32, n), make([]int32, n), make([]int32, n)
				Nearest(index, best, z, ldz, at, lda, m, words)
				for b := range want {
					most := int32(math.MinInt32)
					for j := range int32(m) {
						score := int32(0)
						for i := range words {
							score += dot(z[i*ldz+b], at[i*lda+int(j)])
						}
						if score > most {
							most, want[b] = score, j
						}
					}
				}
				if !slices.Equal(index, want) {
					t.Fatalf("%d lanes, %d words: %v, defined as %v", n, words, index, want)
				}
				if n > 0 && index[n/3] != 0 {
					t.Fatalf("%d lanes: %d for zeros", n, index[n/3])
				}
			}
		}
		// The place of every maximum is known.
		const lanes, m = 80, 40
		z, at := make([]int32, m*lanes), slices.Repeat([]int32{-0x7f7f7f80}, m*m)
		for b := range lanes {
			z[(b*7)%m*lanes+b], z[m/2*lanes+b] = 2, 2
		}
		for j := range m {
			at[j*m+j]++
		}
		index, best := make([]int32, lanes), make([]int32, lanes)
		Nearest(index, best, z, lanes, at, m, m, m)
		for b := range lanes {
			if int(index[b]) != min(b*7%m, m/2) {
				t.Fatalf("lane %d: %d, expected %d", b, index[b], min(b*7%m, m/2))
			}
		}
	})
}

func TestBytesRefuses(t *testing.T) {
	v, w, i := make([]float32, 256), make([]int32, 256), make([]int32, 16)
	refuses(t, map[string]func(){
		"lanes":      func() { Nearest(i[:15], i, w, 16, w, 8, 8, 1) },
		"candidates": func() { Nearest(i, i, w, 16, w, 8, 7, 1) },
		"short z":    func() { Nearest(i, i, w[:31:31], 16, w, 8, 8, 2) },
		"entries":    func() { Pack(w, 4, v[:16], i, w, 16, 7) },
		"short rows": func() { Pack(w[:63:63], 4, v[:16], i, w, 16, 8) },
	})
}
