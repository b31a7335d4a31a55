package imagefile

import (
	"bytes"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
	"sync"
)

// chunkBytes is the approximate length of a chunk before compression: much more than 32 KB, the farthest that deflate
// looks back, and little enough that an ordinary picture has several chunks, which can be compressed at the same time.
const chunkBytes = 1 << 18

// pngChunk holds a range of rows while they are filtered and compressed to the data of one chunk IDAT.
type pngChunk struct {
	rows        [2][]byte    // a row and the row above it, each after mostPixelBytes zeros
	filtered    []byte       // for each row, the number of its filter, and its filtered bytes
	packed      bytes.Buffer // the bytes of the chunk IDAT
	packer      packer
	first, last bool   // the rows are the first or the last of the picture
	sum         uint32 // Adler-32 of filtered
}

// pngChunks keeps the memory of pngChunk values, mostly of their packers, for reuse.
var pngChunks = sync.Pool{New: func() any { return new(pngChunk) }}

// pack filters and compresses rows [lo, hi) of r into c.packed, and sets c.sum, the checksum of the filtered rows.
func (c *pngChunk) pack(r *raster, lo, hi int) {
	n := r.rowBytes()
	for i := range c.rows {
		c.rows[i] = append(c.rows[i][:0], make([]byte, mostPixelBytes+n)...) // zeros before the first pixel
	}
	c.filtered = append(c.filtered[:0], make([]byte, (hi-lo)*(n+1))...)
	row, above := c.rows[0], c.rows[1]
	if lo > 0 {
		r.read(above[mostPixelBytes:], lo-1)
	}
	for y := lo; y < hi; y++ {
		r.read(row[mostPixelBytes:], y)
		out := c.filtered[(y-lo)*(n+1):][:n+1]
		if r.kind == pngPalette { // unfiltered: differences of indices mean nothing
			copy(out[1:], row[mostPixelBytes:])
		} else {
			filterRow(out, row, above, r.pixelBytes())
		}
		row, above = above, row
	}
	c.sum = adler32.Checksum(c.filtered)
	c.first, c.last = lo == 0, hi == r.height

	method := c.packer.chooseMethod(&c.packed, c.filtered) // compresses samples into c.packed
	c.packed.Reset()
	c.packed.Write(make([]byte, 8)) // for the head of the chunk, which finish fills in
	if c.first {
		c.packed.WriteString(zlibHead)
	}
	c.packer.deflate(&c.packed, method, c.filtered, c.last)
}

// finish completes c.packed, in which pack left 8 bytes for the head, and returns it: the head, data and checksum of a
// chunk. In the last chunk the data end with sum, the Adler-32 of all filtered rows of the picture.
func (c *pngChunk) finish(sum uint32) []byte {
	if c.last {
		_ = binary.Write(&c.packed, binary.BigEndian, sum) // cannot fail: writes to memory
	}
	body := c.packed.Bytes()
	binary.BigEndian.PutUint32(body, uint32(len(body)-8))
	copy(body[4:], "IDAT")
	_ = binary.Write(&c.packed, binary.BigEndian, crc32.ChecksumIEEE(body[4:]))
	return c.packed.Bytes()
}

// adlerOfBoth returns the Adler-32 of two texts in sequence, from their sums first and second, and the length of the
// second text in bytes. A sum consists of A = 1 + Σ bytes and B = Σ of the A after each byte, modulo 65521. Joined, A
// is A₁ + A₂ − 1, and B is B₁ + B₂ + length·(A₁ − 1).
func adlerOfBoth(first, second uint32, length int) uint32 {
	const m = 65521
	a := uint64(first&0xffff) + m - 1
	low := (a + uint64(second&0xffff)) % m
	high := (uint64(first>>16) + uint64(second>>16) + a%m*(uint64(length)%m)) % m
	return uint32(high<<16 | low)
}
