package kernel

import (
	"math"
	"slices"
)

// This file has the products of training in bfloat16: a number of 16 bits that has the sign, the exponent and the first
// 7 bits of the fraction of a float32. A matrix of them is divided into tiles of 16 rows of 64 bytes, as AMX multiplies
// them (Intel: 64 and IA-32 architectures software developer's manual, volume 1, chapter 18). Of the factor at the
// left, a row of a tile has 32 numbers of a row. Of that at the right, row k has, for each of 16 columns, the numbers
// of rows 2k and 2k+1: a pair, in the low and in the high half of 32 bits. Sums are in float32.

// TileDepth is the number of products in each sum to which a pair of tiles adds.
const TileDepth = 32

// Together is the number of blocks that ConvolveBFloat16 computes at a time.
const Together = 4

const (
	tileRows  = 16
	tileWords = tileRows * TileDepth / 2 // pairs in a tile
)

// HasMatrices reports whether this machine multiplies matrices in bfloat16 by instructions: on Linux, a processor with
// AMX. Elsewhere the definitions of this file run, which are slow.
func HasMatrices() bool { return hasMatrices && current == fastest }

// RoundBFloat16 sets dst to src in bfloat16: the nearest, and of two that are equally near that with an even fraction.
// The number of entries is a multiple of Lanes.
func RoundBFloat16(dst []uint16, src []float32) {
	if needOf(len(src), Lanes); len(src) == 0 {
		return
	}
	_ = dst[len(src)-1]
	if HasMatrices() {
		roundBFloat16AMX(&dst[0], &src[0], len(src))
		return
	}
	for i, v := range src {
		dst[i] = roundBFloat16(v)
	}
}

// PairBFloat16 sets dst to the pairs of the entries of low and of high in bfloat16. Their number is a multiple of
// Lanes.
func PairBFloat16(dst []uint32, low, high []float32) {
	if needOf(len(dst), Lanes); len(dst) == 0 {
		return
	}
	_, _ = low[len(dst)-1], high[len(dst)-1]
	if HasMatrices() {
		pairBFloat16AMX(&dst[0], &low[0], &high[0], len(dst))
		return
	}
	for i := range dst {
		dst[i] = pairOf(low[i], high[i])
	}
}

// TransposeBFloat16 sets 16 rows of dst, stride entries apart, to the columns of src, 32 rows of 16 numbers that are
// step entries apart.
func TransposeBFloat16(dst []uint16, stride int, src []float32, step int) {
	if min(stride, step) < 0 {
		panic("kernel: a negative stride")
	}
	_, _ = dst[(tileRows-1)*stride+TileDepth-1], src[(TileDepth-1)*step+tileRows-1]
	if HasMatrices() {
		transposeBFloat16AMX(&dst[0], stride, &src[0], step)
		return
	}
	for r := range tileRows {
		for c := range TileDepth {
			dst[r*stride+c] = roundBFloat16(src[c*step+r])
		}
	}
}

// PackWeights sets dst to the tiles of weights for ConvolveBFloat16: for each 16 of the outputs, for each of rows rows
// of taps, the tiles of its k numbers. The weights of an input begin outputs entries after those of the one before it,
// those of a row of taps stride entries. The padding is 0.
func PackWeights(dst []uint32, weights []float32, outputs, rows, stride, k int) {
	needOf(outputs, tileRows)
	needOf(k, 2)
	for o := 0; o < outputs; o += tileRows {
		for r := range rows {
			row := weights[r*stride:]
			for i := 0; i < k; i += 2 {
				PairBFloat16(dst[:tileRows], row[i*outputs+o:], row[(i+1)*outputs+o:])
				dst = dst[tileRows:]
			}
			padding := (PadTo(k, TileDepth) - k) / 2 * tileRows
			clear(dst[:padding])
			dst = dst[padding:]
		}
	}
}

// PackedSize returns the number of pairs that PackWeights sets.
func PackedSize(outputs, rows, k int) int { return outputs * rows * PadTo(k, TileDepth) / 2 }

