package kernel

import "math"

// From the patches of an anchored stage to the coordinates of what they become all is done
// in integers, so that all tiers find the same ones. The samples of a patch are rounded to
// 16 bits, two to a word, the first in its lower half, and multiplied by a matrix of the
// same (pairs.go). What comes out is rounded to −127..127, four to a word, the first in its
// lowest byte. The matrices that bytes are multiplied by are of bytes too, with Offset
// added so that they are not negative: that is how the instructions for it take them.

// Offset is what is added to the entries of matrices of bytes.
const Offset = 128

// Quad is how many bytes a word has.
const Quad = 4

// PackRows is what the words of a row that Pack makes are a multiple of.
const PackRows = 4

// Pack rounds the k entries of every lane of c, k×len(scale) with stride ldc, to bytes,
// and puts them into a row of words for each lane, with stride ld: scale is multiplied by
// what 1 stands for, max|c|/127 of the lane, and sum is the sum of the bytes. The words of
// a row are rounded up to a multiple of PackRows; beyond k they are 0. k is a multiple of
// Rows32, the number of lanes of Lanes. Entries have 31 bits.
func Pack(words []int32, ld int, scale []float32, sum, c []int32, ldc, k int) {
	n := len(scale)
	needOf(n, Lanes)
	needOf(k, Rows32)
	if n == 0 || k == 0 {
		return
	}
	_, _, _ = sum[n-1], c[(k-1)*ldc+n-1], words[(n-1)*ld+PadTo(k/Quad, PackRows)-1]
	pack(words, ld, scale, sum, c, ldc, k)
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

// Nearest sets index, for every lane, to the number of the largest of the products of m
// candidates with the lane, the first of equal ones. z are words×lanes with stride ldz,
// the candidates are the columns of at, words×m with stride lda, their bytes with Offset.
// m is a multiple of Rows32, the number of lanes len(index) of Lanes; best is memory for
// as many.
func Nearest(index, best, z []int32, ldz int, at []int32, lda, m, words int) {
	n := len(index)
	needOf(n, Lanes)
	needOf(m, Rows32)
	if n == 0 {
		return
	}
	if words < 1 || m < 1 {
		panic("kernel: no candidates to choose from")
	}
	_, _, _ = best[n-1], z[(words-1)*ldz+n-1], at[(words-1)*lda+m-1]
	nearest(index, best[:n], z, ldz, at, lda, m, words)
}

func nearestGeneric(index, best, z []int32, ldz int, at []int32, lda, m, words int) {
	var memory [Quad * 16][eight / 2]twoLanes
	lanes := memory[:0]
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
