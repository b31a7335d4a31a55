package imagefile

import "superres/internal/metadata"

// isSubsampled reports whether a file keeps colour at half the resolution of brightness in
// both directions, as most JPEG files and all lossy WebP files do.
func isSubsampled(format string, src metadata.Source) bool {
	switch format {
	case "jpeg":
		return jpegIsSubsampled(src)
	case "webp":
		return lossyFrame(src).Len > 0
	}
	return false
}

// jpegIsSubsampled looks at the sampling factors of the first frame.
func jpegIsSubsampled(src metadata.Source) (subsampled bool) {
	const first, last, scan = 0xc0, 0xc2, 0xda // frames that the decoder reads
	metadata.Segments(src, func(marker byte, frame metadata.Body) bool {
		if marker < first || marker > last {
			return marker != scan
		}
		payload := frame.Bytes()
		const components, factors = 5, 7 // the number of them, and the factors of the first, every 3 bytes
		subsampled = len(payload) >= factors+7 && payload[components] == 3 &&
			payload[factors] == 0x22 && payload[factors+3] == 0x11 && payload[factors+6] == 0x11
		return false
	})
	return subsampled
}
