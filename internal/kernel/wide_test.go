package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// A wide layer gives the same outputs by tiles, by rows, and by the definition, wherever samples are small or large.
func TestWideLayer(t *testing.T) {
	const channels, samples, line = 16, 150, 152 * 16
	f := randomFilter(3, 3*channels/2, channels, channels, 9, 1)
	f.IsWide = true
	if !f.PrepareWinograd() {
		t.Fatal("tiles are refused")
	}
	src, rows := randomShorts(4*line, 1), []int{line, 0, 3 * line, 2 * line}
	rng := rand.New(rand.NewPCG(1, 2))
	for x := range line / channels { // stretches of small, of middle-sized and of large samples
		shift := []int{4, 2, 0}[x/30%3]
		for i := range 4 * channels {
			src[i/channels*line+x*channels+i%channels] >>= shift
		}
	}
	for range 5 {
		src[rng.IntN(len(src))] = math.MinInt16
	}
	skip := randomShorts(2*line, 2)
	want := make([]int16, 2*line)
	for i := range 2 {
		for s := range samples {
			for o := range channels {
				want[i*line+s*channels+o] = wideOutput(f, src, rows[i:i+3], s, o, skip[(1-i)*line+s*channels+o])
			}
		}
	}
	eachTier(t, func(t *testing.T) {
		got := make([]int16, 2*line)
		ConvolveTwoRows(got, [2]int{0, line}, src, rows, samples, f, skip, [2]int{line, 0}, &Winograd{})
		if !slices.Equal(got, want) {
			t.Error("two rows differ from the definition")
		}
		Convolve(got, src, rows[:3], samples, f, skip[line:])
		if Convolve(got[line:], src, rows[1:], samples, f, skip); !slices.Equal(got, want) {
			t.Error("rows differ from the definition")
		}
		both, rowsAlone := make([]float32, 2*line), make([]float32, 2*line)
		ResidualTwoRows(both, [2]int{line, 5}, src, rows, samples, f, &Winograd{})
		Residual(rowsAlone[line:], src, rows[:3], samples, f)
		if Residual(rowsAlone[5:], src, rows[1:], samples, f); !slices.Equal(both, rowsAlone) {
			t.Error("two rows of the last layer differ from each of them")
		}
		sums, wantSum := make([]float32, samples*channels), float32(0)
		Residual(sums, src, rows[:3], samples, f)
		for i, sum := range sums {
			wantSum = wideSum(f, src, rows[:3], i/channels, i%channels) * f.PositiveScale[i%channels]
			if sum != wantSum {
				t.Fatalf("the residual of output %d is %g, expected %g", i, sum, wantSum)
			}
		}
	})
}

// wideSum is the definition of the sum of output o of sample s.
func wideSum(f *Filter, src []int16, rows []int, s, o int) float32 {
	sum := int64(f.Bias[o])
	for j, row := range rows {
		for i, v := range src[row+s*f.Step:][:2*f.Words] {
			sum += int64(v) * int64(f.weight(j, i, o))
		}
	}
	return float32(sum)
}

// wideOutput is the definition of output o of sample s.
func wideOutput(f *Filter, src []int16, rows []int, s, o int, skip int16) int16 {
	sum := wideSum(f, src, rows, s, o)
	scale := f.PositiveScale[o]
	if sum < 0 {
		scale = f.NegativeScale[o]
	}
	scaled := math.RoundToEven(float64(min(max(float32(sum*scale), -Clip), Clip)))
	return int16(min(max(int(scaled)+int(skip), math.MinInt16), math.MaxInt16))
}
