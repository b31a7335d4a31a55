package kernel

import (
	"math"
	"runtime"
)

// A layer of 3×3 taps takes fewer products if tiles of 2×2 outputs are computed together: Winograd's F(2×2,3×3), after
// A. Lavin, S. Gray: Fast algorithms for convolutional neural networks, CVPR 2016, arXiv:1509.09308. Of the 4×4 samples
// d around a tile and the taps g it computes
//
//	Aᵀ(GgGᵀ ∘ BᵀdB)A,
//
// with the input transform BᵀdB, the filter transform GgGᵀ and the output transform Aᵀ·A, whose matrices hold 0, ±1
// and ±½: 16 products where the taps would take 36. With 2G for G all numbers are integers, and the result is four
// times the sum. Therefore it equals that of Convolve to the last bit, whatever wraps around on the way, as long as
// four times the sum fits 32 bits and the operands of the products fit 16. The bias, times four, is added to the
// one product that counts for all four outputs, and the scales of the outputs are divided by four.

// MaxWinogradSum is the largest magnitude of a sum that ConvolveTwoRows can compute.
const MaxWinogradSum = 1<<29 - 1

// maxInput is the largest magnitude of a sample that the input transform accepts, which adds four of them in 16 bits.
const maxInput = math.MaxInt16 / 4

// PrepareWinograd computes the filter transform, for ConvolveTwoRows, of a filter of 3×3 taps over samples of at most
// Clip in magnitude. It returns false if the weights do not allow that: (2G)g(2G)ᵀ must fit 16 bits, and every sum must
// be at most MaxWinogradSum in magnitude for any samples. Otherwise, and after a bias was set that makes sums larger,
// ConvolveTwoRows convolves one row after the other.
func (f *Filter) PrepareWinograd() bool {
	f.transformed, f.maxBias = nil, nil
	if f.Rows != 3 || f.Step%Lanes != 0 || 2*f.Words != 3*f.Step || Clip > maxInput {
		return false
	}
	transformed, maxBias := make([]int32, 16*f.Outputs*f.Step/2), make([]int32, f.Outputs)
	for o := range f.Outputs {
		sum := int64(0) // sum of the magnitudes of the weights
		for i := range f.Step {
			var taps [3][3]int32
			for y := range taps {
				for x := range taps[y] {
					w := f.weight(y, x*f.Step+i, o)
					taps[y][x] = w
					sum += int64(max(w, -w))
				}
			}
			for k, w := range TransformTaps(taps) {
				if w != int32(int16(w)) {
					return false
				}
				word := &transformed[(((k%4*f.Outputs/Lanes+o/Lanes)*f.Step/2+i/2)*4+k/4)*Lanes+o%Lanes]
				*word |= int32(uint16(w)) << (i % 2 * 16)
			}
		}
		rest := MaxWinogradSum - sum*Clip
		if rest < 0 {
			return false
		}
		maxBias[o] = int32(rest)
	}
	f.transformed, f.maxBias = transformed, maxBias
	return f.biasFits()
}

// biasFits reports whether the biases leave every sum at most MaxWinogradSum in magnitude.
func (f *Filter) biasFits() bool {
	for o, v := range f.Bias[:f.Outputs] {
		if max(v, -v) > f.maxBias[o] {
			return false
		}
	}
	return true
}

// weight returns the weight of entry, an index in run row, for output.
func (f *Filter) weight(row, entry, output int) int32 {
	word := f.Weights[((output/Lanes*f.Rows+row)*f.Words+entry/2)*Lanes+output%Lanes]
	if entry%2 == 0 {
		return int32(int16(word))
	}
	return word >> 16
}

// TransformTaps returns the filter transform (2G)g(2G)ᵀ of 3×3 taps, row after row. PrepareWinograd requires entries of
// 16 bits.
func TransformTaps[T int32 | float64](g [3][3]T) (transformed [16]T) {
	transform := func(a, b, c T) [4]T { return [4]T{2 * a, a + b + c, a - b + c, 2 * c} }
	var columns [3][4]T
	for x := range columns {
		columns[x] = transform(g[0][x], g[1][x], g[2][x])
	}
	for y := range 4 {
		row := transform(columns[0][y], columns[1][y], columns[2][y])
		copy(transformed[4*y:], row[:])
	}
	return transformed
}

