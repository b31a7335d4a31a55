package metadata

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
)

// JPEG markers, ITU-T T.81 table B.1: the byte after 0xff.
const (
	markerRestart0 = 0xd0
	markerRestart7 = 0xd7
	markerEnd      = 0xd9
	markerScan     = 0xda
	markerApp0     = 0xe0
	markerApp1     = 0xe1
	markerApp2     = 0xe2
	markerApp13    = 0xed
	markerComment  = 0xfe

	mostSegment = 0xffff - 2 // the largest payload of a segment, in bytes

	jfifPrefix      = "JFIF\x00"
	xmpPrefix       = "http://ns.adobe.com/xap/1.0/\x00"
	xmpMorePrefix   = "http://ns.adobe.com/xmp/extension/\x00"
	profilePrefix   = "ICC_PROFILE\x00"
	photoshopPrefix = "Photoshop 3.0\x00"
	profileHeader   = len(profilePrefix) + 2 // and two bytes: the part's number, the number of parts
	mostProfile     = mostSegment - profileHeader
	startOfPicture  = 2 // bytes of the first marker of a JPEG, which opens every file
)

// Segments calls visit with the marker and the payload of each segment of the JPEG in src, in file order, up to the end
// marker, a segment that is cut off, or until visit returns false. It returns the offset after the end marker, or the
// size of the file if it did not reach that marker.
//
// Segments skips the pixel data between segments, in which 0xff is followed only by a zero byte or the code of a
// restart marker. Any other marker ends the pixel data, for decoders too, so visit sees every scan that they see.
func Segments(src Source, visit func(marker byte, payload Body) bool) (end int64) {
	w := newWindow(src)
	for p := int64(startOfPicture); ; {
		if p = w.find(p, 0xff); p < 0 {
			return w.size
		}
		b := w.bytes(p, 1)
		for ; b != nil && b[0] == 0xff; b = w.bytes(p, 1) {
			p++
		}
		if b == nil {
			return w.size
		}
		marker := b[0]
		p++
		if marker == 0 || markerRestart0 <= marker && marker <= markerRestart7 {
			continue
		}
		length := w.bytes(p, 2)
		if marker == markerEnd {
			return p
		}
		if length == nil {
			return w.size
		}
		n := int64(binary.BigEndian.Uint16(length)) // includes its own 2 bytes
		if n < 2 || n > w.size-p || !visit(marker, Body{src, p + 2, n - 2}) {
			return w.size
		}
		p += n
	}
}

// jpeg reads the metadata in the segments of the JPEG in src, and the files after its picture, into r.m.
func (r *reader) jpeg(src Source) {
	parts := map[byte]Body{} // parts of the ICC profile, by number
	count, damaged := byte(0), false
	var announced promises
	Segments(src, func(marker byte, payload Body) bool {
		own := false
		switch marker {
		case markerScan:
			return false
		case markerApp0:
			r.jfif(payload)
		case markerApp1:
			if payload.begins(exifPrefix) {
				r.exif(payload)
			} else if payload.begins(xmpPrefix) {
				packet := payload.after(int64(len(xmpPrefix)))
				if announced.packet.Len == 0 {
					announced.packet = packet
				}
				r.xmp(inOnePiece(packet))
			} else {
				own = payload.begins(xmpMorePrefix)
			}
		case markerApp13:
			if own = payload.begins(photoshopPrefix); own {
				if records, ok := iptcResource(payload.after(int64(len(photoshopPrefix)))); ok {
					r.iptc(inOnePiece(records))
				}
			}
		case markerComment:
			own = true
		case markerApp2:
			if own = !announced.iso && payload.begins(isoPrefix); own {
				announced.iso = true
				break
			}
			if announced.index.Len == 0 && payload.begins(multiplePrefix) {
				announced.index = payload.after(int64(len(multiplePrefix)))
			}
			if !payload.begins(profilePrefix) {
				break
			}
			part, number := payload.after(int64(profileHeader)), payload.read(int64(len(profilePrefix)), 2)
			if number == nil || number[0] == 0 || number[0] > number[1] || parts[number[0]] != (Body{}) || count != 0 &&
				count != number[1] {
				damaged = true
				break
			}
			count = number[1]
			parts[number[0]] = part
		}
		if own {
			r.keepPart(Part{Marker: marker}, payload)
		}
		return true
	})
	switch {
	case count == 0 && !damaged:
	case damaged || len(parts) != int(count):
		r.drop("ICC profile", "damaged")
	default:
		var list []Body
		for i := 1; i <= int(count); i++ {
			list = append(list, parts[byte(i)])
		}
		r.icc(inPieces(list))
	}
	r.readAppended(src, announced)
}

