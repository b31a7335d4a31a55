package kernel

import (
	"cmp"
	"math"
)

// A layer of 3×3 taps needs fewer products if tiles of 2×2 outputs are computed together: Winograd's F(2×2,3×3), after
// A. Lavin, S. Gray: Fast algorithms for convolutional neural networks, CVPR 2016, arXiv:1509.09308. From the 4×4
// samples d around a tile and the taps g it computes
//
//	Aᵀ(GgGᵀ ∘ BᵀdB)A,
//
// with the input transform BᵀdB, the filter transform GgGᵀ and the output transform Aᵀ·A. The matrices hold 0, ±1 and
// ±½. It takes 16 products instead of 36. With 2G in place of G all numbers are integers, and the result is four times
// the sum. So it equals the sum of Convolve to the last bit, even if intermediate sums wrap around, as long as four
// times the sum fits into 32 bits and the operands of the products into 16. The bias, times four, is added to the one
// product that counts in all four outputs, and the scales of the outputs are divided by four.

// MaxWinogradSum is the largest magnitude of a sum that ConvolveTwoRows can compute.
const MaxWinogradSum = 1<<29 - 1

// maxInput is the largest magnitude of a sample for the input transform, which adds four samples in 16 bits.
const maxInput = math.MaxInt16 / 4

// PrepareWinograd computes the filter transform that ConvolveTwoRows uses, for a filter of 3×3 taps and samples of at
// most Most in magnitude. It returns false if f has other taps, Step is not a multiple of 8, Most is above maxInput,
// or the weights do not allow it: (2G)g(2G)ᵀ must fit into 16 bits, and every sum must be at most MaxWinogradSum in
// magnitude for any samples. Then, or if a later bias makes sums too large, ConvolveTwoRows takes one row at a time.
func (f *Filter) PrepareWinograd() bool {
	f.transformed, f.maxBias = nil, nil
	if f.Rows != 3 || f.Step%8 != 0 || 2*f.Words != 3*f.Step || f.tileInput() > maxInput {
		return false
	}
	channels := PadTo(f.usedChannels(), 8)
	transformed, maxBias := make([]int32, 16*f.Outputs*channels/2), make([]int32, f.Outputs)
	var starts [16]int // where the words of each entry begin
	for k := range starts {
		e := entry(k/4, k%4)
		starts[k] = (e/2*channels + e%2) * f.Outputs
	}
	sums := make([]int64, f.Outputs) // for each output, the sum of the magnitudes of the weights
	fit := f.eachTaps(channels, func(i, o, lane int, taps *[3][3]int64) bool {
		sum := int32(0)
		for _, row := range taps {
			for _, pair := range row {
				a, b := unpaired(pair)
				sum += max(a, -a) + max(b, -b)
			}
		}
		sums[o] += int64(sum)
		for k, pair := range TransformTaps(*taps) {
			word, ok := wordOf(pair)
			if !ok {
				return false
			}
			transformed[starts[k]+i*f.Outputs+lane] = word
		}
		return true
	})
	for o, sum := range sums {
		rest := MaxWinogradSum - sum*f.tileInput()
		if rest < 0 || !fit {
			return false
		}
		maxBias[o] = int32(rest)
	}
	f.transformed, f.maxBias = transformed, maxBias
	f.prepareGaussian(sums)
	return f.biasWithin(f.maxBias)
}

// eachTaps calls use for each output and each even channel below channels, with the 3×3 taps of this channel and the
// next: as pairs a + b·2³², see unpaired. lane is sumLane of the output. It ends, with false, once use returns false.
func (f *Filter) eachTaps(channels int, use func(channel, output, lane int, taps *[3][3]int64) bool) bool {
	var taps [3][3]int64
	for i := 0; i < channels; i += 2 {
		for o := range f.Outputs {
			at := f.word(0, i/2, o)
			for y := range taps {
				for x := range taps[y] {
					w := f.Weights[at+(y*f.Words+x*f.Step/2)*Lanes]
					taps[y][x] = int64(int16(w)) + int64(w>>16)<<32
				}
			}
			if !use(i, o, sumLane(o, f.Outputs), &taps) {
				return false
			}
		}
	}
	return true
}

// unpaired returns the numbers of a pair, a + b·2³². Sums and differences of pairs are pairs of sums and differences.
func unpaired(pair int64) (a, b int32) {
	a = int32(pair)
	return a, int32((pair - int64(a)) >> 32)
}

// wordOf packs the numbers of a pair into a word, the first in its lower half. ok says whether both fit into 16 bits.
func wordOf(pair int64) (word int32, ok bool) {
	a, b := unpaired(pair)
	return b<<16 | int32(uint16(a)), a == int32(int16(a)) && b == int32(int16(b))
}

