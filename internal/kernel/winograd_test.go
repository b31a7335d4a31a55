package kernel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// winogradFilter is a random one that Turn takes, with sums up to 2²⁹.
func winogradFilter(t testing.TB, channels, outputs int, seed uint64) *Filter {
	f := randomFilter(3, 3*channels/2, channels, outputs, 9-channels/32, seed)
	if !f.PrepareWinograd() {
		t.Fatal("a filter of small weights is refused")
	}
	return f
}

func clippedShorts(n int, seed uint64) []int16 {
	v := randomShorts(n, seed)
	for i := range v {
		v[i] = min(max(v[i]/2, -Clip), Clip)
	}
	return v
}

// Two rows at once are what Convolve makes of one and the other, to the last bit, in all forms.
func TestConvolveTwoRows(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		work := &Winograd{}
		for _, size := range [][2]int{{16, 16}, {32, 32}, {48, 48}, {16, 48}, {64, 16}} {
			channels, outputs := size[0], size[1]
			f := winogradFilter(t, channels, outputs, uint64(channels))
			for _, samples := range []int{30, 48, 49, 50, 95, 96, 97, 98, 191, 200, 331} {
				line := (samples+2)*channels + 3
				src := clippedShorts(6*line, uint64(samples))
				rows := []int{3 * line, 0, 5*line - 2, line + 1}
				to := [2]int{outputs * (samples + 2), 7}
				for _, skip := range [][]int16{nil, randomShorts(2*samples*outputs+40, 2)} {
					skipTo := [2]int{5, samples*outputs + 9}
					dst := randomShorts(2*(samples+2)*outputs, 5)
					want := slices.Clone(dst)
					ConvolveTwoRows(dst, to, src, rows, samples, f, skip, skipTo, work)
					for i := range 2 {
						var add []int16
						if skip != nil {
							add = skip[skipTo[i]:]
						}
						Convolve(want[to[i]:], src, rows[i:i+3], samples, f, add)
					}
					if !slices.Equal(dst, want) {
						t.Fatalf("%d channels, %d outputs of %d samples differ from those of a row", channels, outputs, samples)
					}
				}
			}
		}
	})
}

// All forms of each part agree with what is defined, whatever goes in.
func TestWinogradParts(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for _, n := range []int{24, 25, 48} {
			const channels, outputs = 32, 48
			src, rows := randomShorts(4*2*(n+1)*channels, 1), []int{2 * 2 * (n + 1) * channels, 0, 6 * (n + 1) * channels, 2 * (n + 1) * channels}
			const stride, sumStride = 4 * 50 * channels, 49 * outputs
			v := make([]int16, 4*stride)
			want := slices.Clone(v)
			transformInput(v, stride, src, rows, n, channels)
			transformInputGeneric(want, stride, src, rows, n, channels)
			if !slices.Equal(v, want) {
				t.Errorf("%d multiplyTiles are turned otherwise than defined", n)
			}
			f := randomFilter(4, channels/2, channels, outputs, 12, 3)
			sums, wantSums := make([]int32, 2*sumStride), make([]int32, 2*sumStride)
			multiplyTiles(sums, sumStride, v, n, channels, f.Weights, f.Bias)
			multiplyTilesGeneric(wantSums, sumStride, v, n, channels, f.Weights, f.Bias)
			if !slices.Equal(sums, wantSums) {
				t.Errorf("the sums of %d multiplyTiles differ from what is defined", n)
			}
			rng := rand.New(rand.NewPCG(7, 7))
			sums = make([]int32, 8*sumStride)
			for i := range sums {
				sums[i] = int32(rng.Uint32())
			}
			skip := randomShorts(4*n*outputs, 6)
			dst := make([]int16, 4*n*outputs)
			wantDst := slices.Clone(dst)
			transformOutput(dst, 2*n*outputs, sums, sumStride, n, outputs, f.PositiveScale, f.NegativeScale, skip, 2*n*outputs, outputs)
			transformOutputGeneric(wantDst, 2*n*outputs, sums, sumStride, n, outputs, f.PositiveScale, f.NegativeScale, skip, 2*n*outputs, outputs)
			if !slices.Equal(dst, wantDst) {
				t.Errorf("%d multiplyTiles are turned back otherwise than defined", n)
			}
		}
	})
}

