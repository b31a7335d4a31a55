package imagefile

import (
	"superres/internal/metadata"

	"superres/internal/safefile"
)

// inspectJPEG refuses a JPEG of more than lim.Scans scans. Each scan may touch
// every pixel for a few bytes of file, so the pixel limit alone bounds nothing.
func inspectJPEG(src *source, lim Limits) error {
	const markerScan = 0xda
	scans := 0
	metadata.Segments(src, func(marker byte, _ metadata.Body) bool {
		if marker == markerScan {
			scans++
		}
		return scans <= lim.Scans
	})
	if scans > lim.Scans {
		return refuse(safefile.ErrLimit, "has more than %d scans, the limit for a JPEG; save it again as a plain JPEG or PNG", lim.Scans)
	}
	return nil
}
