package metadata_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"math"
	"slices"
	"strings"
	"testing"

	"superres/internal/imagefile"
	"superres/internal/imagefile/imagetest"
	"superres/internal/metadata"
)

// twice is a result of twice the size of a picture of 5×4 pixels.
var twice = metadata.Resizing{From: image.Pt(5, 4), To: image.Pt(10, 8)}

// sizedEXIF is an EXIF block with a width and a height of the given type in both directories, an orientation, the
// resolutions 300 and 150, and 1000/3 and 500/1 pixels of the sensor a unit.
func sizedEXIF(order binary.AppendByteOrder, kind uint16, w, h, orientation uint32) []byte {
	number := func(kind uint16, v uint32) uint32 {
		if kind == 3 && order == binary.AppendByteOrder(binary.BigEndian) {
			return v << 16
		}
		return v
	}
	b := []byte("II*\x00\x08\x00\x00\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		b = []byte("MM\x00*\x00\x00\x00\x08")
	}
	const first, second = 8 + 2 + 6*12 + 4, 2 + 4*12 + 4
	values := uint32(first + second)
	for _, d := range [][][]byte{{
		imagetest.TIFFEntry(order, 0x0100, kind, 1, number(kind, w)),
		imagetest.TIFFEntry(order, 0x0101, kind, 1, number(kind, h)),
		imagetest.TIFFEntry(order, 0x0112, 3, 1, number(3, orientation)),
		imagetest.TIFFEntry(order, 0x011a, 5, 1, values), imagetest.TIFFEntry(order, 0x011b, 5, 1, values+8),
		imagetest.TIFFEntry(order, 0x8769, 4, 1, first)}, {
		imagetest.TIFFEntry(order, 0xa002, kind, 1, number(kind, w)),
		imagetest.TIFFEntry(order, 0xa003, kind, 1, number(kind, h)),
		imagetest.TIFFEntry(order, 0xa20e, 5, 1, values+16), imagetest.TIFFEntry(order, 0xa20f, 5, 1, values+24)}} {
		b = order.AppendUint16(b, uint16(len(d)))
		b = append(append(b, slices.Concat(d...)...), 0, 0, 0, 0)
	}
	for _, v := range []uint32{300, 1, 150, 1, 1000, 3, 500, 1} {
		b = order.AppendUint32(b, v)
	}
	return b
}

// EXIF says the size of the result, and pixels of the sensor become smaller, so that the size of the sensor, which
// programs compute from both, stays.
func TestSizeInEXIF(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, kind := range []uint16{3, 4} {
			before := sizedEXIF(order, kind, 5, 4, 1)
			m := metadata.Metadata{EXIF: bytes.Clone(before)}
			got, _ := m.Resized(twice)
			if !bytes.Equal(m.EXIF, before) {
				t.Error("the block that was given has changed")
			}
			want := sizedEXIF(order, kind, 10, 8, 1)
			n := len(want)
			for i, v := range []uint32{666667, 1000, 1000, 1} {
				order.(binary.ByteOrder).PutUint32(want[n-16+4*i:], v)
			}
			if !bytes.Equal(got.EXIF, want) {
				t.Errorf("%v, type %d: %x, want %x", order, kind, got.EXIF, want)
			}
			// A number that does not fit into 16 bits gets 32.
			large, _ := m.Resized(metadata.Resizing{From: image.Pt(5, 4), To: image.Pt(70_000, 56_000)})
			if v := tags(t, large.EXIF)["/0x8769/0xa002"]; v != "4×1 00011170" {
				t.Errorf("a width of 70000 is %s", v)
			}
		}
	}
}