// tileInput returns the largest magnitude of a sample of the input: Most, or Clip if Most is 0.
func (f *Filter) tileInput() int64 {
	return int64(cmp.Or(f.Most, Clip))
}

// usedChannels returns the number of channels up to the last channel with a weight other than 0, at least 1.
func (f *Filter) usedChannels() int {
	for i := f.Step - 1; i > 0; i-- {
		for o := range f.Outputs {
			for tap := range 9 { // of 3×3
				if f.weight(tap/3, tap%3*f.Step+i, o) != 0 {
					return i + 1
				}
			}
		}
	}
	return 1
}

// entry returns the position of entry (y, x) of an input or filter transform among the 16 entries. The entries are
// stored column by column: of each column first the second and third row, then the first and last.
func entry(y, x int) int { return 4*x + [4]int{2, 0, 1, 3}[y] }

// sumLane returns the position of output o among the sums of a tile. In each group of 32 outputs (16 if the last group
// is shorter) the fours with even numbers come first, as in 0–3, 8–11, 4–7, 12–15. Then the instructions that pack two
// vectors, which take four lanes of each in turn, leave the outputs in order.
func sumLane(o, outputs int) int {
	half := Lanes
	if o|(2*Lanes-1) >= outputs {
		half = Lanes / 2
	}
	place := o & (2*half - 1)
	return o - place + place/4%2*half + place/8*4 + place%4
}

// biasWithin reports whether the magnitude of the bias of each output o is at most limits[o].
func (f *Filter) biasWithin(limits []int32) bool {
	for o, v := range f.Bias[:f.Outputs] {
		if max(v, -v) > limits[o] {
			return false
		}
	}
	return true
}

// weight returns the weight of an output for an entry of the run with number row, from its half of a word.
func (f *Filter) weight(row, entry, output int) int32 {
	word := f.Weights[f.word(row, entry/2, output)]
	if entry%2 == 0 {
		return int32(int16(word))
	}
	return word >> 16
}

// TransformTaps returns the filter transform (2G)g(2G)ᵀ of 3×3 taps, row after row. PrepareWinograd only accepts a
// transform that fits into 16 bits.
func TransformTaps[T int64 | float64](g [3][3]T) (transformed [16]T) {
	transform := func(a, b, c T) [4]T { return [4]T{2 * a, a + b + c, a - b + c, 2 * c} }
	var columns [3][4]T
	for x := range columns {
		columns[x] = transform(g[0][x], g[1][x], g[2][x])
	}
	for y := range 4 {
		for x, v := range transform(columns[0][y], columns[1][y], columns[2][y]) {
			transformed[4*y+x] = v
		}
	}
	return transformed
}

// Winograd is the working memory of ConvolveTwoRows. Only one goroutine at a time may use it.
type Winograd struct {
	input []int16 // the input transform: for each of its 16 entries, for each tile, the channels
	sums  []int32 // for each of 4 columns, for each of 2 rows, for each tile, the outputs, ordered by sumLane

	// The filter's bias times four and its scales divided by four, ordered by sumLane. For 4×4 outputs it is sixteen.
	bias               [MaxOutputs]int32
	positive, negative [MaxOutputs]float32

	limits   [4 * limitLanes]int16
	gaussian gaussianWork
	packed   packed // the tier generic uses only packed and limits
}

// tilesPerCall is the number of tiles that are computed together: a multiple of the numbers of tiles whose sums
// assembly keeps in registers. It is small, so that the transforms of the tiles stay in the first-level cache.
const tilesPerCall = 12

// tileSamples is the number of samples of a row that tilesPerCall tiles cover. The last tiles of a row end where the
// row ends, so some outputs are computed twice.
const tileSamples = 2 * tilesPerCall

// WinogradBytes returns how many bytes a Winograd takes for filters with at most this many channels and outputs: the
// sum of the sizes of its slices, of packed if the tier is generic, else of all others.
func WinogradBytes(channels int) int64 {
	n := tilesPerCall * channels // numbers of all tiles in an entry of a transform
	if current == 0 {
		pairs := 4*(2*packedPairs+2)*channels + 2*16*packedPairs*channels // packed.columns, input and products
		return int64(16*16/2*channels*channels + 8*pairs + 4*4*n)         // packed.weights, these, and packed.sums
	}
	gaussian := (2*spreadSide*(gaussianWide+2) + 4*spreadSide*gaussianWide) * channels // columns and gathered
	// Then come the slices of 16-bit transforms, the slices of 32-bit sums, and the arrays.
	return int64(gaussian + (16+spreadSide)*2*paddedStride(n, 2) + (2*8+spreadSide+16)*4*paddedStride(n, 4) +
		4*4*MaxOutputs)
}

