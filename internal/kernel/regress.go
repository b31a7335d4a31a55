package kernel

import "unsafe"

// Maps are linear maps of the same shape, a step and a matrix of bytes each.
type Maps struct {
	// A map has Quad·Words inputs and Out outputs.
	Words, Out int

	// Bytes are those of the matrices, one after another: entry i·Out·Quad + j·Quad + b of
	// a map is what input i·Quad + b adds to output j, with Offset. MapRoom bytes follow
	// the last map.
	Bytes []uint8

	// Steps are what 1 stands for in each map.
	Steps []float32
}

// MaxOut is the most outputs of a map.
const MaxOut = 256

// MapRoom is how many bytes must follow the last map, which are read in vain.
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

func regressGeneric(r []float32, ldr int, q []int32, ldq int, scale []float32, _, order []int32, bytes []uint8, words, out int, step float32) {
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

func transposeGeneric(dst []int32, ld int, src []int32, stride int, order []int32, k int) {
	for b, j := range order {
		for i, v := range src[int(j)*stride : int(j)*stride+k] {
			dst[i*ld+b] = v
		}
	}
}