// Where a turn swaps the sides, it swaps the resolutions.
func TestResolutionIsTurned(t *testing.T) {
	density := imagetest.JPEGSegment(0xe0, []byte("JFIF\x00\x01\x01\x01\x01\x2c\x00\x96\x00\x00")...) // 300×150 dpi
	for o := range 9 {
		exif := sizedEXIF(binary.BigEndian, 4, 5, 4, uint32(o))
		for what, data := range map[string][]byte{"JFIF": jpegWith(t, colours(), blocks{exif: exif}, density),
			"EXIF": jpegWith(t, colours(), blocks{exif: exif})} {
			want := metadata.Resolution{X: 300, Y: 150, Unit: metadata.Inch}
			if o >= 5 {
				want.X, want.Y = want.Y, want.X
			}
			got := decoded(t, data).Metadata
			if got.Resolution != want {
				t.Errorf("%s, orientation %d: %v", what, o, got.Resolution)
			}
			if again := decoded(t, webpWith(blocks{exif: got.EXIF})).Metadata; again.Resolution != want {
				t.Errorf("%s, orientation %d: EXIF says %v", what, o, again.Resolution)
			}
		}
	}
}

// What XMP says of the size becomes true, as attributes and as elements, and nothing else changes.
func TestSizeInXMP(t *testing.T) {
	packet := func(attributes, elements string, numbers ...string) []byte {
		text := imagetest.Packet(attributes, elements)
		for i, n := range numbers {
			text = strings.ReplaceAll(text, "$"+string(rune('a'+i)), n)
		}
		return []byte(text)
	}
	const attributes = `tiff:ImageWidth="$a" tiff:ImageLength='$b' GPano:ProjectionType="equirectangular" ` +
		`GPano:FullPanoWidthPixels="$c" GPano:FullPanoHeightPixels = "$d" GPano:CroppedAreaImageWidthPixels="$a" ` +
		`GPano:PoseHeadingDegrees="5"`
	const elements = `<exif:PixelXDimension>$a</exif:PixelXDimension><exif:PixelYDimension>$b</exif:PixelYDimension>` +
		`<GPano:CroppedAreaImageHeightPixels>$b</GPano:CroppedAreaImageHeightPixels>` +
		`<GPano:CroppedAreaLeftPixels>$e</GPano:CroppedAreaLeftPixels><GPano:CroppedAreaTopPixels>$f` +
		`</GPano:CroppedAreaTopPixels><!-- <tiff:ImageWidth>7 -->`
	m := metadata.Metadata{XMP: packet(attributes, elements, "5", "4", "30", "15", "3", "1")}
	for _, c := range []struct {
		how  metadata.Resizing
		want []string
	}{
		{twice, []string{"10", "8", "60", "30", "6", "2"}},
		{metadata.Resizing{From: twice.From, To: twice.From}, []string{"5", "4", "30", "15", "3", "1"}},
		{metadata.Resizing{From: twice.From, To: twice.To, Part: image.Rect(4, 2, 9, 5)},
			[]string{"5", "3", "60", "30", "10", "4"}},
	} {
		got, _ := m.Resized(c.how)
		if want := packet(attributes, elements, c.want...); !bytes.Equal(got.XMP, want) {
			t.Errorf("%v: %s, want %s", c.how, got.XMP, want)
		}
	}
	bad := metadata.Metadata{XMP: []byte(`<x xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:ImageWidth="5"`)}
	if got, warnings := bad.Resized(twice); !bytes.Equal(got.XMP, bad.XMP) || warnings != nil {
		t.Errorf("a packet that is cut: %s, %q", got.XMP, warnings)
	}
}

// A part of the picture has no gain map and no film, which are of the whole picture.
func TestPartHasNoGainMap(t *testing.T) {
	m := metadata.Metadata{GainMap: smallMap(t), Film: imagetest.Film(99)}
	got, warnings := m.Resized(metadata.Resizing{From: twice.From, To: twice.To, Part: image.Rect(0, 0, 9, 5)})
	if got.GainMap != nil || got.Film != nil || len(warnings) != 2 {
		t.Errorf("%v, %q", got, warnings)
	}
}

