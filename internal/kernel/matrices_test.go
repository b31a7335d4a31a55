package kernel

import (
	"math"
	"slices"
	"testing"
)

// What AMX computes agrees with the definitions: numbers and pairs in every bit, sums but for rounding.
func TestMatricesAgree(t *testing.T) {
	if !HasMatrices() {
		t.Skip("this machine has no AMX")
	}
	compute := func() (exact []any, sums [][]float32) {
		for n := 0; n <= 96; n += 16 {
			rounded, pairs := make([]uint16, n), make([]uint32, n)
			RoundBFloat16(rounded, random32(n, 1))
			PairBFloat16(pairs, random32(n, 2), random32(n, 3))
			exact = append(exact, rounded, pairs)
		}
		transposed := make([]uint16, 16*40)
		TransposeBFloat16(transposed, 40, random32(32*21, 4), 21)
		exact = append(exact, transposed)
		for channels := 16; channels <= 64; channels += 16 {
			for outputs := 16; outputs <= 64; outputs += 16 {
				const width, rows = 20, 3
				src := make([]uint16, width*rows*channels+64)
				RoundBFloat16(src, random32(len(src), 5))
				weights := make([]uint32, PackedSize(outputs, rows, 3*channels))
				k := 3 * channels
				PackWeights(weights, random32(rows*k*outputs, 6), outputs, rows, k*outputs, k)
				dst := make([]float32, 80*outputs)
				ConvolveBFloat16(dst, src, channels, width*channels, rows, 3*channels, weights, random32(outputs, 7),
					[]int32{0, int32(2 * channels), int32(channels), 0},
					[]int32{0, int32(20 * outputs), int32(40 * outputs), int32(60 * outputs)})
				exact, sums = append(exact, weights), append(sums, dst)
				const n = 96
				a, b := make([]uint16, channels*(n+6)+32), make([]uint32, (n+3)*outputs)
				RoundBFloat16(a[:len(a)/16*16], random32(len(a)/16*16, 8))
				PairBFloat16(b, random32(len(b), 9), random32(len(b), 10))
				dst = random32(3*channels*outputs, 11)
				CorrelateBFloat16(dst, outputs, a, n+6, b, []int{2 * outputs, 0, 3 * outputs}, channels, n)
				sums = append(sums, dst)
			}
		}
		return exact, sums
	}
	exact, sums := compute()
	restore := Use(0)
	wantExact, wantSums := compute()
	restore()
	for i := range exact {
		switch got := exact[i].(type) {
		case []uint16:
			if !slices.Equal(got, wantExact[i].([]uint16)) {
				t.Errorf("numbers %d differ", i)
			}
		case []uint32:
			if !slices.Equal(got, wantExact[i].([]uint32)) {
				t.Errorf("pairs %d differ", i)
			}
		}
	}
	for i, got := range sums {
		for j, v := range got {
			if want := wantSums[i][j]; math.Abs(float64(v-want)) > 1e-4*(1+math.Abs(float64(want))) {
				t.Fatalf("sums %d: entry %d is %g, not %g", i, j, v, want)
			}
		}
	}
}

// ConvolveBFloat16 and CorrelateBFloat16 are the sums of products that Convolve32 and Correlate are, of rounded
// numbers.
func TestMatricesAreRounded(t *testing.T) {
	const channels, outputs, width, rows = 32, 48, 18, 3
	x, w, bias := random32(width*rows*channels+64, 1), random32(rows*3*channels*outputs, 2), random32(outputs, 3)
	round := func(v []float32) []float32 {
		out := make([]float32, len(v))
		for i, x := range v {
			out[i] = math.Float32frombits(uint32(roundBFloat16(x)) << 16)
		}
		return out
	}
	want, got := make([]float32, 16*outputs), make([]float32, 16*outputs)
	Convolve32(want, round(x), channels, width*channels, rows, 3*channels, round(w), bias, 16)
	src, packed := make([]uint16, len(x)), make([]uint32, PackedSize(outputs, rows, 3*channels))
	RoundBFloat16(src, x)
	PackWeights(packed, w, outputs, rows, 3*channels*outputs, 3*channels)
	ConvolveBFloat16(got, src, channels, width*channels, rows, 3*channels, packed, bias, make([]int32, Together),
		make([]int32, Together))
	compareSums(t, "ConvolveBFloat16", got, want)

	const n = 32
	a, d := random32(n*channels, 4), random32((n+1)*outputs, 5)
	want, got = random32(channels*outputs, 6), random32(channels*outputs, 6)
	Correlate(want, outputs, round(a), channels, 0, round(d), 0, 1, n, channels)
	columns, pairs := make([]uint16, n*channels), make([]uint32, n*outputs)
	for i := 0; i < channels; i += 16 {
		TransposeBFloat16(columns[i*n:], n, a[i:], channels)
	}
	PairBFloat16(pairs, d, d[outputs:])
	CorrelateBFloat16(got, outputs, columns, n, pairs, []int{0}, channels, n)
	compareSums(t, "CorrelateBFloat16", got, want)
}

func compareSums(t *testing.T, name string, got, want []float32) {
	t.Helper()
	for i, v := range want {
		if math.Abs(float64(got[i]-v)) > 1e-4*(1+math.Abs(float64(v))) {
			t.Fatalf("%s: entry %d is %g, not %g", name, i, got[i], v)
		}
	}
}
