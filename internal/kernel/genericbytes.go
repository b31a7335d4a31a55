package kernel

import "math"

// The definitions of the operations on bytes.

// floor keeps a lane of zeros from being divided by 0.
const floor = 1e-30

func pairsGeneric(words []int32, ld int, scale, p []float32, ldp, entries int, peak float32) {
	for b := range scale {
		bits := math.Float32bits(floor) // which are in the order of magnitudes
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

func packGeneric(words []int32, ld int, scale []float32, sum, c []int32, ldc, k int) {
	for b := range scale {
		largest := int32(1)
		for at := b; at < k*ldc; at += ldc {
			largest = max(largest, c[at], -c[at])
		}
		most := float32(largest)
		inverse, total := 127/most, int32(0)
		row := words[b*ld:][:PadTo(k/Quad, PackRows)]
		clear(row)
		for i := range row[:k/Quad] {
			for shift := 0; shift < 32; shift += 8 {
				v := rounded(float32(float32(c[(Quad*i+shift/8)*ldc+b]) * inverse))
				total += v
				row[i] |= (v & 0xff) << shift
			}
		}
		scale[b] *= most * (1.0 / 127)
		sum[b] = total
	}
}

// Two lanes in a number of 64 bits: one multiplication is two products, and their sums
// come apart again as long as they have 32 bits.
type twoLanes int64

func joinedLanes(low, high int32) twoLanes { return twoLanes(int64(low) + int64(high)<<32) }

func (s twoLanes) apart() (low, high int32) {
	low = int32(s)
	return low, int32((int64(s) - int64(low)) >> 32)
}

// eight lanes are worked on together.
const eight = 8

func mulPairsGeneric(c []int32, ldc int, a []int32, lda int, b []int32, ldb, rows, words, cols int) {
	var room [2 * 32][eight / 2]twoLanes
	lanes := room[:0]
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

func nearestGeneric(index, best, z []int32, ldz int, at []int32, lda, m, words int) {
	var room [Quad * 16][eight / 2]twoLanes
	lanes := room[:0]
	for from := 0; from < len(index); from += eight {
		lanes = lanes[:0]
		for i := range words {
			row := z[i*ldz+from:][:eight]
			for shift := 0; shift < 32; shift += 8 {
				var p [eight / 2]twoLanes
				for k := range p {
					p[k] = joinedLanes(int32(int8(row[k]>>shift)), int32(int8(row[k+eight/2]>>shift)))
				}
				lanes = append(lanes, p)
			}
		}
		index, best := index[from:][:eight], best[from:][:eight]
		for b := range best {
			index[b], best[b] = 0, math.MinInt32
		}
		for j := range m {
			var s0, s1, s2, s3 twoLanes
			for i := range words {
				word := uint32(at[i*lda+j])
				p := (*[Quad][eight / 2]twoLanes)(lanes[Quad*i:])
				v0, v1, v2, v3 := twoLanes(word&0xff), twoLanes(word>>8&0xff), twoLanes(word>>16&0xff), twoLanes(word>>24)
				s0 += p[0][0]*v0 + p[1][0]*v1 + p[2][0]*v2 + p[3][0]*v3
				s1 += p[0][1]*v0 + p[1][1]*v1 + p[2][1]*v2 + p[3][1]*v3
				s2 += p[0][2]*v0 + p[1][2]*v1 + p[2][2]*v2 + p[3][2]*v3
				s3 += p[0][3]*v0 + p[1][3]*v1 + p[2][3]*v2 + p[3][3]*v3
			}
			for k, s := range [eight / 2]twoLanes{s0, s1, s2, s3} {
				low, high := s.apart()
				if low > best[k] {
					best[k], index[k] = low, int32(j)
				}
				if high > best[k+eight/2] {
					best[k+eight/2], index[k+eight/2] = high, int32(j)
				}
			}
		}
	}
}

func transposeGeneric(dst []int32, ld int, src []int32, stride int, order []int32, k int) {
	for b, j := range order {
		for i, v := range src[int(j)*stride : int(j)*stride+k] {
			dst[i*ld+b] = v
		}
	}
}

func regressGeneric(r []float32, ldr int, q []int32, ldq int, scale []float32, order []int32, bytes []uint8, words, out int, step float32) {
	var sums [MaxOut]int32
	for _, j := range order {
		clear(sums[:out])
		for i, word := range q[int(j)*ldq:][:words] {
			q0, q1, q2, q3 := int32(int8(word)), int32(int8(word>>8)), int32(int8(word>>16)), int32(word>>24)
			row := bytes[i*out*Quad:][:out*Quad]
			for c := range sums[:out] {
				b := row[c*Quad:][:Quad]
				sums[c] += q0*(int32(b[0])-Offset) + q1*(int32(b[1])-Offset) + q2*(int32(b[2])-Offset) + q3*(int32(b[3])-Offset)
			}
		}
		by, to := scale[j]*step, r[int(j)*ldr:][:out]
		for c := range to {
			to[c] = float32(sums[c]) * by
		}
	}
}