// jfif sets r.m.Resolution from the payload of a segment APP0: name, version, unit, pixels per unit across and down.
func (r *reader) jfif(payload Body) {
	if !payload.begins(jfifPrefix) {
		return
	}
	b := payload.read(int64(len(jfifPrefix)), 7)
	if b == nil || b[2] > 2 || !r.isFirst("jfif") {
		return
	}
	x, y := float64(binary.BigEndian.Uint16(b[3:])), float64(binary.BigEndian.Uint16(b[5:]))
	unit := [3]Unit{Ratio, Inch, Centimetre}[b[2]]
	if unit == Ratio && x == y {
		return // the ratio 1:1 means square pixels, the default
	}
	r.m.Resolution = Resolution{x, y, unit}.validated()
}

// jpegSegments writes segments with m and software, to be inserted after the first two bytes of a JPEG. length is the
// length of that JPEG in bytes before the insertion.
func (m Metadata) jpegSegments(w io.Writer, software string, length int64) error {
	out := segments{w: w}
	if unit, x, y, ok := m.Resolution.jfif(); ok {
		p := []byte{1, 2, unit} // version 1.02
		p = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(p, x), y)
		out.add(markerApp0, jfifPrefix, append(p, 0, 0)) // a thumbnail of 0×0 pixels: none
	}
	if m.EXIF != nil {
		out.add(markerApp1, exifPrefix, m.EXIF)
	}
	if m.XMP != nil {
		out.add(markerApp1, xmpPrefix, m.XMP)
	}
	parts := byte((len(m.ICC) + mostProfile - 1) / mostProfile)
	for i, rest := byte(1), m.ICC; len(rest) > 0; i++ {
		n := min(len(rest), mostProfile)
		out.add(markerApp2, profilePrefix+string([]byte{i, parts}), rest[:n])
		rest = rest[n:]
	}
	if m.IPTC != nil {
		records := append(iptcHead(len(m.IPTC)), m.IPTC...)
		out.add(markerApp13, photoshopPrefix, append(records, make([]byte, len(m.IPTC)%2)...))
	}
	for _, p := range m.Own {
		out.add(p.Marker, "", p.Data)
	}
	if software != "" {
		out.add(markerComment, "", []byte(software))
	}
	if m.GainMap != nil {
		head := int64(4 + len(multiplePrefix)) // of this segment; MPF offsets count from its end
		picture := length + out.written + head + indexLength
		out.add(markerApp2, multiplePrefix, multiPictureIndex(picture, picture-(startOfPicture+out.written+head),
			int64(len(m.GainMap))))
	}
	return out.err
}

// segments writes segments to w. It keeps the first error in err, and then writes nothing more.
type segments struct {
	w       io.Writer
	written int64 // number of bytes written
	err     error
}

// add writes a segment. Its payload is prefix, the identifier of its kind, and payload.
func (s *segments) add(marker byte, prefix string, payload []byte) {
	n := 2 + len(prefix) + len(payload) // a segment's length includes its own 2 bytes
	head := append([]byte{0xff, marker, byte(n >> 8), byte(n)}, prefix...)
	for _, b := range [2][]byte{head, payload} {
		if s.err == nil {
			_, s.err = s.w.Write(b)
			s.written += int64(len(b))
		}
	}
}

// emptyGainMap returns a JPEG without pixels that holds numbers, the parameters of a gain map of ISO 21496-1.
func emptyGainMap(numbers []byte) []byte {
	b := bytes.NewBufferString("\xff\xd8")
	(&segments{w: b}).add(markerApp2, isoPrefix, numbers)
	return b.Bytes()
}

// SplitJPEG returns about, the segments of a JPEG that describe its picture, such as EXIF and XMP, and pixels, the
// JPEG without them, both in new memory. about holds the comments and the segments APP1 to APP15 before the first scan,
// except for APP14, which decoding needs. In the returned EXIF block, the orientation is set to upright.
func SplitJPEG(data []byte) (about, pixels []byte) {
	const app15, adobe = 0xef, 0xee
	at := int64(startOfPicture)
	pixels = append(pixels, data[:min(startOfPicture, len(data))]...)
	Segments(bytes.NewReader(data), func(marker byte, payload Body) bool {
		const head = 4
		if marker == markerScan {
			return false
		}
		start, end := payload.at-head, payload.at+payload.Len
		segment := bytes.Clone(data[start:end])
		switch {
		case markerApp1 <= marker && marker <= app15 && marker != adobe, marker == markerComment:
			if exif := segment[head:]; bytes.HasPrefix(exif, []byte(exifPrefix)) {
				if f, ok := tiffIn(bodyOf(exif[len(exifPrefix):])); ok {
					if o, orientation := f.orientation(); orientation > 1 {
						f.order.PutUint16(exif[int64(len(exifPrefix))+o:], 1)
					}
				}
			}
			about = append(about, segment...)
			pixels = append(pixels, data[at:start]...)
			at = end
		}
		return true
	})
	return about, append(pixels, data[min(at, int64(len(data))):]...)
}

// JoinJPEG returns the JPEG pixels with the segments about inserted after its first marker, in new memory.
func JoinJPEG(about, pixels []byte) []byte {
	return slices.Concat(pixels[:startOfPicture], about, pixels[startOfPicture:])
}
