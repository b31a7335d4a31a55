package metadata

import (
	"bytes"
	"encoding/binary"
	"io"
)

// TIFFPage is the layout of one page of a TIFF: the bytes of WriteHead, the pixels, and the bytes of WriteTail.
type TIFFPage struct {
	// End is the offset of the end of the page, where the next begins.
	End int64

	head []byte
	gap  int
}

// TIFFHeader returns the 8 bytes at the start of a TIFF whose first directory follows them.
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
	fields func(at uint32) []TIFFField) (p TIFFPage) {
	l := TIFFLayout{Order: order}
	if exif, ok := tiffIn(bodyOf(m.EXIF)); ok && exif.order == order {
		left := allowance{MaxParts, MaxBlock}
		l.directory = exif.parse(exif.first, 2, &left, func(tag uint16) bool { return !isOfFile(tag) })
	}
	own := l.ownEntries(m, software)
	size := l.merge(own[:len(own):len(own)], fields(0)).size()
	d := l.merge(own, fields(uint32(at+size)))
	var head bytes.Buffer
	_ = d.writeTo(&head, at, order) // into memory
	p.head = head.Bytes()
	p.End = at + size + pixels
	p.gap = int(p.End % 2)
	p.End += int64(p.gap)
	if !last {
		order.PutUint32(p.head[d.table()-4:], uint32(p.End))
	}
	return p
}

// WriteHead writes the bytes before the pixels.
func (p TIFFPage) WriteHead(w io.Writer) error {
	_, err := w.Write(p.head)
	return err
}

// WriteTail writes the bytes behind the pixels.
func (p TIFFPage) WriteTail(w io.Writer) error {
	_, err := w.Write(make([]byte, p.gap))
	return err
}
