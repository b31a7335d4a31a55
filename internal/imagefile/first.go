package imagefile

import "superres/internal/metadata"

// To decode only the first frame of a file with several, the functions below build a file with only this frame, which
// is then decoded like any other. A file that breaks the rules of its format is returned unchanged.

// firstOfGIF returns the GIF in src up to its second image, plus a trailer. It shares src.data and may overwrite it.
func firstOfGIF(src *source) []byte {
	end, images, _ := gifImages(src, 2)
	if images < 2 {
		return src.data
	}
	const trailer = 0x3b
	src.data[end] = trailer
	return src.data[:end+1]
}

// startOfWebP returns the start of the file that firstOfWebP would build, or nil if decoding needs no such file.
func startOfWebP(src *source, lim Limits) ([]byte, error) {
	if !lim.FirstFrame {
		return nil, nil
	}
	start, _ := firstFrame(src)
	return start, nil
}

// firstOfWebP returns a still WebP with the first frame of the animated WebP in src. A frame that does not fill the
// canvas keeps its own size. It overwrites src.data and returns a part of it.
func firstOfWebP(src *source) []byte {
	start, chunks := firstFrame(src)
	if start == nil {
		return src.data
	}
	return metadata.JoinWebP(src.data[:0], start, chunks, src.data)
}

// firstFrame makes a still WebP from the first frame of the animated WebP in src: the bytes start, and the data of
// the chunks that must follow. start is nil if there is no frame.
func firstFrame(src *source) (start []byte, chunks []metadata.Body) {
	if !isAnimatedWebP(src) {
		return nil, nil
	}
	const frameHeader = 16
	metadata.WalkRIFF(src).Visit(func(kind []byte, body metadata.Body) bool {
		is := string(kind) == "ANMF" && body.Len > frameHeader
		if is {
			start, chunks, _ = body.StillWebP()
		}
		return !is
	})
	return start, chunks
}
