package kernel

import (
	"math"
	"slices"
)

// This file has the products of training in bfloat16: a number of 16 bits that has the sign, the exponent and the first
// seven bits of the fraction of a float32. A pair is a word of 32 bits with two of them, the first in the low half. An
// instruction multiplies pairs lane by lane and adds both products to a sum in float32: twice the products of float32.
// Only the tier avx512bf16 has assembly for this; in other tiers it is slower than float32.
//
// All tiers give the same bits, but for sums and products below 2⁻¹²⁶, the least normal float32: there the instructions
// give zero. The definitions do so only where they round to bfloat16.
//
// The instructions of AMX, which multiply whole tiles, are not used.

// MultipliesBFloat16 reports whether the tier in use has instructions for products in bfloat16.
func MultipliesBFloat16() bool { return tierNames[current] == "avx512bf16" }

// RoundBFloat16 sets dst to src rounded to bfloat16, halves to even. len(src) is a multiple of Lanes.
func RoundBFloat16(dst []uint16, src []float32) {
	if needOf(len(src), Lanes); len(src) == 0 {
		return
	}
	_ = dst[len(src)-1]
	roundBFloat16(dst, src)
}

func roundBFloat16Generic(dst []uint16, src []float32) {
	for i, v := range src {
		bits := math.Float32bits(v)
		switch exponent := bits >> 23 & 0xff; {
		case exponent == 0:
			bits &= 1 << 31
		case v != v:
			bits |= 1 << 22 // a NaN whose fraction begins with zeros stays one
		default:
			bits += 0x7fff + bits>>16&1
		}
		dst[i] = uint16(bits >> 16)
	}
}

// WidenBFloat16 sets dst to the numbers of src, which are bfloat16. len(dst) is a multiple of Lanes.
func WidenBFloat16(dst []float32, src []uint16) {
	if needOf(len(dst), Lanes); len(dst) == 0 {
		return
	}
	_ = src[len(dst)-1]
	widenBFloat16(dst, src)
}

func widenBFloat16Generic(dst []float32, src []uint16) {
	for i := range dst {
		dst[i] = widen(uint32(src[i]))
	}
}

// widen returns the bfloat16 in the low half of word.
func widen(word uint32) float32 { return math.Float32frombits(word << 16) }

// PairBFloat16 makes pairs of the entries of src that are step apart, in runs of k pairs that begin skip apart:
//
//	dst[r·k + i] = (src[r·skip + i], src[r·skip + i + step])
//
// for n runs r. k is a multiple of Lanes.
func PairBFloat16(dst []uint32, src []uint16, step, k, skip, n int) {
	if needOf(k, Lanes); k == 0 || n <= 0 {
		return
	}
	if step < 0 || skip < 0 {
		panic("kernel: a negative step")
	}
	_, _ = dst[n*k-1], src[(n-1)*skip+step+k-1]
	pairBFloat16(dst, src, step, k, skip, n)
}

func pairBFloat16Generic(dst []uint32, src []uint16, step, k, skip, n int) {
	for r := range n {
		from, to := src[r*skip:], dst[r*k:(r+1)*k]
		for i := range to {
			to[i] = uint32(from[i]) | uint32(from[i+step])<<16
		}
	}
}

// ActivateBFloat16 is Activate with results in bfloat16: it rounds the activated entries of sums to h, and sums
// themselves to z.
func ActivateBFloat16(h, z []uint16, sums, slope []float32) {
	if needOf(len(slope), Lanes); len(sums) == 0 {
		return
	}
	needOf(len(sums), len(slope))
	_, _ = h[len(sums)-1], z[len(sums)-1]
	activateBFloat16(h, z, sums, slope)
}

func activateBFloat16Generic(h, z []uint16, sums, slope []float32) {
	roundBFloat16Generic(z, sums)
	activated := make([]float32, len(sums))
	activateGeneric(activated, sums, slope)
	roundBFloat16Generic(h, activated)
}

// ActivateBackBFloat16 is ActivateBack with z in bfloat16, and its result too: it rounds the gradient of z to dst,
// where d is that of the result of the activation.
func ActivateBackBFloat16(dst []uint16, d []float32, z []uint16, slope, toSlope, toBias []float32) {
	if needOf(len(slope), Lanes); len(d) == 0 {
		return
	}
	needOf(len(d), len(slope))
	_, _, _, _ = dst[len(d)-1], z[len(d)-1], toSlope[len(slope)-1], toBias[len(slope)-1]
	activateBackBFloat16(dst, d, z, slope, toSlope, toBias)
}

