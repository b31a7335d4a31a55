package metadata

import (
	"encoding/binary"
	"fmt"
	"io"
)

const riffHeader = 12

// RIFFChunk is a chunk of a WebP.
type RIFFChunk struct {
	// Kind is the four letters of the chunk's kind. They are overwritten when the next chunk is read.
	Kind []byte
	Body
}

// RIFFWalk walks over the chunks of a WebP, or over the chunks within one, in file order. All readers of WebP in
// the program use it, so that they agree on what is in a file. It returns a chunk only when the whole chunk is in the
// file, and VP8X, which announces the other chunks, only as the first.
type RIFFWalk struct {
	w              *window
	at, end, start int64
	cut            bool // the file is shorter than its header says
	kind           [4]byte
}

// WalkRIFF returns a walk over the WebP in src, up to the end that the header says.
func WalkRIFF(src Source) *RIFFWalk {
	k := &RIFFWalk{w: newWindow(src), at: riffHeader, start: riffHeader}
	if head := k.w.bytes(4, 4); head != nil {
		k.end = 8 + int64(binary.LittleEndian.Uint32(head))
	}
	if k.end < riffHeader || k.end > k.w.size {
		k.end, k.cut = k.w.size, true
	}
	return k
}

// WalkRIFF returns a walk over the chunks within b, the data of a chunk, from offset from of b on.
func (b Body) WalkRIFF(from int64) *RIFFWalk {
	return &RIFFWalk{w: newWindow(b.src), at: b.at + from, end: b.at + b.Len, start: b.at + from}
}

// Next returns the next chunk. The error is io.EOF behind the last chunk, io.ErrUnexpectedEOF where the file ends too
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

// RIFFChunks calls visit with each chunk of the WebP in src, until visit returns false, or the file ends or breaks a
// rule.
func RIFFChunks(src Source, visit func(kind []byte, body Body) bool) {
	WalkRIFF(src).visit(visit)
}

// Chunks is RIFFChunks for the chunks within b, the data of a chunk, from offset from of b on.
func (b Body) Chunks(from int64, visit func(kind []byte, body Body) bool) {
	b.WalkRIFF(from).visit(visit)
}

func (k *RIFFWalk) visit(visit func(kind []byte, body Body) bool) {
	for {
		c, err := k.Next()
		if err != nil || !visit(c.Kind, c.Body) {
			return
		}
	}
}

func (r *reader) webp(src Source) {
	RIFFChunks(src, func(kind []byte, body Body) bool {
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
