package imagefile

import (
	"bytes"
	"encoding/binary"

	"superres/internal/metadata"
)

// The first frame of a file of several is found by making a file of that frame
// alone, which then goes the way of every other. What cannot be understood is
// returned as it is.

// firstOfGIF ends a GIF before its second image.
func firstOfGIF(data []byte) []byte {
	end, images, _ := gifImages(data, 2)
	if images < 2 {
		return data
	}
	const trailer = 0x3b
	return append(bytes.Clone(data[:end]), trailer)
}

// firstOfWebP makes a still WebP of the first frame of an animated one, with the
// same profile, EXIF block and XMP packet. A frame that does not fill its canvas
// keeps its own size.
func firstOfWebP(data []byte) []byte {
	const (
		riffHeader  = 12
		flags       = 20
		animation   = 0x02
		alpha       = 0x10
		frameHeader = 16 // place, size, duration, blending
	)
	if len(data) <= flags || string(data[12:16]) != "VP8X" || data[flags]&animation == 0 {
		return data
	}
	var frame []byte
	var around [][]byte
	metadata.RIFFChunks(data[riffHeader:], func(kind string, body []byte) bool {
		switch {
		case kind == "ANMF" && frame == nil && len(body) > frameHeader:
			frame = body
		case kind == "ICCP" || kind == "EXIF" || kind == "XMP ":
			around = append(around, riffChunk(kind, body))
		}
		return true
	})
	if frame == nil {
		return data
	}
	head := append([]byte{data[flags] &^ (animation | alpha), 0, 0, 0}, frame[6:12]...) // 24 bits for each side less 1
	var pixels []byte
	metadata.RIFFChunks(frame[frameHeader:], func(kind string, body []byte) bool {
		switch kind {
		case "ALPH":
			head[0] |= alpha
			pixels = append(pixels, riffChunk(kind, body)...)
		case "VP8 ", "VP8L":
			pixels = append(pixels, riffChunk(kind, body)...)
			return false
		}
		return true
	})
	file := append([]byte("WEBP"), riffChunk("VP8X", head)...)
	file = append(file, pixels...)
	file = append(file, bytes.Join(around, nil)...)
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(file))), file...)
}

func riffChunk(kind string, body []byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(body)))
	return append(append(b, body...), make([]byte, len(body)%2)...)
}