// geoTIFF is a TIFF of 5×4 pixels with tags of GeoTIFF: a size of pixels and a tie point or, with matrix, a matrix, and
// the raster type. order is the byte order of the file.
func geoTIFF(order binary.AppendByteOrder, matrix bool, raster uint32) []byte {
	var values []byte
	put := func(v ...float64) uint32 {
		at := uint32(8 + len(values))
		for _, f := range v {
			values = order.AppendUint64(values, math.Float64bits(f))
		}
		return at
	}
	scale, tie := put(10, 20, 0), put(1, 2, 0, 5000, 7000, 0)
	transform := put(10, 3, 0, 5000, 2, -20, 0, 7000, 0, 0, 0, 0, 0, 0, 0, 1)
	keys := put() // four numbers for the head, and for each key
	for _, v := range []uint16{1, 1, 0, 2, 1024, 0, 1, 1, 1025, 0, 1, uint16(raster)} {
		values = order.AppendUint16(values, v)
	}
	text := uint32(8 + len(values))
	values = append(values, "WGS 84|\x00"...)
	pixels := uint32(8 + len(values))
	values = append(values, make([]byte, 20)...)
	short := func(v uint32) uint32 {
		if order == binary.AppendByteOrder(binary.BigEndian) {
			return v << 16
		}
		return v
	}
	entries := [][]byte{
		imagetest.TIFFEntry(order, 256, 3, 1, short(5)), imagetest.TIFFEntry(order, 257, 3, 1, short(4)),
		imagetest.TIFFEntry(order, 258, 3, 1, short(8)), imagetest.TIFFEntry(order, 259, 3, 1, short(1)),
		imagetest.TIFFEntry(order, 262, 3, 1, short(1)), imagetest.TIFFEntry(order, 273, 4, 1, pixels),
		imagetest.TIFFEntry(order, 277, 3, 1, short(1)), imagetest.TIFFEntry(order, 278, 3, 1, short(4)),
		imagetest.TIFFEntry(order, 279, 4, 1, 20)}
	if matrix {
		entries = append(entries, imagetest.TIFFEntry(order, 34264, 12, 16, transform))
	} else {
		entries = append(entries, imagetest.TIFFEntry(order, 33550, 12, 3, scale),
			imagetest.TIFFEntry(order, 33922, 12, 6, tie))
	}
	entries = append(entries, imagetest.TIFFEntry(order, 34735, 3, 12, keys),
		imagetest.TIFFEntry(order, 34737, 2, 8, text), imagetest.TIFFEntry(order, 42113, 2, 3, map[bool]uint32{
			true: 0x2d390000, false: 0x392d}[order == binary.AppendByteOrder(binary.BigEndian)]))
	head := []byte("II*\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		head = []byte("MM\x00*")
	}
	b := append(order.AppendUint32(head, uint32(8+len(values))), values...)
	b = append(order.AppendUint16(b, uint16(len(entries))), slices.Concat(entries...)...)
	return append(b, 0, 0, 0, 0)
}

// place returns where on Earth the tags of a TIFF put the place (x, y), counted from the corner of the first pixel.
func place(tags []metadata.GeoTag, x, y float64) (east, north float64) {
	v := map[uint16][]float64{}
	for _, tag := range tags {
		for b := tag.Data; tag.Type == 12 && len(b) >= 8; b = b[8:] {
			v[tag.Tag] = append(v[tag.Tag], math.Float64frombits(binary.LittleEndian.Uint64(b)))
		}
		if tag.Tag == 34735 && binary.LittleEndian.Uint16(tag.Data[len(tag.Data)-2:]) == 2 {
			x, y = x-0.5, y-0.5 // from the centre
		}
	}
	if m := v[34264]; m != nil {
		return m[0]*x + m[1]*y + m[3], m[4]*x + m[5]*y + m[7]
	}
	scale, tie := v[33550], v[33922]
	return tie[3] + (x-tie[0])*scale[0], tie[4] - (y-tie[1])*scale[1]
}

