package metadata

import (
	"encoding/binary"
	"io"
	"iter"
	"math"
	"slices"
)

// EXIF is a TIFF file without pixels. A TIFF has directories. A directory entry has 12 bytes: tag, type, count, and 4
// bytes that hold the value or, if the value is longer, its offset from the start of the file.

const (
	exifPrefix  = "Exif\x00\x00"
	entryLength = 12

	tagMake             = 0x010f
	tagOrientation      = 0x0112
	tagXResolution      = 0x011a
	tagYResolution      = 0x011b
	tagResolutionUnit   = 0x0128
	tagSoftware         = 0x0131
	tagXMP              = 0x02bc
	tagIPTC             = 0x83bb
	tagPhotoshop        = 0x8649
	tagProfile          = 0x8773
	tagExif             = 0x8769
	tagGPS              = 0x8825
	tagInteroperability = 0xa005

	typeByte      = 1
	typeASCII     = 2
	typeShort     = 3
	typeLong      = 4
	typeRational  = 5
	typeUndefined = 7
	typeIFD       = 13
	typeLong8     = 16 // only a BigTIFF has this type and IFD8
	typeIFD8      = 18
)

// exifDepth is the number of levels below the first directory: EXIF and GPS, and interoperability below EXIF.
const exifDepth = 2

// typeLengths holds, by the number of a TIFF type, the length of one value in bytes; 0: there is no such type.
var typeLengths = [...]uint64{0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8}

// ByteOrder returns the byte order in the header of a classic TIFF. ok is false for a BigTIFF and other bytes.
func ByteOrder(b []byte) (_ binary.ByteOrder, ok bool) {
	switch {
	case len(b) < 8:
		return nil, false
	case string(b[:4]) == "II*\x00":
		return binary.LittleEndian, true
	case string(b[:4]) == "MM\x00*":
		return binary.BigEndian, true
	}
	return nil, false
}

// tiffFile is a TIFF or an EXIF block.
type tiffFile struct {
	Body
	order binary.ByteOrder
	first uint64 // the offset of the first directory
	big   bool   // a BigTIFF, with 64 bits for offsets, counts and the values in entries; false: 32
}

// fileIn returns the TIFF or BigTIFF in b. ok is false for other bytes.
func fileIn(b Body) (f tiffFile, ok bool) {
	first := b.read(8, 8) // the offset of the first directory in a BigTIFF
	switch {              // a BigTIFF begins with a byte order mark, 43, the length of an offset, and 0
	case first != nil && b.begins("II+\x00\x08\x00\x00\x00"):
		return tiffFile{b, binary.LittleEndian, binary.LittleEndian.Uint64(first), true}, true
	case first != nil && b.begins("MM\x00+\x00\x08\x00\x00"):
		return tiffFile{b, binary.BigEndian, binary.BigEndian.Uint64(first), true}, true
	}
	return tiffIn(b) // a classic TIFF
}

// countLength, entryLength and linkLength are the lengths in bytes of three parts of a directory: its number of
// entries, one entry, and the link to the next directory.
func (f tiffFile) countLength() int64 { return map[bool]int64{false: 2, true: 8}[f.big] }
func (f tiffFile) entryLength() int64 { return map[bool]int64{false: entryLength, true: 20}[f.big] }
func (f tiffFile) linkLength() int64  { return map[bool]int64{false: 4, true: 8}[f.big] }

// tiffIn returns the classic TIFF or the EXIF block in b. ok is false for a BigTIFF and other bytes.
func tiffIn(b Body) (f tiffFile, ok bool) {
	head := b.read(0, 8)
	order, ok := ByteOrder(head)
	if !ok {
		return f, false
	}
	return tiffFile{b, order, uint64(order.Uint32(head[4:])), false}, true
}

// TIFFEntry is a directory entry in a file. Number is the value if this is a single unsigned integer, else 0.
type TIFFEntry struct {
	Tag    uint16
	Number uint64

	at     int64 // offset of the entry in the file
	kind   uint16
	count  uint64
	offset uint64 // offset of the value, if that is too long for the entry
}

// span returns where the entries of the directory at offset at start and end. ok is false unless the file holds them.
func (f tiffFile) span(at uint64) (start, end int64, ok bool) {
	start, count, ok := f.head(at)
	if !ok || count > uint64(f.Len-start)/uint64(f.entryLength()) {
		return start, start, false
	}
	return start, start + f.entryLength()*int64(count), true
}

