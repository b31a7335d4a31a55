package metadata

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
)

// The properties that promise a film, or how their names begin, and that which promises further segments of a packet.
const (
	propertyFilm       = "MotionPhoto"
	propertyMicroVideo = "MicroVideo"
	propertyExtended   = "HasExtendedXMP"
)

// keepPromises returns the metadata as a file of the given format can hold them, with an XMP packet that promises only
// those files behind the picture that it will have, with their lengths, and warnings about the blocks left out.
func (m Metadata) keepPromises(format string) (_ Metadata, warnings []string) {
	lost := func(what, where string) {
		warnings = append(warnings, "its "+what+" left out: only a "+where)
	}
	if m.GainMap != nil && format != "jpeg" {
		m.GainMap = nil
		lost("gain map is", "JPEG keeps it")
	}
	if m.Film != nil && format != "jpeg" {
		m.Film = nil
		lost("film is", "JPEG keeps it")
	}
	if m.Geo != nil && format != "tiff" {
		what := "notes of GDAL are"
		if hasPlace(m.Geo) {
			what = "coordinates (GeoTIFF) are"
		}
		lost(what, "TIFF keeps them")
		m.Geo = nil
	}
	if m.GainMap == nil {
		m.Own = slices.DeleteFunc(slices.Clone(m.Own), func(p Part) bool {
			return p.Marker == markerApp2 && bytes.HasPrefix(p.Data, []byte(isoPrefix))
		})
	}
	promised := contains(m.XMP, spaceGainMap, spaceContainer, propertyFilm, propertyMicroVideo)
	spaces := []string{spaceGainMap, spaceContainer, spaceItem, spaceCamera}
	if format != m.Format {
		promised = promised || contains(m.XMP, propertyExtended)
		spaces = append(spaces, spaceNote)
	}
	if !promised {
		return m, warnings
	}
	p, err := parseXMP(m.XMP, spaces...)
	if err != nil {
		m.XMP = nil
		return m, append(warnings, "its XMP packet cannot be changed, and is left out")
	}
	m.XMP = p.applyChanges(append(p.dropPromises(m), p.correctDirectory(m)...))
	return m, warnings
}

// dropPromises returns the changes of a packet that take out the properties outside of the Container directory that
// promise what m lacks.
func (p packet) dropPromises(m Metadata) (changes []change) {
	for _, of := range p.properties {
		is := false
		switch {
		case of.item >= 0:
		case of.space == spaceGainMap:
			is = m.GainMap == nil
		case of.space == spaceCamera:
			is = m.Film == nil && (strings.HasPrefix(of.name, propertyFilm) ||
				strings.HasPrefix(of.name, propertyMicroVideo))
		case of.space == spaceNote: // which is asked for where m.Own, with the further parts, is left out
			is = of.name == propertyExtended
		}
		if is {
			changes = append(changes, remove(of))
		}
	}
	return changes
}

// correctDirectory returns the changes of a packet that make its Container directory true of the file of m.
func (p packet) correctDirectory(m Metadata) (changes []change) {
	directory, ok := p.find(spaceContainer, "Directory", -1)
	if !ok {
		return nil
	}
	gap := int64(0) // bytes between the picture and the first of the files behind it
	kept := 0
	for item, whole := range p.items {
		length, hasLength := p.find(spaceItem, "Length", item)
		switch p.kind(item) {
		case semanticPrimary: // 0, or without a length, it ends where the JPEG does
			if hasLength && p.value(length) != "0" {
				changes = append(changes, remove(length))
			}
			continue
		case semanticMap:
			if m.GainMap == nil {
				break
			}
			if kept++; hasLength {
				changes = append(changes, p.set(length, int64(len(m.GainMap)))...)
			}
			continue
		case semanticFilm:
			n, ok := p.number(spaceItem, "Length", item)
			if !ok || n > int64(len(m.Film)) || n == 0 {
				break
			}
			if kept++; kept == 1 && m.GainMap == nil {
				gap = int64(len(m.Film)) - n
			}
			continue
		}
		changes = append(changes, remove(whole))
	}
	if kept == 0 {
		return []change{remove(directory)}
	}
	if padding, ok := p.find(spaceItem, "Padding", 0); ok && p.kind(0) == semanticPrimary {
		changes = append(changes, p.set(padding, gap)...)
	}
	return changes
}

// indexLength is the number of bytes of the result of mapIndex.
const indexLength = 8 + 2 + 3*entryLength + 4 + 2*16

// mapIndex returns the payload, behind its name, of the segment MPF of a file of two pictures: the first of length
// picture, the second, of length gainMap, at offset from the start of the payload. See CIPA DC-007, section 5.
func mapIndex(picture, offset, gainMap int64) []byte {
	const (
		tagVersion, tagCount, tagEntries = 0xb000, 0xb001, 0xb002
		baseline                         = 0x030000 // the kind of the first picture; the second is of none
	)
	order := binary.BigEndian
	b := header(order)
	b = order.AppendUint16(b, 3)
	add := func(tag, kind uint16, count uint32) {
		b = order.AppendUint32(order.AppendUint16(order.AppendUint16(b, tag), kind), count)
	}
	add(tagVersion, typeUndefined, 4)
	b = append(b, "0100"...)
	add(tagCount, typeLong, 1)
	b = order.AppendUint32(b, 2)
	add(tagEntries, typeUndefined, 2*16)
	b = order.AppendUint32(b, indexLength-2*16)
	b = order.AppendUint32(b, 0) // no further directory
	for _, v := range []int64{baseline, picture, 0, 0, 0, gainMap, offset, 0} {
		b = order.AppendUint32(b, uint32(v))
	}
	return b
}
