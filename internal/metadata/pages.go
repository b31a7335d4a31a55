package metadata

import (
	"bytes"
	"encoding/binary"
	"io"
)

// A TIFFPage is where the parts of one page of a TIFF lie: what WriteHead writes, the pixels,
// and what WriteTail writes.
type TIFFPage struct {
	// End is the offset behind all of it.
	End int64

	head []byte
	gap  int
}

// TIFFHeader is the start of a TIFF whose first directory follows it.
func TIFFHeader(order binary.ByteOrder) []byte { return header(order) }

// TIFFOrder is the byte order of the EXIF block, or little-endian.
func (m Metadata) TIFFOrder() binary.ByteOrder {
	if exif, ok := tiffIn(bodyOf(m.EXIF)); ok {
		return exif.order
	}
	return binary.LittleEndian
}

// TIFFPage lays out a page at an even offset of a TIFF, with the given metadata, provenance
// record, and pixels of so many bytes. fields returns the entries about the pixels, as for TIFF.
// The next page follows, unless this is the last.
//
// Note: only one directory could leave an EXIF block as it is, so those of pages are taken
// apart. What is in another byte order than the file is left out.
func (m Metadata) TIFFPage(order binary.ByteOrder, software string, at, pixels int64, last bool, fields func(at uint32) []TIFFField) (p TIFFPage) {
	l := TIFFLayout{Order: order}
	if exif, ok := tiffIn(bodyOf(m.EXIF)); ok && exif.order == order {
		left := allowance{MaxParts, MaxBlock}
		l.directory = exif.parse(exif.first, 2, &left, func(tag uint16) bool { return !ofFile(tag) })
	}
	own := l.own(m, software)
	size := l.with(own[:len(own):len(own)], fields(0)).size()
	d := l.with(own, fields(uint32(at+size)))
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

// WriteHead writes what is in front of the pixels.
func (p TIFFPage) WriteHead(w io.Writer) error {
	_, err := w.Write(p.head)
	return err
}

// WriteTail writes what is behind them.
func (p TIFFPage) WriteTail(w io.Writer) error {
	_, err := w.Write(make([]byte, p.gap))
	return err
}
