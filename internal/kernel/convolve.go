package kernel

import (
	"cmp"
	"math"
)

// A layer of a network is computed in integers. Its samples lie in rows, with all the channels of a sample together.
// The samples of one row that contribute to an output lie side by side in memory and are called a run; an output has a
// run in each of several rows. The entries of a run are multiplied in pairs: a word of 32 bits holds two weights of 16
// bits, the first weight in its lower half. Sums of Lanes outputs of a sample are computed together.

// Filter is a layer of a network. An output of a sample is a bias plus the entries of the sample's runs times weights.
type Filter struct {
	// Rows is the number of runs of a sample: neighbouring entries, one run in each of several rows. Words is the
	// number of pairs of entries in a run, and Step the number of entries from one sample of a row to the next.
	Rows, Words, Step int

	// Outputs is the number of outputs of a sample: a multiple of Lanes, at most MaxOutputs.
	Outputs int

	// OutputStep is the number of entries in dst from the outputs of a sample to the outputs of the next sample, and
	// SkipStep the same in skip; 0 stands for Outputs. Entries between are not touched. Residual ignores both.
	OutputStep, SkipStep int

	// Weights holds words of two weights, for two neighbouring entries of a run, the first in the lower half: for each
	// group of Lanes outputs, for each run of a sample, for each two entries, a word for each output of the group.
	Weights []int32

	Bias []int32 // for each output the value with which its sum begins

	// PositiveScale and NegativeScale hold, for each output, the factor for a positive sum and the factor for a
	// negative sum. The magnitudes of factors are below 1. Residual ignores NegativeScale.
	PositiveScale, NegativeScale []float32

	// Clip is the largest magnitude of an output before skip is added; 0 stands for the constant Clip. SumClip is the
	// largest magnitude after skip is added; 0 stands for the range of 16 bits. Residual ignores both.
	Clip, SumClip int16

	Most int16 // the largest magnitude of a sample of the input; 0 stands for the constant Clip

	// PrepareWinograd sets transformed and maxBias. transformed is the filter transform: for each two of its 16
	// entries in the order of entry, for each two channels, for each of the two entries, for each output in the order
	// of sumLane, a word of both channels. maxBias is each output's largest bias with sums up to MaxWinogradSum.
	transformed, maxBias []int32

	// gaussian holds the weights of ConvolveFourRows, magnitudes for each output the sum of its weights' magnitudes.
	gaussian   []int32
	magnitudes []int64
}

// NewFilter returns a filter of zeros. rows is the number of runs of a sample, entries the number of entries in a run,
// and step the number of entries from sample to sample. The number of outputs is rounded up to a multiple of Lanes.
func NewFilter(rows, entries, step, outputs int) *Filter {
	f := &Filter{Rows: rows, Words: (entries + 1) / 2, Step: step, Outputs: PadTo(outputs, Lanes)}
	f.Weights = make([]int32, f.Rows*f.Words*f.Outputs)
	f.Bias = make([]int32, f.Outputs)
	f.PositiveScale, f.NegativeScale = make([]float32, f.Outputs), make([]float32, f.Outputs)
	return f
}

// SetWeight sets a weight of an output; entry is an index into the run with number row. The weight must have been 0,
// because its bits are only added to the word that it shares with another weight.
func (f *Filter) SetWeight(row, entry, output int, w int16) {
	f.Weights[f.word(row, entry/2, output)] |= int32(uint16(w)) << (entry % 2 * 16)
}

// word returns the index in Weights of the word for an output and a pair of entries of the run with number row.
func (f *Filter) word(row, pair, output int) int {
	return ((output/Lanes*f.Rows+row)*f.Words+pair)*Lanes + output%Lanes // the order is stated at Weights
}

// MaxOutputs is the largest number of outputs of a Filter.
const MaxOutputs = 256

// Clip is the largest magnitude of an output of Convolve before skip is added, unless the filter sets its own. It
// leaves 10 or 11 bits for the weights in layers of hundreds of products, since ConvolveTwoRows needs sums of 29 bits.
// The sum of four such samples fits into 16 bits.
const Clip = 1<<13 - 1

// MinSamples is the smallest number of samples for Convolve and Residual: the assembly for AVX-512 takes 24 at a time.
const MinSamples = 24

// samplesPerCall is how many samples one call of assembly takes: less than a millisecond in layers of common sizes.
const samplesPerCall = 1024

// Convolve computes the outputs of the given number of samples. Run j of sample s begins at entry rows[j] + s·Step of
// src. Each sum, of 32 bits, is multiplied by the scale for its sign, rounded to the nearest integer, half to even, and
// clipped to the filter's Clip. Then the entry of skip for this output of this sample is added, unless skip is nil, and
// the result is clipped to the filter's SumClip. Neither src nor skip may overlap dst.
func Convolve(dst, src []int16, rows []int, samples int, f *Filter, skip []int16) {
	f.check(len(dst), f.outputStep(), len(src), rows, samples, 2*f.Words)
	skip, skipStep := f.checkSkip(skip, samples)
	limits := f.limits(skipStep > 0)
	for samples > 0 {
		n := takeSamples(samples) // min below: after the last sample, a slice may end before the step to the next
		convolve(dst, n, src, rows, f.Step, f.Words, f.Weights, f.Bias[:f.Outputs], f.PositiveScale, f.NegativeScale,
			limits[:], skip, skipStep, f.outputStep())
		dst, src = dst[min(n*f.outputStep(), len(dst)):], src[min(n*f.Step, len(src)):]
		skip, samples = skip[min(n*skipStep, len(skip)):], samples-n
	}
}

