package kernel

import "math"

// Pairs rounds the entries of every lane of p, entries×len(scale) with stride ldp, to
// integers of at most peak: scale is what 1 stands for, max|p|/peak of the lane. Entries
// 2i and 2i+1 of a lane become word i of words, with stride ld; after an odd number comes
// a 0. The number of lanes is a multiple of Lanes, peak 1 to 32767. Entries must be
// finite.
func Pairs(words []int32, ld int, scale, p []float32, ldp, entries, peak int) {
	n := len(scale)
	needOf(n, Lanes)
	if peak < 1 || peak > math.MaxInt16 {
		panic("kernel: a peak that is out of range")
	}
	if n == 0 || entries == 0 {
		return
	}
	_, _ = p[(entries-1)*ldp+n-1], words[((entries+1)/2-1)*ld+n-1]
	pairs(words, ld, scale, p, ldp, entries, float32(peak))
}

// tiny keeps a lane of zeros from being divided by 0.
const tiny = 1e-30

func pairsGeneric(words []int32, ld int, scale, p []float32, ldp, entries int, peak float32) {
	for b := range scale {
		bits := math.Float32bits(tiny) // which are in the order of magnitudes
		for at := b; at < entries*ldp; at += ldp {
			bits = max(bits, math.Float32bits(p[at])&^(1<<31))
		}
		most := math.Float32frombits(bits)
		inverse := peak / most
		for i := range entries {
			v := rounded(float32(p[i*ldp+b] * inverse))
			if at := i/2*ld + b; i%2 == 0 {
				words[at] = v & 0xffff
			} else {
				words[at] |= v << 16
			}
		}
		scale[b] = most / peak
	}
}

// rounded returns the integer that is nearest to v, half to even; |v| < 2²¹.
func rounded(v float32) int32 {
	const large, bits = 3 << 22, 0x4b400000 // so large that the sum is rounded
	return int32(math.Float32bits(v+large) - bits)
}

// MulPairs sets the first rows×cols of C to AᵀB: A is words×rows, B is words×cols, all by
// rows with their strides, two integers of 16 bits in each word. rows is a multiple of
// Rows32, cols of Lanes. No sum may exceed 31 bits.
func MulPairs(c []int32, ldc int, a []int32, lda int, b []int32, ldb, rows, words, cols int) {
	needOf(cols, Lanes)
	needOf(rows, Rows32)
	if rows == 0 || cols == 0 {
		return
	}
	if words < 1 {
		panic("kernel: a product of nothing")
	}
	_, _, _ = c[(rows-1)*ldc+cols-1], a[(words-1)*lda+rows-1], b[(words-1)*ldb+cols-1]
	mulPairs(c, ldc, a, lda, b, ldb, rows, words, cols)
}

func mulPairsGeneric(c []int32, ldc int, a []int32, lda int, b []int32, ldb, rows, words, cols int) {
	var memory [2 * 32][eight / 2]twoLanes
	lanes := memory[:0]
	for from := 0; from < cols; from += eight {
		lanes = lanes[:0]
		for i := range words {
			row := b[i*ldb+from:][:eight]
			var low, high [eight / 2]twoLanes
			for k := range low {
				x, y := row[k], row[k+eight/2]
				low[k], high[k] = joinedLanes(int32(int16(x)), int32(int16(y))), joinedLanes(x>>16, y>>16)
			}
			lanes = append(lanes, low, high)
		}
		for r := range rows {
			var s0, s1, s2, s3 twoLanes
			for i := range words {
				word := a[i*lda+r]
				v, w := twoLanes(int16(word)), twoLanes(word>>16)
				p := (*[2][eight / 2]twoLanes)(lanes[2*i:])
				s0 += p[0][0]*v + p[1][0]*w
				s1 += p[0][1]*v + p[1][1]*w
				s2 += p[0][2]*v + p[1][2]*w
				s3 += p[0][3]*v + p[1][3]*w
			}
			to := c[r*ldc+from:][:eight]
			for k, s := range [eight / 2]twoLanes{s0, s1, s2, s3} {
				to[k], to[k+eight/2] = s.apart()
			}
		}
	}
}

// twoLanes are two lanes in a number of 64 bits: one multiplication is two products, and
// their sums come apart again as long as they have 32 bits.
type twoLanes int64

func joinedLanes(low, high int32) twoLanes { return twoLanes(int64(low) + int64(high)<<32) }

func (s twoLanes) apart() (low, high int32) {
	low = int32(s)
	return low, int32((int64(s) - int64(low)) >> 32)
}

// eight lanes are worked on together.
const eight = 8