// Every place of a result lies on Earth where it lay in the picture, by a tie point and by a matrix, with pixels that
// count from a corner or from a centre. All other tags stay, and no other format has them.
func TestGeoTIFF(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for i := range 4 {
			matrix, raster := i%2 == 1, uint32(1+i/2)
			p := decoded(t, geoTIFF(order, matrix, raster))
			for _, how := range []metadata.Resizing{twice, {From: twice.From, To: image.Pt(15, 16)},
				{From: twice.From, To: twice.To, Part: image.Rect(4, 2, 9, 5)}} {
				m, _ := p.Metadata.Resized(how)
				img := image.NewGray(image.Rectangle{Max: how.To})
				file := encoded(t, img, "tiff", imagefile.EncodeOptions{Metadata: m})
				got := decoded(t, file).Metadata
				if len(got.Geo) != len(p.Metadata.Geo) || len(got.Geo) != 5-i%2 {
					t.Fatalf("%v: %d tags", how, len(got.Geo))
				}
				for j, tag := range got.Geo {
					old := p.Metadata.Geo[j]
					if tag.Tag >= 34735 && !bytes.Equal(tag.Data, old.Data) || tag.Tag != old.Tag {
						t.Errorf("%v: tag %d is %x", how, tag.Tag, tag.Data)
					}
				}
				for _, at := range [][2]float64{{0, 0}, {5, 4}, {1.5, 0.25}} {
					a, b := place(p.Metadata.Geo, at[0], at[1])
					c, d := place(got.Geo, at[0]*float64(how.To.X)/5-float64(how.Part.Min.X),
						at[1]*float64(how.To.Y)/4-float64(how.Part.Min.Y))
					if math.Abs(a-c) > 1e-9*a || math.Abs(b-d) > 1e-9*b {
						t.Errorf("%v, matrix %v, raster %d: %v is at %v,%v, not at %v,%v", how, matrix, raster, at,
							c, d, a, b)
					}
				}
			}
			if _, lost := p.Metadata.For("png", true); strings.Join(lost, "") !=
				"its coordinates (GeoTIFF) are left out: only a TIFF keeps them" {
				t.Errorf("to PNG: %q", lost)
			}
			p.Metadata.Orientation = 6
			if m, lost := p.Metadata.Resized(twice); m.Geo != nil || len(lost) != 1 {
				t.Errorf("turned: %v, %q", m.Geo, lost)
			}
		}
	}
}

// RPCs count lines and samples from the centre of the first pixel: the middle of a pixel of 3×2 is 1 and 0.5 further.
func TestRationalsOfGeoTIFF(t *testing.T) {
	var b []byte
	for i, v := range []float64{-1, -1, 30, 40, 45, 15, 100, 30, 40, 0.1, 0.1, 500} { // RPC00B, 2 to 5 and 7 to 9
		b = binary.LittleEndian.AppendUint64(b[:8*i], math.Float64bits(v))
	}
	m := metadata.Metadata{Geo: []metadata.GeoTag{{Tag: 50844, Type: 12, Data: b}}}
	got, _ := m.Resized(metadata.Resizing{From: image.Pt(80, 60), To: image.Pt(240, 120),
		Part: image.Rect(7, 5, 99, 99)})
	want := []float64{-1, -1, 2*30 + 0.5 - 5, 3*40 + 1 - 7, 45, 15, 100, 2 * 30, 3 * 40, 0.1, 0.1, 500}
	for i, v := range want {
		if is := math.Float64frombits(binary.LittleEndian.Uint64(got.Geo[0].Data[8*i:])); is != v {
			t.Errorf("number %d is %v, not %v", i, is, v)
		}
	}
}

// A panorama of 360° says so in GPano, and not where it is cropped across.
func TestIsPanorama(t *testing.T) {
	of := func(attributes string) bool {
		return metadata.Metadata{XMP: []byte(`<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf=` +
			`"http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" ` +
			`xmlns:GPano="http://ns.google.com/photos/1.0/panorama/" ` + attributes + `/></rdf:RDF></x:xmpmeta>`)}.IsPanorama()
	}
	const whole = `GPano:ProjectionType="equirectangular" GPano:FullPanoWidthPixels="4000" `
	for attributes, want := range map[string]bool{
		whole: true, whole + `GPano:CroppedAreaImageWidthPixels="4000"`: true,
		whole + `GPano:CroppedAreaImageWidthPixels="3000"`: false, `GPano:ProjectionType="cylindrical"`: false,
		`GPano:FullPanoWidthPixels="4000"`: false,
	} {
		if got := of(attributes); got != want {
			t.Errorf("%s: %t", attributes, got)
		}
	}
}
