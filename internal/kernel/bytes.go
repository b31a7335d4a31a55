package kernel

import (
	"math"
	"unsafe"
)

// From the patches of an anchored stage to the coordinates of their blocks all is done in
// integers, so that all forms find the same ones. The samples of a patch are rounded to
// 16 bits, two to a word, the first in its lower half, and multiplied by a matrix of the
// same. What comes out is rounded to −127..127, four to a word, the first in its lowest
// byte. The matrices that bytes are multiplied by are of bytes too, with Offset added so
// that they are not negative: that is how the instructions for it take them.

// Offset is what is added to the entries of matrices of bytes.
const Offset = 128

// Quad is how many bytes a word has.
const Quad = 4

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

// Nearest sets index, for every lane, to the number of the largest of the m products of
// a vector with the lane: the first of equal ones. z are words×lanes with stride ldz,
// the vectors are the columns of at, words×m with stride lda, their bytes with Offset.
// m is a multiple of Rows32, the number of lanes len(index) of Lanes; room is memory for
// as many.
func Nearest(index, room, z []int32, ldz int, at []int32, lda, m, words int) {
	n := len(index)
	needOf(n, Lanes)
	needOf(m, Rows32)
	if n == 0 {
		return
	}
	if words < 1 || m < 1 {
		panic("kernel: no vectors to choose from")
	}
	_, _, _ = room[n-1], z[(words-1)*ldz+n-1], at[(words-1)*lda+m-1]
	nearest(index, room[:n], z, ldz, at, lda, m, words)
}

// Maps are linear maps of the same shape, a step and a matrix of bytes each.
type Maps struct {
	Words, Out int       // of a map: Quad·Words inputs, Out outputs
	Bytes      []uint8   // of map k, entry i·Out·Quad + j·Quad + b: what input i·Quad+b adds to output j, with Offset; room for a vector after the last
	Steps      []float32 // of each map: what 1 stands for
}

// MaxOut is the most outputs of a map.
const MaxOut = 256

// MapRoom is how many bytes there must be after the last map, which are read in vain.
const MapRoom = 4 * Lanes

// size is how many bytes a map has.
func (m *Maps) size() int { return Quad * m.Words * m.Out }

// Regress takes patches through their maps: patch j has row j of q, words with stride
// ldq, made with its scale and its sum by Pack, and is given row j of r, with stride ldr.
// Those of map k are order[start[k]:start[k+1]].
//
// Note: the outputs are rounded up to a multiple of Lanes in r, whose further entries
// are undefined.
func Regress(r []float32, ldr int, q []int32, ldq int, scale []float32, sum, order, start []int32, maps *Maps) {
	if maps.Words < 1 || maps.Out < 1 || maps.Out > MaxOut {
		panic("kernel: a map of no size, or too large")
	}
	if len(start) != len(maps.Steps)+1 || len(maps.Bytes) < len(maps.Steps)*maps.size()+MapRoom {
		panic("kernel: maps are missing")
	}
	if len(order) == 0 {
		return
	}
	most := rowsInside(order, ldr, PadTo(maps.Out, Lanes), len(r))
	rowsInside(order, ldq, maps.Words, len(q))
	_, _ = scale[most], sum[most]
	from := start[0]
	for k, to := range start[1:] {
		if to != from { // else no patch has the map, as mostly
			regress(r, ldr, q, ldq, scale, sum, order[from:to], maps.Bytes[k*maps.size():], maps.Words, maps.Out, maps.Steps[k])
		}
		from = to
	}
}

// Transpose puts rows of src, k entries each, beside one another: entry i of row
// order[b], which begins at order[b]·stride, becomes dst[i·ld + b]. The number of rows
// is a multiple of Lanes, k of 4.
func Transpose[T float32 | int32](dst []T, ld int, src []T, stride int, order []int32, k int) {
	needOf(len(order), Lanes)
	needOf(k, 4)
	if len(order) == 0 || k == 0 {
		return
	}
	_ = dst[(k-1)*ld+len(order)-1]
	rowsInside(order, stride, k, len(src))
	transpose(bitsOf(dst), ld, bitsOf(src), stride, order, k)
}

// bitsOf are 32-bit numbers as their bits.
func bitsOf[T float32 | int32](s []T) []int32 {
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(s))), len(s))
}
