package kernel

import (
	"math"
	"slices"
	"testing"
)

// randomBFloat16 returns n normal numbers, always the same for the same seed.
func randomBFloat16(n int, seed uint64) []uint16 {
	v := make([]uint16, n)
	roundBFloat16Generic(v, random32(n, seed))
	return v
}

// randomPairs returns n pairs of normal numbers, always the same for the same seed.
func randomPairs(n int, seed uint64) []uint32 {
	v, pairs := randomBFloat16(2*n, seed), make([]uint32, n)
	pairBFloat16Generic(pairs, v, n, n, 0, 1)
	return pairs
}

// bfloat16Agreements are those of agreements in bfloat16.
var bfloat16Agreements = []agreement{
	{"RoundBFloat16, WidenBFloat16, PairBFloat16", true, func() (out []any) {
		for n := 0; n <= 64; n += 16 {
			v := random32(n, 1)
			for i, bits := range []uint32{
				0x3f808000, 0x3f818000, 0x3f808001, 0x3f817fff, 0xbf808000, 0x7f7fffff, 0x7f800000, 0xff800000,
				0x007fffff, 0x807fffff, 0x80000000, 0x00800000, 0x7fc00000, 0x7f800001,
			} {
				if i < n {
					v[i] = math.Float32frombits(bits)
				}
			}
			rounded, wide := make([]uint16, n+3), random32(n+1, 2)
			pairs, twice := make([]uint32, n+2), make([]uint32, 2*n)
			RoundBFloat16(rounded, v)
			PairBFloat16(pairs, rounded, 3, n, 0, 1)
			PairBFloat16(twice, rounded, 1, n/32*16, 2, 2)
			if n >= 16 {
				rounded[12], rounded[13] = 1, 0x8001 // instead of NaN, which are equal to nothing
			}
			WidenBFloat16(wide[:n], rounded)
			out = append(out, rounded, wide, pairs, twice)
		}
		return out
	}},
	{"ActivateBFloat16, ActivateBackBFloat16", false, func() (out []any) {
		for _, cols := range []int{16, 32, 48, 64, 112} {
			for n := range 4 {
				h, z, slope := make([]uint16, n*cols+1), make([]uint16, n*cols+1), random32(cols, 3)
				ActivateBFloat16(h, z, random32(n*cols, 1), slope)
				out = append(out, slices.Clone(h), z)
				toSlope, toBias := random32(cols+1, 4), random32(cols+1, 5)
				ActivateBackBFloat16(h, random32(n*cols, 2), z, slope, toSlope, toBias)
				out = append(out, h, toSlope, toBias)
			}
		}
		return out
	}},
	{"ConvolveBFloat16", true, func() (out []any) {
		for _, cols := range []int{16, 32, 48, 64, 80} {
			for n := range 34 {
				const rows = 3
				step, k := 1+n%7, 2+6*(n%4)
				stride, dst := step*n+k, random32(n*cols+3, 4)
				ConvolveBFloat16(dst, randomBFloat16(rows*stride, 1), step, stride, rows, k,
					randomPairs(rows*k/2*cols, 2), random32(cols, 3), n)
				out = append(out, dst)
			}
		}
		return out
	}},
	{"CorrelateBFloat16", true, func() (out []any) {
		for _, cols := range []int{16, 32, 48, 64, 80} {
			for _, k := range []int{0, 8, 24, 48} {
				for n := range 5 {
					const rows = 3
					stepA, stepB := 1+n, cols+n%2
					strideA, strideB, dst := stepA*n+k+1, stepB*n+2, random32(k*cols+3, 3)
					CorrelateBFloat16(dst, cols, randomPairs(rows*strideA, 1), stepA, strideA,
						randomPairs(rows*strideB, 2), stepB, strideB, rows, n, k)
					out = append(out, dst)
				}
			}
		}
		return out
	}},
}

// Every sum has the bits that it has in any other call.
func TestSumsInBFloat16AreIndependent(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		const n, step, k, rows, cols = 33, 16, 48, 3, 48
		src, weight, bias := randomBFloat16(rows*(n+2)*step, 1), randomPairs(rows*k/2*cols, 2), random32(cols, 3)
		all, one := make([]float32, n*cols), make([]float32, cols)
		ConvolveBFloat16(all, src, step, (n+2)*step, rows, k, weight, bias, n)
		for x := range n {
			ConvolveBFloat16(one, src[x*step:], step, (n+2)*step, rows, k, weight, bias, 1)
			if !slices.Equal(one, all[x*cols:(x+1)*cols]) {
				t.Fatalf("sample %d differs", x)
			}
		}
	})
}

// Operands that do not fit are refused before any assembly runs.
func TestRefusesBFloat16(t *testing.T) {
	s, h, w := make([]float32, 1024), make([]uint16, 1024), make([]uint32, 1024)
	for name, call := range map[string]func(){
		"RoundBFloat16, few":         func() { RoundBFloat16(h[:15:15], s[:16]) },
		"WidenBFloat16, few":         func() { WidenBFloat16(s[:16], h[:15:15]) },
		"PairBFloat16, few":          func() { PairBFloat16(w, h[:50:50], 3, 16, 32, 2) },
		"ConvolveBFloat16, odd":      func() { ConvolveBFloat16(s, h, 1, 3, 2, 3, w, s[:16], 1) },
		"ConvolveBFloat16, source":   func() { ConvolveBFloat16(s, h[:5:5], 1, 4, 2, 2, w, s[:16], 1) },
		"ConvolveBFloat16, weights":  func() { ConvolveBFloat16(s, h, 1, 4, 2, 4, w[:63:63], s[:16], 1) },
		"CorrelateBFloat16, entries": func() { CorrelateBFloat16(s, 16, w, 1, 8, w, 16, 16, 1, 1, 7) },
		"CorrelateBFloat16, short b": func() { CorrelateBFloat16(s, 16, w, 1, 8, w[:31:31], 16, 16, 1, 2, 8) },
		"ActivateBFloat16, short z":  func() { ActivateBFloat16(h, h[:31:31], s[:32], s[:16]) },
		"ActivateBackBFloat16, bias": func() {
			ActivateBackBFloat16(h, s[:32], h, s[:16], s, s[:15:15])
		},
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
