package metadata

import (
	"encoding/binary"
	"hash/crc32"
)

// Chunk is a chunk of a PNG.
type Chunk struct {
	// Kind is good until the next chunk is visited.
	Kind []byte
	Body
	w *window
}

// Chunks calls visit with each chunk of the PNG in src that is whole, until a visit returns
// false.
func Chunks(src Source, visit func(Chunk) bool) {
	w := newWindow(src)
	kind := make([]byte, 4)
	for p := int64(8); ; {
		head := w.bytes(p, 8)
		if head == nil {
			return
		}
		n := int64(binary.BigEndian.Uint32(head))
		copy(kind, head[4:])
		if n > w.size-p-chunkFrame || !visit(Chunk{kind, Body{src, p + 8, n}, w}) {
			return
		}
		p += chunkFrame + n
	}
}

// sound reports whether a chunk has the checksum that stands behind it.
func (c Chunk) sound() bool {
	sum := uint32(0)
	at, end := c.at-4, c.at+c.Len // with the kind
	for at < end {
		b := c.w.bytes(at, int(min(end-at, int64(len(c.w.buf)))))
		if b == nil {
			return false
		}
		sum = crc32.Update(sum, crc32.IEEETable, b)
		at += int64(len(b))
	}
	want := c.w.bytes(end, 4)
	return want != nil && sum == binary.BigEndian.Uint32(want)
}

// critical reports whether a decoder must know a chunk of this kind.
func (c Chunk) critical() bool { return c.Kind[0]&0x20 == 0 }

// PixelChunks returns a PNG of those of its chunks that a decoder needs, in the memory of
// data: others take it time, and a wrong checksum of theirs would have it refuse the picture.
// src is the same file; where it fails to be read, the rest stays as it is. The first chunk
// behind pixels stays, so that a PNG whose pixels are parted by others is refused.
func PixelChunks(data []byte, src Source) []byte {
	const before, among, behind = 0, 1, 2
	state, to, from := before, 8, 8
	Chunks(src, func(c Chunk) bool {
		at, next := int(c.at)-8, int(c.at+c.Len)+4
		keep := true
		switch string(c.Kind) {
		case "IDAT":
			state = max(state, among)
		case "IHDR", "PLTE", "tRNS", "IEND":
		default:
			if keep = c.critical() || state == among; keep && c.sound() {
				if keep = state == among; keep {
					state = behind
				}
			} else if keep {
				keep = c.critical() // for the decoder to refuse it
			}
		}
		if keep {
			to += copy(data[to:], data[at:next])
		}
		from = next
		return string(c.Kind) != "IEND"
	})
	return data[:to+copy(data[to:], data[from:])]
}