// ConvolveTwoRows does what Convolve does for two rows of samples. Row i of outputs begins at entry to[i] of dst,
// and the row to add to it at entry skipTo[i] of skip, which may be nil. Both rows are computed from four rows of
// samples, which begin at the entries rows of src. No sample in src may be above Most in magnitude. Without a filter
// transform, or if a bias is too large for it, ConvolveTwoRows calls Convolve for each row.
func ConvolveTwoRows(dst []int16, to [2]int, src []int16, rows []int, samples int, f *Filter, skip []int16,
	skipTo [2]int, work *Winograd) {
	if len(rows) != 4 {
		panic("kernel: two rows of samples are made of four")
	}
	if f.transformed == nil || !f.biasWithin(f.maxBias) {
		for i := range 2 {
			add := skip
			if skip != nil {
				add = skip[skipTo[i]:]
			}
			Convolve(dst[to[i]:], src, rows[i:i+3], samples, f, add)
		}
		return
	}
	f.checkTwoRows(dst, to, src, rows, samples, skip, skipTo)
	skipStep := cmp.Or(f.SkipStep, f.Outputs)
	if skip == nil {
		skip, skipStep, skipTo = noSkip[:], 0, [2]int{} // every sample adds the same zeros
	}
	work.prepare(f, 4)
	work.limits = f.limits(skipStep > 0)
	if current > 0 {
		work.convolve(dst, to, src, rows, 0, samples, f, skip, skipTo, skipStep)
		return
	}
	for first := 0; first < samples; first += tileSamples {
		work.convolvePacked(dst, to, src, rows, min(first, samples-tileSamples), f, skip, skipTo, skipStep)
	}
}

// prepare sets w.bias, w.positive and w.negative from f, ordered by sumLane, for sums of tiles factor times too large.
func (w *Winograd) prepare(f *Filter, factor int32) {
	for o := range f.Outputs {
		i := sumLane(o, f.Outputs)
		w.bias[i], w.positive[i] = factor*f.Bias[o], f.PositiveScale[o]/float32(factor)
		if len(f.NegativeScale) > 0 {
			w.negative[i] = f.NegativeScale[o] / float32(factor)
		}
	}
}

// tileChannels returns the number of channels of a sample for which the filter transform was computed.
func (f *Filter) tileChannels() int { return len(f.transformed) / (16 / 2 * f.Outputs) }

// take makes w.input and w.sums large enough for tilesPerCall tiles, and returns their strides from entry to entry.
func (w *Winograd) take(channels, outputs int) (inputs, sums int) {
	inputs, sums = paddedStride(tilesPerCall*channels, 2), paddedStride(tilesPerCall*outputs, 4)
	w.input, w.sums = resize(w.input, 16*inputs), resize(w.sums, 8*sums)
	return inputs, sums
}

// convolve computes, by tiles, the outputs of the given number of samples, beginning with sample first.
func (w *Winograd) convolve(dst []int16, to [2]int, src []int16, rows []int, first, samples int, f *Filter,
	skip []int16, skipTo [2]int, skipStep int) {
	channels := f.tileChannels()
	inputs, sums := w.take(channels, f.Outputs)
	convolveTiles(dst[to[0]+first*f.outputStep():], to[1]-to[0], samples, src[first*f.Step:], rows, f.Step, channels,
		w.input, inputs, w.sums, sums, f.transformed, w.bias[:f.Outputs], w.positive[:], w.negative[:], w.limits[:],
		skip[skipTo[0]+first*skipStep:], skipTo[1]-skipTo[0], skipStep, f.outputStep())
}

// paddedStride returns the stride, counted in numbers of size bytes, between the entries of a transform that have n
// numbers each. It is an odd number of cache lines, so that the data of a tile lies in different sets of the L1 cache.
func paddedStride(n, size int) int {
	const line = 64
	return (PadTo(n*size, 2*line) + line) / size
}

// checkTwoRows panics unless the operands of ConvolveTwoRows fit: assembly would not notice an index out of range.
func (f *Filter) checkTwoRows(dst []int16, to [2]int, src []int16, rows []int, samples int, skip []int16,
	skipTo [2]int) {
	for i := range 2 {
		f.check(len(dst)-to[i], f.outputStep(), len(src), rows[i:i+3], samples, 2*f.Words)
		_ = dst[to[i]] // f.check has looked at the last entry
		if skip != nil {
			_ = skip[skipTo[i]]
			_ = skip[skipTo[i]+(samples-1)*cmp.Or(f.SkipStep, f.Outputs)+f.Outputs-1]
		}
	}
	_ = f.NegativeScale[f.Outputs-1] // panics if NegativeScale is too short
}

// resize returns a slice of n values with arbitrary contents, in the memory of v if its capacity suffices.
func resize[T any](v []T, n int) []T {
	if cap(v) < n {
		return make([]T, n)
	}
	return v[:n]
}
