// Package imagetest makes picture files for tests, valid and hostile ones, byte by byte, so that each fault is visible.
package imagetest

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

// Encoded returns the bytes that encode writes to memory.
func Encoded(t testing.TB, encode func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// PNG returns img as image/png writes it.
func PNG(t testing.TB, img image.Image) []byte {
	t.Helper()
	return Encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, img) })
}

// JPEG returns img as image/jpeg writes it, with a quality of 1 to 100.
func JPEG(t testing.TB, img image.Image, quality int) []byte {
	t.Helper()
	return Encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, img, &jpeg.Options{Quality: quality}) })
}

// GIF returns an animation of frames as image/gif writes it.
func GIF(t testing.TB, frames ...*image.Paletted) []byte {
	t.Helper()
	g := &gif.GIF{Image: frames, Delay: make([]int, len(frames))}
	return Encoded(t, func(b *bytes.Buffer) error { return gif.EncodeAll(b, g) })
}

// Ramp returns a w×h colour picture without equal neighbours.
func Ramp(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetNRGBA(x, y, color.NRGBA{R: uint8(37 * x), G: uint8(59 * y), B: uint8(x*y + 11), A: uint8(255 - 9*x)})
		}
	}
	return img
}

// GreyRamp returns a w×h grey picture.
func GreyRamp(w, h int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = uint8(i * 29)
	}
	return img
}

// Indexed returns a w×h picture with a colour palette.
func Indexed(w, h int) *image.Paletted {
	img := image.NewPaletted(image.Rect(0, 0, w, h), palette.Plan9)
	for i := range img.Pix {
		img.Pix[i] = uint8(i * 31)
	}
	return img
}

// Sound returns one small valid file of every format and pixel type.
func Sound(t testing.TB) map[string][]byte {
	colour, grey := Ramp(7, 5), GreyRamp(9, 6)
	return map[string][]byte{
		"colour.png":  PNG(t, colour),
		"palette.png": PNG(t, Indexed(7, 5)),
		"colour.jpeg": WithExif(JPEG(t, colour, jpeg.DefaultQuality), 6, binary.BigEndian),
		"grey.jpeg":   JPEG(t, grey, jpeg.DefaultQuality),
		"scans.jpeg":  ManyScans(16, 16, 3),
		"colour.gif":  GIF(t, Indexed(7, 5)),
		"grey.bmp":    Encoded(t, func(b *bytes.Buffer) error { return bmp.Encode(b, grey) }),
		"colour.bmp":  Encoded(t, func(b *bytes.Buffer) error { return bmp.Encode(b, colour) }),
		"colour.tiff": Encoded(t, func(b *bytes.Buffer) error { return tiff.Encode(b, colour, nil) }),
		"packed.tiff": Encoded(t, func(b *bytes.Buffer) error {
			return tiff.Encode(b, grey, &tiff.Options{Compression: tiff.Deflate})
		}),
		"plain.webp": PlainWebP(5, 4),
	}
}

// PNGChunk returns one chunk of a PNG with a correct checksum.
func PNGChunk(kind string, data []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	b = append(append(b, kind...), data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// WithChunks inserts chunks into a PNG, after its header.
func WithChunks(png []byte, chunks ...[]byte) []byte {
	const header = 33
	return slices.Concat(png[:header], slices.Concat(chunks...), png[header:])
}

// Profile returns an ICC profile of n bytes, at least 132, for "RGB ", "GRAY" or "CMYK".
func Profile(colours string, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i * i >> 3) // any content
	}
	binary.BigEndian.PutUint32(b, uint32(n))
	copy(b[16:], colours)
	copy(b[36:], "acsp")
	return b
}

// PNGHeader returns a PNG that ends after its header: w×h, RGBA of 8 bits.
func PNGHeader(w, h uint32) []byte {
	size := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	return append([]byte("\x89PNG\r\n\x1a\n"), PNGChunk("IHDR", append(size, 8, 6, 0, 0, 0))...)
}

// JPEGSegment returns one marker segment of a JPEG.
func JPEGSegment(marker byte, payload ...byte) []byte {
	return append(append([]byte{0xff, marker}, byte((len(payload)+2)>>8), byte(len(payload)+2)), payload...)
}

// JPEGFrame returns the start of a grey JPEG of w×h: SOI, a table of ones, and the frame header with the given marker,
// 0xc0 for baseline or 0xc2 for progressive.
func JPEGFrame(marker byte, w, h int) []byte {
	b := []byte{0xff, 0xd8}
	b = append(b, JPEGSegment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...)...)
	return append(b, JPEGSegment(marker, 8, byte(h>>8), byte(h), byte(w>>8), byte(w), 1, 1, 0x11, 0)...)
}

