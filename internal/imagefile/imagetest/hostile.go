package imagetest

import (
	"bytes"
	"compress/zlib"
	"image"
	"image/color"
	"testing"
)

// HostileFile is a file that must be refused.
type HostileFile struct {
	Name  string
	Data  []byte
	Limit bool   // refused because of a limit, not a fault
	Want  string // part of the error
}

// Hostile returns files of every format that claim to be huge, are cut off, damaged or empty, or are not pictures.
func Hostile(t testing.TB) []HostileFile {
	good := Sound(t)
	badSum := bytes.Clone(good["colour.png"])
	badSum[len(badSum)-5] ^= 1 // makes the checksum of IEND wrong
	zlibSum := bytes.Replace(good["colour.png"], []byte("IDAT"), []byte("IDAT"), 1)
	zlibSum[bytes.Index(zlibSum, []byte("IDAT"))+20] ^= 0x10
	tiffSize := func(w, h uint32) []byte {
		return append([]byte(TIFFStart), TIFFPage(0, [4]uint32{256, 4, 1, w}, [4]uint32{257, 4, 1, h},
			[4]uint32{258, 3, 1, 8}, [4]uint32{262, 3, 1, 1})...)
	}
	vp8 := append([]byte{0x10, 0, 0, 0x9d, 0x01, 0x2a}, 0xff, 0x3f, 0xff, 0x3f)

	return []HostileFile{
		{"empty.png", nil, false, "is empty"},
		{"notes.txt", []byte("Dear all, see below"), false,
			`not an image (starts with "Dear al"; known: PNG JPEG GIF WebP TIFF BMP AVIF)`},
		{"text.png", []byte("a\x00\n\x1b[31m"), false, `not an image (starts with "a\x00\n\x1b[31"; known`},
		{"letter.bmp", []byte("BMW or Mercedes?"), false, "not an image"},
		{"x.heic", []byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00"), false, "HEIC cannot be read (known: "},

		{"big.png", PNGHeader(65535, 65535), true, "65535×65535 is 4295 megapixels, the limit is 50"},
		{"edge.png", PNGHeader(50000, 1001), true, "50000×1001 is 50.05 megapixels, the limit is 50"},
		{"near.png", PNGHeader(50001, 1000), true, "50001×1000 is 50001000 pixels, the limit is 50000000"},
		{"long.png", PNGHeader(65536, 1), true, "65536×1 has a side beyond the limit of 65535 pixels"},
		{"over.png", PNGHeader(1<<31-1, 1<<31-1), false, "PNG with an unsupported feature (dimension overflow)"},
		{"none.png", PNGHeader(0, 5), false, "damaged PNG: non-positive dimension;"},
		{"big.jpg", append(JPEGFrame(0xc0, 65535, 65535), JPEGSegment(0xda, 1, 1, 0, 0, 63, 0)...), true,
			"4295 megapixels"},
		{"none.jpg", append(JPEGFrame(0xc0, 0, 0), JPEGSegment(0xda, 1, 1, 0, 0, 63, 0)...), false,
			"has no pixels (its size is 0×0)"},
		{"big.gif", GIFScreen(65535, 65535), true, "4295 megapixels"},
		{"none.gif", GIFScreen(0, 0), false, "has no pixels"},
		{"big.bmp", BMPHeader(40000, 40000), true, "1600 megapixels"},
		{"none.bmp", BMPHeader(0, 0), false, "has no pixels"},
		{"long.bmp", BMPHeader(1<<30, 1), true, "side beyond"},
		{"big.tif", tiffSize(60000, 60000), true, "3600 megapixels"},
		{"huge.tif", tiffSize(1<<32-1, 1<<32-1), false, "damaged TIFF: image too large;"},
		{"big.webp", PlainWebP(16384, 16384), true, "268.4 megapixels"},
		{"lossy.webp", RIFF("VP8 ", vp8), true, "268.4 megapixels"},

		{"third.png", good["colour.png"][:40], false, "damaged PNG: unexpected EOF (is the file complete?)"},
		{"half.png", good["colour.png"][:60], false, "damaged PNG: not enough pixel data (is the file complete?)"},
		{"head.png", PNGHeader(5000, 5000), false, "damaged PNG: unexpected EOF (is the file complete?)"},
		{"half.jpg", good["grey.jpeg"][:200], false, "damaged JPEG: unexpected EOF (is"},
		{"half.gif", good["colour.gif"][:len(good["colour.gif"])-9], false, "damaged GIF: unexpected EOF (is"},
		{"half.webp", good["plain.webp"][:26], false, "damaged WebP: "},
		{"sum.png", badSum, false, "damaged PNG: invalid checksum; copy or export it again"},
		{"data.png", zlibSum, false, "damaged PNG: "},
		{"odd.bmp", append([]byte("BM\x00\x00\x00\x00\x00\x00\x00\x00"), make([]byte, 50)...), false,
			"BMP with a header of 0 bytes, which cannot be read; save it as PNG first"},
		{"cmyk.tif", append([]byte(TIFFStart), TIFFPage(0, [4]uint32{256, 4, 1, 9}, [4]uint32{257, 4, 1, 9},
			[4]uint32{258, 3, 1, 8}, [4]uint32{262, 3, 1, 5})...), false,
			"damaged TIFF: it has 1 samples a pixel for 4 colours"},
		{"scans.jpg", ManyScans(64, 64, 201), true, "has more than 100 scans"},

		// Headers of a size within the limits, with no pixels after them.
		{"head.gif", GIFScreen(7000, 7000), false, "damaged GIF"},
		{"head.bmp", BMPHeader(7000, 7000), false, "damaged BMP"},
		{"head.tif", tiffOf(7000, 7000, 1, 8), false, "damaged TIFF"},
		{"head.jpg", JPEGFrame(0xc0, 7000, 7000), false, "damaged JPEG"},
		{"head.webp", PlainWebP(7000, 7000)[:22], false, "damaged WebP"},
		{"strips.tif", tiffOf(9, 9, 1<<31, 8), false, "damaged TIFF"},
		{"far.tif", tiffOf(9, 9, 1, 1<<32-9), false, "damaged TIFF"},
		{"entries.tif", append([]byte(TIFFStart), 0xff, 0xff), false, "damaged TIFF"},
	}
}

// tiffOf returns a grey TIFF of w×h without pixels. It claims to have count strips, at offset in the file.
func tiffOf(w, h, count, offset uint32) []byte {
	return append([]byte(TIFFStart), TIFFPage(0, [4]uint32{256, 4, 1, w}, [4]uint32{257, 4, 1, h},
		[4]uint32{258, 3, 1, 8}, [4]uint32{262, 3, 1, 1},
		[4]uint32{273, 4, count, offset}, [4]uint32{278, 4, 1, h}, [4]uint32{279, 4, count, w * h})...)
}

// Bombs returns small valid files that take much memory or time to read. Those called bomb contain pictures of w×h
// pixels; the others are small pictures with huge metadata, or with directories in a circle.
func Bombs(t testing.TB, w, h int) map[string][]byte {
	packed := func(size int) []byte {
		return Encoded(t, func(b *bytes.Buffer) error {
			z, err := zlib.NewWriterLevel(b, zlib.BestSpeed)
			if err != nil {
				return err
			}
			for block := make([]byte, 1<<20); size > 0; size -= len(block) {
				if _, err := z.Write(block[:min(size, len(block))]); err != nil {
					return err
				}
			}
			return z.Close()
		})
	}
	pixels := packed(h * (4*w + 1)) // of bomb.png, with filter bytes
	dark := packed(w * h)           // the pixels of bomb.tif
	many := packed(64 << 20)        // metadata
	still := Sound(t)["colour.png"]
	with := func(kind, head string) []byte {
		return WithChunks(still, PNGChunk(kind, append([]byte(head), many...)))
	}
	cyclic := append(tiffOf(9, 9, 1, 8), make([]byte, 81)...) // 81 pixels
	cyclic[len(cyclic)-81-4] = 8                              // the next directory is the first
	const entries = 8
	at := uint32(len(TIFFStart) + 2 + 12*entries + 4) // the offset of the strip in bomb.tif, after the directory
	return map[string][]byte{
		"cyclic.tif": cyclic,
		"bomb.png":   WithChunks(PNGHeader(uint32(w), uint32(h)), PNGChunk("IDAT", pixels), PNGChunk("IEND", nil)),
		"bomb.tif": append(append([]byte(TIFFStart), TIFFPage(0, [4]uint32{256, 4, 1, uint32(w)},
			[4]uint32{257, 4, 1, uint32(h)}, [4]uint32{258, 3, 1, 8}, // tag, type, count, value
			[4]uint32{259, 3, 1, 8}, [4]uint32{262, 3, 1, 1}, [4]uint32{273, 4, 1, at}, [4]uint32{278, 4, 1, uint32(h)},
			[4]uint32{279, 4, 1, uint32(len(dark))})...), dark...),
		"bomb.webp": PlainWebP(w, h),
		"bomb.jpg":  ManyScans(w, h, 100),
		"bomb.gif":  GIF(t, image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.Black, color.White})),
		"icc.png":   with("iCCP", "p\x00\x00"),
		"note.png":  with("zTXt", "Comment\x00\x00"),
		"xmp.png":   with("iTXt", "XML:com.adobe.xmp\x00\x01\x00\x00\x00"),
	}
}