// Residual is Convolve for the last layer: it sets dst to the sums times PositiveScale, without rounding or clipping.
func Residual(dst []float32, src []int16, rows []int, samples int, f *Filter) {
	f.check(len(dst), f.Outputs, len(src), rows, samples, 2*f.Words)
	for samples > 0 {
		n := takeSamples(samples)
		residual(dst, n, src, rows, f.Step, f.Words, f.Weights, f.Bias[:f.Outputs], f.PositiveScale)
		dst, src, samples = dst[n*f.Outputs:], src[min(n*f.Step, len(src)):], samples-n
	}
}

// checkSkip returns skip, or zeros if skip is nil, and the number of entries in it from sample to sample. It panics
// if skip is too short for this many samples, or NegativeScale for the outputs: assembly would not notice.
func (f *Filter) checkSkip(skip []int16, samples int) ([]int16, int) {
	_ = f.NegativeScale[f.Outputs-1]
	if skip == nil {
		return noSkip[:], 0
	}
	step := cmp.Or(f.SkipStep, f.Outputs)
	_ = skip[(samples-1)*step+f.Outputs-1]
	return skip, step
}

// outputStep returns the number of entries in dst from the outputs of a sample to the next.
func (f *Filter) outputStep() int { return cmp.Or(f.OutputStep, f.Outputs) }

// noSkip is added to the outputs of every sample if skip is nil.
var noSkip [MaxOutputs]int16

// limitLanes is the number of 16-bit integers in the longest vector.
const limitLanes = 2 * Lanes

// limits returns the largest and smallest value of an output before skip is added, then the largest and smallest after,
// each repeated to fill a vector. If skip is false, the first two include SumClip, and the last two change nothing.
func (f *Filter) limits(skip bool) (values [4 * limitLanes]int16) {
	clip, most, least := f.Clip, f.SumClip, -f.SumClip
	if clip == 0 {
		clip = Clip
	}
	if most == 0 {
		most, least = math.MaxInt16, math.MinInt16
	}
	if !skip {
		clip = min(clip, most)
	}
	for i := range limitLanes {
		values[i], values[limitLanes+i], values[2*limitLanes+i], values[3*limitLanes+i] = clip, -clip, most, least
	}
	return values
}

// takeSamples returns how many of the remaining samples the next call of assembly should compute: few enough for a
// short call, and such that none or at least MinSamples remain.
func takeSamples(remaining int) int {
	if remaining < samplesPerCall+MinSamples {
		return remaining
	}
	return samplesPerCall
}

// check panics unless f is complete and the slices suffice for this many samples. dst and src are the lengths of the
// slices, step is the number of entries in dst from sample to sample, and run is the number of entries in a run.
func (f *Filter) check(dst, step, src int, rows []int, samples, run int) {
	needOf(f.Outputs, Lanes)
	switch {
	case samples < MinSamples:
		panic("kernel: too few samples")
	case f.Outputs < 1 || f.Outputs > MaxOutputs || f.Words < 1 || f.Step < 1 || f.Rows < 1 || len(rows) != f.Rows:
		panic("kernel: a filter of no size, too large, or with another number of rows")
	case len(f.Weights) < f.Outputs*f.Rows*f.Words || len(f.Bias) < f.Outputs || len(f.PositiveScale) < f.Outputs:
		panic("kernel: a filter that lacks weights")
	case f.Clip < 0 || f.SumClip < 0:
		panic("kernel: a filter that clips to less than nothing")
	case step < f.Outputs || f.SkipStep < 0 || f.SkipStep > 0 && f.SkipStep < f.Outputs:
		panic("kernel: a filter whose outputs overlap")
	case dst < (samples-1)*step+f.Outputs:
		panic("kernel: too little room for the samples")
	}
	for _, r := range rows {
		if r < 0 || r+(samples-1)*f.Step+run > src {
			panic("kernel: a row is out of range")
		}
	}
}

// scaleAndClip returns the output of Convolve for a sum: scaled by positive or negative, rounded, clipped, with skip
// added, and clipped again. Filter.limits returns the limits.
func scaleAndClip(sum int32, positive, negative float32, limits []int16, skip int16) int16 {
	scale := positive
	if sum < 0 {
		scale = negative
	}
	return clipScaled(float32(float32(sum)*scale), limits, skip)
}

// clipScaled returns the output of Convolve for a sum that is already scaled.
func clipScaled(v float32, limits []int16, skip int16) int16 {
	rounded := round(min(max(v, float32(limits[limitLanes])), float32(limits[0])))
	return int16(min(max(rounded+int32(skip), int32(limits[3*limitLanes])), int32(limits[2*limitLanes])))
}

// round returns the integer nearest to v, half to even; |v| must be below 2²¹.
func round(v float32) int32 {
	const large, bits = 3 << 22, 0x4b400000 // v+large has no bits for a fraction
	return int32(math.Float32bits(v+large) - bits)
}
