package metadata

import "encoding/binary"

const riffHeader = 12

// RIFFChunks calls visit with the kind and the data of each chunk of the WebP in src that is
// whole, until a visit returns false. The kind is good until visit returns.
func RIFFChunks(src Source, visit func(kind []byte, body Body) bool) {
	riffChunks(src, riffHeader, src.Size(), visit)
}

// Chunks is RIFFChunks for the chunks within one, from a place of its data on.
func (b Body) Chunks(from int64, visit func(kind []byte, body Body) bool) {
	riffChunks(b.src, b.at+from, b.at+b.Len, visit)
}

func riffChunks(src Source, at, end int64, visit func(kind []byte, body Body) bool) {
	w := newWindow(src)
	for end-at >= 8 {
		head := w.bytes(at, 8)
		if head == nil {
			return
		}
		n := int64(binary.LittleEndian.Uint32(head[4:]))
		if at += 8; n > end-at || !visit(head[:4], Body{src, at, n}) {
			return
		}
		at += n + n%2
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
