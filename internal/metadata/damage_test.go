package metadata_test

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"strings"
	"testing"

	"superres/internal/imagefile"
	"superres/internal/imagefile/imagetest"
	"superres/internal/metadata"
)

// Damaged metadata never fails the picture: it is left out, with a word.
func TestDamagedMetadata(t *testing.T) {
	icc, exif := imagetest.Profile("RGB ", 300), exifBlock(binary.BigEndian, 1)
	far := bytes.Clone(exif)
	copy(far[4:], "\xff\xff\xff\xf0")
	sum := pngWith(t, colours(), blocks{exif: exif})
	sum[bytes.Index(sum, []byte("eXIf"))+5] ^= 1
	bomb := append([]byte("name\x00\x00"), packed(make([]byte, metadata.MaxBlock+1))...)
	part := func(i, n byte) []byte {
		return jpegSegment(0xe2, append([]byte("ICC_PROFILE\x00"), append([]byte{i, n}, icc...)...))
	}
	var none blocks
	for _, c := range []struct {
		name string
		data []byte
		want string
	}{
		{"a checksum", sum, "has chunks of metadata that are damaged and left out"},
		{"no directory", jpegWith(t, colours(), blocks{exif: far}), "its EXIF block is damaged and left out"},
		{"no EXIF", webpWith(blocks{exif: []byte("Exif\x00\x00nonsense")}), "its EXIF block is damaged and left out"},
		{"cut EXIF", pngWith(t, colours(), blocks{exif: exif[:60]}), "its EXIF block is damaged and left out"},
		{"no profile", webpWith(blocks{icc: []byte("profile")}), "its ICC profile is damaged and left out"},
		{"long profile", webpWith(blocks{icc: icc[:299]}), "its ICC profile is damaged and left out"},
		{"not packed", pngWith(t, colours(), none, imagetest.PNGChunk("iCCP", append([]byte("n\x00\x00"), icc...))),
			"its ICC profile is damaged or too large and left out"},
		{"no name", pngWith(t, colours(), none, imagetest.PNGChunk("iCCP", nil)),
			"its ICC profile is damaged or too large and left out"},
		{"bomb", pngWith(t, colours(), none, imagetest.PNGChunk("iCCP", bomb)),
			"its ICC profile is damaged or too large and left out"},
		{"many bombs", pngWith(t, colours(), none, bytes.Repeat(imagetest.PNGChunk("iCCP", bomb), 200)),
			"its ICC profile is damaged or too large and left out"},
		{"packed XMP", pngWith(t, colours(), none, imagetest.PNGChunk("iTXt", []byte(
			"XML:com.adobe.xmp\x00\x01\x00\x00\x00oops"))), "its XMP packet is damaged or too large and left out"},
		{"parts", jpegWith(t, colours(), none, part(1, 2)), "its ICC profile is damaged and left out"},
		{"part 0", jpegWith(t, colours(), none, part(0, 1)), "its ICC profile is damaged and left out"},
		{"twice", jpegWith(t, colours(), none, part(1, 1), part(1, 1)), "its ICC profile is damaged and left out"},
		{"not UTF-8", webpWith(blocks{xmp: []byte("\xff\xfe<")}), "its XMP packet is damaged and left out"},
		{"large", webpWith(blocks{xmp: bytes.Repeat([]byte{' '}, metadata.MaxBlock+1)}),
			"its XMP packet is larger than 16 MiB and left out"},
	} {
		p := decoded(t, c.data)
		if got := strings.Join(p.Warnings, "; "); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// An orientation that makes no sense is none.
func TestStrangeOrientations(t *testing.T) {
	for _, o := range []uint16{0, 9, 0xffff} {
		p := decoded(t, jpegWith(t, colours(), blocks{exif: exifBlock(binary.LittleEndian, o)}))
		if p.Metadata.Orientation != 1 || p.Image.Bounds().Dx() != 5 ||
			!bytes.Equal(p.Metadata.EXIF, exifBlock(binary.LittleEndian, o)) {
			t.Errorf("orientation %d: %d, %v", o, p.Metadata.Orientation, p.Image.Bounds())
		}
	}
}

// full returns a file of each format with all there is.
func full(t testing.TB) map[string][]byte {
	m := blocks{imagetest.Profile("RGB ", 1500), exifBlock(binary.BigEndian, 5), packet(5)}
	return map[string][]byte{
		"png": pngWith(t, colours(), m, imagetest.PNGChunk("pHYs", make([]byte, 9))), "jpeg": jpegWith(t, colours(), m),
		"webp": webpWith(m),
		"tiff": tiffWith(t, colours(), metadata.Metadata{ICC: m.icc, EXIF: m.exif, XMP: m.xmp,
			Resolution: metadata.Resolution{X: 9, Y: 9, Unit: metadata.Inch}}),
		"bmp": encoded(t, colours(), "bmp", imagefile.EncodeOptions{}),
	}
}

// A file may end anywhere.
func TestCutFiles(t *testing.T) {
	for format, data := range full(t) {
		for n := range data {
			if m := readMetadata(t, format, format, data[:n]); n%64 == 0 {
				writeMetadata(t, format, m)
			}
		}
	}
}

// Nothing that Read returns changes when the file's bytes do.
func TestReadCopies(t *testing.T) {
	for format, data := range full(t) {
		a, _ := metadata.Read(format, bytes.NewReader(data))
		b, _ := metadata.Read(format, bytes.NewReader(data))
		clear(data)
		if !reflect.DeepEqual(a, b) || format != "bmp" && a.EXIF == nil {
			t.Errorf("%s: not a copy", format)
		}
		if format != "bmp" && bytes.Equal(a.EXIF, make([]byte, len(a.EXIF))) {
			t.Errorf("%s: not a copy", format)
		}
	}
}
