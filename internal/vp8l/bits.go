package vp8l

import (
	"encoding/binary"
	"io"
)

// bitString is a sequence of bits. The first bit is the lowest bit of the first byte. The zero value is empty.
type bitString struct {
	bytes []byte
	last  uint64 // the bits that follow bytes, the first in the lowest bit
	n     int    // the number of bits in last, less than 32
}

// put appends the n lowest bits of v, the lowest first. n is at most 32; the other bits of v must be 0.
func (b *bitString) put(v uint64, n int) {
	b.last |= v << b.n
	if b.n += n; b.n >= 32 {
		b.bytes = binary.LittleEndian.AppendUint32(b.bytes, uint32(b.last))
		b.last >>= 32
		b.n -= 32
	}
}

func (b *bitString) putBool(v bool) {
	if v {
		b.put(1, 1)
		return
	}
	b.put(0, 1)
}

// append appends the bits of c, which does not change.
func (b *bitString) append(c *bitString) {
	bytes := c.bytes
	for ; len(bytes) >= 4; bytes = bytes[4:] {
		b.put(uint64(binary.LittleEndian.Uint32(bytes)), 32)
	}
	for _, v := range bytes {
		b.put(uint64(v), 8)
	}
	b.put(c.last, c.n) // the bits after c.bytes
}

func (b *bitString) length() int64 { return 8*int64(len(b.bytes)) + int64(b.n) }

func (b *bitString) clone() *bitString {
	return &bitString{append([]byte(nil), b.bytes...), b.last, b.n}
}

// align appends zeros up to a whole byte, and moves all bits into b.bytes.
func (b *bitString) align() {
	for ; b.n > 0; b.n -= 8 {
		b.bytes = append(b.bytes, byte(b.last))
		b.last >>= 8
	}
	b.n = 0
}

// flush writes b.bytes to w and removes them from b.
func (b *bitString) flush(w io.Writer) error {
	_, err := w.Write(b.bytes)
	b.bytes = b.bytes[:0]
	return err
}
