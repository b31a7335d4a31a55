package metadata_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"slices"
	"testing"

	"superres/internal/imagefile"
	"superres/internal/imagefile/imagetest"
	"superres/internal/metadata"
	"superres/internal/must"
)

// What the tests put into files is laid out here by hand, and what comes out is read
// by a walker of their own, so that a mistake of the package shows.

// packet is an XMP packet with an orientation, written in both ways.
func packet(o int) []byte {
	return fmt.Appendf(nil, `<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta `+
		`xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description tiff:Orientation="%d" `+
		`dc:title="Größe"/><tiff:Orientation>%d</tiff:Orientation></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`, o, o)
}

// exifBlock is an EXIF block in an unusual but valid order: the values first, then the directories from the last to
// the first, with gaps. Its maker's notes refer to a place in the block by its offset from the start.
func exifBlock(order binary.AppendByteOrder, orientation uint16) []byte {
	b := []byte("II*\x00\x00\x00\x00\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		b = []byte("MM\x00*\x00\x00\x00\x00")
	}
	put := func(v []byte) uint32 {
		at := uint32(len(b))
		b = append(append(b, v...), "??"[:2-len(v)%2]...)
		return at
	}
	type row struct {
		tag, kind uint16
		count, v  uint32
	}
	dir := func(next uint32, rows ...row) uint32 {
		var d []byte
		d = order.AppendUint16(d, uint16(len(rows)))
		for _, r := range rows {
			d = order.AppendUint16(order.AppendUint16(d, r.tag), r.kind)
			d = order.AppendUint32(d, r.count)
			if r.kind == 3 && r.count == 1 {
				d = order.AppendUint16(order.AppendUint16(d, uint16(r.v)), 0)
			} else {
				d = order.AppendUint32(d, r.v)
			}
		}
		return put(order.AppendUint32(d, next))
	}
	rational := func(v ...uint32) uint32 {
		var r []byte
		for _, n := range v {
			r = order.AppendUint32(r, n)
		}
		return put(r)
	}
	maker, camera := put([]byte("Cameras & Sons\x00")), put([]byte("Model 7 with a long name\x00"))
	taken := put([]byte("2024:05:06 07:08:09\x00"))
	ring := put([]byte("the serial number of the lens"))
	notes := put(order.AppendUint32([]byte("MakerNote 1.0\x00\x00\x00"), ring))
	thumbnail := put([]byte("\xff\xd8 a small picture \xff\xd9"))

	interop := dir(0, row{1, 2, 4, 0x00383952})
	exif := dir(0, row{0x829a, 5, 1, rational(1, 250)}, row{0x9003, 2, 20, taken}, row{0x927c, 7, 20, notes},
		row{0xa001, 3, 1, 1}, row{0xa002, 4, 1, 5}, row{0xa005, 4, 1, interop})
	gps := dir(0, row{1, 2, 2, 0x4e000000}, row{2, 5, 3, rational(52, 1, 31, 1, 12345, 1000)})
	second := dir(0, row{0x0103, 3, 1, 6}, row{0x0201, 4, 1, thumbnail}, row{0x0202, 4, 1, 21})
	first := dir(second, row{0x010f, 2, 15, maker}, row{0x0110, 2, 25, camera}, row{0x0112, 3, 1, uint32(orientation)},
		row{0x011a, 5, 1, rational(300, 1)}, row{0x011b, 5, 1, rational(300, 1)}, row{0x0128, 3, 1, 2},
		row{0x8769, 4, 1, exif}, row{0x8825, 4, 1, gps})
	order.(binary.ByteOrder).PutUint32(b[4:], first)
	return b
}

// tags lists what an EXIF block or a TIFF says, by directory and tag, with the bytes of each value in big-endian order.
func tags(t *testing.T, b []byte) map[string]string {
	t.Helper()
	var order binary.ByteOrder = binary.LittleEndian
	if b[0] == 'M' {
		order = binary.BigEndian
	}
	found := map[string]string{}
	var walk func(name string, at uint32)
	walk = func(name string, at uint32) {
		n := uint32(order.Uint16(b[at:]))
		last := -1
		for i := range n {
			e := b[at+2+12*i:]
			tag, kind, count := order.Uint16(e), order.Uint16(e[2:]), order.Uint32(e[4:])
			if int(tag) <= last {
				t.Errorf("%s: tag %#x behind %#x", name, tag, last)
			}
			last = int(tag)
			unit := map[uint16]uint32{1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 7: 1}[kind]
			size := unit * count
			if kind == 5 {
				size *= 2
			}
			v := e[8:12]
			if size > 4 {
				v = b[order.Uint32(e[8:]):]
			}
			switch tag {
			case 0x8769, 0x8825, 0xa005:
				walk(fmt.Sprintf("%s/%#x", name, tag), order.Uint32(e[8:]))
				continue
			}
			v = bytes.Clone(v[:size])
			if order == binary.ByteOrder(binary.LittleEndian) {
				for j := uint32(0); unit > 1 && j < size; j += unit {
					for a, z := j, j+unit-1; a < z; a, z = a+1, z-1 {
						v[a], v[z] = v[z], v[a]
					}
				}
			}
			found[fmt.Sprintf("%s/%#x", name, tag)] = fmt.Sprintf("%d×%d %x", kind, count, v)
		}
	}
	walk("", order.Uint32(b[4:]))
	return found
}

