package metadata

import "encoding/binary"

// RIFFChunks calls visit with the kind and the data of each chunk in b that is
// whole, until a visit returns false.
func RIFFChunks(b []byte, visit func(kind string, body []byte) bool) {
	for len(b) >= 8 {
		n := uint64(binary.LittleEndian.Uint32(b[4:]))
		if n > uint64(len(b)-8) || !visit(string(b[:4]), b[8:8+n]) {
			return
		}
		b = b[min(8+n+n%2, uint64(len(b))):]
	}
}

func (r *reader) webp(data []byte) {
	const riffHeader = 12
	if len(data) < riffHeader {
		return
	}
	RIFFChunks(data[riffHeader:], func(kind string, body []byte) bool {
		switch kind {
		case "ICCP":
			r.icc(body)
		case "EXIF":
			r.exif(body)
		case "XMP ":
			r.xmp(body)
		}
		return true
	})
}
