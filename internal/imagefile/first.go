package imagefile

import (
	"encoding/binary"

	"superres/internal/metadata"
)

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

// Lengths at the start of an extended WebP, which consists of the header of the file and the chunk VP8X.
const (
	riffHeader     = 12
	chunkHeader    = 8
	extended       = 10 // length of the data of the chunk VP8X
	extendedHeader = riffHeader + chunkHeader + extended
)

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
	start, pixels := firstFrame(src)
	if start == nil {
		return src.data
	}
	data, to := src.data, copy(src.data, start)
	for _, p := range pixels { // moved to directly after start
		from := int(p.At()) - chunkHeader
		to += copy(data[to:], data[from:from+chunkHeader+int(p.Len)])
		if p.Len%2 > 0 {
			data[to] = 0
			to++
		}
	}
	binary.LittleEndian.PutUint32(data[4:], uint32(to-chunkHeader))
	return data[:to]
}

// firstFrame returns the start of a still WebP with the first frame of the animated WebP in src, and the data of the
// chunks that must follow: alpha, if any, and pixels. start is nil if there is no frame.
func firstFrame(src *source) (start []byte, pixels []metadata.Body) {
	const (
		flags       = riffHeader + chunkHeader
		animation   = 0x02
		alpha       = 0x10
		frameHeader = 16 // position, size, duration, blending
	)
	head := metadata.Piece(src, 0, extendedHeader).Start(extendedHeader)
	if len(head) < extendedHeader || string(head[riffHeader:riffHeader+4]) != "VP8X" || head[flags]&animation == 0 {
		return nil, nil
	}
	var frame metadata.Body
	metadata.WalkRIFF(src).Visit(func(kind []byte, body metadata.Body) bool {
		if string(kind) == "ANMF" && body.Len > frameHeader {
			frame = body
		}
		return frame.Len == 0
	})
	if frame.Len == 0 {
		return nil, nil
	}
	start = append([]byte("RIFF????WEBPVP8X"), extended, 0, 0, 0, head[flags]&^(animation|alpha), 0, 0, 0)
	start = append(start, frame.Start(frameHeader)[6:12]...) // each side minus 1, in 24 bits
	binary.LittleEndian.PutUint32(start[4:], uint32(len(start)-chunkHeader))
	var first metadata.Body
	frame.WalkRIFF(frameHeader).Visit(func(kind []byte, body metadata.Body) bool {
		switch string(kind) {
		case "ALPH":
			if start[flags]&alpha == 0 {
				start[flags] |= alpha
				first = body
			}
		case "VP8 ", "VP8L":
			pixels = []metadata.Body{body}
		}
		return pixels == nil
	})
	if start[flags]&alpha != 0 {
		pixels = append([]metadata.Body{first}, pixels...)
	}
	return start, pixels
}