// ManyScans returns a progressive grey JPEG of w×h: a scan of DC coefficients, and n-1 of AC coefficients, all zero.
func ManyScans(w, h, n int) []byte {
	b := JPEGFrame(0xc2, w, h)
	// Each table has one code, the single bit 0: for DC "difference of 0 bits", for AC "an end of band for 2¹⁴ blocks
	// and as many more as the next 14 bits say".
	oneCode := append([]byte{1}, make([]byte, 15)...)
	b = append(b, JPEGSegment(0xc4, append(append([]byte{0x00}, oneCode...), 0x00)...)...)
	b = append(b, JPEGSegment(0xc4, append(append([]byte{0x10}, oneCode...), 0xe0)...)...)
	blocks := (w + 7) / 8 * ((h + 7) / 8)
	b = append(b, JPEGSegment(0xda, 1, 1, 0x00, 0, 0, 0)...)
	b = append(b, make([]byte, (blocks+7)/8)...)
	runs := (blocks + 1<<14 - 1) >> 14
	for range n - 1 {
		b = append(b, JPEGSegment(0xda, 1, 1, 0x00, 1, 63, 0)...)
		b = append(b, make([]byte, (15*runs+7)/8)...)
	}
	return append(b, 0xff, 0xd9)
}

// WithExif inserts an EXIF segment with the orientation o after the SOI of a JPEG.
func WithExif(jpg []byte, o int, order binary.AppendByteOrder) []byte {
	exif := []byte("Exif\x00\x00II*\x00")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		exif = []byte("Exif\x00\x00MM\x00*")
	}
	exif = order.AppendUint32(exif, 8)                             // the offset of the directory
	exif = order.AppendUint16(exif, 2)                             // the number of its entries
	exif = append(exif, TIFFEntry(order, 0x010f, 2, 4, 0)...)      // an empty maker's name
	exif = order.AppendUint16(order.AppendUint16(exif, 0x0112), 3) // the orientation, of 16 bits
	exif = order.AppendUint16(order.AppendUint16(order.AppendUint32(exif, 1), uint16(o)), 0)
	exif = order.AppendUint32(exif, 0) // no further directory
	return append(append(bytes.Clone(jpg[:2]), JPEGSegment(0xe1, exif...)...), jpg[2:]...)
}

// TIFFEntry returns one entry of a TIFF directory.
func TIFFEntry(order binary.AppendByteOrder, tag, kind uint16, count, value uint32) []byte {
	b := order.AppendUint16(order.AppendUint16(nil, tag), kind)
	return order.AppendUint32(order.AppendUint32(b, count), value)
}

// TIFFPage returns a directory with entries, each {tag, type, count, value}, that points to the next directory.
func TIFFPage(next uint32, entries ...[4]uint32) []byte {
	b := binary.LittleEndian.AppendUint16(nil, uint16(len(entries)))
	for _, e := range entries {
		b = append(b, TIFFEntry(binary.LittleEndian, uint16(e[0]), uint16(e[1]), e[2], e[3])...)
	}
	return binary.LittleEndian.AppendUint32(b, next)
}

// TIFFStart is the header of a TIFF whose first directory follows it.
const TIFFStart = "II*\x00\x08\x00\x00\x00"

// RIFF returns a WebP, a RIFF file, with one chunk.
func RIFF(kind string, data []byte) []byte {
	return RIFFChunk("RIFF", append([]byte("WEBP"), RIFFChunk(kind, data)...))
}

// RIFFChunk returns one chunk of a RIFF file, followed by a zero byte if the length of data is odd.
func RIFFChunk(kind string, data []byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(data)))
	return append(append(b, data...), make([]byte, len(data)%2)...)
}

// PlainWebP returns a lossless WebP of w×h pixels of one colour: Huffman trees of one symbol, so pixels need no bits.
func PlainWebP(w, h int) []byte {
	var b []byte
	var acc, n uint
	put := func(v, bits uint) {
		acc, n = acc|v<<n, n+bits
		for ; n >= 8; n -= 8 {
			b, acc = append(b, byte(acc)), acc>>8
		}
	}
	put(0x2f, 8)
	put(uint(w-1), 14)
	put(uint(h-1), 14)
	put(0, 1+3)                                          // alpha hint, version
	put(0, 1+1+1)                                        // no transform, no colour cache, one group of trees
	for _, symbol := range []uint{90, 160, 30, 255, 0} { // green, red, blue, alpha, distance
		put(1, 1) // a simple tree
		put(0, 1) // it has one symbol
		put(1, 1) // the symbol has 8 bits
		put(symbol, 8)
	}
	put(0, 7)
	return RIFF("VP8L", b)
}

// GIFScreen returns a GIF header of w×h with a table of two greys.
func GIFScreen(w, h int) []byte {
	return append([]byte("GIF89a"), byte(w), byte(w>>8), byte(h), byte(h>>8), 0x80, 0, 0, 0, 0, 0, 255, 255, 255)
}

// BMPHeader returns the header of a 24-bit BMP of w×h.
func BMPHeader(w, h uint32) []byte {
	b := binary.LittleEndian.AppendUint32(append([]byte("BM"), make([]byte, 8)...), 54) // where the pixels begin
	b = binary.LittleEndian.AppendUint32(b, 40)                                         // the length of the header
	b = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(b, w), h)
	b = append(b, 1, 0, 24, 0)
	return append(b, make([]byte, 24)...)
}
