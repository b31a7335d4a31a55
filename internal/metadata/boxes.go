package metadata

import (
	"bytes"
	"encoding/binary"
)

// mostBoxes is the largest number of boxes that are read inside one box or file.
const mostBoxes = 1 << 14

// Boxes calls visit with each of the boxes in b, a piece of an ISO media file (ISO/IEC 14496-12, 4.2), in file order.
// It stops when visit returns false, a box is shorter than its own head, b ends, or mostBoxes were visited. A box that
// claims to be longer than the rest of b is visited with that rest.
func (b Body) Boxes(visit func(kind string, body Body) bool) {
	for range mostBoxes {
		head := b.Start(16) // the size and the kind, 4 bytes each, and a size of 8 bytes if the first is 1
		if len(head) < 8 {
			return
		}
		size, start := int64(binary.BigEndian.Uint32(head)), int64(8)
		switch {
		case size == 0: // the box extends to the end of b
			size = b.Len
		case size == 1 && len(head) == 16:
			size, start = int64(binary.BigEndian.Uint64(head[8:])), 16
		}
		if size < start || !visit(string(head[4:8]), Piece(b.src, b.at+start, min(size, b.Len)-start)) {
			return
		}
		b = b.after(size)
	}
}

// fields reads big-endian numbers from the front of data. Past the end of data they are 0, and ended is set.
type fields struct {
	data  []byte
	ended bool
}

// next returns the next n bytes, or nil where fewer are left.
func (f *fields) next(n int) []byte {
	if n < 0 || n > len(f.data) {
		f.data, f.ended = nil, true
		return nil
	}
	b := f.data[:n]
	f.data = f.data[n:]
	return b
}

func (f *fields) number(n int) (v uint64) {
	for _, b := range f.next(n) {
		v = v<<8 | uint64(b)
	}
	return v
}

// text returns the bytes up to the next zero byte, and skips the zero byte.
func (f *fields) text() string {
	text, rest, ok := bytes.Cut(f.data, []byte{0})
	f.data, f.ended = rest, f.ended || !ok
	return string(text)
}

// version reads the version and the flags at the start of a full box (ISO/IEC 14496-12, 4.2).
func (f *fields) version() (version byte, flags uint32) {
	v := f.number(4)
	return byte(v >> 24), uint32(v) & 0xffffff
}
