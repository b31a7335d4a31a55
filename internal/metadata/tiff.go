package metadata

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// about are the tags of a TIFF directory that describe the picture rather than the layout of the file. Entries with
// these tags, and the EXIF and GPS directories, are copied into an EXIF block.
var about = []uint16{
	// name, description, make, model, page, software, time, artist, computer
	0x010d, 0x010e, tagMake, 0x0110, 0x011d, tagSoftware, 0x0132, 0x013b, 0x013c,
	0x4746, 0x4749, 0x8298, tagExif, tagGPS, // ratings, copyright
	0x9c9b, 0x9c9c, 0x9c9d, 0x9c9e, 0x9c9f, // title, comment, author, keywords, subject of Windows
}

// isOfFile reports whether a tag describes the layout of the pixels in a file, and must not be copied to another.
func isOfFile(tag uint16) bool {
	switch {
	case 0x00fe <= tag && tag <= 0x010c, // size, bits, compression, colours
		0x0111 <= tag && tag <= 0x011c, // strips, orientation, samples, planes, resolution
		0x011e <= tag && tag <= 0x012d, // position, fax, unit of resolution, transfer function
		0x013d <= tag && tag <= 0x0214, // predictor, colour map, tiles, thumbnails, JPEG, YCbCr
		tag == tagXMP, tag == tagProfile:
		return true
	}
	return false
}

// tiff reads the metadata in the directory of the picture of the TIFF in src into r.m.
func (r *reader) tiff(src Source) {
	f, ok := fileIn(Piece(src, 0, src.Size()))
	if !ok {
		return
	}
	if d, ok := TIFFPicture(src); ok {
		f.first = d.At
	}
	for e := range f.fields(f.first) {
		v, ok := f.value(e)
		switch {
		case !ok:
			if r.isFirst("outside") {
				r.warn("its directory points outside of the file, and what should be there is left out (is the " +
					"file complete?)")
			}
		case e.Tag == tagProfile:
			r.icc(inOnePiece(v))
		case e.Tag == tagXMP:
			r.xmp(inOnePiece(v))
		case e.Tag == tagIPTC:
			r.iptc(inOnePiece(v))
		case e.Tag == tagOrientation:
			if o := e.Number; o >= 1 && o <= 8 {
				r.m.Orientation = int(o)
			}
		default:
			r.geo(f, e, v)
		}
	}
	for e := range f.fields(f.first) { // in a second pass, since a tag of its own for IPTC takes precedence
		if v, ok := f.value(e); ok && e.Tag == tagPhotoshop && v.Len <= MaxBlock && r.isFirst("photoshop") {
			if records, ok := iptcResource(v); ok {
				r.iptc(inOnePiece(records))
			}
		}
	}
	r.m.Resolution = f.resolution()
	left := allowance{MaxParts, MaxBlock}
	d := f.parse(f.first, exifDepth, &left, func(tag uint16) bool { return slices.Contains(about, tag) })
	switch {
	case left.bytes < 0:
		r.drop("EXIF block", "larger than 16 MiB")
	case left.entries < 0:
		r.drop("EXIF block", fmt.Sprintf("of more than %d entries", MaxParts))
	case len(d) > 0:
		start := header(f.order)
		r.size += int64(len(start)) + d.size()
		if r.keep {
			b := bytes.NewBuffer(make([]byte, 0, int64(len(start))+d.size()+bytes.MinRead))
			b.Write(start)
			_ = d.writeTo(b, int64(len(start)), f.order) // writing to memory cannot fail
			r.m.EXIF = b.Bytes()
		}
	}
}

// resolution returns the resolution in the first directory of a TIFF or an EXIF block, per inch if it states no unit.
func (f tiffFile) resolution() Resolution {
	r := Resolution{Unit: Inch}
	for e := range f.fields(f.first) {
		if e.Tag != tagXResolution && e.Tag != tagYResolution && e.Tag != tagResolutionUnit {
			continue
		}
		v, _ := f.value(e)
		switch {
		case e.kind == typeRational && v.Len == 8:
			b := v.Bytes()
			ratio := float64(f.order.Uint32(b)) / float64(f.order.Uint32(b[4:]))
			if e.Tag == tagXResolution {
				r.X = ratio
			} else if e.Tag == tagYResolution {
				r.Y = ratio
			}
		case e.Tag == tagResolutionUnit && e.Number > 0:
			r.Unit = map[uint64]Unit{1: Ratio, 2: Inch, 3: Centimetre}[e.Number]
		}
	}
	return r.validated()
}

// tiffEntries builds the entries of a TIFF directory, in the byte order given. kept holds entries from an EXIF block.
type tiffEntries struct {
	order binary.ByteOrder
	kept  directory
}

// storedEntry returns the entry e of f as an entry to be written, with the same four bytes for the value or its offset.
func (f tiffFile) storedEntry(e TIFFEntry) entry {
	return entry{tag: e.Tag, kind: e.kind, count: uint32(e.count), value: Body{f.src, e.at + 8, 4}}
}

// TIFFField is a directory entry about the pixels.
type TIFFField struct {
	Tag    uint16
	Long   bool // values have 32 bits; false: 16
	Values []uint32
}

