package imagefile

import "bytes"

// JPEG markers, ITU-T T.81 table B.1: the byte after 0xff.
const (
	markerRestart0 = 0xd0
	markerRestart7 = 0xd7
	markerEnd      = 0xd9
	markerScan     = 0xda
	markerApp1     = 0xe1
)

// segments calls visit with the marker and the payload of each segment of the
// JPEG in data, in file order, up to the end marker, the end of data, or a
// visit that returns false. The payload is a part of data.
//
// Pixel data between segments is passed over: it contains 0xff only before a
// zero or a restart marker. No decoder passes over any other marker there, so
// none meets a scan that is not visited here.
func segments(data []byte, visit func(marker byte, payload []byte) bool) {
	for p := 2; p < len(data); {
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

// inspectJPEG refuses a JPEG of more than lim.Scans scans. Each scan may touch
// every pixel for a few bytes of file, so the pixel limit alone bounds nothing.
func inspectJPEG(data []byte, lim Limits) error {
	scans := 0
	segments(data, func(marker byte, _ []byte) bool {
		if marker == markerScan {
			scans++
		}
		return scans <= lim.Scans
	})
	if scans > lim.Scans {
		return refuse(ErrLimit, "has more than %d scans, the limit for a JPEG; save it again as a plain JPEG or PNG", lim.Scans)
	}
	return nil
}
