package imagefile

import (
	"bytes"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/flate"
)

// chunkBytes is about the length of a chunk before compression: much more than 32 KB, the farthest that compression
// looks back, and little enough that an ordinary picture has several chunks to compress at the same time.
const chunkBytes = 1 << 18

// pngChunk compresses a range of rows into the data of one chunk IDAT.
type pngChunk struct {
	rows        [2][]byte // a row and the row above it, each behind mostPixelBytes zeros
	filtered    []byte
	packed      bytes.Buffer
	packers     [3]*flate.Writer
	first, last bool
	sum         uint32 // Adler-32 of filtered
}

// pngChunks keeps the memory of pngChunk values, mostly of their packers, for reuse.
var pngChunks = sync.Pool{New: func() any { return new(pngChunk) }}

// pack filters and compresses the rows [lo, hi) of r.
func (c *pngChunk) pack(r *raster, lo, hi int) {
	n := r.rowBytes()
	for i := range c.rows {
		c.rows[i] = append(c.rows[i][:0], make([]byte, mostPixelBytes+n)...)
	}
	c.filtered = append(c.filtered[:0], make([]byte, (hi-lo)*(n+1))...)
	row, above := c.rows[0], c.rows[1]
	if lo > 0 {
		r.read(above[mostPixelBytes:], lo-1)
	}
	for y := lo; y < hi; y++ {
		r.read(row[mostPixelBytes:], y)
		out := c.filtered[(y-lo)*(n+1):][:n+1]
		if r.kind == pngPalette { // unfiltered: neighbouring indices mean nothing
			copy(out[1:], row[mostPixelBytes:])
		} else {
			filterRow(out, row, above, r.pixelBytes())
		}
		row, above = above, row
	}
	c.sum = adler32.Checksum(c.filtered)
	c.first, c.last = lo == 0, hi == r.height

	c.deflate(c.chooseMethod(), c.filtered)
}

// chooseMethod returns the method of compression for c.filtered, tried on a sample. Rows of photographs have few
// repetitions, which often cost more to refer to than they save: huffmanOnly. Where repetitions save something, a
// quick search finds them, and where they save much, as in drawings, a thorough one.
func (c *pngChunk) chooseMethod() int {
	part := c.filtered[len(c.filtered)/2:][:min(1<<15, len(c.filtered)/2)]
	c.deflate(huffmanOnly, part)
	plain := c.packed.Len()
	c.deflate(quick, part)
	switch some := c.packed.Len(); {
	case 100*some >= 99*plain:
		return huffmanOnly
	case 10*some >= 9*plain:
		return quick
	}
	return thorough
}

// The methods of compression.
const (
	huffmanOnly = iota
	quick
	thorough
)

// deflate compresses rows, which are filtered, by the method how into c.packed, behind 8 bytes for the chunk's head.
func (c *pngChunk) deflate(how int, rows []byte) {
	out := &c.packed
	out.Reset()
	out.Write(make([]byte, 8))
	if c.first {
		out.Write([]byte{0x78, 0x9c}) // zlib's head: deflate, a window of 32 KB
	}
	// Nothing of this can fail: the methods are valid, and a buffer takes all bytes.
	p := c.packers[how]
	if p == nil {
		p, _ = flate.NewWriter(out, [...]int{flate.HuffmanOnly, 3, 6}[how])
		c.packers[how] = p
	}
	p.Reset(out)
	_, _ = p.Write(rows)
	if c.last {
		_ = p.Close()
	} else {
		_ = p.Flush()
	}
}

// finish returns the chunk with its head and its checksum, in memory of c. sum is the Adler-32 of all filtered rows up
// to the end of this chunk.
func (c *pngChunk) finish(sum uint32) []byte {
	if c.last {
		_ = binary.Write(&c.packed, binary.BigEndian, sum) // into memory
	}
	body := c.packed.Bytes()
	binary.BigEndian.PutUint32(body, uint32(len(body)-8))
	copy(body[4:], "IDAT")
	_ = binary.Write(&c.packed, binary.BigEndian, crc32.ChecksumIEEE(body[4:]))
	return c.packed.Bytes()
}

// adlerOfBoth returns the Adler-32 of one text behind another, from the sums first and second of the two and the length
// of the second in bytes. With A = 1 + Σ bytes and B = Σ of all A so far, modulo 65521, the second text adds its own
// A − 1 to A, and to B its own B and length times the A − 1 of the first.
func adlerOfBoth(first, second uint32, length int) uint32 {
	const m = 65521
	a := uint64(first&0xffff) + m - 1
	low := (a + uint64(second&0xffff)) % m
	high := (uint64(first>>16) + uint64(second>>16) + a%m*(uint64(length)%m)) % m
	return uint32(high<<16 | low)
}