// ConvolveBFloat16 sets sums, of len(bias) channels, of blocks of 16 samples in a row. Block b begins at from[b] in src
// and at to[b] in dst, whose samples are step and len(bias) entries apart. A sum is that of the bias and the products
// of the weights, of rows rows of taps as PackWeights packs them, with k entries from a sample on in each of as many
// rows of src, pitch entries apart. The number of blocks is a multiple of Together. src is read for whole tiles.
func ConvolveBFloat16(dst []float32, src []uint16, step, pitch, rows, k int, weights []uint32, bias []float32, from,
	to []int32) {
	outputs, steps := len(bias), PadTo(k, TileDepth)/TileDepth
	needOf(outputs, tileRows)
	needOf(len(from), Together)
	if min(step, pitch, rows-1, k-1) < 0 || len(from) != len(to) {
		panic("kernel: blocks that do not fit")
	}
	checkOffsets(from, (tileRows-1)*step+(rows-1)*pitch+steps*TileDepth, len(src))
	checkOffsets(to, tileRows*outputs, len(dst))
	block := rows * steps * tileWords
	_ = weights[outputs/tileRows*block-1]
	if !HasMatrices() {
		convolveBFloat16(dst, src, step, pitch, rows, steps, weights, bias, from, to)
		return
	}
	if len(from) == 0 {
		return
	}
	odd := outputs - outputs%(2*tileRows) // the outputs from here on, if there are more, are one tile
	for o := 0; o < odd; o += 2 * tileRows {
		first := o / tileRows * block
		convolveTwoBFloat16AMX(&dst[o], 4*outputs, &src[0], 2*step, 2*pitch, rows, steps, &weights[first],
			&weights[first+block], &bias[o], &from[0], &to[0], len(from))
	}
	if odd < outputs {
		convolveOneBFloat16AMX(&dst[odd], 4*outputs, &src[0], 2*step, 2*pitch, rows, steps,
			&weights[odd/tileRows*block], &bias[odd], &from[0], &to[0], len(from))
	}
}

// convolveBFloat16 defines ConvolveBFloat16.
func convolveBFloat16(dst []float32, src []uint16, step, pitch, rows, steps int, weights []uint32, bias []float32, from,
	to []int32) {
	for b := range from {
		for s := range tileRows {
			for o, sum := range bias {
				tiles := weights[o/tileRows*rows*steps*tileWords:]
				for r := range rows {
					x := src[int(from[b])+s*step+r*pitch:]
					for i := range steps * tileRows {
						pair := tiles[(r*steps*tileRows+i)*tileRows+o%tileRows]
						sum += multiplyPair(joinPair(x[2*i:]), pair)
					}
				}
				dst[int(to[b])+s*len(bias)+o] = sum
			}
		}
	}
}

// CorrelateBFloat16 adds to len(starts) matrices, which follow each other in dst and have k rows of cols entries, the
// products of k rows of a, which are lda entries apart, with the numbers of which b has pairs: for matrix m the pair of
// entry j of rows i and i+1 is b[starts[m]+i·cols+j]. Each sum has n products, a multiple of TileDepth. k and cols are
// multiples of Lanes.
func CorrelateBFloat16(dst []float32, cols int, a []uint16, lda int, b []uint32, starts []int, k, n int) {
	needOf(cols, tileRows)
	needOf(k, tileRows)
	needOf(n, TileDepth)
	if min(k, cols, n, len(starts)) <= 0 || min(lda, slices.Min(starts)) < 0 {
		panic("kernel: an empty matrix, or a negative stride")
	}
	_, _, _ = dst[len(starts)*k*cols-1], a[(k-1)*lda+n-1], b[slices.Max(starts)+(n-1)*cols-1]
	if !HasMatrices() {
		for m, start := range starts {
			for i := range k {
				for j := range cols {
					for s := 0; s < n; s += 2 {
						dst[(m*k+i)*cols+j] += multiplyPair(joinPair(a[i*lda+s:]), b[start+s*cols+j])
					}
				}
			}
		}
		return
	}
	tiles := cols / tileRows // in a row of a matrix
	all := len(starts) * tiles
	place := func(tile int) (sum, factor int) { // in dst and in b
		tile = min(tile, all-1) // the last may be computed several times
		m, j := tile/tiles, tile%tiles*tileRows
		return m*k*cols + j, starts[m] + j
	}
	odd := k - k%(2*tileRows) // the rows from here on, if there are more, are one row of tiles
	for t := 0; t < all; t += 2 {
		sum, factor := place(t)
		sum2, factor2 := place(t + 1)
		for i := 0; i < odd; i += 2 * tileRows {
			correlateTwoBFloat16AMX(&dst[sum+i*cols], 4*cols, 4*(sum2-sum), &a[i*lda], 2*lda, &b[factor],
				4*(factor2-factor), 8*cols, n/TileDepth)
		}
	}
	if odd == k {
		return
	}
	for t := 0; t < all; t += 4 {
		var at [8]int
		for i := range 4 {
			sum, factor := place(t + i)
			at[i], at[4+i] = 4*sum, 4*factor
		}
		correlateOneBFloat16AMX(&dst[odd*cols], 4*cols, &a[odd*lda], 2*lda, &b[0], 8*cols, &at, n/TileDepth)
	}
}

// roundBFloat16 returns v in bfloat16.
func roundBFloat16(v float32) uint16 {
	bits := math.Float32bits(v)
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}

// pairOf returns the pair of two numbers.
func pairOf(low, high float32) uint32 {
	return joinPair([]uint16{roundBFloat16(low), roundBFloat16(high)})
}

// joinPair returns the first two numbers of x as a pair.
func joinPair(x []uint16) uint32 { return uint32(x[0]) | uint32(x[1])<<16 }

// multiplyPair returns the sum of the products of two pairs.
func multiplyPair(a, b uint32) float32 {
	widen := math.Float32frombits
	return widen(a<<16)*widen(b<<16) + widen(a&^0xffff)*widen(b&^0xffff)
}
