package imagefile

import (
	"encoding/binary"
	"io"
)

// A file of several pictures would lose all but one without a word, so each of
// the formats that allow it is looked through before it is decoded. Only the
// structure is walked; no pixel is unpacked.

// inspectPNG refuses an animated PNG: one with an acTL chunk of more than one
// frame before its pixels. Damage is left for the decoder to report.
func inspectPNG(data []byte, _ Limits) error {
	const frame = 12 // length, type and checksum around a chunk's data
	for p := uint64(8); p+frame <= uint64(len(data)); {
		n := uint64(binary.BigEndian.Uint32(data[p:]))
		switch string(data[p+4 : p+8]) {
		case "IDAT":
			return nil
		case "acTL":
			if n >= 4 && p+frame+n <= uint64(len(data)) && binary.BigEndian.Uint32(data[p+8:]) > 1 {
				return animated("PNG")
			}
		}
		p += frame + n
	}
	return nil
}

// inspectWebP refuses a WebP whose extended header says that it is animated.
func inspectWebP(data []byte, _ Limits) error {
	const flags, animation = 20, 0x02
	if len(data) > flags && string(data[12:16]) == "VP8X" && data[flags]&animation != 0 {
		return animated("WebP")
	}
	return nil
}

// inspectGIF refuses a GIF with more than one image, or that ends too early.
func inspectGIF(data []byte, _ Limits) error {
	const (
		headerLength     = 13
		descriptorLength = 10
		extension        = 0x21
		descriptor       = 0x2c
		trailer          = 0x3b
	)
	p := headerLength
	if len(data) < p {
		return io.ErrUnexpectedEOF
	}
	p += gifColours(data[10])
	for images := 0; p < len(data); {
		switch data[p] {
		case trailer:
			return nil
		case extension:
			p += 2 // and its label
		case descriptor:
			if images++; images > 1 {
				return animated("GIF")
			}
			if p+descriptorLength > len(data) {
				return io.ErrUnexpectedEOF
			}
			p += descriptorLength + gifColours(data[p+9]) + 1 // and the code size
		default:
			return nil // the decoder says what is wrong
		}
		// Data follows in blocks that begin with their length; 0 ends them.
		for p < len(data) && data[p] != 0 {
			p += 1 + int(data[p])
		}
		p++
	}
	return io.ErrUnexpectedEOF
}

// gifColours is the length in bytes of the colour table that flags announce.
func gifColours(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (1 + flags&7)
}

func animated(title string) error {
	return refuse(ErrInput, "is an animated %s with more than one picture; save the one to enlarge as a PNG", title)
}

// inspectTIFF refuses a TIFF of more than one page. Smaller copies and masks
// of a page are no pages. A chain that bites its tail ends there.
func inspectTIFF(data []byte, _ Limits) error {
	const (
		entryLength     = 12
		tagNewSubfile   = 254
		reduced, mask   = 1, 4
		mostDirectories = 1000
	)
	order, ok := byteOrder(data)
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
		kind := uint32(0)
		for e := data[p+2 : end]; len(e) > 0; e = e[entryLength:] {
			if order.Uint16(e) == tagNewSubfile {
				kind = order.Uint32(e[8:])
			}
		}
		if kind&(reduced|mask) == 0 {
			pages++
		}
		if pages > 1 || len(seen) > mostDirectories {
			return refuse(ErrInput, "is a TIFF with more than one page; save the one to enlarge as a file of its own")
		}
		if end+4 > uint64(len(data)) {
			return nil
		}
		p = uint64(order.Uint32(data[end:]))
	}
	return nil
}