// Winograd is the working memory of ConvolveTwoRows. Only one goroutine at a time may use it.
type Winograd struct {
	input []int16 // BᵀdB: for each of its 4 columns, for each tile, for each of 4 rows, the channels
	sums  []int32 // for each of 4 columns, for each of 2 rows of the output transform, for each tile, the outputs

	bias               [MaxOutputs]int32   // four times the Bias of the filter
	positive, negative [MaxOutputs]float32 // a quarter of the scales of the filter
}

// tilesPerCall is the largest number of tiles that are computed together: enough that calls cost little, few enough
// that all data stays in the second-level cache.
const tilesPerCall = 48

// WinogradBytes returns how many bytes a Winograd takes for filters of the given number of channels.
func WinogradBytes(channels int) int64 {
	n := tilesPerCall * channels
	return int64(4*2*paddedStride(4*n, 2) + 8*4*paddedStride(n, 4) + 3*4*MaxOutputs)
}

// ConvolveTwoRows is Convolve for two rows of samples. rows has the offsets in src of the runs in the four rows from
// which both are computed; to has the offsets in dst of the two rows of outputs, skipTo the offsets in skip, which may
// be nil, of what is added to them. No sample in src may be above Clip in magnitude.
func ConvolveTwoRows(dst []int16, to [2]int, src []int16, rows []int, samples int, f *Filter, skip []int16,
	skipTo [2]int, work *Winograd) {
	if len(rows) != 4 {
		panic("kernel: two rows of samples are made of four")
	}
	if f.transformed == nil || !hasWinograd() || !f.biasFits() || samples < 2*MinSamples {
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
	skipStep := f.Outputs
	if skip == nil {
		skip, skipStep, skipTo = noSkip[:], 0, [2]int{}
	}
	for o := range f.Outputs {
		work.bias[o], work.positive[o], work.negative[o] = 4*f.Bias[o], f.PositiveScale[o]/4, f.NegativeScale[o]/4
	}
	tiles := (samples + 1) / 2
	calls := (tiles + tilesPerCall - 1) / tilesPerCall
	n := min((tiles+calls-1)/calls, samples/2)
	for first := 0; first < samples; first += 2 * n {
		// The last tiles end where the row ends, so some outputs are computed twice.
		work.convolve(dst, to, src, rows, min(first, samples-2*n), n, f, skip, skipTo, skipStep)
	}
}

// convolve computes n tiles, beginning at sample first.
func (w *Winograd) convolve(dst []int16, to [2]int, src []int16, rows []int, first, n int, f *Filter, skip []int16,
	skipTo [2]int, skipStep int) {
	inputs, outputs := paddedStride(4*n*f.Step, 2), paddedStride(n*f.Outputs, 4)
	if len(w.input) < 4*inputs {
		w.input = make([]int16, 4*inputs)
	}
	if len(w.sums) < 8*outputs {
		w.sums = make([]int32, 8*outputs)
	}
	transformInput(w.input, inputs, src[first*f.Step:], rows, n, f.Step)
	size := len(f.transformed) / 4
	for x := range 4 {
		bias := &noBias
		if x == 1 {
			bias = &w.bias
		}
		multiplyTiles(w.sums[2*x*outputs:], outputs, w.input[x*inputs:], n, f.Step, f.transformed[x*size:][:size],
			bias[:f.Outputs])
	}
	transformOutput(dst[to[0]+first*f.Outputs:], to[1]-to[0], w.sums, outputs, n, f.Outputs, w.positive[:],
		w.negative[:], skip[skipTo[0]+first*skipStep:], skipTo[1]-skipTo[0], skipStep)
}

// paddedStride returns the stride, in entries, between the columns of a transform, each of which has entries entries of
// size bytes: a few cache lines more than whole pages, so that a tile's data lies in different sets of the L1 cache.
func paddedStride(entries, size int) int {
	const page, line = 4096, 64
	return (PadTo(entries*size, page) + 5*line) / size
}

// noBias is the zeros with which the sums begin in columns that take no bias.
var noBias [MaxOutputs]int32

// hasWinograd reports whether the tier in use has assembly for tiles. Without it, Convolve is faster.
func hasWinograd() bool { return current > 0 && runtime.GOARCH == "amd64" }

// checkTwoRows panics unless the operands of ConvolveTwoRows fit.
func (f *Filter) checkTwoRows(dst []int16, to [2]int, src []int16, rows []int, samples int, skip []int16,
	skipTo [2]int) {
	for i := range 2 {
		f.check(len(dst)-to[i], len(src), rows[i:i+3], samples)
		_ = dst[to[i]]
		if skip != nil {
			_ = skip[skipTo[i]]
			_ = skip[skipTo[i]+samples*f.Outputs-1]
		}
	}
	_ = f.NegativeScale[f.Outputs-1]
}

// transformInputGeneric sets v to the input transform BᵀdB of n tiles, whose 4×4 samples begin two apart: for each of 4
// columns, which lie stride entries apart, for each tile, for each of 4 rows, the channels.
func transformInputGeneric(v []int16, stride int, src []int16, rows []int, n, channels int) {
	for s := range n {
		for c := range channels {
			var d [4][4]int16 // its columns transformed
			for x := range 4 {
				i := (2*s+x)*channels + c
				d[x] = transformInputColumn(src[rows[0]+i], src[rows[1]+i], src[rows[2]+i], src[rows[3]+i])
			}
			for y := range 4 {
				for x, t := range transformInputColumn(d[0][y], d[1][y], d[2][y], d[3][y]) {
					v[x*stride+(4*s+y)*channels+c] = t
				}
			}
		}
	}
}

// transformInputColumn returns Bᵀ times the column (a, b, c, d).
func transformInputColumn(a, b, c, d int16) [4]int16 { return [4]int16{a - c, b + c, c - b, b - d} }

// multiplyTilesGeneric multiplies one column v of the input transform of n tiles by the same column of the filter
// transform, sums over the channels, and applies Aᵀ to the column: dst is set to the first row of the result, and
// dst[stride:] to the second. Sums in the second of the four rows begin with the bias.
func multiplyTilesGeneric(dst []int32, stride int, v []int16, n, channels int, weights, bias []int32) {
	for s := range n {
		for o := range bias {
			var m [4]int32
			m[1] = bias[o]
			for y := range m {
				for c := range channels {
					w := weights[(((o/Lanes)*channels/2+c/2)*4+y)*Lanes+o%Lanes]
					if c%2 == 0 {
						w = int32(int16(w))
					} else {
						w >>= 16
					}
					m[y] += w * int32(v[(4*s+y)*channels+c])
				}
			}
			rows := transformOutputColumn(m)
			dst[s*len(bias)+o], dst[stride+s*len(bias)+o] = rows[0], rows[1]
		}
	}
}

// transformOutputGeneric applies Aᵀ to the rows that multiplyTiles left, eight arrays of sums stride entries apart, and
// sets dst to the 2×2 outputs of n tiles. The outputs of the second row lie second entries after those of the first row
// in dst, and skipSecond entries after in skip.
func transformOutputGeneric(dst []int16, second int, sums []int32, stride, n, outputs int, positive,
	negative []float32, skip []int16, skipSecond, skipStep int) {
	for s := range n {
		for o := range outputs {
			for y := range 2 {
				var row [4]int32
				for x := range row {
					row[x] = sums[(2*x+y)*stride+s*outputs+o]
				}
				for x, sum := range transformOutputColumn(row) {
					dst[y*second+(2*s+x)*outputs+o] = scaleAndClip(sum, positive[o], negative[o],
						skip[y*skipSecond+(2*s+x)*skipStep+o])
				}
			}
		}
	}
}

// transformOutputColumn returns Aᵀ times the column m.
func transformOutputColumn(m [4]int32) [2]int32 {
	return [2]int32{m[0] + m[1] + m[2], m[1] - m[2] - m[3]}
}