func packed(b []byte) []byte {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	w.Write(b)
	w.Close()
	return z.Bytes()
}

func jpegSegment(marker byte, payload []byte) []byte {
	return imagetest.JPEGSegment(marker, payload...)
}

// blocks are the three big ones of a file.
type blocks struct{ icc, exif, xmp []byte }

// pngWith puts blocks into a PNG: profile and EXIF before the pixels, XMP behind.
func pngWith(t testing.TB, img image.Image, m blocks, more ...[]byte) []byte {
	t.Helper()
	var front [][]byte
	if m.icc != nil {
		front = append(front, imagetest.PNGChunk("iCCP", append([]byte("name\x00\x00"), packed(m.icc)...)))
	}
	front = append(front, more...)
	if m.exif != nil {
		front = append(front, imagetest.PNGChunk("eXIf", m.exif))
	}
	data := imagetest.WithChunks(imagetest.PNG(t, img), front...)
	if m.xmp != nil {
		text := append([]byte("XML:com.adobe.xmp\x00\x01\x00en\x00title\x00"), packed(m.xmp)...)
		data = slices.Insert(data, len(data)-12, imagetest.PNGChunk("iTXt", text)...)
	}
	return data
}

// jpegWith puts blocks into a JPEG, the profile in parts of 1000 bytes, the last part first.
func jpegWith(t testing.TB, img image.Image, m blocks, more ...[]byte) []byte {
	t.Helper()
	data := imagetest.JPEG(t, img, 100)
	parts := append([][]byte{data[:2]}, more...)
	n := (len(m.icc) + 999) / 1000
	for i := n; i > 0; i-- {
		head := append([]byte("ICC_PROFILE\x00"), byte(i), byte(n))
		parts = append(parts, jpegSegment(0xe2, append(head, m.icc[1000*(i-1):min(1000*i, len(m.icc))]...)))
	}
	if m.xmp != nil {
		parts = append(parts, jpegSegment(0xe1, append([]byte("http://ns.adobe.com/xap/1.0/\x00"), m.xmp...)))
	}
	if m.exif != nil {
		parts = append(parts, jpegSegment(0xe1, append([]byte("Exif\x00\x00"), m.exif...)))
	}
	return bytes.Join(append(parts, data[2:]), nil)
}

// webpWith puts blocks into a lossless WebP of 5×4 pixels of one colour.
func webpWith(m blocks) []byte {
	pixels := []byte("\x2f\x04\xc0\x00\x00\xa8\x56\x41\xeb\xd1\xff\x02\x00")
	chunk := imagetest.RIFFChunk
	body := append([]byte("WEBP"), chunk("VP8X", []byte{0x2c, 0, 0, 0, 4, 0, 0, 3, 0, 0})...)
	if m.icc != nil {
		body = append(body, chunk("ICCP", m.icc)...)
	}
	body = append(body, chunk("VP8L", pixels)...)
	if m.exif != nil {
		body = append(body, chunk("EXIF", m.exif)...)
	}
	if m.xmp != nil {
		body = append(body, chunk("XMP ", m.xmp)...)
	}
	return chunk("RIFF", body)
}

// tiffWith makes a TIFF by the package itself.
func tiffWith(t testing.TB, img image.Image, m metadata.Metadata) []byte {
	t.Helper()
	return encoded(t, img, "tiff", imagefile.EncodeOptions{Metadata: m})
}

func encoded(t testing.TB, img image.Image, format string, opt imagefile.EncodeOptions) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Succeed(t, imagefile.Encode(&b, img, imagefile.Format(format), opt))
	return b.Bytes()
}

func decoded(t testing.TB, data []byte) *imagefile.Picture {
	t.Helper()
	return must.Get(imagefile.Decode(context.Background(), bytes.NewReader(data), "test", imagefile.Limits{}))(t)
}

// colours is a small opaque picture.
func colours() *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, 5, 4))
	for i := range 20 {
		m.SetNRGBA(i%5, i/5, color.NRGBA{uint8(12 * i), uint8(255 - 9*i), uint8(i * i), 255})
	}
	return m
}
