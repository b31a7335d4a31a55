package imagefile

import (
	"bytes"
	"encoding/binary"
	"io"

	"superres/internal/metadata"
	"superres/internal/safefile"
)

// A file of several pictures would lose all but one without a word, so each of
// the formats that allow it is looked through before it is decoded. Only the
// structure is walked; no pixel is unpacked.

// inspectPNG refuses an animated PNG: one with an acTL chunk of more than one
// frame before its pixels. Damage is left for the decoder to report. The decoder
// itself sees the first frame alone.
func inspectPNG(src *source, lim Limits) (err error) {
	metadata.Chunks(src, func(c metadata.Chunk) bool {
		kind := string(c.Kind)
		if kind == "acTL" && c.Len >= 4 && binary.BigEndian.Uint32(c.Start(4)) > 1 && !lim.FirstFrame {
			err = animated("PNG")
		}
		return kind != "IDAT" && err == nil
	})
	return err
}

// startOfPNG is what stands in front of the pixels of a PNG with a palette, without what a
// decoder passes over: there may be much of it.
func startOfPNG(src *source, _ Limits) []byte {
	const signature, most = 8, 4096 // with the largest palette it is half of that
	b := metadata.Piece(src, 0, signature).Start(signature)
	metadata.Chunks(src, func(c metadata.Chunk) bool {
		kind := string(c.Kind)
		switch kind {
		case "IHDR", "PLTE", "tRNS", "IDAT", "IEND":
			b = append(b, metadata.Piece(src, c.At()-8, c.Len+12).Start(most)...)
		}
		return kind != "IDAT" && len(b) < most
	})
	return b
}

