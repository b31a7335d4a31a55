package kernel

import "math"

// A layer of a network is computed in integers. Its samples lie in rows, all the channels
// of a sample together, so what counts for a sample is, in each of some rows, one run of
// entries: those of the neighbours that the taps lie on. The entries are multiplied in
// pairs, as in pairs.go; a vector holds the sums of 16 outputs of one sample.

// Filter is a layer: to every output of a sample it adds the products of runs of entries
// with its weights.
type Filter struct {
	// Rows is how many runs count for a sample, Words how many pairs each of them has, and
	// Step how many entries of a row lie between a sample and the next.
	Rows, Words, Step int

	// Outputs is a multiple of Lanes, of at most MaxOutputs.
	Outputs int

	// Weights are pairs, for each Lanes outputs, in them for each row, in it for each pair,
	// one for each of the outputs.
	Weights []int32

	// Bias is what the sum of an output begins with.
	Bias []int32

	// Above and Below are what the sum of an output is multiplied by when it is positive,
	// and when it is negative, of magnitudes below 1. Residual has no use for Below.
	Above, Below []float32

	turned, room []int32 // see Turn
}

// MaxOutputs is the most outputs of a Filter.
const MaxOutputs = 256

// Limit is the magnitude of what Convolve makes. It leaves weights of layers of hundreds of
// products 10 or 11 bits, as sums must fit 29 for ConvolveTwo, and the sum of four of them fits 16.
const Limit = 1<<13 - 1

// LeastSamples is the least number of samples that Convolve and Residual make.
const LeastSamples = 24

// mostSamples take less than a millisecond, of layers of common sizes.
const mostSamples = 1024

// Convolve sets dst to the outputs of a number of samples. The runs of sample s begin at
// entry rows[j] + s·Step of src. Each sum, of 32 bits, is multiplied by Above or Below,
// rounded to the nearest integer, half to even, and limited to −Limit..Limit. Then the
// outputs in skip, which may be nil, are added, and the sum is limited to 16 bits. Neither
// src nor skip may overlap dst.
func Convolve(dst, src []int16, rows []int, samples int, f *Filter, skip []int16) {
	f.check(len(dst), len(src), rows, samples)
	_ = f.Below[f.Outputs-1]
	skipStep := 0
	if skip == nil {
		skip = noSkip[:]
	} else {
		skipStep = f.Outputs
		_ = skip[samples*f.Outputs-1]
	}
	for samples > 0 {
		n := part(samples)
		convolve(dst, n, src, rows, f.Step, f.Words, f.Weights, f.Bias[:f.Outputs], f.Above, f.Below, skip, skipStep)
		dst, src, skip, samples = dst[n*f.Outputs:], src[min(n*f.Step, len(src)):], skip[n*skipStep:], samples-n
	}
}

// Residual sets dst to the outputs of a number of samples as Convolve finds them, but
// multiplied by Above alone, and neither rounded nor limited.
func Residual(dst []float32, src []int16, rows []int, samples int, f *Filter) {
	f.check(len(dst), len(src), rows, samples)
	for samples > 0 {
		n := part(samples)
		residual(dst, n, src, rows, f.Step, f.Words, f.Weights, f.Bias[:f.Outputs], f.Above)
		dst, src, samples = dst[n*f.Outputs:], src[min(n*f.Step, len(src)):], samples-n
	}
}

// noSkip is added where there is nothing to add.
var noSkip [MaxOutputs]int16

// part is how many of some samples are made in one call.
func part(samples int) int {
	if samples < mostSamples+LeastSamples {
		return samples
	}
	return mostSamples
}

// check panics unless the operands fit.
func (f *Filter) check(dst, src int, rows []int, samples int) {
	needOf(f.Outputs, Lanes)
	switch {
	case samples < LeastSamples:
		panic("kernel: too few samples")
	case f.Outputs < 1 || f.Outputs > MaxOutputs || f.Words < 1 || f.Step < 1 || f.Rows < 1 || len(rows) != f.Rows:
		panic("kernel: a filter of no size, too large, or with another number of rows")
	case len(f.Weights) < f.Outputs*f.Rows*f.Words || len(f.Bias) < f.Outputs || len(f.Above) < f.Outputs:
		panic("kernel: a filter that lacks weights")
	case dst < samples*f.Outputs:
		panic("kernel: too little room for the samples")
	}
	for _, r := range rows {
		if r < 0 || r+(samples-1)*f.Step+2*f.Words > src {
			panic("kernel: a row is out of range")
		}
	}
}

func convolveGeneric(dst []int16, samples int, src []int16, rows []int, step, words int, weights, bias []int32, above, below []float32, skip []int16, skipStep int) {
	var memory [MaxOutputs]int32
	sums, outputs := memory[:len(bias)], len(bias)
	for s := range samples {
		sumPairs(sums, src[s*step:], rows, words, weights, bias)
		to, add := dst[s*outputs:][:outputs], skip[s*skipStep:][:outputs]
		for o, sum := range sums {
			to[o] = shortened(sum, above[o], below[o], add[o])
		}
	}
}

// shortened is the output of a sum.
func shortened(sum int32, above, below float32, skip int16) int16 {
	by := above
	if sum < 0 {
		by = below
	}
	v := rounded(min(max(float32(float32(sum)*by), -Limit), Limit))
	return int16(min(max(v+int32(skip), math.MinInt16), math.MaxInt16))
}

func residualGeneric(dst []float32, samples int, src []int16, rows []int, step, words int, weights, bias []int32, scale []float32) {
	var memory [MaxOutputs]int32
	sums, outputs := memory[:len(bias)], len(bias)
	for s := range samples {
		sumPairs(sums, src[s*step:], rows, words, weights, bias)
		to := dst[s*outputs:][:outputs]
		for o, sum := range sums {
			to[o] = float32(sum) * scale[o]
		}
	}
}

// sumPairs sets sums to the outputs of one sample.
func sumPairs(sums []int32, src []int16, rows []int, words int, weights, bias []int32) {
	copy(sums, bias)
	for at := 0; at < len(sums); at += Lanes {
		part := (*[Lanes]int32)(sums[at:])
		for _, row := range rows {
			run := src[row:][:2*words]
			for i := 0; i < len(run); i += 2 {
				x, y := int32(run[i]), int32(run[i+1])
				if x|y != 0 {
					for o, w := range (*[Lanes]int32)(weights) {
						part[o] += x*int32(int16(w)) + y*(w>>16)
					}
				}
				weights = weights[Lanes:]
			}
		}
	}
}
