package metadata

import (
	"bytes"
	"encoding/binary"
)

// TIFFHeader returns the first 8 bytes of a TIFF with its first directory behind them.
func TIFFHeader(order binary.ByteOrder) []byte { return header(order) }

// TIFFOrder returns the byte order of m.EXIF, or little-endian where there is none.
func (m Metadata) TIFFOrder() binary.ByteOrder {
	if exif, ok := tiffIn(bodyOf(m.EXIF)); ok {
		return exif.order
	}
	return binary.LittleEndian
}

// TIFFPage returns the layout of a page at offset at, an even number, of a TIFF, with metadata m, software as a record
// of what made the file, and pixels bytes of pixels. fields returns the entries about the pixels, as for Metadata.TIFF.
// last: no page follows; false: another page follows at End.
//
// Note: Metadata.TIFF keeps an EXIF block at the start of the file, where there is room for only one. So the entries of
// the blocks of pages are copied instead. A block in another byte order than order is left out.
func (m Metadata) TIFFPage(order binary.ByteOrder, software string, at, pixels int64, last bool,
	fields func(at uint32) []TIFFField) Layout {
	l := tiffEntries{order: order}
	if exif, ok := tiffIn(bodyOf(m.EXIF)); ok && exif.order == order {
		left := allowance{MaxParts, MaxBlock}
		l.kept = exif.parse(exif.first, 2, &left, func(tag uint16) bool { return !isOfFile(tag) })
	}
	own := l.ownEntries(m, software)
	size := l.merge(own[:len(own):len(own)], fields(0)).size()
	d := l.merge(own, fields(uint32(at+size)))
	var head bytes.Buffer
	_ = d.writeTo(&head, at, order) // into memory
	end := at + size + pixels
	gap := make([]byte, end%2)
	end += int64(len(gap))
	if !last {
		order.PutUint32(head.Bytes()[d.tableLength()-4:], uint32(end))
	}
	return Layout{End: end, before: pieceWriter(head.Bytes()), behind: pieceWriter(gap)}
}