// Weights whose products could be wrong are refused, at the first that is.
func TestPrepareWinogradRefuses(t *testing.T) {
	at := func(change func(f *Filter)) bool {
		f := randomFilter(3, 24, 16, 16, 1, 1)
		for i := range f.Weights {
			f.Weights[i] = 0
		}
		change(f)
		return f.PrepareWinograd()
	}
	corner := func(w int32) bool { return at(func(f *Filter) { f.Weights[0] = w & 0xffff }) }
	if !corner(8191) || !corner(-8192) || corner(8192) || corner(-8193) {
		t.Error("four times a corner is to fit 16 bits, and no less")
	}
	sum := func(w int32) bool {
		return at(func(f *Filter) {
			for y := range 3 {
				for i := range f.Words {
					f.Weights[(y*f.Words+i)*Lanes+5] = w<<16 | w
				}
			}
		})
	}
	if most := int32((1<<29 - 1) / Clip / (9 * 16)); !sum(most) || sum(most+1) {
		t.Error("sums are to fit 29 bits, and no less")
	}
	for name, f := range map[string]*Filter{"5×5": randomFilter(5, 40, 16, 16, 1, 1), "of a sample": randomFilter(3, 8, 16, 16, 1, 1), "of 8 channels": randomFilter(3, 12, 8, 16, 1, 1)} {
		if f.PrepareWinograd() {
			t.Errorf("a filter %s is taken", name)
		}
	}
}

func TestConvolveTwoRowsRefuses(t *testing.T) {
	if !hasWinograd() {
		t.Skip("this processor makes one row after the other")
	}
	f := winogradFilter(t, 16, 16, 1)
	const line = 50 * 16
	src, dst, rows := make([]int16, 4*line), make([]int16, 2*48*16), []int{0, line, 2 * line, 3 * line}
	to := [2]int{0, 48 * 16}
	ConvolveTwoRows(dst, to, src, rows, 48, f, dst, to, &Winograd{})
	refuses(t, map[string]func(){
		"a row outside": func() {
			ConvolveTwoRows(dst, to, src, []int{0, line, 2 * line, 3*line + 1}, 48, f, nil, to, &Winograd{})
		},
		"three rows": func() { ConvolveTwoRows(dst, to, src, rows[:3], 48, f, nil, to, &Winograd{}) },
		"room":       func() { ConvolveTwoRows(dst[1:], to, src, rows, 48, f, nil, to, &Winograd{}) },
		"before":     func() { ConvolveTwoRows(dst, [2]int{-1, to[1]}, src, rows, 48, f, nil, to, &Winograd{}) },
		"skip":       func() { ConvolveTwoRows(dst, to, src, rows, 48, f, dst[1:], to, &Winograd{}) },
	})
}

// Two rows of 768 samples, in billions of products of Convolve a second.
func BenchmarkConvolveTwoRows(b *testing.B) {
	const samples = 768
	for _, channels := range []int{16, 32, 48} {
		f := winogradFilter(b, channels, channels, 1)
		line := (samples + 2) * channels
		src, dst := clippedShorts(4*line, 1), make([]int16, 2*samples*channels)
		rows := []int{0, line, 2 * line, 3 * line}
		work := &Winograd{}
		benchmarkIn(b, "GMAC/s", fmt.Sprintf("channels=%d", channels), float64(2*9*channels*channels*samples), 0, func() {
			ConvolveTwoRows(dst, [2]int{0, samples * channels}, src, rows, samples, f, nil, [2]int{}, work)
		})
	}
}
