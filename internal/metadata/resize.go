package metadata

import (
	"bytes"
	"image"
	"math"
	"strings"
)

// Resizing says how the pixels of a result lie in the upright original, which the metadata describe.
type Resizing struct {
	From, To image.Point     // the sizes in pixels of the original and of its enlargement
	Part     image.Rectangle // the part of the enlargement, in its pixels, that becomes the result; empty: all of it
}

// size returns the size of the result in pixels.
func (z Resizing) size() image.Point {
	if z.Part.Empty() {
		return z.To
	}
	return z.Part.Size()
}

// scales returns the enlargement's pixels per pixel of the original, across and down.
func (z Resizing) scales() (x, y float64) {
	return float64(z.To.X) / float64(z.From.X), float64(z.To.Y) / float64(z.From.Y)
}

// Resized returns m adapted to a result of another size, and warnings about metadata that it had to leave out. Memory
// is shared with m where nothing changes. Resized corrects the sizes in pixels, of the picture and of a panorama, and
// the coordinates on Earth. A part loses the gain map and the film. Resolutions, which are for printing, stay.
func (m Metadata) Resized(z Resizing) (_ Metadata, warnings []string) {
	if z.From.X < 1 || z.From.Y < 1 {
		return m, nil
	}
	if !z.Part.Empty() && z.size() != z.To {
		for _, b := range []struct {
			name  string
			bytes *[]byte
		}{{"gain map", &m.GainMap}, {"film", &m.Film}} {
			if *b.bytes != nil {
				*b.bytes = nil
				warnings = append(warnings, "its "+b.name+" is left out: it is of the whole picture")
			}
		}
	}
	m.EXIF = z.exif(m.EXIF)
	m.XMP = z.xmp(m.XMP)
	if m.Geo != nil {
		if m.Geo = z.geo(m.Geo, m.Orientation); m.Geo == nil {
			warnings = append(warnings, "its coordinates (GeoTIFF) are left out: they are damaged, or it was turned")
		}
	}
	return m, warnings
}

// exif returns a copy of an EXIF block with the result's size, and with the sensor's pixels per unit times z.scales.
func (z Resizing) exif(block []byte) []byte {
	const (
		tagWidth, tagHeight  = 0x0100, 0x0101 // some cameras write them in the first directory, against the standard
		tagAcross, tagDown   = 0xa002, 0xa003 // PixelXDimension, PixelYDimension
		tagFocalX, tagFocalY = 0xa20e, 0xa20f // FocalPlaneXResolution, FocalPlaneYResolution
	)
	f, ok := tiffIn(bodyOf(block))
	if !ok {
		return block
	}
	out, size := bytes.Clone(block), z.size()
	sx, sy := z.scales()
	walk := func(at uint64) {
		for e := range f.fields(at) {
			switch e.Tag {
			case tagWidth, tagAcross:
				f.setNumber(out, e, size.X)
			case tagHeight, tagDown:
				f.setNumber(out, e, size.Y)
			case tagFocalX:
				f.scaleRatio(out, e, sx)
			case tagFocalY:
				f.scaleRatio(out, e, sy)
			}
		}
	}
	walk(f.first)
	for e := range f.fields(f.first) {
		if e.Tag == tagExif && e.kind == typeLong && e.count == 1 {
			walk(e.Number)
			break
		}
	}
	return out
}

// setNumber sets the value of e in b, the bytes of f, to n, if it is one integer. 16 bits become 32 if n needs them.
func (f tiffFile) setNumber(b []byte, e TIFFEntry, n int) {
	if e.count != 1 || e.kind != typeShort && e.kind != typeLong {
		return
	}
	value := b[e.at+8 : e.at+12]
	if e.kind == typeLong || n > math.MaxUint16 {
		f.order.PutUint16(b[e.at+2:], typeLong)
		f.order.PutUint32(value, uint32(n))
		return
	}
	f.order.PutUint16(value, uint16(n))
}

// scaleRatio multiplies the value of e in b, the bytes of f, by scale, if it is a single fraction and 32 bits suffice.
func (f tiffFile) scaleRatio(b []byte, e TIFFEntry, scale float64) {
	v, ok := f.value(e)
	if !ok || e.count != 1 || e.kind != typeRational {
		return
	}
	value := b[v.at-f.at:]
	over, under := f.order.Uint32(value), f.order.Uint32(value[4:])
	if ratio := float64(over) / float64(under) * scale; under > 0 && scale != 1 && ratio < math.MaxUint32 {
		r := fraction(ratio)
		f.order.PutUint32(value, r[0])
		f.order.PutUint32(value[4:], r[1])
	}
}

