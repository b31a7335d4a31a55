package metadata

import (
	"bytes"
	"encoding/binary"
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

	mostSegment = 0xffff - 2 // bytes of a segment's payload

	jfifPrefix      = "JFIF\x00"
	xmpPrefix       = "http://ns.adobe.com/xap/1.0/\x00"
	xmpMorePrefix   = "http://ns.adobe.com/xmp/extension/\x00"
	profilePrefix   = "ICC_PROFILE\x00"
	photoshopPrefix = "Photoshop 3.0\x00"
	profileHeader   = len(profilePrefix) + 2 // and the number of the part and of the parts
	mostProfile     = mostSegment - profileHeader
	startOfPicture  = 2 // bytes of the marker that a JPEG starts with
)

// Segments calls visit with the marker and the payload of each segment of the
// JPEG in data, in file order, up to the end marker, the end of data, or a
// visit that returns false. The payload is a part of data.
//
// Pixel data between segments is passed over: it contains 0xff only before a
// zero or a restart marker. No decoder passes over any other marker there, so
// none meets a scan that is not visited here.
func Segments(data []byte, visit func(marker byte, payload []byte) bool) {
	for p := startOfPicture; p < len(data); {
		i := bytes.IndexByte(data[p:], 0xff)
		if i < 0 {
			return
		}
		p += i
		for p < len(data) && data[p] == 0xff {
			p++
		}
		if p == len(data) {
			return
		}
		marker := data[p]
		p++
		if marker == 0 || markerRestart0 <= marker && marker <= markerRestart7 {
			continue
		}
		if marker == markerEnd || p+2 > len(data) {
			return
		}
		n := int(data[p])<<8 | int(data[p+1]) // counts itself
		if n < 2 || p+n > len(data) || !visit(marker, data[p+2:p+n]) {
			return
		}
		p += n
	}
}

func (r *reader) jpeg(data []byte) {
	parts := map[byte][]byte{} // of the profile, by number
	count, damaged := byte(0), false
	Segments(data, func(marker byte, payload []byte) bool {
		switch marker {
		case markerScan:
			return false
		case markerApp0:
			r.jfif(payload)
		case markerApp1:
			if bytes.HasPrefix(payload, []byte(exifPrefix)) {
				r.exif(payload)
			} else if packet, ok := bytes.CutPrefix(payload, []byte(xmpPrefix)); ok {
				r.xmp(packet)
			} else if bytes.HasPrefix(payload, []byte(xmpMorePrefix)) {
				r.own(Part{Marker: marker, Data: payload})
			}
		case markerApp13:
			if bytes.HasPrefix(payload, []byte(photoshopPrefix)) {
				r.own(Part{Marker: marker, Data: payload})
			}
		case markerComment:
			r.own(Part{Marker: marker, Data: payload})
		case markerApp2:
			if part, ok := bytes.CutPrefix(payload, []byte(profilePrefix)); ok {
				if len(part) < 2 || part[0] == 0 || part[0] > part[1] || parts[part[0]] != nil || count != 0 && count != part[1] {
					damaged = true
					return true
				}
				count = part[1]
				parts[part[0]] = part[2:]
			}
		}
		return true
	})
	switch {
	case count == 0 && !damaged:
	case damaged || len(parts) != int(count):
		r.drop("ICC profile", "damaged")
	default:
		var profile []byte
		for i := 1; i <= int(count); i++ {
			profile = append(profile, parts[byte(i)]...)
		}
		r.icc(profile)
	}
}

// jfif reads the resolution in the segment APP0: name, version, unit, x, y.
func (r *reader) jfif(payload []byte) {
	b, ok := bytes.CutPrefix(payload, []byte(jfifPrefix))
	if !ok || len(b) < 7 || b[2] > 2 || !r.first("jfif") {
		return
	}
	x, y := float64(binary.BigEndian.Uint16(b[3:])), float64(binary.BigEndian.Uint16(b[5:]))
	unit := [3]Unit{Ratio, Inch, Centimetre}[b[2]]
	if unit == Ratio && x == y {
		return // square pixels, which is to say nothing
	}
	r.m.Resolution = Resolution{x, y, unit}.sound()
}

// jpegSegments are the segments to put behind the start of a JPEG.
func (m Metadata) jpegSegments(software string) []byte {
	var b []byte
	if unit, x, y, ok := m.Resolution.jfif(); ok {
		p := append([]byte(jfifPrefix), 1, 2, unit)
		p = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(p, x), y)
		b = appendSegment(b, markerApp0, string(append(p, 0, 0)), nil) // without a thumbnail
	}
	if m.EXIF != nil {
		b = appendSegment(b, markerApp1, exifPrefix, m.EXIF)
	}
	if m.XMP != nil {
		b = appendSegment(b, markerApp1, xmpPrefix, m.XMP)
	}
	parts := byte((len(m.ICC) + mostProfile - 1) / mostProfile)
	for i, rest := byte(1), m.ICC; len(rest) > 0; i++ {
		n := min(len(rest), mostProfile)
		b = appendSegment(b, markerApp2, profilePrefix+string([]byte{i, parts}), rest[:n])
		rest = rest[n:]
	}
	for _, p := range m.Own {
		b = appendSegment(b, p.Marker, "", p.Data)
	}
	if software != "" {
		b = appendSegment(b, markerComment, "", []byte(software))
	}
	return b
}

func appendSegment(b []byte, marker byte, prefix string, payload []byte) []byte {
	n := 2 + len(prefix) + len(payload)
	b = append(b, 0xff, marker, byte(n>>8), byte(n))
	return append(append(b, prefix...), payload...)
}
