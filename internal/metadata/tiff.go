package metadata

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// about are the tags of a TIFF's directory that tell about the picture rather than
// about the file. With the directories of EXIF and GPS they make an EXIF block.
var about = []uint16{
	0x010d, 0x010e, tagMake, 0x0110, 0x011d, tagSoftware, 0x0132, 0x013b, 0x013c, // name, description, make, model, page, software, time, artist, computer
	0x4746, 0x4749, 0x8298, tagExif, tagGPS, // ratings, copyright
	0x9c9b, 0x9c9c, 0x9c9d, 0x9c9e, 0x9c9f, // title, comment, author, keywords, subject of Windows
}

// ofFile reports whether a tag describes how the pixels of a file are laid out,
// so that it must not come from another file.
func ofFile(tag uint16) bool {
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

func (r *reader) tiff(data []byte) {
	order, ok := ByteOrder(data)
	if !ok {
		return
	}
	at := order.Uint32(data[4:])
	list, _, _ := entries(data, order, at)
	for ; len(list) > 0; list = list[entryLength:] {
		v, ok := value(data, order, list)
		tag, kind := order.Uint16(list), order.Uint16(list[2:])
		switch {
		case !ok:
			if r.first("outside") {
				r.warnings = append(r.warnings, "its directory points outside of the file, and what should be there is left out (is the file complete?)")
			}
		case tag == tagProfile:
			r.icc(v)
		case tag == tagXMP:
			r.xmp(bytes.TrimRight(v, "\x00"))
		case tag == tagOrientation && kind == typeShort && len(v) == 2:
			if o := int(order.Uint16(v)); o >= 1 && o <= 8 {
				r.m.Orientation = o
			}
		}
	}
	r.m.Resolution = resolutionIn(data, order, at)
	budget := MaxBlock
	d := parse(data, order, at, 2, &budget, func(tag uint16) bool { return slices.Contains(about, tag) })
	if budget < 0 {
		r.drop("EXIF block", "larger than 16 MiB")
	} else if len(d) > 0 {
		r.m.EXIF = append(header(order), d.bytes(8, order)...)
	}
}

// resolutionIn reads the resolution in a directory of a TIFF or of EXIF.
func resolutionIn(b []byte, order binary.ByteOrder, at uint32) Resolution {
	r := Resolution{Unit: Inch}
	list, _, _ := entries(b, order, at)
	for ; len(list) > 0; list = list[entryLength:] {
		v, _ := value(b, order, list)
		tag, kind := order.Uint16(list), order.Uint16(list[2:])
		switch {
		case kind == typeRational && len(v) == 8 && tag == tagXResolution:
			r.X = float64(order.Uint32(v)) / float64(order.Uint32(v[4:]))
		case kind == typeRational && len(v) == 8 && tag == tagYResolution:
			r.Y = float64(order.Uint32(v)) / float64(order.Uint32(v[4:]))
		case kind == typeShort && len(v) == 2 && tag == tagResolutionUnit:
			r.Unit = map[uint16]Unit{1: Ratio, 2: Inch, 3: Centimetre}[order.Uint16(v)]
		}
	}
	return r.sound()
}

// A TIFFLayout is where the parts of a TIFF lie. The file is Head, the pixels,
// which must be in the byte order Order, and Tail.
type TIFFLayout struct {
	Head, Tail []byte
	Order      binary.ByteOrder
}

// TIFFField is an entry of the directory about the pixels.
type TIFFField struct {
	Tag    uint16
	Long   bool // 32 bits a value rather than 16
	Values []uint32
}

// TIFF lays out a TIFF with the given metadata, provenance record, and pixels of
// so many bytes. fields returns the entries about the pixels, which start at the
// given offset.
//
// Note: an EXIF block is the start of the file as it is. Both count offsets from
// their start, so every one in the block stays right, even those in a camera
// maker's notes that nobody else can read. Only the offset of the first directory
// is another: that of a new one, at the end, which has the block's entries too.
func (m Metadata) TIFF(software string, pixels uint32, fields func(at uint32) []TIFFField) TIFFLayout {
	order := binary.ByteOrder(binary.LittleEndian)
	var d directory
	head := header(order)
	if m.EXIF != nil {
		head = bytes.Clone(m.EXIF)
		order, _ = ByteOrder(head)
	}
	number := func(values []uint32, long bool) []byte {
		var b []byte
		for _, v := range values {
			if long {
				b = order.(binary.AppendByteOrder).AppendUint32(b, v)
			} else {
				b = order.(binary.AppendByteOrder).AppendUint16(b, uint16(v))
			}
		}
		return b
	}
	blob := func(tag, kind uint16, b []byte) {
		if len(b) > 0 {
			d = append(d, entry{tag: tag, kind: kind, count: uint32(len(b)), value: b})
		}
	}
	blob(tagXMP, typeByte, m.XMP)
	blob(tagProfile, typeUndefined, m.ICC)
	if software != "" {
		blob(tagSoftware, typeASCII, append([]byte(software), 0))
	}
	if unit, x, y, ok := m.Resolution.fractions(); ok {
		d = append(d,
			entry{tag: tagXResolution, kind: typeRational, count: 1, value: number(x[:], true)},
			entry{tag: tagYResolution, kind: typeRational, count: 1, value: number(y[:], true)},
			entry{tag: tagResolutionUnit, kind: typeShort, count: 1, value: number([]uint32{uint32(unit)}, false)})
	}
	head = append(head, make([]byte, len(head)%2)...)
	for _, f := range fields(uint32(len(head))) {
		kind := uint16(typeShort)
		if f.Long {
			kind = typeLong
		}
		d = append(d, entry{tag: f.Tag, kind: kind, count: uint32(len(f.Values)), value: number(f.Values, f.Long)})
	}
	if m.EXIF != nil {
		list, _, _ := entries(m.EXIF, order, order.Uint32(m.EXIF[4:]))
		for ; len(list) > 0; list = list[entryLength:] {
			if tag := order.Uint16(list); !ofFile(tag) {
				// With the four bytes of its value or offset as they are.
				d = append(d, entry{tag, order.Uint16(list[2:]), order.Uint32(list[4:]), list[8:12], nil})
			}
		}
	}
	slices.SortStableFunc(d, func(a, b entry) int { return int(a.tag) - int(b.tag) })
	d = slices.CompactFunc(d, func(a, b entry) bool { return a.tag == b.tag })

	// The tail is written as the end of a file of zeros in place of the pixels.
	at := uint32(len(head)) + pixels
	at += at % 2
	order.PutUint32(head[4:], at)
	tail := d.bytes(at, order)
	return TIFFLayout{head, append(make([]byte, at-uint32(len(head))-pixels), tail...), order}
}
