package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomFilter returns a filter of random weights of the given number of bits, with scales that leave sums about 14
// bits.
func randomFilter(rows, words, step, outputs, bits int, seed uint64) *Filter {
	rng := rand.New(rand.NewPCG(seed, 3))
	f := &Filter{Rows: rows, Words: words, Step: step, Outputs: outputs}
	weight := func() int32 { return int32(rng.IntN(2<<bits-1)) - 1<<bits + 1 }
	for range rows * words * outputs {
		f.Weights = append(f.Weights, weight()&0xffff|weight()<<16)
	}
	for o := range outputs {
		f.Bias = append(f.Bias, weight()<<14)
		f.PositiveScale = append(f.PositiveScale, float32(0.3*rng.Float64()*math.Exp2(float64(-bits-4))))
		f.NegativeScale = append(f.NegativeScale, f.PositiveScale[o]*float32(rng.Float64()*1.5-0.5))
	}
	return f
}

func randomShorts(n int, seed uint64) []int16 {
	rng := rand.New(rand.NewPCG(seed, 4))
	v := make([]int16, n)
	for i := range v {
		switch v[i] = int16(rng.Uint32()); rng.IntN(8) {
		case 0:
			v[i] = math.MinInt16
		case 1:
			v[i] = 0
		}
	}
	return v
}

// All tiers give what layers of integers are defined as: sums of products, one after the other.
func TestConvolveIsDefined(t *testing.T) {
	const samples, step, words, outputs = 61, 6, 9, 48
	f, line := randomFilter(3, words, step, outputs, 9, 5), samples*step+2*words
	src, rows := randomShorts(3*line, 6), []int{2 * line, 0, line}
	limits := f.limits(false)
	want, sums := make([]int16, samples*outputs), make([]float32, samples*outputs)
	for s := range samples {
		for o := range outputs {
			sum := int64(f.Bias[o])
			for j, row := range rows {
				for i := range 2 * words {
					sum += int64(src[row+s*step+i]) * int64(f.weight(j, i, o))
				}
			}
			scale := f.PositiveScale[o]
			if sums[s*outputs+o] = float32(sum) * scale; sum < 0 {
				scale = f.NegativeScale[o]
			}
			want[s*outputs+o] = clipScaled(float32(float32(sum)*scale), limits[:], 0)
		}
	}
	eachTier(t, func(t *testing.T) {
		got, floats := make([]int16, samples*outputs), make([]float32, samples*outputs)
		Convolve(got, src, rows, samples, f, nil)
		Residual(floats, src, rows, samples, f)
		if !slices.Equal(got, want) || !slices.Equal(floats, sums) {
			t.Error("another result than defined")
		}
	})
}

// Sums as large as there may be, and all that is rounded to the even of two, limited, and limited again.
func TestConvolveRounds(t *testing.T) {
	const samples = 4001 // more than are made at once
	f := &Filter{
		Rows: 1, Words: 1, Step: 2, Outputs: Lanes, Weights: make([]int32, Lanes), Bias: make([]int32, Lanes),
		PositiveScale: make([]float32, Lanes), NegativeScale: make([]float32, Lanes),
	}
	src, skip := make([]int16, 2*samples), make([]int16, Lanes*samples)
	for s := range samples {
		src[2*s], src[2*s+1] = int16(s-samples/2), math.MinInt16
		for o := range Lanes {
			skip[s*Lanes+o] = int16((s%3 - 1) * math.MaxInt16 * (o / 8))
		}
	}
	for o := range f.Bias {
		f.Weights[o], f.PositiveScale[o], f.NegativeScale[o] = int32(1+o)&0xffff, 0.5, -0.25
		if o%4 == 3 {
			f.Weights[o], f.Bias[o] = 32767<<16, math.MaxInt32
			f.PositiveScale[o], f.NegativeScale[o] = 1-1.0/(1<<24), -1+1.0/(1<<24)
		}
	}
	eachTier(t, func(t *testing.T) {
		for _, clips := range [][2]int16{{}, {Clip, math.MaxInt16}, {math.MaxInt16, 20_000}, {1, 30}} {
			f.Clip, f.SumClip = clips[0], clips[1]
			clip, most, least := float64(f.Clip), float64(f.SumClip), -float64(f.SumClip)
			if clips[0] == 0 {
				clip, most, least = Clip, math.MaxInt16, math.MinInt16
			}
			dst := make([]int16, samples*Lanes)
			Convolve(dst, src, []int{0}, samples, f, skip)
			for i, got := range dst {
				s, o := i/Lanes, i%Lanes
				sum := int64(f.Bias[o]) + int64(src[2*s])*int64(int16(f.Weights[o])) +
					int64(src[2*s+1])*int64(f.Weights[o]>>16)
				by := f.PositiveScale[o]
				if sum < 0 {
					by = f.NegativeScale[o]
				}
				want := min(max(math.RoundToEven(float64(float32(sum)*by)), -clip), clip) + float64(skip[i])
				if want = min(max(want, least), most); float64(got) != want {
					t.Fatalf("output %d of sample %d, of the sum %d: %d, expected %g", o, s, sum, got, want)
				}
			}
		}
	})
}
