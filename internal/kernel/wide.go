package kernel

import "sync"

// A wide layer takes samples of 16 bits and has weights that leave no more room for sums than one with samples of 13 or
// 14 bits. Nearly all samples of most networks are that small, so that parts of a row are computed as usual. Where
// there are larger ones, each sample x is divided into low + step·high with a power of two, the sums of both parts are
// computed, and
//
//	sum(x) = sum(low) + step·sum(high)
//
// is rounded to float32 once. So the result is that of an exact sum, and does not depend on how a row is divided.

const (
	// WideTileInput is the largest magnitude of the samples, or of their low parts, of which tiles are made in a wide
	// layer. Then weights may have twice as large a sum as in layers whose samples are up to Clip.
	WideTileInput = 1 << 12
	// WideInput is the largest magnitude of the samples, or of their low parts, of which a wide layer makes sums of 32
	// bits: those of weights, times WideInput, and the bias have to fit.
	WideInput = 1 << 13

	// wideSamples is how many samples of a row are looked at together.
	wideSamples = 48
)

// exceeds reports whether one of the samples that count samples from first on are computed from is above most in
// magnitude.
func (f *Filter) exceeds(most int, src []int16, rows []int, first, count int) bool {
	for _, row := range rows {
		if MaxMagnitude(src[row+first*f.Step:][:(count-1)*f.Step+2*f.Words]) > most {
			return true
		}
	}
	return false
}

// convolveWide is Convolve for a wide layer.
func (f *Filter) convolveWide(dst, src []int16, rows []int, samples int, skip []int16, skipStep int) {
	limits := f.limits(skipStep > 0)
	f.eachWide(src, rows, samples, func(first, n int, w *wide) {
		to, add := dst[first*f.outputStep():], skip[first*skipStep:]
		if w != nil {
			scaleWideSums(to, n, w.lowSums, w.highSums, f.PositiveScale[:f.Outputs], f.NegativeScale, limits[:], add,
				skipStep, f.outputStep())
			return
		}
		convolve(to, n, src[first*f.Step:], rows, f.Step, f.Words, f.Weights, f.Bias[:f.Outputs], f.PositiveScale,
			f.NegativeScale, limits[:], add, skipStep, f.outputStep())
	})
}

// residualWide is Residual for a wide layer.
func (f *Filter) residualWide(dst []float32, src []int16, rows []int, samples int) {
	f.eachWide(src, rows, samples, func(first, n int, w *wide) {
		to := dst[first*f.Outputs:][:n*f.Outputs]
		if w != nil {
			addWideSums(to, w.lowSums, w.highSums, f.PositiveScale[:f.Outputs])
			return
		}
		residual(to, n, src[first*f.Step:], rows, f.Step, f.Words, f.Weights, f.Bias[:f.Outputs], f.PositiveScale)
	})
}

// eachWide calls compute for the parts of a row, of n samples each: with the sums of both parts of the samples where
// some are large, and with nil where none is.
func (f *Filter) eachWide(src []int16, rows []int, samples int, compute func(first, n int, w *wide)) {
	for first := 0; first < samples; {
		n := samples - first
		if n >= wideSamples+MinSamples {
			n = wideSamples
		}
		if !f.exceeds(WideInput, src, rows, first, n) {
			compute(first, n, nil)
		} else {
			w := wides.Get().(*wide)
			w.sum(f, src, rows, first, n)
			compute(first, n, w)
			wides.Put(w)
		}
		first += n
	}
}

// wide is the memory of a part of a row with large samples.
type wide struct {
	low, high         []int16
	lowSums, highSums []int32
	rows              []int
}

var wides = sync.Pool{New: func() any { return new(wide) }}

// sum computes the sums of n samples from first on.
func (w *wide) sum(f *Filter, src []int16, rows []int, first, n int) {
	length := (n-1)*f.Step + 2*f.Words
	w.low, w.high = resize(w.low, length*len(rows)), resize(w.high, length*len(rows))
	w.lowSums, w.highSums, w.rows = resize(w.lowSums, n*f.Outputs), resize(w.highSums, n*f.Outputs), w.rows[:0]
	for j, row := range rows {
		w.rows = append(w.rows, j*length)
		low, high, x := w.low[j*length:][:length], w.high[j*length:][:length], src[row+first*f.Step:][:length]
		whole := length / Lanes * Lanes
		splitEntries(low, high, x[:whole])
		splitEntriesGeneric(low[whole:], high[whole:], x[whole:])
	}
	sumRuns(w.lowSums, n, w.low, w.rows, f.Step, f.Words, f.Weights, f.Bias[:f.Outputs])
	sumRuns(w.highSums, n, w.high, w.rows, f.Step, f.Words, f.Weights, noBias[:f.Outputs])
}

// wideBits is the number of bits of the low part of a sample of which sums of 32 bits are made.
const wideBits = 14

// splitEntriesGeneric divides the entries of src into low and high parts, x = low + high·2^wideBits with low from
// -WideInput to WideInput-1.
func splitEntriesGeneric(low, high, src []int16) {
	for i, x := range src {
		h := (x>>(wideBits-1) + 1) >> 1
		low[i], high[i] = x-h<<wideBits, h
	}
}

// addWideSumsGeneric sets dst to low + high·2^wideBits, rounded to float32, times the scale of each output.
func addWideSumsGeneric(dst []float32, low, high []int32, scale []float32) {
	for i := range dst {
		dst[i] = float32(int64(low[i])+int64(high[i])<<wideBits) * scale[i%len(scale)]
	}
}

// scaleWideSumsGeneric sets dst to the outputs of Convolve for sums low + high·2^wideBits, rounded to float32.
func scaleWideSumsGeneric(dst []int16, samples int, low, high []int32, positive, negative []float32, limits []int16,
	skip []int16, skipStep, dstStep int) {
	outputs := len(positive)
	for s := range samples {
		for o := range outputs {
			sum, scale := float32(int64(low[s*outputs+o])+int64(high[s*outputs+o])<<wideBits), positive[o]
			if sum < 0 {
				scale = negative[o]
			}
			dst[s*dstStep+o] = clipScaled(float32(sum*scale), limits, skip[s*skipStep+o])
		}
	}
}

// resize returns a slice of n values, in the memory of v where that suffices.
func resize[T any](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n)
	}
	return v[:n]
}

// noBias is zeros.
var noBias [MaxOutputs]int32
