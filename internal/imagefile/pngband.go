package imagefile

import (
	"bytes"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/flate"
)

// bandBytes is about what a band has before it is packed: much more than the reach
// of a match, 32 KB, and little enough that an ordinary picture has several.
const bandBytes = 1 << 18

// band is some rows in work.
type band struct {
	rows        [2][]byte // a row and the one above, behind mostPixelBytes zeros
	filtered    []byte
	packed      bytes.Buffer
	packers     [3]*flate.Writer
	first, last bool
	sum         uint32 // Adler-32 of filtered
}

// bandPool keeps the memory of bands, mostly that of their packers.
var bandPool = sync.Pool{New: func() any { return new(band) }}

// pack filters and packs the rows lo to hi-1 of r.
func (b *band) pack(r *raster, lo, hi int) {
	n := r.rowBytes()
	for i := range b.rows {
		b.rows[i] = append(b.rows[i][:0], make([]byte, mostPixelBytes+n)...)
	}
	b.filtered = append(b.filtered[:0], make([]byte, (hi-lo)*(n+1))...)
	row, above := b.rows[0], b.rows[1]
	if lo > 0 {
		r.read(above[mostPixelBytes:], lo-1)
	}
	for y := lo; y < hi; y++ {
		r.read(row[mostPixelBytes:], y)
		out := b.filtered[(y-lo)*(n+1):][:n+1]
		if r.kind == pngPalette { // neighbouring numbers mean nothing
			copy(out[1:], row[mostPixelBytes:])
		} else {
			filterRow(out, row, above, r.pixelBytes())
		}
		row, above = above, row
	}
	b.sum = adler32.Checksum(b.filtered)
	b.first, b.last = lo == 0, hi == r.height

	b.deflate(b.way(), b.filtered)
}

// way chooses how to pack by a sample. Matches are few in the filtered rows of photographs,
// and often cost more than they save. Where they save something, a quick search finds
// them; where they save much, as in drawings, a thorough search saves more.
func (b *band) way() int {
	part := b.filtered[len(b.filtered)/2:][:min(1<<15, len(b.filtered)/2)]
	b.deflate(huffmanOnly, part)
	plain := b.packed.Len()
	b.deflate(quick, part)
	switch some := b.packed.Len(); {
	case 100*some >= 99*plain:
		return huffmanOnly
	case 10*some >= 9*plain:
		return quick
	}
	return thorough
}

// Ways of packing.
const (
	huffmanOnly = iota
	quick
	thorough
)

// deflate packs filtered rows, behind the room for the head of a chunk.
func (b *band) deflate(how int, rows []byte) {
	out := &b.packed
	out.Reset()
	out.Write(make([]byte, 8))
	if b.first {
		out.Write([]byte{0x78, 0x9c}) // zlib's head: deflate, a window of 32 KB
	}
	// Neither levels nor a buffer can fail.
	p := b.packers[how]
	if p == nil {
		p, _ = flate.NewWriter(out, [...]int{flate.HuffmanOnly, 3, 6}[how])
		b.packers[how] = p
	}
	p.Reset(out)
	_, _ = p.Write(rows)
	if b.last {
		_ = p.Close()
	} else {
		_ = p.Flush()
	}
}

// chunk is the band as a chunk IDAT. sum is that of all bands so far.
func (b *band) chunk(sum uint32) []byte {
	if b.last {
		_ = binary.Write(&b.packed, binary.BigEndian, sum) // into memory
	}
	body := b.packed.Bytes()
	binary.BigEndian.PutUint32(body, uint32(len(body)-8))
	copy(body[4:], "IDAT")
	_ = binary.Write(&b.packed, binary.BigEndian, crc32.ChecksumIEEE(body[4:]))
	return b.packed.Bytes()
}

// adlerOfBoth is the Adler-32 of two texts, one behind the other, from those of each
// and the length of the second. With A = 1 + Σ bytes and B = Σ of all A so far, modulo
// 65521, the second adds its own, and B once more the first's A less 1 for each byte.
func adlerOfBoth(first, second uint32, length int) uint32 {
	const m = 65521
	a := uint64(first&0xffff) + m - 1
	low := (a + uint64(second&0xffff)) % m
	high := (uint64(first>>16) + uint64(second>>16) + a%m*(uint64(length)%m)) % m
	return uint32(high<<16 | low)
}
