package metadata

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

// GeoTIFF (OGC 19-008r4) says where on Earth the pixels of a TIFF lie: by the size of a pixel and tie points, places
// known in pixels and on Earth, or by a 4×4 matrix. Pixel coordinates count from the corner of the first pixel or,
// where the key GTRasterType says so, and for rational polynomials (GDAL, "RPCs in TIFF"), from its centre.

// The directory tags of GeoTIFF, and GDAL's tags for texts and for the value of missing pixels.
const (
	tagPixelScale     = 33550
	tagTiePoints      = 33922
	tagTransformation = 34264
	tagGeoKeys        = 34735
	tagGeoDoubles     = 34736
	tagGeoTexts       = 34737
	tagRationals      = 50844 // RPC00B, a satellite camera as quotients of polynomials
	tagGDALMetadata   = 42112
	tagGDALNoData     = 42113

	typeDouble = 12
)

// GeoTag is a TIFF directory entry that belongs to GeoTIFF or GDAL. Data is its value in little-endian order.
type GeoTag struct {
	Tag, Type uint16
	Data      []byte
}

// isGeo reports whether a tag belongs to GeoTIFF or GDAL.
func isGeo(tag uint16) bool {
	switch tag {
	case tagPixelScale, tagTiePoints, tagTransformation, tagGeoKeys, tagGeoDoubles, tagGeoTexts, tagRationals,
		tagGDALMetadata, tagGDALNoData:
		return true
	}
	return false
}

// geo stores e, an entry of f with the value v, in r.m.Geo if it is the first with its tag, a tag of GeoTIFF or GDAL.
func (r *reader) geo(f tiffFile, e TIFFEntry, v Body) {
	if !isGeo(e.Tag) || !r.isFirst(fmt.Sprint("geo ", e.Tag)) || !r.fits("entry of GeoTIFF", v.Len) {
		return
	}
	b := r.keepBlock(inOnePiece(v))
	r.size += partBytes
	if b == nil { // r only measures
		return
	}
	if f.order == binary.ByteOrder(binary.BigEndian) {
		swapBytes(b, e.kind)
	}
	r.m.Geo = append(r.m.Geo, GeoTag{e.Tag, e.kind, b})
}

// swapBytes reverses the bytes of each number in b. kind is the TIFF type of the numbers.
func swapBytes(b []byte, kind uint16) {
	n := int(typeLengths[kind])
	if kind == typeRational || kind == 10 { // a fraction (10: with a sign) is two numbers
		n = 4
	}
	for ; n > 1 && len(b) >= n; b = b[n:] {
		slices.Reverse(b[:n])
	}
}

// geo returns tags as directory entries in the byte order of l.
func (l tiffEntries) geo(tags []GeoTag) (d directory) {
	for _, g := range tags {
		b := slices.Clone(g.Data)
		if l.order == binary.ByteOrder(binary.BigEndian) {
			swapBytes(b, g.Type)
		}
		count := len(b) / int(typeLengths[g.Type])
		d = append(d, entry{tag: g.Tag, kind: g.Type, count: uint32(count), value: bodyOf(b)})
	}
	return d
}

// geo returns tags, in new memory, adapted to a result of another size. It returns nil if a tag that says where pixels
// lie is damaged, or if the picture was stored turned or mirrored, as orientation says: such a tag cannot express that.
//
// Pixel coordinates (x, y) of the picture become (a·x + c, b·y + d) of the result. So a pixel of the result is 1/a as
// wide and 1/b as high on Earth, and a matrix is multiplied from the right by the inverse of this map. float64 around a
// product keeps the compiler from fusing it with a sum, since not all processors do that.
func (z Resizing) geo(tags []GeoTag, orientation int) []GeoTag {
	if orientation > 1 && hasPlace(tags) {
		return nil
	}
	a, b := z.scales()
	left, top := -float64(z.Part.Min.X), -float64(z.Part.Min.Y)
	centreX, centreY := left+(a-1)/2, top+(b-1)/2 // c and d where coordinates count from the centre of a pixel
	c, d := left, top
	if countsCentres(tags) {
		c, d = centreX, centreY
	}
	tags = slices.Clone(tags)
	for i := range tags {
		t := &tags[i]
		if !t.isPlace() {
			continue
		}
		v := t.readDoubles()
		switch {
		case t.Tag == tagPixelScale && len(v) >= 2:
			v[0], v[1] = v[0]/a, v[1]/b
		case t.Tag == tagTiePoints && len(v) >= 6 && len(v)%6 == 0:
			for p := v; len(p) > 0; p = p[6:] { // x, y, z in pixels, then on Earth
				p[0], p[1] = float64(a*p[0])+c, float64(b*p[1])+d
			}
		case t.Tag == tagTransformation && len(v) == 16:
			for row := v; len(row) > 0; row = row[4:] {
				row[0], row[1] = row[0]/a, row[1]/b
				row[3] = row[3] - float64(row[0]*c) - float64(row[1]*d) // with row[0] and row[1] of the result
			}
		case t.Tag == tagRationals && len(v) >= 10: // offsets of line and sample at 2, their scales at 7
			v[2], v[3] = float64(b*v[2])+centreY, float64(a*v[3])+centreX
			v[7], v[8] = b*v[7], a*v[8]
		default:
			return nil
		}
		t.Data = nil
		for _, n := range v {
			t.Data = binary.LittleEndian.AppendUint64(t.Data, math.Float64bits(n))
		}
	}
	return tags
}

// isPlace reports whether the value of the tag refers to pixel coordinates.
func (t GeoTag) isPlace() bool {
	return slices.Contains([]uint16{tagPixelScale, tagTiePoints, tagTransformation, tagRationals}, t.Tag)
}

// hasPlace reports whether tags say where the pixels lie, and are not only keys or GDAL's notes.
func hasPlace(tags []GeoTag) bool { return slices.ContainsFunc(tags, GeoTag.isPlace) }

// readDoubles returns the value of t as numbers, or nil if its type is not double.
func (t GeoTag) readDoubles() (v []float64) {
	for b := t.Data; t.Type == typeDouble && len(b) >= 8; b = b[8:] {
		v = append(v, math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	return v
}

// countsCentres reports whether pixel coordinates count from the centre of the first pixel, not from its corner. The
// key directory has four 16-bit numbers, then four for each key: the key, its place (0: here), a count, the value.
func countsCentres(tags []GeoTag) bool {
	const rasterType, point = 1025, 2
	for _, t := range tags {
		if t.Tag != tagGeoKeys || t.Type != typeShort {
			continue
		}
		for b := t.Data; len(b) >= 16; b = b[8:] {
			key := b[8:]
			if binary.LittleEndian.Uint16(key) == rasterType && binary.LittleEndian.Uint16(key[2:]) == 0 {
				return binary.LittleEndian.Uint16(key[6:]) == point
			}
		}
	}
	return false
}
