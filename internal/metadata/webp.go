package metadata

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

const riffHeader = 12

// RIFFChunk is a chunk of a WebP.
type RIFFChunk struct {
	Kind []byte // the four letters of the chunk's kind, which are overwritten when the next chunk is read
	Body
}

// RIFFWalk walks over the chunks of a WebP, or over the chunks inside a chunk, in file order. All readers of WebP in
// the program use it, so that they agree on the content of a file. It returns a chunk only if the file holds the whole
// chunk, and VP8X, which announces the other chunks, only as the first.
type RIFFWalk struct {
	w              *window
	at, end, start int64 // offsets of the next chunk, of the end of the chunks, and of the first chunk
	cut            bool  // the length in the header is wrong or beyond the end of the file
	kind           [4]byte
}

// WalkRIFF returns a walk over the WebP in src, up to the end that its header states, or of the file if that is wrong.
func WalkRIFF(src Source) *RIFFWalk {
	k := &RIFFWalk{w: newWindow(src), at: riffHeader, start: riffHeader}
	if head := k.w.bytes(4, 4); head != nil {
		k.end = 8 + int64(binary.LittleEndian.Uint32(head))
	}
	if k.end < riffHeader || k.end > k.w.size {
		k.end, k.cut = k.w.size, true // Next will fail there
	}
	return k
}

// WalkRIFF returns a walk over the chunks inside b, the data of a chunk, that begins at offset from of b.
func (b Body) WalkRIFF(from int64) *RIFFWalk {
	return &RIFFWalk{w: newWindow(b.src), at: b.at + from, end: b.at + b.Len, start: b.at + from}
}

// Next returns the next chunk. The error is io.EOF after the last chunk, io.ErrUnexpectedEOF where the file ends too
// early, and a FormatError where the file breaks a rule.
func (k *RIFFWalk) Next() (c RIFFChunk, err error) {
	if k.end-k.at < 8 {
		if k.cut {
			return c, io.ErrUnexpectedEOF
		}
		return c, io.EOF
	}
	head := k.w.bytes(k.at, 8)
	if head == nil {
		return c, io.ErrUnexpectedEOF
	}
	copy(k.kind[:], head)
	n, at := int64(binary.LittleEndian.Uint32(head[4:])), k.at+8
	switch {
	case n > k.end-at && k.cut:
		return c, io.ErrUnexpectedEOF
	case n > k.end-at:
		return c, FormatError(fmt.Sprintf("a chunk %q has %d bytes, where there are %d", k.kind[:], n, k.end-at))
	case string(k.kind[:]) == "VP8X" && k.at != k.start:
		return c, FormatError("its chunk VP8X is not the first")
	}
	k.at = at + n + n%2
	return RIFFChunk{k.kind[:], Body{k.w.src, at, n}}, nil
}

// Visit calls visit with each chunk, until visit returns false or Next fails.
func (k *RIFFWalk) Visit(visit func(kind []byte, body Body) bool) {
	for {
		c, err := k.Next()
		if err != nil || !visit(c.Kind, c.Body) {
			return
		}
	}
}

// StillWebP returns the start of a still WebP with the picture of the frame in b, the data of a chunk ANMF of at least
// 16 bytes, and the data of the chunks that must follow: alpha, if any, and pixels. It fails as RIFFWalk.Next does,
// with io.EOF for a frame without pixels.
func (b Body) StillWebP() (start []byte, chunks []Body, err error) {
	const head, sides, flags, alpha = 16, 6, 20, 0x10                   // flags: offset in start; sides, head: in b
	start = append([]byte("RIFF????WEBPVP8X"), 10, 0, 0, 0, 0, 0, 0, 0) // 10 bytes: 4 of flags, 6 of sides
	start = append(start, b.read(sides, 6)...)                          // each side minus 1, in 24 bits
	for walk := b.WalkRIFF(head); ; {
		c, err := walk.Next()
		if err != nil {
			return nil, nil, err
		}
		switch string(c.Kind) {
		case "ALPH":
			if chunks == nil {
				start[flags], chunks = alpha, []Body{c.Body}
			}
		case "VP8 ", "VP8L":
			return start, append(chunks, c.Body), nil
		}
	}
}