// TIFF returns the layout of a TIFF of at most 4 GiB with metadata m, software as a record of the program that made
// the file, and pixel data in the byte order m.TIFFOrder. pixels is the length of the pixel data in bytes. fields
// gets the offset of the pixel data and returns the entries about them.
//
// Note: the file begins with the unchanged EXIF block. A TIFF and an EXIF block both count offsets from their start,
// so every offset in the block stays right, even in the undocumented notes of camera makers. Only the offset of the
// first directory changes: to a new directory at the end, which includes the entries of the block.
func (m Metadata) TIFF(software string, pixels uint32, fields func(at uint32) []TIFFField) Layout {
	l := tiffEntries{order: binary.LittleEndian}
	var block []byte // the EXIF block without its first 8 bytes
	if exif, ok := tiffIn(bodyOf(m.EXIF)); ok {
		l.order, block = exif.order, m.EXIF[8:]
		for e := range exif.fields(exif.first) {
			if !isOfFile(e.Tag) {
				l.kept = append(l.kept, exif.storedEntry(e))
			}
		}
	}
	start := header(l.order)
	head := int64(len(start)+len(block)) + int64(len(block)%2)
	d := l.merge(l.ownEntries(m, software), fields(uint32(head)))
	end := head + int64(pixels)
	gap := make([]byte, end%2)
	at := end + int64(len(gap))
	l.order.PutUint32(start[4:], uint32(at))
	return Layout{
		before: pieceWriter(start, block, make([]byte, len(block)%2)),
		behind: func(w io.Writer) error {
			if err := pieceWriter(gap)(w); err != nil {
				return err
			}
			return d.writeTo(w, at, l.order)
		},
	}
}

// merge returns the entries of d, then fields, then l.kept. Where several have the same tag, it keeps the first.
func (l tiffEntries) merge(d directory, fields []TIFFField) directory {
	for _, f := range fields {
		kind := uint16(typeShort)
		if f.Long {
			kind = typeLong
		}
		d = append(d, entry{tag: f.Tag, kind: kind, count: uint32(len(f.Values)), value: l.numbers(f.Values, f.Long)})
	}
	return append(d, l.kept...).sorted()
}

// ownEntries returns entries for software and for the parts of m except the EXIF block.
func (l tiffEntries) ownEntries(m Metadata, software string) (d directory) {
	const long = true // numbers of 32 bits
	blob := func(tag, kind uint16, b []byte) {
		if len(b) > 0 {
			d = append(d, entry{tag: tag, kind: kind, count: uint32(len(b)), value: bodyOf(b)})
		}
	}
	blob(tagXMP, typeByte, m.XMP)
	blob(tagProfile, typeUndefined, m.ICC)
	blob(tagIPTC, typeUndefined, m.IPTC)
	d = append(d, l.geo(m.Geo)...)
	if software != "" {
		blob(tagSoftware, typeASCII, append([]byte(software), 0))
	}
	if unit, x, y, ok := m.Resolution.fractions(); ok {
		d = append(d,
			entry{tag: tagXResolution, kind: typeRational, count: 1, value: l.numbers(x[:], long)},
			entry{tag: tagYResolution, kind: typeRational, count: 1, value: l.numbers(y[:], long)},
			entry{tag: tagResolutionUnit, kind: typeShort, count: 1, value: l.numbers([]uint32{uint32(unit)}, !long)})
	}
	return d
}

// numbers returns values as bytes in the order l.order: 32 bits each if long, else 16.
func (l tiffEntries) numbers(values []uint32, long bool) Body {
	var b []byte
	for _, v := range values {
		if long {
			b = l.order.(binary.AppendByteOrder).AppendUint32(b, v)
		} else {
			b = l.order.(binary.AppendByteOrder).AppendUint16(b, uint16(v))
		}
	}
	return bodyOf(b)
}

// TIFFHeader returns the first 8 bytes of a TIFF with its first directory behind them.
func TIFFHeader(order binary.ByteOrder) []byte { return header(order) }

// TIFFOrder returns the byte order of m.EXIF, or little-endian where there is none.
func (m Metadata) TIFFOrder() binary.ByteOrder {
	if exif, ok := tiffIn(bodyOf(m.EXIF)); ok {
		return exif.order
	}
	return binary.LittleEndian
}

// TIFFPage returns the layout of a page that begins at the even offset at of a TIFF, with metadata m, software as a
// record of the program that made the file, and pixel data, which follow the directory. pixels is their length in
// bytes. fields is as for Metadata.TIFF. If last is false, another page follows at End of the result. Offsets in the
// page are cut to 32 bits, so a caller must refuse the result if End needs more.
//
// Note: Metadata.TIFF puts the EXIF block at the start of the file, where only one fits. For pages, the entries of
// the block are copied instead. An EXIF block in another byte order than order is left out.
func (m Metadata) TIFFPage(order binary.ByteOrder, software string, at, pixels int64, last bool,
	fields func(at uint32) []TIFFField) Layout {
	l := tiffEntries{order: order}
	if exif, ok := tiffIn(bodyOf(m.EXIF)); ok && exif.order == order {
		left := allowance{MaxParts, MaxBlock}
		l.kept = exif.parse(exif.first, exifDepth, &left, func(tag uint16) bool { return !isOfFile(tag) })
	}
	own := l.ownEntries(m, software)
	size := l.merge(own[:len(own):len(own)], fields(0)).size() // the same for all offsets; own must stay as it is
	d := l.merge(own, fields(uint32(at+size)))
	var head bytes.Buffer
	_ = d.writeTo(&head, at, order) // writing to memory cannot fail
	end := at + size + pixels
	gap := make([]byte, end%2)
	end += int64(len(gap))
	if !last {
		order.PutUint32(head.Bytes()[d.tableLength()-4:], uint32(end))
	}
	return Layout{End: end, before: pieceWriter(head.Bytes()), behind: pieceWriter(gap)}
}
