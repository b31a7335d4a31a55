package imagetest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// Behind describes a JPEG from a telephone, with a gain map and a film after the picture.
type Behind struct {
	Picture, GainMap []byte // JPEG files; GainMap may be missing
	Film             []byte // the end of the file
	// XMP, ISO and MPF say which records announce the gain map: Ultra HDR, ISO 21496-1, and the index of CIPA DC-007.
	XMP, ISO, MPF bool
	Elements      bool     // writes the directory in the XMP as elements; false: as attributes
	Front         [][]byte // further segments, before all others
}

// The XMP namespaces in such files.
const behindSpaces = `xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" ` +
	`xmlns:Container="http://ns.google.com/photos/1.0/container/" ` +
	`xmlns:Item="http://ns.google.com/photos/1.0/container/item/" ` +
	`xmlns:GCamera="http://ns.google.com/photos/1.0/camera/" ` +
	`xmlns:GPano="http://ns.google.com/photos/1.0/panorama/" ` +
	`xmlns:tiff="http://ns.adobe.com/tiff/1.0/" xmlns:exif="http://ns.adobe.com/exif/1.0/"`

// XMPSegment returns a segment of a JPEG with an XMP packet: one description with attributes and elements.
func XMPSegment(attributes, elements string) []byte {
	return JPEGSegment(0xe1, []byte("http://ns.adobe.com/xap/1.0/\x00"+Packet(attributes, elements))...)
}

// Packet returns an XMP packet: one description with attributes and elements.
func Packet(attributes, elements string) string {
	return `<?xpacket begin="` + "\ufeff" + `" id="W5M0MpCehiHzreSzNTczkc9d"?>` + "\n" +
		`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">` +
		`<rdf:Description rdf:about="" ` + behindSpaces + " " + attributes + ">" + elements +
		"</rdf:Description></rdf:RDF></x:xmpmeta>\n" + `<?xpacket end="w"?>`
}

// Directory returns XMP that lists the parts of a file: the primary picture, with padding bytes after it, and items,
// given as kind, length, kind, … With elements, the fields are XML elements; false: attributes.
func Directory(elements bool, padding int, items ...string) string {
	list := ""
	for i := -2; i < len(items); i += 2 { // −2: the primary picture
		kind, length := "Primary", fmt.Sprintf("0 Padding %d", padding)
		if i >= 0 {
			kind, length = items[i], items[i+1]
		}
		fields := strings.Fields("Semantic " + kind + " Length " + length)
		list += `<rdf:li rdf:parseType="Resource">` + "\n<Container:Item"
		if elements {
			list += ` rdf:parseType="Resource">`
		}
		for ; len(fields) > 0; fields = fields[2:] {
			if elements {
				list += fmt.Sprintf("<Item:%s>%s</Item:%[1]s>", fields[0], fields[1])
			} else {
				list += fmt.Sprintf("\n Item:%s='%s'", fields[0], fields[1])
			}
		}
		if elements {
			list += "</Container:Item></rdf:li>"
		} else {
			list += "/></rdf:li>"
		}
	}
	return "<Container:Directory><rdf:Seq>" + list + "</rdf:Seq></Container:Directory>"
}

// AsGainMap returns the JPEG data with the records that mark it as a gain map, by XMP and by ISO 21496-1.
func AsGainMap(data []byte, xmp, iso bool) []byte {
	var parts [][]byte
	if xmp {
		parts = append(parts, XMPSegment(`hdrgm:Version="1.0" hdrgm:GainMapMin="0" hdrgm:GainMapMax="2" hdrgm:Gamma="1" `+
			`hdrgm:OffsetSDR="0.015625" hdrgm:OffsetHDR="0.015625" hdrgm:HDRCapacityMin="0" hdrgm:HDRCapacityMax="2" `+
			`hdrgm:BaseRenditionIsHDR="False"`, ""))
	}
	if iso { // versions, flags, headrooms, and for all channels minimum, maximum, gamma and offsets, as fractions
		b := append([]byte("urn:iso:std:iso:ts:21496:-1\x00"), 0, 0, 0, 0, 0x40)
		for _, v := range []uint32{0, 1, 2, 1, 0, 1, 2, 1, 1, 1, 1, 64, 1, 64} {
			b = binary.BigEndian.AppendUint32(b, v)
		}
		parts = append(parts, JPEGSegment(0xe2, b...))
	}
	return slices.Concat(data[:2], bytes.Join(parts, nil), data[2:])
}

// Bytes returns the file: b.Picture, with b.Front and announcements inserted at its start, b.GainMap and b.Film.
func (b Behind) Bytes() []byte {
	parts := slices.Clone(b.Front)
	if b.XMP {
		attributes, items := "", []string{}
		if b.GainMap != nil {
			attributes += `hdrgm:Version="1.0" `
			items = append(items, "GainMap", fmt.Sprint(len(b.GainMap)))
		}
		if b.Film != nil {
			attributes += `GCamera:MotionPhoto="1" GCamera:MotionPhotoVersion="1" `
			items = append(items, "MotionPhoto", fmt.Sprint(len(b.Film)))
		}
		parts = append(parts, XMPSegment(attributes, Directory(b.Elements, 0, items...)))
	}
	if b.ISO {
		parts = append(parts, JPEGSegment(0xe2, []byte("urn:iso:std:iso:ts:21496:-1\x00\x00\x00\x00\x00")...))
	}
	front := slices.Concat(b.Picture[:2], bytes.Join(parts, nil))
	if b.MPF {
		const length = 4 + 4 + 82 // of the segment: its head, the name MPF, and the index of two pictures
		picture := len(b.Picture) + len(front) - 2 + length
		front = append(front, MPF(uint32(picture), [3]uint32{0, uint32(len(b.GainMap)),
			uint32(picture - len(front) - 8)})...) // offsets count from byte 8 of the segment
	}
	return slices.Concat(front, b.Picture[2:], b.GainMap, b.Film)
}

// MPF returns a segment that lists a picture of the given length, and other pictures by kind, length and offset.
func MPF(length uint32, others ...[3]uint32) []byte {
	order := binary.LittleEndian
	b := []byte("MPF\x00II*\x00\x08\x00\x00\x00\x03\x00")
	// The entries: version 0100, the number of pictures, and their list, which lies at offset 50.
	for _, e := range [][]byte{TIFFEntry(order, 0xb000, 7, 4, 0x30303130), TIFFEntry(order, 0xb001, 4, 1,
		uint32(len(others)+1)), TIFFEntry(order, 0xb002, 7, uint32(16*(len(others)+1)), 50), make([]byte, 4)} {
		b = append(b, e...)
	}
	for _, e := range append([][3]uint32{{0x20030000, length, 0}}, others...) { // 2: representative, 3: baseline
		b = order.AppendUint32(order.AppendUint32(order.AppendUint32(order.AppendUint32(b, e[0]), e[1]), e[2]), 0)
	}
	return JPEGSegment(0xe2, b...)
}

// Film returns the start of an MP4, padded to n bytes.
func Film(n int) []byte {
	b := append([]byte("\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom"), make([]byte, n)...)
	for i := 24; i < n; i++ {
		b[i] = byte(i * 37)
	}
	return b[:n]
}