// JoinWebP returns the still WebP of start and chunks, the results of StillWebP for the file data, in the memory of dst
// where that is long enough. dst must be empty, and may share the memory of data: parts move only towards the start.
func JoinWebP(dst, start []byte, chunks []Body, data []byte) []byte {
	dst = append(dst, start...)
	for _, c := range chunks {
		dst = append(dst, data[c.at-8:c.at+c.Len]...) // with the 8 bytes of its head
		dst = append(dst, make([]byte, c.Len%2)...)
	}
	binary.LittleEndian.PutUint32(dst[4:], uint32(len(dst)-8))
	return dst
}

// webp reads the metadata in the chunks of the WebP in src into r.m.
func (r *reader) webp(src Source) {
	WalkRIFF(src).Visit(func(kind []byte, body Body) bool {
		switch string(kind) {
		case "ICCP":
			r.icc(inOnePiece(body))
		case "EXIF":
			r.exif(body)
		case "XMP ":
			r.xmp(inOnePiece(body))
		}
		return true
	})
}

// WebP returns the layout of a lossless WebP of width×height pixels with metadata m, a result of For, and software as
// a record of the program that made the file. alpha says that not all pixels are opaque. pixels is the length in bytes
// of the picture's VP8L bit stream.
func (m Metadata) WebP(software string, width, height int, alpha bool, pixels int64) Layout {
	const hasICC, hasAlpha, hasEXIF, hasXMP = 0x20, 0x10, 0x08, 0x04
	exif := m.exifWith(software)
	var flags byte
	for _, is := range []struct {
		flag byte
		has  bool
	}{{hasICC, m.ICC != nil}, {hasEXIF, exif != nil}, {hasXMP, m.XMP != nil}} {
		if is.has {
			flags |= is.flag
		}
	}
	body := []byte("WEBP")
	if flags != 0 {
		if alpha {
			flags |= hasAlpha
		}
		w, h := uint32(width-1), uint32(height-1)
		body = appendRIFF(body, "VP8X", []byte{flags, 0, 0, 0, byte(w), byte(w >> 8), byte(w >> 16), byte(h),
			byte(h >> 8), byte(h >> 16)})
	}
	if m.ICC != nil {
		body = appendRIFF(body, "ICCP", m.ICC)
	}
	body = binary.LittleEndian.AppendUint32(append(body, "VP8L"...), uint32(pixels))
	tail := make([]byte, pixels%2)
	if exif != nil {
		tail = appendRIFF(tail, "EXIF", exif)
	}
	if m.XMP != nil {
		tail = appendRIFF(tail, "XMP ", m.XMP)
	}
	size := int64(len(body)) + pixels + int64(len(tail))
	head := binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(size))
	return Layout{before: pieceWriter(head, body), behind: pieceWriter(tail)}
}

// appendRIFF appends a chunk with this kind and data to b, and returns the result.
func appendRIFF(b []byte, kind string, data []byte) []byte {
	b = binary.LittleEndian.AppendUint32(append(b, kind...), uint32(len(data)))
	return append(append(b, data...), make([]byte, len(data)%2)...)
}

// exifWith returns the EXIF block of m with software and the resolution of m in its first directory, since a WebP or
// AVIF has no other place for them. It returns nil if there is nothing to write.
//
// Note: as in Metadata.TIFF, the block stays in place, and a new directory after it includes the entries of the first.
func (m Metadata) exifWith(software string) []byte {
	exif, ok := tiffIn(bodyOf(m.EXIF))
	if ok && software == "" && (m.Resolution.Unit == Unknown || m.Resolution == exif.resolution()) {
		return m.EXIF
	}
	l := tiffEntries{order: binary.LittleEndian}
	b := header(l.order)
	var next []byte // the link to the second directory
	if ok {
		l.order, b = exif.order, append([]byte(nil), m.EXIF...)
		b = append(b, make([]byte, len(b)%2)...)
		for e := range exif.fields(exif.first) {
			l.kept = append(l.kept, exif.storedEntry(e))
		}
		if _, end, ok := exif.span(exif.first); ok {
			next = exif.read(end, 4)
		}
	}
	d := l.merge(l.ownEntries(Metadata{Resolution: m.Resolution}, software), nil)
	if len(d) == 0 {
		return nil
	}
	at := len(b)
	l.order.PutUint32(b[4:], uint32(at))
	out := bytes.NewBuffer(b)
	_ = d.writeTo(out, int64(at), l.order) // writing to memory cannot fail
	copy(out.Bytes()[at+int(d.tableLength())-4:], next)
	return out.Bytes()
}