// head returns the offset start of the entries of the directory at offset at, and the number of entries, which may be
// more than the file has. ok is false if the directory begins outside of the file.
func (f tiffFile) head(at uint64) (start int64, count uint64, ok bool) {
	if at < 8 || at > uint64(f.Len) {
		return 0, 0, false
	}
	n := f.read(int64(at), f.countLength())
	switch {
	case n == nil:
		return 0, 0, false
	case f.big:
		count = f.order.Uint64(n)
	default:
		count = uint64(f.order.Uint16(n))
	}
	return int64(at) + f.countLength(), count, true
}

// fields returns the entries of the directory at offset at, or none if the file lacks some. It reads 64 at a time.
func (f tiffFile) fields(at uint64) iter.Seq[TIFFEntry] {
	return func(yield func(TIFFEntry) bool) {
		start, end, ok := f.span(at)
		if !ok {
			return
		}
		f.readEntries(start, end, yield)
	}
}

// readEntries calls yield with each entry at the offsets [start, end), until yield returns false or reading fails.
func (f tiffFile) readEntries(start, end int64, yield func(TIFFEntry) bool) {
	size := f.entryLength()
	some := make([]byte, 64*size) // reads 64 entries at a time
	for start < end {
		b := some[:min(int64(len(some)), end-start)]
		if !f.fill(b, start) {
			return
		}
		for ; len(b) > 0; b, start = b[size:], start+size {
			if !yield(f.entry(b[:size], start)) {
				return
			}
		}
	}
}

// entry returns the entry that the bytes b at offset at of the file encode.
func (f tiffFile) entry(b []byte, at int64) TIFFEntry {
	e := TIFFEntry{at: at, Tag: f.order.Uint16(b), kind: f.order.Uint16(b[2:])}
	value := b[8:]
	if f.big {
		e.count, value = f.order.Uint64(b[4:]), b[12:]
		e.offset = f.order.Uint64(value)
	} else {
		e.count, e.offset = uint64(f.order.Uint32(b[4:])), uint64(f.order.Uint32(value))
	}
	if e.count != 1 {
		return e
	}
	switch e.kind {
	case typeByte:
		e.Number = uint64(value[0])
	case typeShort:
		e.Number = uint64(f.order.Uint16(value))
	case typeLong, typeIFD:
		e.Number = uint64(f.order.Uint32(value))
	case typeLong8, typeIFD8:
		if f.big {
			e.Number = e.offset
		}
	}
	return e
}

// value returns the bytes of e's value, in the file's byte order. ok is false outside the file and for unknown types.
func (f tiffFile) value(e TIFFEntry) (_ Body, ok bool) {
	if int(e.kind) >= len(typeLengths) || typeLengths[e.kind] == 0 || e.count > uint64(f.Len)/typeLengths[e.kind] {
		return Body{}, false
	}
	n, at := int64(typeLengths[e.kind]*e.count), e.at+f.entryLength()-f.linkLength()
	if n > f.linkLength() { // too long for the end of the entry, which is as long as a link
		if e.offset > uint64(f.Len-n) {
			return Body{}, false
		}
		at = int64(e.offset)
	}
	return Body{f.src, f.Body.at + at, n}, true
}

// orientation returns the orientation in an EXIF block, 1 to 8, and at, the offset of the two bytes that hold it. If
// there is none or it is out of range, it returns 1 and the offset 0. Other entries may be damaged or cut off.
func (f tiffFile) orientation() (at int64, orientation int) {
	start, count, ok := f.head(f.first)
	if !ok {
		return 0, 1
	}
	orientation = 1
	whole := min(int64(min(count, math.MaxInt64)), (f.Len-start)/f.entryLength()) // entries that are not cut off
	f.readEntries(start, start+f.entryLength()*whole, func(e TIFFEntry) bool {
		if e.Tag != tagOrientation {
			return true
		}
		if v := e.Number; 1 <= v && v <= 8 && (e.kind == typeShort || e.kind == typeLong) {
			at, orientation = e.at+8, int(v)
			if e.kind == typeLong && f.order == binary.ByteOrder(binary.BigEndian) {
				at += 2 // the low half of the number comes last
			}
		}
		return false
	})
	return at, orientation
}

// dropThumbnail sets the link to the second directory in b, the bytes of the EXIF block f, to 0. That directory holds a
// thumbnail, which stays sideways when the picture is turned upright.
func dropThumbnail(b []byte, f tiffFile) {
	if _, end, ok := f.span(f.first); ok && end+4 <= f.Len {
		f.order.PutUint32(b[end:], 0)
	}
}

