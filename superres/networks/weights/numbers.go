package weights

import (
	"encoding/binary"
	"math"

	"superres/internal/elementary"
)

// number is a type of little-endian numbers in a file.
type number struct {
	size   int64 // in bytes
	decode func(b []byte) float32
}

// numbers maps the names of types in safetensors files to the types.
var numbers = map[string]*number{
	"F64":  {8, func(b []byte) float32 { return float32(math.Float64frombits(binary.LittleEndian.Uint64(b))) }},
	"F32":  {4, func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }},
	"F16":  {2, func(b []byte) float32 { return elementary.Float16(binary.LittleEndian.Uint16(b)) }},
	"BF16": {2, func(b []byte) float32 { return math.Float32frombits(uint32(binary.LittleEndian.Uint16(b)) << 16) }},
	"I64":  {8, func(b []byte) float32 { return float32(int64(binary.LittleEndian.Uint64(b))) }},
	"I32":  {4, func(b []byte) float32 { return float32(int32(binary.LittleEndian.Uint32(b))) }},
	"I16":  {2, func(b []byte) float32 { return float32(int16(binary.LittleEndian.Uint16(b))) }},
	"I8":   {1, func(b []byte) float32 { return float32(int8(b[0])) }},
	"U8":   {1, func(b []byte) float32 { return float32(b[0]) }},
	"BOOL": {1, func(b []byte) float32 { return float32(b[0]) }},
}

// decodeAll returns the first n numbers of b.
func (k *number) decodeAll(b []byte, n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = k.decode(b[int64(i)*k.size:])
	}
	return list
}
