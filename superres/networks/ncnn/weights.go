package ncnn

import (
	"encoding/binary"
	"math"

	"superres/internal/elementary"
	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

// The tags before the weights of a layer in a .bin.
const (
	tagPlain  = 0          // float32
	tagRaw    = 0x0002C056 // float32
	tagHalf   = 0x01306B47 // float16
	tagBytes  = 0x000D4B38 // int8
	sizeOfTag = 4
)

// bin is the rest of a .bin: the bytes that are not yet read.
type bin []byte

var errShort = fail.With("the .bin is too short; does it belong to this .param?")

// floats removes n numbers of float32 from the start of b, and returns them.
func (b *bin) floats(n int) []float32 {
	errShort.When(n < 0 || n > graph.MaxWeights || 4*n > len(*b))
	list := make([]float32, n)
	for i := range list {
		list[i] = math.Float32frombits(binary.LittleEndian.Uint32((*b)[4*i:]))
	}
	*b = (*b)[4*n:]
	return list
}

// tagged removes a tag and n numbers, float32 or float16 as the tag says, from the start of b. It returns the numbers.
func (b *bin) tagged(n int) []float32 {
	errShort.When(len(*b) < sizeOfTag)
	tag := binary.LittleEndian.Uint32(*b)
	*b = (*b)[sizeOfTag:]
	switch tag {
	case tagPlain, tagRaw:
		return b.floats(n)
	case tagHalf:
		return b.halves(n)
	case tagBytes:
		panic(fail.With("has weights of 8 bits, which are not supported; use the files of 16 or 32 bits"))
	}
	panic(fail.With("has weights of unknown kind %#08x; does the .bin belong to this .param?", tag))
}

// halves removes n numbers of float16, padded to a multiple of four bytes, from the start of b, and returns them.
func (b *bin) halves(n int) []float32 {
	errShort.When(n < 0 || n > graph.MaxWeights || (2*n+3)&^3 > len(*b))
	list := make([]float32, n)
	for i := range list {
		list[i] = elementary.Float16(binary.LittleEndian.Uint16((*b)[2*i:]))
	}
	*b = (*b)[(2*n+3)&^3:]
	return list
}
