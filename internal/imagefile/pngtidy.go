package imagefile

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/png"
	"io"

	"superres/internal/imagefile/foreign"
	"superres/internal/metadata"
	"superres/internal/safefile"
)

// Other programs read PNG files with surplus bytes, which image/png refuses. The functions below remove the surplus.

// isCgBI reports whether a PNG is of the kind that Xcode makes for apps, with no zlib header and blue and red swapped.
func isCgBI(r io.ReaderAt, _ string) (kind foreign.Kind, is bool) {
	var head [16]byte
	_, _ = r.ReadAt(head[:], 0)
	return foreign.Kind{Title: "PNG of an iPhone app (CgBI)",
		Advice: "save it as an ordinary PNG first, on a Mac by Preview"}, string(head[12:]) == "CgBI"
}

// tidyPNG returns the PNG data with only the chunks that a decoder needs, and without surplus in these: without palette
// entries that no index can reach, without a tRNS of a wrong length, which libpng ignores too, and with an empty IEND.
// Other chunks would cost the decoder time, and would make it refuse the picture if their checksums are wrong. tidyPNG
// overwrites data and returns a part of it.
//
// A critical chunk with a wrong checksum stays unchanged, so that the decoder refuses the file. So does the first chunk
// after IDAT that is no IDAT, if its checksum is right: the decoder refuses a PNG with such a chunk between two IDAT
// chunks. From the first chunk that is cut off or breaks a rule, all bytes are kept.
func tidyPNG(data []byte) []byte {
	const colourType, depth = 25, 24
	const before, among, behind = 0, 1, 2         // the pixels
	state, to := before, min(8, int64(len(data))) // after the signature
	from := to
	colours := int64(0) // the number of palette entries
	_ = metadata.Chunks(bytes.NewReader(data), func(c metadata.Chunk) bool {
		at := from
		from = c.At() + c.Len + 4
		whole, kind, keep := data[at:from], string(c.Kind), c.Len
		isSound := func() bool {
			return crc32.ChecksumIEEE(whole[4:len(whole)-4]) == binary.BigEndian.Uint32(whole[len(whole)-4:])
		}
		switch {
		case kind == "IHDR":
		case kind == "IDAT":
			state = max(state, among)
		case kind == "IEND":
			keep = 0
		case (kind == "PLTE" || kind == "tRNS") && state != before:
		case kind == "PLTE":
			switch data[colourType] {
			case pngGrey, pngGreyAlpha:
				keep = -1
			case pngPalette:
				keep = min(c.Len, 3<<min(data[depth], 8))
			}
			colours = keep / 3
		case kind == "tRNS":
			if length, ok := map[byte]int64{pngGrey: 2, pngRGB: 6}[data[colourType]]; ok && c.Len != length ||
				data[colourType] == pngPalette && c.Len > colours || data[colourType]&pngGreyAlpha != 0 {
				keep = -1
			}
		case state == among && isSound():
			state = behind
		case kind[0]&0x20 != 0: // a decoder may ignore this kind
			return true
		case state != among:
			keep = -1
		}
		if keep == c.Len || !isSound() {
			to += int64(copy(data[to:], whole))
		} else if keep >= 0 {
			to = int64(len(metadata.AppendChunk(data[:to], kind, data[c.At():][:keep])))
		}
		return kind != "IEND"
	})
	return data[:to+int64(copy(data[to:], data[from:]))]
}

// decodePNG decodes a PNG. It ignores data after the last pixel: it decodes a copy without them if png refuses them.
func decodePNG(src *source, _ Size, _ Limits) (image.Image, error) {
	img, err := png.Decode(src)
	if surplus := png.FormatError("too much pixel data"); errors.Is(err, surplus) {
		exact, w := io.Pipe()
		defer exact.Close()
		go func() { w.CloseWithError(writeExactPNG(w, src)) }()
		img, err = png.Decode(exact)
	}
	return img, err
}

// writeExactPNG writes the PNG in src, a file in memory, to w with its pixels stored uncompressed and without data
// after the last pixel. It fails if the checksum of a chunk with pixels is wrong.
func writeExactPNG(w io.Writer, src *source) error {
	const checksum = png.FormatError("invalid checksum")
	var parts []io.Reader
	var err error
	start := int64(0) // the offset of the first chunk with pixels
	_ = metadata.Chunks(src, func(c metadata.Chunk) bool {
		if string(c.Kind) != "IDAT" {
			return true
		}
		at, end := c.At(), c.At()+c.Len
		if start == 0 {
			start = at - 8
		}
		if crc32.ChecksumIEEE(src.data[at-4:end]) != binary.BigEndian.Uint32(src.data[end:]) {
			err = checksum
		}
		parts = append(parts, bytes.NewReader(src.data[at:end]))
		return err == nil
	})
	if err != nil {
		return err
	}
	pixels, err := zlib.NewReader(stoppable{src.ctx, io.MultiReader(parts...)})
	if err != nil {
		return err
	}
	if _, err := w.Write(src.data[:start]); err != nil {
		return err
	}
	stored, _ := zlib.NewWriterLevel(idat{w}, zlib.NoCompression) // writes chunks IDAT; fails only for invalid levels
	if _, err := io.CopyN(stored, pixels, pngBytes(src.data)); err != nil {
		return safefile.CutShort(err)
	}
	if err := stored.Close(); err != nil {
		return err
	}
	_, err = w.Write(metadata.AppendChunk(nil, "IEND", nil))
	return err
}

// idat writes the bytes of each Write as one chunk IDAT.
type idat struct{ io.Writer }

func (w idat) Write(p []byte) (int, error) {
	if _, err := w.Writer.Write(metadata.AppendChunk(nil, "IDAT", p)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// pngBytes returns the number of bytes in all rows of the PNG data, including the filter byte of each row.
func pngBytes(data []byte) (sum int64) {
	w, h := int64(binary.BigEndian.Uint32(data[16:])), int64(binary.BigEndian.Uint32(data[20:]))
	bits := int64(data[24]) * int64(pngSamples[data[25]]) // of a pixel: depth and colour type
	passes := [][4]int64{{0, 0, 1, 1}}                    // the first column and row, and the steps to the next
	if data[28] == 1 {                                    // interlaced
		passes = [][4]int64{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2},
			{0, 1, 1, 2}}
	}
	for _, p := range passes {
		width, height := (w-p[0]+p[2]-1)/p[2], (h-p[1]+p[3]-1)/p[3]
		if width > 0 && height > 0 {
			sum += height * (1 + (width*bits+7)/8)
		}
	}
	return sum
}
