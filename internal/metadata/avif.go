package metadata

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
)

// writtenItem is an item of the file that Metadata.AVIF writes.
type writtenItem struct {
	id         uint64
	kind       string // the item's type, and the bytes after it in the box infe
	content    []byte
	properties []byte // numbers of properties, from 1; the high bit marks one that a reader must understand
}

// AVIF returns file, the output of an encoder that writes no metadata, with m inserted, and software as the record of
// the program that made it. m must be a result of For. AVIF fails with a FormatError if file contains no picture.
//
// The boxes are written again (ISO/IEC 14496-12, 8.11; ISO/IEC 23008-12, 9): the items of the encoder, then EXIF and
// XMP, with references that they describe the picture. Without an ICC profile, the colours are declared to be sRGB. The
// matrix is always declared to be BT.601's, and the range full.
func (m Metadata) AVIF(file []byte, software string) ([]byte, error) {
	src := bytes.NewReader(file)
	c := &catalogue{src: src, items: map[uint64]*item{}}
	var brand, properties, links []byte
	Piece(src, 0, src.Size()).Boxes(func(kind string, body Body) bool {
		switch kind {
		case "ftyp":
			brand = isoBox(kind, body.Bytes())
		case "meta":
			c.read(body)
		}
		return true
	})
	if c.items[c.primary] == nil {
		return nil, FormatError("it has no picture")
	}
	var items []writtenItem
	number := byte(0) // the number of the last property
	property := func(of *writtenItem, kind string, content ...[]byte) {
		properties = append(properties, isoBox(kind, content...)...)
		const essential = 0x80
		if number++; kind == "av1C" {
			of.properties = append(of.properties, number|essential)
		} else {
			of.properties = append(of.properties, number)
		}
	}
	link := func(kind string, from, to uint64) {
		links = append(links, isoBox(kind, big16(from), big16(1), big16(to))...)
	}
	for _, id := range slices.Sorted(maps.Keys(c.items)) {
		from, to := c.items[id], writtenItem{id: id, kind: c.items[id].kind + "\x00"}
		for _, e := range from.extents {
			to.content = append(to.content, e.Bytes()...)
		}
		for _, i := range from.properties {
			if p := c.properties[i]; p.kind != "colr" {
				property(&to, p.kind, p.Bytes())
			}
		}
		if id == c.primary {
			const sRGB, isUnknown = 0x0001_000d, 0x0002_0002 // primaries and transfer
			known := uint64(sRGB)
			if m.ICC != nil {
				known = isUnknown
				property(&to, "colr", []byte("prof"), m.ICC)
			}
			const bt601, full = 6, 0x80
			property(&to, "colr", []byte("nclx"), big32(known), big16(bt601), []byte{full})
		}
		items = append(items, to)
	}
	for _, r := range c.references {
		link(r.kind, r.from, r.to[0])
	}
	describe := func(kind string, content []byte) {
		id := items[len(items)-1].id + 1
		items = append(items, writtenItem{id: id, kind: kind, content: content})
		link("cdsc", id, c.primary)
	}
	if exif := m.exifWith(software); exif != nil {
		describe("Exif\x00", append(big32(0), exif...))
	}
	if m.XMP != nil {
		describe("mime\x00application/rdf+xml\x00", m.XMP)
	}
	if links != nil {
		links = isoBox("iref", big32(0), links)
	}
	var data []byte
	meta := func(at int) []byte { // with the items' contents from offset at on
		const sizes = 0x4400 // offsets and lengths of four bytes
		count := uint64(len(items))
		places, kinds := slices.Concat(big32(0), big16(sizes), big16(count)), slices.Concat(big32(0), big16(count))
		var of []byte
		described := uint64(0)
		data = data[:0]
		for _, it := range items {
			places = slices.Concat(places, big16(it.id), big16(0), big16(1), big32(uint64(at+len(data))),
				big32(uint64(len(it.content))))
			kinds = append(kinds, isoBox("infe", []byte{2, 0, 0, 0}, big16(it.id), big16(0), []byte(it.kind))...)
			if n := len(it.properties); n > 0 {
				of = slices.Concat(of, big16(it.id), []byte{byte(n)}, it.properties)
				described++
			}
			data = append(data, it.content...)
		}
		return isoBox("meta", big32(0), isoBox("hdlr", make([]byte, 8), []byte("pict"), make([]byte, 13)),
			isoBox("pitm", big32(0), big16(c.primary)), isoBox("iloc", places), isoBox("iinf", kinds), links,
			isoBox("iprp", isoBox("ipco", properties), isoBox("ipma", big32(0), big32(described), of)))
	}
	const head = 8 // the length of a box's head
	return slices.Concat(brand, meta(len(brand)+len(meta(0))+head), isoBox("mdat", data)), nil
}

// isoBox returns a box of an ISO media file, with the given kind and content.
func isoBox(kind string, content ...[]byte) []byte {
	body := slices.Concat(content...)
	return slices.Concat(big32(uint64(8+len(body))), []byte(kind), body)
}

// big16 and big32 return the low 2 and 4 bytes of v in big-endian order.
func big16(v uint64) []byte { return binary.BigEndian.AppendUint16(nil, uint16(v)) }
func big32(v uint64) []byte { return binary.BigEndian.AppendUint32(nil, uint32(v)) }