func activateBackBFloat16Generic(dst []uint16, d []float32, z []uint16, slope, toSlope, toBias []float32) {
	to, wide := slices.Clone(d), make([]float32, len(d))
	widenBFloat16Generic(wide, z)
	activateBackGeneric(to, wide, slope, toSlope, toBias)
	roundBFloat16Generic(dst, to)
}

// ConvolveBFloat16 is Convolve32 for samples and weights in bfloat16: it sets dst to n samples of len(bias) channels,
//
//	dst_(x,o) = bias_o + Σ_r Σ_j src[r·stride + x·step + j]·weight_(r·k + j, o)
//
// over the rows r and the k entries j of each; k is even. weight[i·len(bias) + o] is the pair of weight_(2i, o) and
// weight_(2i+1, o). Every entry is one sum, with the same bits wherever its sample lies.
func ConvolveBFloat16(dst []float32, src []uint16, step, stride, rows, k int, weight []uint32, bias []float32, n int) {
	needOf(len(bias), Lanes)
	needOf(k, 2)
	if n <= 0 || len(bias) == 0 {
		return
	}
	if step < 0 || stride < 0 || rows < 1 || k < 1 {
		panic("kernel: a convolution without taps")
	}
	_, _, _ = dst[n*len(bias)-1], src[(rows-1)*stride+(n-1)*step+k-1], weight[rows*k/2*len(bias)-1]
	convolveBFloat16(dst, src, step, stride, rows, k, weight, bias, n)
}

func convolveBFloat16Generic(
	dst []float32, src []uint16, step, stride, rows, k int, weight []uint32, bias []float32, n int,
) {
	cols := len(bias)
	for x := range n {
		sum := dst[x*cols : (x+1)*cols]
		copy(sum, bias)
		for r := range rows {
			for j := 0; j < k; j += 2 {
				at := r*stride + x*step + j
				low, high := widen(uint32(src[at])), widen(uint32(src[at+1]))
				for o, w := range weight[(r*k+j)/2*cols:][:len(sum)] {
					sum[o] = addPair(sum[o], low, high, w)
				}
			}
		}
	}
}

// addPair returns sum + high·(the high half of w) + low·(the low half of w), added in this order, as the instruction
// does; the products are exact in float32.
func addPair(sum, low, high float32, w uint32) float32 {
	sum += float32(high * widen(w>>16))
	return sum + float32(low*widen(w))
}

// CorrelateBFloat16 is Correlate for inputs and gradients in bfloat16: it adds to c, the gradient of weights, the
// contribution of n pairs of samples in each of rows rows. a has the inputs of the layer, b the gradients of its
// outputs, both in pairs of one entry at two samples, first and second:
//
//	c[j·cols + o] += Σ_y Σ_x first(a_(y,x,j))·first(b_(y,x,o)) + second(a_(y,x,j))·second(b_(y,x,o)),
//	a_(y,x,j) = a[y·strideA + x·stepA + j],  b_(y,x,o) = b[y·strideB + x·stepB + o]
//
// over rows y and pairs x, for k entries j and cols channels o. k is a multiple of Rows32, cols of Lanes.
func CorrelateBFloat16(
	c []float32, cols int, a []uint32, stepA, strideA int, b []uint32, stepB, strideB, rows, n, k int,
) {
	needOf(cols, Lanes)
	needOf(k, Rows32)
	if rows <= 0 || n <= 0 || k == 0 || cols == 0 {
		return
	}
	if min(stepA, strideA, stepB, strideB) < 0 {
		panic("kernel: a negative stride")
	}
	_, _, _ = c[k*cols-1], a[(rows-1)*strideA+(n-1)*stepA+k-1], b[(rows-1)*strideB+(n-1)*stepB+cols-1]
	correlateBFloat16(c, cols, a, stepA, strideA, b, stepB, strideB, rows, n, k)
}

func correlateBFloat16Generic(
	c []float32, cols int, a []uint32, stepA, strideA int, b []uint32, stepB, strideB, rows, n, k int,
) {
	for y := range rows {
		for x := range n {
			right := b[y*strideB+x*stepB:][:cols]
			for j, v := range a[y*strideA+x*stepA:][:k] {
				low, high, to := widen(v), widen(v>>16), c[j*cols:][:len(right)]
				for o, w := range right {
					to[o] = addPair(to[o], low, high, w)
				}
			}
		}
	}
}
