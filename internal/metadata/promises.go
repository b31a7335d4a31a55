package metadata

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
)

// Two prefixes of names of XMP properties that announce a film, and the property that announces further XMP segments.
const (
	propertyFilm       = "MotionPhoto"
	propertyMicroVideo = "MicroVideo"
	propertyExtended   = "HasExtendedXMP"
)

// keepPromises returns m without the gain map, film and GeoTIFF tags that a file of the given format cannot hold, and
// warnings about them. It changes the XMP packet and, where there is no gain map, m.Own to announce only files that
// will follow the picture. For another format than m.Format, it removes the announcement of further XMP segments too.
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
	if m.GainMap == nil { // drops the segments that announce a gain map of ISO 21496-1
		m.Own = slices.DeleteFunc(slices.Clone(m.Own), func(p Part) bool {
			return p.Marker == markerApp2 && bytes.HasPrefix(p.Data, []byte(isoPrefix))
		})
	}
	promised := contains(m.XMP, spaceGainMap, spaceContainer, propertyFilm, propertyMicroVideo) // it announces files
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

// dropPromises returns the changes that remove from a packet the announcements of a gain map, a film or further
// segments that m lacks. It considers only properties outside of the Container directory.
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
		case of.space == spaceNote: // parsed only where m.Own, with the further segments, is left out
			is = of.name == propertyExtended
		}
		if is {
			changes = append(changes, remove(of))
		}
	}
	return changes
}

// correctDirectory returns the changes to a packet that make its Container directory list exactly the files in m: the
// picture, the gain map and the film. They set lengths, and the padding after the picture, and remove other items, or
// the directory if it has the picture alone.
func (p packet) correctDirectory(m Metadata) (changes []change) {
	directory, ok := p.find(spaceContainer, "Directory", -1)
	if !ok {
		return nil
	}
	gap := int64(0) // bytes between the picture's JPEG and the first of the files after it
	kept := 0       // items besides the picture
	for item, whole := range p.items {
		length, hasLength := p.find(spaceItem, "Length", item)
		switch p.kind(item) {
		case semanticPrimary: // with length 0 or none, the picture ends where its JPEG does
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
				gap = int64(len(m.Film)) - n // other data before the film
			}
			continue
		}
		changes = append(changes, remove(whole)) // an item that is not in m
	}
	if kept == 0 {
		return []change{remove(directory)}
	}
	if padding, ok := p.find(spaceItem, "Padding", 0); ok && p.kind(0) == semanticPrimary {
		changes = append(changes, p.set(padding, gap)...)
	}
	return changes
}

// indexLength is the number of bytes that multiPictureIndex returns: header, count, entries, link, and two pictures.
const indexLength = 8 + 2 + 3*entryLength + 4 + 2*16

// multiPictureIndex returns the payload, after its identifier, of the MPF segment (CIPA DC-007, 5) in a file of two
// pictures. picture and gainMap are their lengths in bytes. The gain map begins offset bytes after the result's start.
func multiPictureIndex(picture, offset, gainMap int64) []byte {
	const (
		tagVersion, tagCount, tagEntries = 0xb000, 0xb001, 0xb002
		baseline                         = 0x030000 // the type of the first picture; the second has type 0
	)
	order := binary.BigEndian
	b := header(order)
	b = order.AppendUint16(b, 3) // entries
	add := func(tag, kind uint16, count uint32) {
		b = order.AppendUint32(order.AppendUint16(order.AppendUint16(b, tag), kind), count)
	}
	add(tagVersion, typeUndefined, 4)
	b = append(b, "0100"...)
	add(tagCount, typeLong, 1)
	b = order.AppendUint32(b, 2)
	add(tagEntries, typeUndefined, 2*16)
	b = order.AppendUint32(b, indexLength-2*16)
	b = order.AppendUint32(b, 0)                                                // there is no second directory
	for _, v := range []int64{baseline, picture, 0, 0, 0, gainMap, offset, 0} { // type, length, offset, no dependents
		b = order.AppendUint32(b, uint32(v))
	}
	return b
}
