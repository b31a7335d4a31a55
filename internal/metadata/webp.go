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

// RIFFWalk goes over the chunks of a WebP, or those within one of its chunks, in their order. It
// is the one walk of this program, as ChunkWalk is of a PNG. A chunk is returned only when it is
// whole, and VP8X, which announces what there is, only when it is the first.
type RIFFWalk struct {
	w              *window
	at, end, start int64
	cut            bool // the file has less than it says
	kind           [4]byte
}

// WalkRIFF begins a walk over the WebP in src, up to where its header says that it ends.
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

// WalkRIFF begins a walk over the chunks within a chunk, from a place of its data on.
func (b Body) WalkRIFF(from int64) *RIFFWalk {
	return &RIFFWalk{w: newWindow(b.src), at: b.at + from, end: b.at + b.Len, start: b.at + from}
}

// Next returns the next chunk; io.EOF behind the last, and io.ErrUnexpectedEOF where the file ends
// before. A rule that is broken is a FormatError.
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

// RIFFChunks calls visit with each chunk of a RIFFWalk over src, until a visit returns false. What
// is behind a broken rule is left out.
func RIFFChunks(src Source, visit func(kind []byte, body Body) bool) {
	WalkRIFF(src).visit(visit)
}

// Chunks is RIFFChunks for the chunks within one, from a place of its data on.
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
			r.icc(plain(body))
		case "EXIF":
			r.exif(body)
		case "XMP ":
			r.xmp(plain(body))
		}
		return true
	})
}