// swapResolutions exchanges the horizontal and the vertical resolution in b, the bytes of the EXIF block f.
func swapResolutions(b []byte, f tiffFile) {
	var values [2][]byte
	for e := range f.fields(f.first) {
		v, ok := f.value(e)
		i := int(e.Tag) - tagXResolution // tagYResolution is the next number
		if ok && (i == 0 || i == 1) && e.kind == typeRational && e.count == 1 {
			values[i] = b[v.at-f.at:][:v.Len]
		}
	}
	if values[0] != nil && values[1] != nil {
		x := bytes.Clone(values[0])
		copy(values[0], values[1])
		copy(values[1], x)
	}
}

// xmp returns a copy of an XMP packet that states the size of the result, or the packet itself where it states no size.
func (z Resizing) xmp(text []byte) []byte {
	if !contains(text, spaceTIFF, spaceEXIF, spacePanorama) {
		return text
	}
	p, err := parseXMP(text, spaceTIFF, spaceEXIF, spacePanorama)
	if err != nil {
		return text // no other program can parse it either
	}
	var changes []change
	for _, of := range p.properties {
		n, ok := p.wholeNumber(of) // the value before; only a panorama's property needs one
		switch of.space + of.name {
		case spaceTIFF + "ImageWidth", spaceEXIF + "PixelXDimension":
			n, ok = int64(z.size().X), true
		case spaceTIFF + "ImageLength", spaceEXIF + "PixelYDimension":
			n, ok = int64(z.size().Y), true
		default:
			down, is := panorama[of.name]
			ok = ok && is && of.space == spacePanorama
			n = z.resizePanorama(of.name, n, down)
		}
		if ok {
			changes = append(changes, p.set(of, n)...)
		}
	}
	return p.applyChanges(changes)
}

// IsPanorama reports whether the XMP packet (GPano) says that the picture is an equirectangular panorama of 360°, not
// cropped across, so that the left and right edges meet.
func (m Metadata) IsPanorama() bool {
	if !contains(m.XMP, spacePanorama) {
		return false
	}
	p, err := parseXMP(m.XMP, spacePanorama)
	if err != nil {
		return false
	}
	values := map[string]string{}
	for _, of := range p.properties {
		values[of.name] = p.value(of)
	}
	full, cropped := values["FullPanoWidthPixels"], values["CroppedAreaImageWidthPixels"]
	return values["ProjectionType"] == "equirectangular" && (full == cropped || cropped == "")
}

// panorama holds the properties of Google's Photo Sphere XMP (GPano) that count pixels: true downwards, false across.
var panorama = map[string]bool{
	"FullPanoWidthPixels": false, "FullPanoHeightPixels": true,
	"CroppedAreaImageWidthPixels": false, "CroppedAreaImageHeightPixels": true,
	"CroppedAreaLeftPixels": false, "CroppedAreaTopPixels": true,
	"LargestValidInteriorRectLeft": false, "LargestValidInteriorRectTop": true,
	"LargestValidInteriorRectWidth": false, "LargestValidInteriorRectHeight": true,
}

// resizePanorama returns n, the value of the GPano property name, adapted to the result. down says that n counts
// pixels downwards, not across. The whole panorama grows by the scale, even if the result is only a part.
func (z Resizing) resizePanorama(name string, n int64, down bool) int64 {
	start, from, part := z.Part.Min.X, z.From.X, z.Part.Dx()
	scale, scaleDown := z.scales()
	if down {
		start, from, part, scale = z.Part.Min.Y, z.From.Y, z.Part.Dy(), scaleDown
	}
	if strings.HasPrefix(name, "CroppedAreaImage") && n == int64(from) && !z.Part.Empty() {
		return int64(part) // n is a side of the picture
	}
	n = int64(math.Round(min(float64(n)*scale, 1<<50))) // 1<<50: far above any panorama
	if name == "CroppedAreaLeftPixels" || name == "CroppedAreaTopPixels" {
		n += int64(start)
	}
	return n
}