// inspectWebP refuses a WebP whose extended header says that it is animated, or
// that ends too early: the decoder looks no further than the pixels.
func inspectWebP(src *source, _ Limits) error {
	const flags, animation = 20, 0x02
	data := src.data
	if len(data) > flags && string(data[12:16]) == "VP8X" && data[flags]&animation != 0 {
		return animated("WebP")
	}
	if len(data) < 12 || uint64(binary.LittleEndian.Uint32(data[4:]))+8 > uint64(len(data)) {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// inspectGIF refuses a GIF with more than one image, or that ends too early.
func inspectGIF(src *source, _ Limits) error {
	_, images, err := gifImages(src.data, 2)
	if images > 1 {
		return animated("GIF")
	}
	return err
}

// gifImages walks through a GIF up to its trailer, to what is no GIF any more, or to
// the start of the n-th image. It returns how many images have begun, and where the
// walk ended.
func gifImages(data []byte, n int) (end, images int, err error) {
	const (
		headerLength     = 13
		descriptorLength = 10
		extension        = 0x21
		descriptor       = 0x2c
		trailer          = 0x3b
	)
	p := headerLength
	if len(data) < p {
		return 0, 0, io.ErrUnexpectedEOF
	}
	p += gifColours(data[10])
	for p < len(data) {
		switch data[p] {
		case trailer:
			return p, images, nil
		case extension:
			p += 2 // and its label
		case descriptor:
			if images++; images == n {
				return p, images, nil
			}
			if p+descriptorLength > len(data) {
				return p, images, io.ErrUnexpectedEOF
			}
			p += descriptorLength + gifColours(data[p+9]) + 1 // and the code size
		default:
			return p, images, nil // the decoder says what is wrong
		}
		// Data follows in blocks that begin with their length; 0 ends them.
		for p < len(data) && data[p] != 0 {
			p += 1 + int(data[p])
		}
		p++
	}
	return len(data), images, io.ErrUnexpectedEOF
}

// gifColours is the length in bytes of the colour table that flags announce.
func gifColours(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (1 + flags&7)
}

func animated(title string) error {
	return refuse(safefile.ErrInput, "is an animated %s with more than one picture", title).With(FirstFrame)
}

// inspectTIFF refuses a TIFF of more than one page. Smaller copies and masks
// of a page are no pages. A chain that bites its tail ends there.
func inspectTIFF(src *source, lim Limits) error {
	const (
		entryLength     = 12
		tagNewSubfile   = 254
		tagSamples      = 277
		tagPlanes       = 284
		reduced, mask   = 1, 4
		mostDirectories = 1000
	)
	data := src.data
	order, ok := metadata.ByteOrder(data)
	if !ok {
		return io.ErrUnexpectedEOF
	}
	pages := 0
	seen := make(map[uint64]bool)
	for p := uint64(order.Uint32(data[4:])); p != 0 && !seen[p]; {
		if p+2 > uint64(len(data)) {
			return nil
		}
		seen[p] = true
		end := p + 2 + entryLength*uint64(order.Uint16(data[p:]))
		if end > uint64(len(data)) {
			return nil
		}
		kind, samples := uint32(0), uint16(1)
		for e := data[p+2 : end]; len(e) > 0; e = e[entryLength:] {
			switch order.Uint16(e) {
			case tagNewSubfile:
				kind = order.Uint32(e[8:])
			case tagSamples:
				samples = order.Uint16(e[8:])
			case tagPlanes:
				if len(seen) == 1 && samples > 1 && order.Uint16(e[8:]) == 2 {
					return refuse(safefile.ErrInput, "is a TIFF with a plane for each colour, which cannot be read; save it as PNG first")
				}
			}
		}
		if kind&(reduced|mask) == 0 {
			pages++
		}
		if lim.FirstFrame {
			return nil
		}
		if pages > 1 || len(seen) > mostDirectories {
			return refuse(safefile.ErrInput, "is a TIFF with more than one page").With(FirstPage)
		}
		if end+4 > uint64(len(data)) {
			return nil
		}
		p = uint64(order.Uint32(data[end:]))
	}
	return nil
}

// hasSuccessor tells whether another picture follows that of a format at the start of data.
// Cameras put small copies behind the picture of a JPEG, which says so in a segment: these
// are no successors.
func hasSuccessor(format string, data []byte) bool {
	end := uint64(len(data))
	switch format {
	case "png":
		metadata.Chunks(bytes.NewReader(data), func(c metadata.Chunk) bool {
			const checksum = 4
			end = uint64(c.At() + c.Len + checksum)
			return string(c.Kind) != "IEND"
		})
	case "jpeg":
		end = jpegEnd(data)
	case "gif":
		at, _, _ := gifImages(data, len(data))
		end = uint64(at) + 1
	case "webp":
		if len(data) >= 8 {
			n := uint64(binary.LittleEndian.Uint32(data[4:]))
			end = 8 + n + n%2
		}
	case "bmp":
		if len(data) >= 6 {
			end = uint64(binary.LittleEndian.Uint32(data[2:]))
		}
	case "tiff":
		end = tiffEnd(data)
	}
	if end == 0 || end >= uint64(len(data)) {
		return false
	}
	_, err := sniff(bytes.TrimLeft(data[end:], "\x00\r\n "))
	return err == nil
}

// jpegEnd is where the first picture of a JPEG ends, or where data does if the file says
// that there are others behind it.
func jpegEnd(data []byte) uint64 {
	several := false
	metadata.Segments(bytes.NewReader(data), func(marker byte, payload metadata.Body) bool {
		const app2, kind = 0xe2, "MPF\x00"
		several = several || marker == app2 && string(payload.Start(int64(len(kind)))) == kind
		return !several
	})
	const marker, end, restart0, restart7 = 0xff, 0xd9, 0xd0, 0xd7
	for p := 2; p+1 < len(data) && !several; {
		i := bytes.IndexByte(data[p:], marker)
		if i < 0 || p+i+1 >= len(data) {
			break
		}
		p += i
		switch kind := data[p+1]; {
		case kind == end:
			return uint64(p) + 2
		case kind == marker: // fills up
			p++
		case kind == 0 || restart0 <= kind && kind <= restart7:
			p += 2
		case p+4 > len(data):
			return uint64(len(data))
		default:
			p += 2 + int(binary.BigEndian.Uint16(data[p+2:]))
		}
	}
	return uint64(len(data))
}

// tiffEnd is where the last of what a TIFF points to ends: directories, values and pixels.
func tiffEnd(data []byte) (end uint64) {
	const entryLength = 12
	order, ok := metadata.ByteOrder(data)
	if !ok {
		return 0
	}
	seen := make(map[uint64]bool)
	for p := uint64(order.Uint32(data[4:])); p != 0 && !seen[p] && p+2 <= uint64(len(data)); {
		seen[p] = true
		last := p + 2 + entryLength*uint64(order.Uint16(data[p:]))
		if last+4 > uint64(len(data)) {
			return 0
		}
		end = max(end, last+4)
		var offsets, lengths []uint32
		for e := data[p+2 : last]; len(e) > 0; e = e[entryLength:] {
			list, stop := tiffNumbers(data, order, e)
			end = max(end, stop)
			switch order.Uint16(e) {
			case 273, 324: // of strips and tiles
				offsets = list
			case 279, 325:
				lengths = list
			}
		}
		for i := range min(len(offsets), len(lengths)) {
			end = max(end, uint64(offsets[i])+uint64(lengths[i]))
		}
		p = uint64(order.Uint32(data[last:]))
	}
	return end
}

// tiffNumbers are the values of an entry of whole numbers of 16 or 32 bits, and where its
// values end when they are not in the entry; 0 when they are, or are not inside data.
func tiffNumbers(data []byte, order binary.ByteOrder, entry []byte) (list []uint32, end uint64) {
	lengths := [...]uint64{0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8}
	kind := int(order.Uint16(entry[2:]))
	if kind >= len(lengths) {
		return nil, 0
	}
	n := lengths[kind] * uint64(order.Uint32(entry[4:]))
	b := entry[8:12]
	if n > 4 {
		at := uint64(order.Uint32(entry[8:]))
		if end = at + n; end > uint64(len(data)) {
			return nil, 0
		}
		b = data[at:end]
	} else {
		b = b[:n]
	}
	for ; lengths[kind] == 4 && len(b) >= 4; b = b[4:] {
		list = append(list, order.Uint32(b))
	}
	for ; lengths[kind] == 2 && len(b) >= 2; b = b[2:] {
		list = append(list, uint32(order.Uint16(b)))
	}
	return list, end
}