// entry is a directory entry to be written.
type entry struct {
	tag, kind uint16
	count     uint32
	value     Body      // the value, in the byte order of the file
	sub       directory // the directory that the entry points to; then there is no value
}

type directory []entry

// allowance is the number of entries, and the bytes of entries and values, that may still be read.
type allowance struct{ entries, bytes int64 }

// parse returns the directory at offset at with the entries whose tags keep accepts, and, with all their entries, the
// EXIF, GPS and interoperability directories to which they link, down to depth levels. Damaged entries and links to
// empty directories are left out. It subtracts all entries that keep accepts or that lie below, and their bytes, from
// left, and stops once left is exceeded, to bound the memory.
func (f tiffFile) parse(at uint64, depth int, left *allowance, keep func(tag uint16) bool) directory {
	var d directory
	for e := range f.fields(at) {
		if !keep(e.Tag) {
			continue
		}
		v, ok := f.value(e)
		if left.entries--; ok {
			left.bytes -= entryLength + v.Len
		}
		if left.entries < 0 || left.bytes < 0 {
			break
		}
		isLink := e.Tag == tagExif || e.Tag == tagGPS || e.Tag == tagInteroperability
		if !ok || e.kind > typeIFD && !isLink {
			continue // types that only a BigTIFF has are not copied
		}
		one := entry{tag: e.Tag, kind: min(e.kind, typeIFD), count: uint32(e.count), value: v} // min: for 64-bit links
		if isLink {
			if depth == 0 || e.Number == 0 || e.kind < typeLong {
				continue
			}
			one.sub = f.parse(e.Number, depth-1, left, func(uint16) bool { return true })
			if len(one.sub) == 0 {
				continue
			}
		}
		d = append(d, one)
	}
	return d.sorted()
}

// sorted returns d sorted by tag, as the standard asks, with only the first entry of each tag. It changes d.
func (d directory) sorted() directory {
	slices.SortStableFunc(d, func(a, b entry) int { return int(a.tag) - int(b.tag) })
	return slices.CompactFunc(d, func(a, b entry) bool { return a.tag == b.tag })
}

// tableLength returns the length in bytes of d without its values: the count, the entries and the link.
func (d directory) tableLength() int64 { return 2 + entryLength*int64(len(d)) + 4 }

// size returns the length in bytes of d with its values and the directories below, an even number.
func (d directory) size() int64 {
	n := d.tableLength()
	for _, e := range d {
		n += e.outsideLength()
	}
	return n
}

// outsideLength returns how many bytes of e's value lie after the entries of its directory, an even number.
func (e entry) outsideLength() int64 {
	switch {
	case e.sub != nil:
		return e.sub.size()
	case e.value.Len > 4:
		return e.value.Len + e.value.Len%2
	}
	return 0
}

// writeTo writes the bytes of d for offset at of a TIFF: the entries, a link of 0, and what the entries point to.
func (d directory) writeTo(w io.Writer, at int64, order binary.ByteOrder) error {
	b := make([]byte, d.tableLength())
	order.PutUint16(b, uint16(len(d)))
	place := at + d.tableLength() // where the next value that is too long for its entry will lie
	for i, e := range d {
		p := b[2+entryLength*i:]
		order.PutUint16(p, e.tag)
		order.PutUint16(p[2:], e.kind)
		order.PutUint32(p[4:], e.count)
		if n := e.outsideLength(); n > 0 {
			order.PutUint32(p[8:], uint32(place))
			place += n
		} else {
			e.value.fill(p[8:8+e.value.Len], 0)
		}
	}
	if _, err := w.Write(b); err != nil {
		return err
	}
	at += d.tableLength()
	for _, e := range d {
		var err error
		switch n := e.outsideLength(); {
		case e.sub != nil:
			err = e.sub.writeTo(w, at, order)
		case n > 0:
			if err = e.value.writeTo(w); err == nil && e.value.Len%2 > 0 {
				_, err = w.Write([]byte{0})
			}
		}
		if err != nil {
			return err
		}
		at += e.outsideLength()
	}
	return nil
}

// header returns the first 8 bytes of a TIFF that has its first directory at offset 8.
func header(order binary.ByteOrder) []byte {
	mark := "II*\x00\x08\x00\x00\x00"
	if order == binary.ByteOrder(binary.BigEndian) {
		mark = "MM\x00*\x00\x00\x00\x08"
	}
	return []byte(mark)
}
