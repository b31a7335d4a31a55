package imagefile

import "superres/internal/metadata"

// isSubsampled reports whether a file keeps colour at half the resolution of brightness in
// both directions, as most JPEG files and all lossy WebP files do.
func isSubsampled(format string, data []byte) bool {
	switch format {
	case "jpeg":
		return jpegIsSubsampled(data)
	case "webp":
		return lossyFrame(data) != nil
	}
	return false
}

// jpegIsSubsampled looks at the sampling factors of the first frame.
func jpegIsSubsampled(data []byte) (subsampled bool) {
	const first, last, scan = 0xc0, 0xc2, 0xda // frames that the decoder reads
	metadata.Segments(data, func(marker byte, payload []byte) bool {
		if marker < first || marker > last {
			return marker != scan
		}
		const components, factors = 5, 7 // the number of them, and the factors of the first, every 3 bytes
		subsampled = len(payload) >= factors+7 && payload[components] == 3 &&
			payload[factors] == 0x22 && payload[factors+3] == 0x11 && payload[factors+6] == 0x11
		return false
	})
	return subsampled
}
