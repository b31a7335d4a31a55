package metadata

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"testing"

	"github.com/andybalholm/brotli"

	"superres/internal/imagefile/imagetest"
	"superres/internal/must"
)

// The headers are of files that cjxl 0.7.0 made, of what jxlinfo says.
func TestJXLHolds(t *testing.T) {
	const boxes = "0000000c4a584c200d0a870a00000014667479706a786c20000000006a786c20000000096a786c6c0a"
	for head, want := range map[string]struct {
		depth int
		more  bool
	}{
		"ff0ac34042e5de2a820012880200a4035de5120000152aa38c1bbc9cebf9":     {8, false},
		"ff0addf09350b9b78a200012880200553c5de5120000152aa38c1bbc9ceb":     {16, false},
		"ff0addc086cabd5504010048802800b5825de5120000152aa38c1bbc9ceb":     {8, true},
		boxes + "000024ef6a786c63ff0addf0a3a1726f1541004880280059835de5":   {16, true},
		boxes + "000176e76a786c63ff0addf00350b9b78a20080201003acb042bf98b": {16, false},
		// of a JPEG, in parts
		boxes + "000000126a786c7000000000ff0add2c1013": {8, false},
		"89504e47": {16, true},
	} {
		data := must.Get(hex.DecodeString(head))(t)
		if depth, more := JXLHolds(bytes.NewReader(data)); depth != want.depth || more != want.more {
			t.Errorf("%s: %d bits, %v, want %v", head, depth, more, want)
		}
	}
}

// A Live Photo is told by the note of the maker.
func TestIsLivePhoto(t *testing.T) {
	const start, other = "II*\x00 Apple iOS\x00\x00\x01MM\x00\x02", "\x00\x01\x00\x09\x00\x00\x00\x01\x00\x00\x00\x0c"
	const film = "\x00\x11\x00\x02\x00\x00\x00\x25\x00\x00\x00\x40"
	for exif, want := range map[string]bool{start + other + film: true, start + other + other: false,
		start + other: false, "": false} {
		if isLivePhoto([]byte(exif)) != want {
			t.Errorf("%q: %v", exif, !want)
		}
	}
}

// EXIF and XMP are read from boxes of a JPEG XL, compressed by Brotli or not. Its pixels lie upright.
func TestMetadataOfJXL(t *testing.T) {
	box := func(kind, data string) string {
		return string(binary.BigEndian.AppendUint32(nil, uint32(8+len(data)))) + kind + data
	}
	packed := func(kind, data string) string {
		var b bytes.Buffer
		w := brotli.NewWriter(&b)
		must.Get(w.Write([]byte(data)))(t)
		must.Succeed(t, w.Close())
		return box("brob", kind+b.String())
	}
	const exif = "\x00\x00\x00\x00II*\x00\x08\x00\x00\x00\x01\x00" +
		"\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00"
	const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF/></x:xmpmeta>`
	start := box("JXL ", "\r\n\x87\n") + box("ftyp", "jxl \x00\x00\x00\x00jxl ")
	for name, file := range map[string]string{
		"plain":      start + box("Exif", exif) + box("xml ", xmp),
		"compressed": start + packed("Exif", exif) + packed("xml ", xmp),
	} {
		m, warnings := Read("jxl", bytes.NewReader([]byte(file)))
		if len(warnings) > 0 || m.Orientation != 1 || string(m.XMP) != xmp || len(m.EXIF) != len(exif)-4 ||
			m.EXIF[18] != 1 {
			t.Errorf("%s: turned as %d, EXIF %q, XMP %q, %v", name, m.Orientation, m.EXIF, m.XMP, warnings)
		}
	}
	file := start + box("brob", "Exif\xff\xff\xff\xff") + box("jhgm", "map")
	if _, warnings := Read("jxl", bytes.NewReader([]byte(file))); len(warnings) != 2 {
		t.Errorf("damaged, and with a gain map: %v", warnings)
	}
	bomb := start + packed("Exif", string(make([]byte, MaxBlock+5)))
	if m, warnings := Read("jxl", bytes.NewReader([]byte(bomb))); len(m.EXIF) > 0 || len(warnings) != 1 {
		t.Errorf("a block of %d bytes, %v", len(m.EXIF), warnings)
	}
}

// A record of what made a file is found where it is written, and nowhere else.
func TestSoftwareBegins(t *testing.T) {
	const text = "superres 1.0; model photo"
	png := func(kind, data string) []byte {
		file := []byte("\x89PNG\r\n\x1a\n")
		file = AppendChunk(file, "IHDR", make([]byte, headerBody))
		file = AppendChunk(file, "tEXt", []byte("Comment\x00hello"))
		file = AppendChunk(file, kind, []byte(data))
		return AppendChunk(file, "IDAT", nil)
	}
	jpeg := func(marker byte, data string) []byte {
		file := []byte{0xff, 0xd8, 0xff, markerApp0, 0, 4, 1, 2, 0xff, markerComment, 0, 4, 'h', 'i', 0xff, marker}
		file = binary.BigEndian.AppendUint16(file, uint16(2+len(data)))
		return append(append(file, data...), 0xff, markerScan, 0, 2, 1, 2, 3, 0xff, markerEnd)
	}
	tiff := func(tag uint16) []byte {
		file := binary.LittleEndian.AppendUint32([]byte("II*\x00"), 8)
		file = append(file, 1, 0)
		file = binary.LittleEndian.AppendUint16(file, tag)
		file = append(file, 2, 0, byte(len(text)+1), 0, 0, 0, 26, 0, 0, 0) // ASCII, behind the directory
		return append(append(file, 0, 0, 0, 0), text+"\x00"...)
	}
	gif := func(label byte) []byte {
		file := append([]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00\x21"), label, byte(len(text)))
		return append(append(file, text...), 0, GIFImage)
	}
	webp := func(exif []byte) []byte {
		chunk := imagetest.RIFFChunk
		return chunk("RIFF", slices.Concat([]byte("WEBP"), chunk("VP8X", []byte{8, 0, 0, 0, 0, 0, 0, 0, 0, 0}),
			chunk("VP8L", []byte{0x2f, 0, 0, 0, 0}), chunk("EXIF", exif)))
	}
	for _, c := range []struct {
		what, format string
		file         []byte
		want         bool
	}{
		{"WebP", "webp", webp(tiff(tagSoftware)), true},
		{"WebP with another tag", "webp", webp(tiff(0x010e)), false},
		{"PNG", "png", png("tEXt", "Software\x00"+text), true},
		{"PNG with another keyword", "png", png("tEXt", "Title\x00"+text), false},
		{"PNG with another kind of text", "png", png("zTXt", "Software\x00"+text), false},
		{"PNG of another program", "png", png("tEXt", "Software\x00GIMP"), false},
		{"JPEG", "jpeg", jpeg(markerComment, text), true},
		{"JPEG with another segment", "jpeg", jpeg(0xe5, text), false},
		{"TIFF", "tiff", tiff(tagSoftware), true},
		{"TIFF with another tag", "tiff", tiff(0x010e), false},
		{"GIF", "gif", gif(0xfe), true},
		{"GIF with another extension", "gif", gif(0xff), false},
		{"BMP", "bmp", []byte("BM" + text), false},
	} {
		for n := range c.file { // wherever the file is cut, nothing breaks
			SoftwareBegins(c.format, bytes.NewReader(c.file[:n]), "superres ")
		}
		if got := SoftwareBegins(c.format, bytes.NewReader(c.file), "superres "); got != c.want {
			t.Errorf("%s: %v, expected %v", c.what, got, c.want)
		}
	}
}
