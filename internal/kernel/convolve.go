package kernel

import (
	"cmp"
	"math"
)

// A layer of a network is computed in integers. Its samples lie in rows, with all the channels of a sample together.
// The neighbours of a sample that a layer reads lie side by side in each of some rows; those of one row are called a
// run. The entries of a run are multiplied in pairs: a word of 32 bits holds two weights of 16 bits, the first in its
// lower half. A vector holds the sums of 16 outputs of one sample.

// Filter is a layer. An output of a sample is the sum of the products of the sample's runs with weights.
type Filter struct {
	// Rows is the number of runs of a sample, Words the number of pairs in each of them, and Step the number of entries
	// from one sample of a row to the next.
	Rows, Words, Step int

	// Outputs is the number of outputs of a sample: a multiple of Lanes, at most MaxOutputs.
	Outputs int

	// OutputStep is the number of entries of dst from the outputs of a sample to those of the next, and SkipStep that
	// of skip; 0 stands for Outputs. What lies between is not touched. Residual ignores both.
	OutputStep, SkipStep int

	// Weights are pairs of weights: for each group of Lanes outputs, for each run, for each pair of entries, one word
	// for each output of the group.
	Weights []int32

	// Bias holds the value with which the sum of each output begins.
	Bias []int32

	// PositiveScale and NegativeScale hold, for each output, the factor for a sum that is positive, and for one that is
	// negative. Their magnitudes are below 1. Residual ignores NegativeScale.
	PositiveScale, NegativeScale []float32

	// Clip is the largest magnitude of an output before skip is added; 0 stands for the constant Clip. SumClip is the
	// largest magnitude after skip was added; with 0 the result is clipped to 16 bits alone. Residual ignores both.
	Clip, SumClip int16

	// Most is the largest magnitude of a sample; 0 stands for Clip.
	Most int16

	// transformed and maxBias are set by PrepareWinograd: the filter transform, for each of its 4 columns what
	// Weights is for the filter, with the 4 rows of a column instead of runs; and the largest magnitude of a
	// bias of each output with which sums stay at most MaxWinogradSum.
	transformed, maxBias []int32

	// gaussian are the weights of ConvolveFourRows, magnitudes the sums of the magnitudes of the weights of an output.
	gaussian   []int32
	magnitudes []int64
}

// NewFilter returns a filter of zeros: of rows runs of entries entries each, for samples that are step entries apart,
// and as many outputs as asked for, rounded up to a multiple of Lanes.
func NewFilter(rows, entries, step, outputs int) *Filter {
	f := &Filter{Rows: rows, Words: (entries + 1) / 2, Step: step, Outputs: PadTo(outputs, Lanes)}
	f.Weights = make([]int32, f.Rows*f.Words*f.Outputs)
	f.Bias = make([]int32, f.Outputs)
	f.PositiveScale, f.NegativeScale = make([]float32, f.Outputs), make([]float32, f.Outputs)
	return f
}

// SetWeight sets the weight of an entry, by its index in a run, for an output. It must have been 0.
func (f *Filter) SetWeight(row, entry, output int, w int16) {
	f.Weights[f.word(row, entry/2, output)] |= int32(uint16(w)) << (entry % 2 * 16)
}

// word returns the index in Weights of a word of a run for an output.
func (f *Filter) word(row, word, output int) int {
	return ((output/Lanes*f.Rows+row)*f.Words+word)*Lanes + output%Lanes
}

// MaxOutputs is the largest number of outputs of a Filter.
const MaxOutputs = 256

// Clip is the largest magnitude of an output of Convolve before skip is added, unless the filter has another. It leaves
// 10 or 11 bits to the weights of layers of hundreds of products, as ConvolveTwoRows needs sums of 29 bits; four such
// samples add up to 16 bits.
const Clip = 1<<13 - 1

// MinSamples is the least number of samples that Convolve and Residual may be asked for.
const MinSamples = 24

// samplesPerCall is a number of samples that layers of common sizes compute in less than a millisecond.
const samplesPerCall = 1024

