package metadata

import (
	"encoding/binary"
	"slices"
)

// EXIF is a TIFF file without pixels. A TIFF has directories; an entry of one has
// 12 bytes: tag, type, count, and the value itself, if it has 4 bytes at most, or
// else its offset from the start of the file.

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
)

// typeLengths are the lengths in bytes of one value of each type.
var typeLengths = [...]uint64{0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4}

// ByteOrder returns the byte order that a TIFF header declares; ok is false
// unless b starts with a whole header, 8 bytes.
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

// entries returns the entries of the directory at an offset of b, a multiple of 12
// bytes, and the offset of the offset of the next directory, or 0 where b ends
// before that; ok is false when the entries are not all inside b.
func entries(b []byte, order binary.ByteOrder, at uint32) (list []byte, next uint64, ok bool) {
	start := uint64(at) + 2
	if at < 8 || start > uint64(len(b)) {
		return nil, 0, false
	}
	end := start + entryLength*uint64(order.Uint16(b[at:]))
	if end > uint64(len(b)) {
		return nil, 0, false
	}
	if end+4 <= uint64(len(b)) {
		next = end
	}
	return b[start:end], next, true
}

// value returns the value of an entry, still in the byte order of b; ok is false
// when it is not inside b.
func value(b []byte, order binary.ByteOrder, entry []byte) (_ []byte, ok bool) {
	kind, count := order.Uint16(entry[2:]), uint64(order.Uint32(entry[4:]))
	if int(kind) >= len(typeLengths) || kind == 0 {
		return nil, false
	}
	n := typeLengths[kind] * count
	if n <= 4 {
		return entry[8 : 8+n], true
	}
	at := uint64(order.Uint32(entry[8:]))
	if at > uint64(len(b)) || n > uint64(len(b))-at {
		return nil, false
	}
	return b[at : at+n], true
}

// findOrientation returns the orientation in an EXIF block, 1 to 8, and where in
// the block its two bytes are, or 0 and 1 if there is none or it makes no sense.
func findOrientation(b []byte) (at, orientation int) {
	order, ok := ByteOrder(b)
	if !ok {
		return 0, 1
	}
	start := uint64(order.Uint32(b[4:]))
	if start+2 > uint64(len(b)) {
		return 0, 1
	}
	n := uint64(order.Uint16(b[start:]))
	for p := start + 2; n > 0 && p+entryLength <= uint64(len(b)); n, p = n-1, p+entryLength {
		if order.Uint16(b[p:]) != tagOrientation {
			continue
		}
		v := int(order.Uint16(b[p+8:]))
		if order.Uint16(b[p+2:]) != typeShort || v < 1 || v > 8 {
			return 0, 1
		}
		return int(p + 8), v
	}
	return 0, 1
}

// dropThumbnail unlinks the second directory, which holds the small copy: it would
// lie on its side beside a picture that has been turned.
func dropThumbnail(b []byte, order binary.ByteOrder) {
	if _, next, ok := entries(b, order, order.Uint32(b[4:])); ok && next > 0 {
		order.PutUint32(b[next:], 0)
	}
}

// entry is one entry of a directory on its own.
type entry struct {
	tag, kind uint16
	count     uint32
	value     []byte    // in the byte order of the file
	sub       directory // in place of the value
}

type directory []entry

// parse reads the directory at an offset of b with the entries that keep wants,
// and with the directories of EXIF below it. Entries that are damaged are left
// out; budget is the number of bytes that the values may have together.
func parse(b []byte, order binary.ByteOrder, at uint32, depth int, budget *int, keep func(tag uint16) bool) directory {
	var d directory
	list, _, _ := entries(b, order, at)
	for ; len(list) > 0; list = list[entryLength:] {
		e := entry{tag: order.Uint16(list), kind: order.Uint16(list[2:]), count: order.Uint32(list[4:])}
		if !keep(e.tag) {
			continue
		}
		v, ok := value(b, order, list)
		if *budget -= entryLength + len(v); !ok || *budget < 0 {
			continue
		}
		if e.tag == tagExif || e.tag == tagGPS || e.tag == tagInteroperability {
			if depth == 0 || e.count != 1 || e.kind != typeLong && e.kind != typeIFD {
				continue
			}
			e.sub = parse(b, order, order.Uint32(v), depth-1, budget, func(uint16) bool { return true })
			if len(e.sub) == 0 {
				continue
			}
		}
		e.value = v
		d = append(d, e)
	}
	// Sorted, as the standard asks for, and each tag once.
	slices.SortStableFunc(d, func(a, b entry) int { return int(a.tag) - int(b.tag) })
	return slices.CompactFunc(d, func(a, b entry) bool { return a.tag == b.tag })
}

// bytes returns d as it lies at an offset of a TIFF: the entries, then the values
// they point to and the directories below, in the same order.
func (d directory) bytes(at uint32, order binary.ByteOrder) []byte {
	b := make([]byte, 2+entryLength*len(d)+4)
	order.PutUint16(b, uint16(len(d)))
	for i, e := range d {
		p := 2 + entryLength*i
		order.PutUint16(b[p:], e.tag)
		order.PutUint16(b[p+2:], e.kind)
		order.PutUint32(b[p+4:], e.count)
		if len(e.value) <= 4 && e.sub == nil {
			copy(b[p+8:], e.value)
			continue
		}
		order.PutUint32(b[p+8:], at+uint32(len(b)))
		if e.sub != nil {
			b = append(b, e.sub.bytes(at+uint32(len(b)), order)...)
		} else {
			b = append(b, e.value...)
		}
		b = append(b, make([]byte, len(b)%2)...)
	}
	return b
}

// header is the start of a TIFF whose first directory follows.
func header(order binary.ByteOrder) []byte {
	mark := "II*\x00\x08\x00\x00\x00"
	if order == binary.ByteOrder(binary.BigEndian) {
		mark = "MM\x00*\x00\x00\x00\x08"
	}
	return []byte(mark)
}
