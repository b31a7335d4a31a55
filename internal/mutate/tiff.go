package mutate

import (
	"encoding/binary"
	"slices"
)

// tiffFormat is TIFF, and EXIF, which is one without pixels: a header with a byte order, and
// directories of entries, which lead to their values, to pixels and to the next directory.
// entriesFormat is a directory alone.
var tiffFormat, entriesFormat *format

func init() {
	tiffFormat = &format{extension: ".tif", split: splitTIFF, join: joinTIFF, is: func(data []byte) bool {
		return begins("II*\x00")(data) || begins("MM\x00*")(data)
	}}
	entriesFormat = &format{join: func([]part) []byte { return nil }, split: func([]byte) []part { return nil }}
}

// The tags of entries that lead elsewhere.
const (
	tagStrips     = 273
	tagStripBytes = 279
	tagTiles      = 324
	tagTileBytes  = 325
	tagSub        = 330
	tagEXIF       = 34665
	tagGPS        = 34853
)

// typeBytes is the size of a value by its type, in bytes.
var typeBytes = [...]int{0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4}

const (
	entryHead   = 8 // tag, type and count
	mostEntries = 400
	mostPages   = 32
)

// order is the byte order of a file.
func order(data []byte) binary.ByteOrder {
	if len(data) > 0 && data[0] == 'M' {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

func splitTIFF(data []byte) []part {
	if len(data) < 8 {
		return nil
	}
	o := order(data)
	parts := []part{{kind: "header", body: data[:8:8], fields: fieldsOf(o, 0, 2, 2, 2)}}
	var seen []uint32
	for at := o.Uint32(data[4:]); at != 0 && len(seen) < mostPages && !slices.Contains(seen, at); {
		seen = append(seen, at)
		page, next, ok := splitDirectory(data, o, at, 0)
		if !ok {
			break
		}
		parts = append(parts, page)
		at = next
	}
	return parts
}

// splitDirectory takes the directory at a place apart, with its pixels.
func splitDirectory(data []byte, o binary.ByteOrder, at uint32, depth int) (page part, next uint32, ok bool) {
	page = part{kind: "page", inner: entriesFormat}
	if int64(at)+2 > int64(len(data)) {
		return page, 0, false
	}
	rest := data[at:]
	n := int(o.Uint16(rest))
	if n > mostEntries || 2+12*n+4 > len(rest) {
		return page, 0, false
	}
	var places, lengths []uint32
	for i := range n {
		e := rest[2+12*i:][:12]
		tag, kind, count := o.Uint16(e), int(o.Uint16(e[2:])), o.Uint32(e[4:])
		p := part{kind: "entry", body: slices.Clone(e[:entryHead]), fields: fieldsOf(o, 0, 2, 2, 2, 4, 4)}
		size := int64(4)
		width := 4
		if kind < len(typeBytes) && kind > 0 {
			width = typeBytes[kind]
			size = int64(width) * int64(count)
		}
		value := e[8:12]
		if from := int64(o.Uint32(value)); size > 4 {
			if size > 1<<16 || from+size > int64(len(data)) {
				continue
			}
			value = data[from : from+size]
		}
		p.body = append(p.body, value...)
		for k := 0; k < min(len(value), 8*width); k += width {
			p.fields = append(p.fields, field{entryHead + k, min(width, 4), o})
		}
		numbers := func() (list []uint32) {
			for k := 0; k+width <= int(size) && (width == 2 || width == 4); k += width {
				list = append(list, field{k, width, o}.get(value))
			}
			return list
		}
		switch tag {
		case tagStrips, tagTiles:
			places = numbers()
		case tagStripBytes, tagTileBytes:
			lengths = numbers()
		case tagSub, tagEXIF, tagGPS:
			if size == 4 && depth < 3 {
				if sub, _, ok := splitDirectory(data, o, o.Uint32(value), depth+1); ok {
					p.inner, p.parts = entriesFormat, sub.parts
				}
			}
		}
		page.parts = append(page.parts, p)
	}
	for i := range min(len(places), len(lengths)) {
		from, to := int64(places[i]), int64(places[i])+int64(lengths[i])
		if to <= int64(len(data)) {
			page.parts = append(page.parts, part{kind: "pixels", body: data[from:to:to]})
		}
	}
	return page, o.Uint32(rest[2+12*n:]), true
}

func joinTIFF(parts []part) []byte {
	out := []byte{}
	o := binary.ByteOrder(binary.LittleEndian)
	link := -1 // where the place of the next directory is to be written
	for _, p := range parts {
		if p.kind != "page" {
			start := len(out)
			out = append(out, p.body...)
			if p.kind == "header" && len(p.body) >= 8 {
				if start == 0 {
					o, link = order(out), 4
				}
				o.PutUint32(out[start+4:], 0)
				if p.lie != nil {
					o.PutUint32(out[start+4:], *p.lie)
					link = -1
				}
			}
			continue
		}
		at := 0
		out, at = joinDirectory(out, o, p.parts, 0)
		if link >= 0 {
			o.PutUint32(out[link:], uint32(at))
		}
		link = len(out) - 4
		if p.lie != nil {
			o.PutUint32(out[link:], *p.lie)
			link = -1
		}
	}
	return out
}

// joinDirectory appends pixels, values and a directory, which ends the file then, and returns
// where it begins.
func joinDirectory(out []byte, o binary.ByteOrder, parts []part, depth int) (_ []byte, at int) {
	var places, lengths []uint32
	for _, p := range parts {
		if p.kind == "pixels" {
			places, lengths = append(places, uint32(len(out))), append(lengths, uint32(len(p.body)))
			out = append(out, p.body...)
		}
	}
	var table []byte
	n := 0
	for _, p := range parts {
		if p.kind != "entry" || len(p.body) < entryHead {
			continue
		}
		n++
		head, value := p.body[:entryHead], slices.Clone(p.body[entryHead:])
		tag, kind := o.Uint16(head), int(o.Uint16(head[2:]))
		width := 0
		if kind < len(typeBytes) {
			width = typeBytes[kind]
		}
		var numbers []uint32 // where the pixels have come to be
		switch {
		case p.touched:
		case tag == tagStrips || tag == tagTiles:
			numbers = places
		case tag == tagStripBytes || tag == tagTileBytes:
			numbers = lengths
		}
		for k, v := range numbers {
			if (width == 2 || width == 4) && (k+1)*width <= len(value) {
				field{k * width, width, o}.put(value, v)
			}
		}
		if len(p.parts) > 0 && depth < 3 && !p.touched && len(value) >= 4 {
			var sub int
			out, sub = joinDirectory(out, o, p.parts, depth+1)
			o.PutUint32(value, uint32(sub))
		}
		if len(value) > 4 {
			from := uint32(len(out))
			out = append(out, value...)
			value = make([]byte, 4)
			o.PutUint32(value, from)
		}
		value = append(value, 0, 0, 0, 0)[:4]
		if p.lie != nil {
			o.PutUint32(value, *p.lie)
		}
		table = append(append(table, head...), value...)
	}
	if len(out)%2 > 0 {
		out = append(out, 0)
	}
	at = len(out)
	count := make([]byte, 2)
	o.PutUint16(count, uint16(n))
	return append(append(append(out, count...), table...), 0, 0, 0, 0), at
}