// Convolve sets dst to the outputs of the given number of samples. The runs of sample s begin at the entries rows[j] +
// s·Step of src. Each sum, of 32 bits, is multiplied by the scale for its sign, rounded to the nearest integer, half to
// even, and clipped to the filter's Clip. Then skip, which has one entry for each output of each sample or is nil, is
// added, and the result is clipped to the filter's SumClip. Neither src nor skip may overlap dst.
func Convolve(dst, src []int16, rows []int, samples int, f *Filter, skip []int16) {
	f.check(len(dst), f.outputStep(), len(src), rows, samples, 2*f.Words)
	skip, skipStep := f.checkSkip(skip, samples)
	limits := f.limits(skipStep > 0)
	for samples > 0 {
		n := takeSamples(samples)
		convolve(dst, n, src, rows, f.Step, f.Words, f.Weights, f.Bias[:f.Outputs], f.PositiveScale, f.NegativeScale,
			limits[:], skip, skipStep, f.outputStep())
		dst, src = dst[min(n*f.outputStep(), len(dst)):], src[min(n*f.Step, len(src)):]
		skip, samples = skip[min(n*skipStep, len(skip)):], samples-n
	}
}

// Residual is Convolve for the last layer: it sets dst to the sums times PositiveScale, neither rounded nor clipped.
func Residual(dst []float32, src []int16, rows []int, samples int, f *Filter) {
	f.check(len(dst), f.Outputs, len(src), rows, samples, 2*f.Words)
	for samples > 0 {
		n := takeSamples(samples)
		residual(dst, n, src, rows, f.Step, f.Words, f.Weights, f.Bias[:f.Outputs], f.PositiveScale)
		dst, src, samples = dst[n*f.Outputs:], src[min(n*f.Step, len(src)):], samples-n
	}
}

// checkSkip returns what is added to the outputs, and the number of entries from those of a sample to those of the
// next. It panics unless skip suffices for samples samples.
func (f *Filter) checkSkip(skip []int16, samples int) ([]int16, int) {
	_ = f.NegativeScale[f.Outputs-1]
	if skip == nil {
		return noSkip[:], 0
	}
	step := cmp.Or(f.SkipStep, f.Outputs)
	_ = skip[(samples-1)*step+f.Outputs-1]
	return skip, step
}

// outputStep returns the number of entries from the outputs of a sample to those of the next.
func (f *Filter) outputStep() int { return cmp.Or(f.OutputStep, f.Outputs) }

// noSkip is added to the outputs of a sample if skip is nil.
var noSkip [MaxOutputs]int16

// limitLanes is the number of integers of 16 bits in the longest vector.
const limitLanes = 2 * Lanes

// limits returns the largest and the least value of an output before skip is added, and the largest and the least after
// that, each as often as a vector holds it. Without skip the first two are sufficient.
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

// takeSamples returns how many of the remaining samples the next call of assembly computes.
func takeSamples(remaining int) int {
	if remaining < samplesPerCall+MinSamples {
		return remaining
	}
	return samplesPerCall
}

// check panics unless f is complete, and dst and src, the lengths of two slices, suffice for samples samples, whose
// outputs begin step entries apart and whose runs have run entries.
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

// scaleAndClip returns the output of Convolve for a sum.
func scaleAndClip(sum int32, positive, negative float32, limits []int16, skip int16) int16 {
	scale := positive
	if sum < 0 {
		scale = negative
	}
	return clipScaled(float32(float32(sum)*scale), limits, skip)
}

// clipScaled returns the output of Convolve for a sum that has been scaled.
func clipScaled(v float32, limits []int16, skip int16) int16 {
	rounded := round(min(max(v, float32(limits[limitLanes])), float32(limits[0])))
	return int16(min(max(rounded+int32(skip), int32(limits[3*limitLanes])), int32(limits[2*limitLanes])))
}

// round returns the integer that is nearest to v, half to even; |v| must be below 2²¹.
func round(v float32) int32 {
	const large, bits = 3 << 22, 0x4b400000 // so large that the sum has no fraction
	return int32(math.Float32bits(v+large) - bits)
}
