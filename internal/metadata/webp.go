package metadata

import (
	"encoding/binary"
	"fmt"
	"io"
)

const riffHeader = 12

// RIFFChunk is a chunk of a WebP.
type RIFFChunk struct {
	// Kind is good until the next chunk is returned.
	Kind []byte
	Body
}

// RIFFWalk walks over the chunks of a WebP, or over those within one of its chunks, in file order. All readers
// of WebP in the program use it, so that what was checked is what is read. It returns a chunk only when all of
// it is in the file, and VP8X, which announces the others, only as the first.
type RIFFWalk struct {
	w              *window
	at, end, start int64
	cut            bool // the file has less than it says
	kind           [4]byte
}

// WalkRIFF begins a walk over the WebP in src, up to the end that its header says.
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

// WalkRIFF begins a walk over the chunks within a chunk, from an offset of its data on.
func (b Body) WalkRIFF(from int64) *RIFFWalk {
	return &RIFFWalk{w: newWindow(b.src), at: b.at + from, end: b.at + b.Len, start: b.at + from}
}

// Next returns the next chunk. The error is io.EOF behind the last chunk, io.ErrUnexpectedEOF where the file
// ends too early, and a FormatError where it breaks a rule.
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

// RIFFChunks calls visit with each chunk of the WebP in src, until a visit returns false, the file ends, or it
// breaks a rule.
func RIFFChunks(src Source, visit func(kind []byte, body Body) bool) {
	WalkRIFF(src).visit(visit)
}

// Chunks calls visit with each chunk within a chunk, from an offset of its data on, as RIFFChunks does.
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
