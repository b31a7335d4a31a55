package metadata

import (
	"io"

	"github.com/andybalholm/brotli"
)

// jxl reads the EXIF block and the XMP packet from the boxes of the JPEG XL in src (ISO/IEC 18181-2, 9) into r.m. The
// decoder applies the orientation in the code stream, and the format ignores the orientation in EXIF.
func (r *reader) jxl(src Source) {
	take := func(kind string, body Body) {
		switch kind {
		case "Exif":
			r.exifItem([]Body{body})
		case "xml ":
			r.xmp(inOnePiece(body))
		case "jhgm":
			r.warn("its gain map is left out")
		}
	}
	Piece(src, 0, src.Size()).Boxes(func(kind string, body Body) bool {
		if kind != "brob" || body.Len < 4 { // brob: the kind of the compressed box, then its data
			take(kind, body)
			return true
		}
		data, err := io.ReadAll(io.LimitReader(brotli.NewReader(body.after(4).reader()), MaxBlock+1))
		if err != nil {
			r.drop("compressed metadata", "damaged")
			return true
		}
		take(string(body.Start(4)), bodyOf(data))
		return true
	})
	uprightXMP(r.m.XMP)
	r.m.Orientation = 1
}

// JXLHolds returns the bits per sample of the JPEG XL in src, and whether it has channels besides colour, such as
// transparency. If its header uses rare features, which JXLHolds does not follow, it returns 16 and true.
func JXLHolds(src Source) (depth int, more bool) {
	stream := Piece(src, 0, src.Size())
	stream.Boxes(func(kind string, body Body) bool {
		if kind == "jxlp" { // the first part of a split code stream, after its part number
			body, kind = body.after(4), "jxlc"
		}
		if kind == "jxlc" {
			stream = body
		}
		return kind != "jxlc"
	})
	const most = 64 // the most bytes of the headers that are read
	b := &bits{data: stream.Start(most)}
	if b.number(16) != 0x0aff { // the signature
		return 16, true
	}
	b.sides()
	if b.flag() { // all header fields have their defaults
		return 8, false
	}
	if b.flag() { // further fields
		b.number(3)   // the orientation
		if b.flag() { // a size to show the picture at
			b.sides()
		}
		if b.number(2) > 0 { // a preview picture, or an animation
			return 16, true
		}
	}
	if b.flag() { // floating point
		return 16, true
	}
	depth = int([]uint64{8, 10, 12, 1}[b.number(2)])
	if depth == 1 { // 1 and the next number
		depth += int(b.number(6))
	}
	b.flag()                      // whether 16-bit buffers suffice
	return depth, b.number(2) > 0 // how the number of extra channels is written; 0: there are none
}

// bits reads numbers from data, the low bit of each byte first (ISO/IEC 18181-1, B.1). Past its end all bits are 0.
type bits struct {
	data []byte
	at   int
}

// number returns the next n bits as a number, the first bit lowest.
func (b *bits) number(n int) (v uint64) {
	for i := range n {
		if b.at>>3 < len(b.data) {
			v |= uint64(b.data[b.at>>3]>>(b.at&7)&1) << i
		}
		b.at++
	}
	return v
}

func (b *bits) flag() bool { return b.number(1) > 0 }

// sides skips a width and height (ISO/IEC 18181-1, D.2).
func (b *bits) sides() {
	small := b.flag() // each side is a multiple of 8, up to 256
	side := func() {
		if small {
			b.number(5)
			return
		}
		b.number([]int{9, 13, 18, 30}[b.number(2)]) // the number of bits is chosen by two bits
	}
	side()
	if b.number(3) == 0 { // not one of the fixed ratios of width to height
		side()
	}
}
