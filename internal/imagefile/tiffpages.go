package imagefile

import (
	"encoding/binary"
	"io"

	"superres/internal/metadata"
	"superres/internal/safefile"
)

// MostFrames is how many pictures of one file are looked at.
const MostFrames = 50_000

const tiffEntry = 12 // bytes

// tiffDirectory is one of a TIFF, as far as its place in the file needs it.
type tiffDirectory struct {
	at       uint32
	page     bool // neither a smaller copy of a page nor a mask
	separate bool // a plane for each colour
}

// tiffDirectories calls visit with the directories of a TIFF, until a visit returns false. A
// chain that bites its tail ends there, and so does one that leads out of the file, or to more
// than MostFrames, or than mostEntries in all.
func tiffDirectories(src *source, visit func(tiffDirectory) bool) {
	const (
		tagNewSubfile = 254
		tagSamples    = 277
		tagPlanes     = 284
		reduced, mask = 1, 4
		mostEntries   = 1 << 22
	)
	head := metadata.Piece(src, 0, 8).Start(8)
	order, ok := metadata.ByteOrder(head)
	if !ok {
		return
	}
	seen, all := make(map[uint32]bool), int64(0)
	for at := order.Uint32(head[4:]); at != 0 && !seen[at] && len(seen) < MostFrames; {
		seen[at] = true
		count := metadata.Piece(src, int64(at), 2).Start(2)
		if len(count) < 2 {
			return
		}
		n := tiffEntry * int64(order.Uint16(count))
		if all += n; all > tiffEntry*mostEntries {
			return
		}
		entries := metadata.Piece(src, int64(at)+2, n+4).Start(n + 4)
		if int64(len(entries)) < n {
			return
		}
		d, kind, samples := tiffDirectory{at: at}, uint32(0), uint16(1)
		for e := entries[:n]; len(e) > 0; e = e[tiffEntry:] {
			switch order.Uint16(e) {
			case tagNewSubfile:
				kind = order.Uint32(e[8:])
			case tagSamples:
				samples = order.Uint16(e[8:])
			case tagPlanes:
				d.separate = samples > 1 && order.Uint16(e[8:]) == 2
			}
		}
		d.page = kind&(reduced|mask) == 0
		if !visit(d) || int64(len(entries)) < n+4 {
			return
		}
		at = order.Uint32(entries[n:])
	}
}

// inspectTIFF refuses a TIFF of more than one page, or of what cannot be read.
func inspectTIFF(src *source, lim Limits) (err error) {
	if _, ok := metadata.ByteOrder(src.data); !ok {
		return io.ErrUnexpectedEOF
	}
	tiffDirectories(src, func(d tiffDirectory) bool {
		if d.separate {
			err = refuse(safefile.ErrInput, "is a TIFF with a plane for each colour, which cannot be read; save it as PNG first")
		}
		return false // the first is decoded
	})
	if err == nil && !lim.FirstFrame && hasPages(src) {
		err = refuse(safefile.ErrInput, "is a TIFF with more than one page").With(FirstPage)
	}
	return err
}

// hasPages tells whether a TIFF has more than one page.
func hasPages(src *source) bool {
	pages := 0
	tiffDirectories(src, func(d tiffDirectory) bool {
		if d.page {
			pages++
		}
		return pages < 2
	})
	return pages > 1
}

// Pages returns the places in a TIFF of the directories of its pages. Smaller copies and masks
// of a page are no pages: others is how many of them there are. Put into the header, from byte
// 4 on, a place makes its page the first.
func Pages(data []byte) (places []uint32, others int) {
	tiffDirectories(sourceOf(data), func(d tiffDirectory) bool {
		if !d.page {
			others++
			return true
		}
		places = append(places, d.at)
		return true
	})
	return places, others
}

// tiffEnd is where the last of what a TIFF points to ends: directories, values and pixels.
func tiffEnd(data []byte) (end uint64) {
	order, ok := metadata.ByteOrder(data)
	if !ok {
		return 0
	}
	seen := make(map[uint64]bool)
	for p := uint64(order.Uint32(data[4:])); p != 0 && !seen[p] && p+2 <= uint64(len(data)); {
		seen[p] = true
		last := p + 2 + tiffEntry*uint64(order.Uint16(data[p:]))
		if last+4 > uint64(len(data)) {
			return 0
		}
		end = max(end, last+4)
		var offsets, lengths []uint32
		for e := data[p+2 : last]; len(e) > 0; e = e[tiffEntry:] {
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
