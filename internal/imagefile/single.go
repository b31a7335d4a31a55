package imagefile

import (
	"bytes"
	"encoding/binary"
	"io"

	"superres/internal/metadata"
	"superres/internal/picture"
	"superres/internal/safefile"
)

// Only one picture of a file is decoded, and others would be lost silently. So files in formats that allow several are
// searched before decoding. The search reads only the structure of a file; it decompresses no pixels.

// checkSingle refuses a file with several pictures. With lim.FirstFrame such files are allowed: if f.first is nil, the
// decoder reads only the first picture by itself. Otherwise f.first has already cut src down to its first picture.
func (f *codec) checkSingle(src *source, lim Limits) error {
	switch {
	case f.several == nil || lim.FirstFrame && f.first == nil || !f.several(src):
		return nil
	case f.canPage:
		return refuse(safefile.ErrInput, "is a %s with more than one page", f.title).With(FirstPage)
	}
	return refuse(safefile.ErrInput, "is an animated %s with more than one picture", f.title).With(FirstFrame)
}

// isAnimatedPNG reports whether a PNG has a chunk acTL before its pixels that announces more than one frame, or one
// frame that is not the still picture: the chunk fcTL of that frame follows the pixels of the still picture.
func isAnimatedPNG(src *source) (is bool) {
	frames, pixels := uint32(0), false
	_ = metadata.Chunks(src, func(c metadata.Chunk) bool {
		switch string(c.Kind) {
		case "acTL":
			if !pixels {
				frames = binary.BigEndian.Uint32(c.Start(4))
			}
		case "fcTL":
			is = frames == 1 && pixels
			return pixels && !is
		case "IDAT":
			pixels = true
		}
		is = is || frames > 1
		return !is && (!pixels || frames == 1)
	})
	return is
}

// startOfPNG returns the chunks from which the decoder gets the header and the palette of the PNG in src, without the
// other chunks before the pixels, which may be many. It refuses a PNG with chunks out of order up to the pixels.
func startOfPNG(src *source, _ Limits) ([]byte, error) {
	const signature, most = 8, 4096 // more than the chunk of the largest palette
	b := metadata.Piece(src, 0, signature).Start(signature)
	err := metadata.Chunks(src, func(c metadata.Chunk) bool {
		kind := string(c.Kind)
		switch kind {
		case "IHDR", "PLTE", "tRNS", "IDAT", "IEND":
			b = append(b, metadata.Piece(src, c.At()-8, c.Len+12).Start(most)...)
		}
		return kind != "IDAT" && len(b) < most
	})
	if err == io.ErrUnexpectedEOF {
		err = nil // the decoder will report that the file ends
	}
	return tidyPNG(b), err
}

// pixelsOfPNG returns the PNG in src, a file in memory, without what decoding does not need.
func pixelsOfPNG(src *source) *source { return src.withData(tidyPNG(src.data)) }

// describePNG sets pic.GreyAlpha if the header of the PNG in src says grey but pic.Image is not grey, as it has alpha.
func describePNG(src *source, pic *Picture) {
	const colourType, grey, greyAlpha = 25, 0, 4
	kind := src.data[colourType]
	pic.GreyAlpha = !picture.IsGrey(pic.Image) && (kind == grey || kind == greyAlpha)
}

// inspectWebP refuses a WebP that ends too early; the decoder would not notice an end after the pixels.
func inspectWebP(src *source) error {
	data := src.data
	if len(data) < 12 || uint64(binary.LittleEndian.Uint32(data[4:]))+8 > uint64(len(data)) {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// isAnimatedWebP reports whether the extended header of a WebP says that it is animated.
func isAnimatedWebP(src *source) bool {
	const flags, animation = 20, 0x02
	head := metadata.Piece(src, 0, flags+1).Start(flags + 1)
	return len(head) > flags && string(head[12:16]) == "VP8X" && head[flags]&animation != 0
}

func isAnimatedGIF(src *source) bool {
	_, images, _ := gifImages(src, 2)
	return images > 1
}

// gifImages reads the blocks of the GIF in src up to the trailer, to a block of unknown kind, or to the start of image
// number n, counted from 1. It returns the offset where it stopped, and the number of images that begin up to there.
func gifImages(src metadata.Source, n int) (end int64, images int, err error) {
	walk, err := metadata.WalkGIF(src)
	if err != nil {
		return 0, 0, err
	}
	for images < n {
		kind, err := walk.Next()
		if err == io.ErrUnexpectedEOF {
			return walk.At(), images, err
		}
		if err != nil { // the end, or damage that the decoder reports
			return walk.At(), images, nil
		}
		if kind == metadata.GIFImage {
			images++
		}
	}
	return walk.At(), images, nil
}

// hasSuccessor reports whether another picture follows the first in data, the bytes of a complete input. Small copies
// that cameras put after the picture of a JPEG, and announce in a segment of the file, do not count.
func (f *codec) hasSuccessor(data []byte) bool {
	end := f.end(data)
	if end == 0 || end >= uint64(len(data)) {
		return false
	}
	_, err := sniff(bytes.TrimLeft(data[end:], "\x00\r\n ")) // without padding
	return err == nil
}

// endOfPNG returns the offset after IEND in the PNG data or, in damaged data, after the last sound chunk.
func endOfPNG(data []byte) uint64 {
	end := uint64(len(data))
	_ = metadata.Chunks(bytes.NewReader(data), func(c metadata.Chunk) bool {
		const checksum = 4
		end = uint64(c.At() + c.Len + checksum)
		return string(c.Kind) != "IEND"
	})
	return end
}

func endOfGIF(data []byte) uint64 {
	at, _, _ := gifImages(bytes.NewReader(data), len(data))
	return uint64(at) + 1
}

// endOfRIFF returns the offset where the RIFF file data ends, from the length in its header.
func endOfRIFF(data []byte) uint64 {
	if len(data) < 8 {
		return 0
	}
	n := uint64(binary.LittleEndian.Uint32(data[4:]))
	return 8 + n + n%2
}

// endOfBMP returns the offset where the BMP data ends, from the length in its header, or 0 for a bare bitmap.
func endOfBMP(data []byte) uint64 {
	if len(data) < 6 || string(data[:2]) != "BM" {
		return 0
	}
	return uint64(binary.LittleEndian.Uint32(data[2:]))
}

// endOfJPEG returns the offset where the picture in the JPEG data ends, or len(data) if a segment announces others.
func endOfJPEG(data []byte) uint64 {
	several := false
	end := metadata.Segments(bytes.NewReader(data), func(marker byte, payload metadata.Body) bool {
		several = several || metadata.AnnouncesPictures(marker, payload)
		return !several
	})
	if several {
		return uint64(len(data))
	}
	return uint64(end)
}
