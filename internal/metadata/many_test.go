package metadata_test

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"superres/internal/imagefile/imagetest"
	"superres/internal/metadata"
	"superres/internal/mutate"
)

// manyParts is how many parts the files below have, far more than are kept.
const manyParts = 20_000

// crowded are files of a small picture with very many parts of one kind, most of them empty.
func crowded(t testing.TB) map[string][]byte {
	png := pngWith(t, colours(), blocks{})
	jpeg := jpegWith(t, colours(), blocks{})
	files := map[string][]byte{}
	add := func(name string, base []byte, at int, part []byte) {
		files[name] = bytes.Join([][]byte{base[:at], bytes.Repeat(part, manyParts), base[at:]}, nil)
	}
	for _, kind := range []string{"tEXt", "zTXt", "iTXt", "iCCP", "eXIf", "pHYs", "gAMA", "abCd", "ABCD"} {
		add(kind+".png", png, 33, imagetest.PNGChunk(kind, nil))
		add(kind+" behind.png", png, len(png)-12, imagetest.PNGChunk(kind, nil))
	}
	add("XMP.png", png, 33, imagetest.PNGChunk("iTXt", []byte("XML:com.adobe.xmp\x00\x01\x00\x00\x00")))
	for marker := byte(0xe0); marker <= 0xef; marker++ {
		add(string("0123456789abcdef"[marker&15])+".jpeg", jpeg, 2, jpegSegment(marker, nil))
	}
	add("comments.jpeg", jpeg, 2, jpegSegment(0xfe, nil))
	for name, start := range map[string]string{"\xe1EXIF": "Exif\x00\x00",
		"\xe1XMP": "http://ns.adobe.com/xap/1.0/\x00", "\xe1more": "http://ns.adobe.com/xmp/extension/\x00",
		"\xe2profile": "ICC_PROFILE\x00\x01\x01", "\xedIPTC": "Photoshop 3.0\x00"} {
		add(name[1:]+".jpeg", jpeg, 2, imagetest.JPEGSegment(name[0], []byte(start)...))
	}
	webp := webpWith(blocks{})
	for _, kind := range []string{"ICCP", "EXIF", "XMP ", "abcd"} {
		more := bytes.Repeat(append([]byte(kind), 0, 0, 0, 0), manyParts)
		files[kind+".webp"] = append(bytes.Clone(webp), more...)
		binary.LittleEndian.PutUint32(files[kind+".webp"][4:], uint32(len(webp)+len(more)-8))
	}
	files["entries.tiff"] = entriesTIFF(t, 0x010f, 0)
	files["directories.tiff"] = entriesTIFF(t, 0x8769, 8)
	return files
}

// entriesTIFF returns a TIFF of one pixel with as many entries as a directory can have, of one tag and value. Decoders
// want tags in order; metadata do not.
func entriesTIFF(t testing.TB, tag uint16, value uint32) []byte {
	t.Helper()
	b := []byte("II*\x00\x08\x00\x00\x00\xff\xff")
	for range 0xffff {
		b = binary.LittleEndian.AppendUint16(b, tag)
		b = binary.LittleEndian.AppendUint16(b, 4)
		b = binary.LittleEndian.AppendUint32(b, 1)
		b = binary.LittleEndian.AppendUint32(b, value)
	}
	return append(b, 0, 0, 0, 0)
}

// However many parts a file has, looking takes next to nothing, reading what the outline says and the growth of a list,
// and one line tells what was left out.
func TestManyParts(t *testing.T) {
	const little = 2 << 20 // with the entries of a TIFF
	for name, data := range crowded(t) {
		_, format, _ := strings.Cut(name, ".")
		var about metadata.Outline
		mutate.Guard(t, name+", looked through", little,
			func() { about = metadata.Look(format, bytes.NewReader(data)) })
		var m metadata.Metadata
		var warnings []string
		mutate.Guard(t, name, little+about.Bytes, func() { m, warnings = metadata.Read(format, bytes.NewReader(data)) })
		if len(m.Own) > metadata.MaxParts || len(warnings) > 1 {
			t.Errorf("%s: %d parts, %q", name, len(m.Own), warnings)
		}
		if len(m.Own) == metadata.MaxParts &&
			(len(warnings) == 0 || warnings[0] != "its texts are more than 4096, and in part left out") {
			t.Errorf("%s: %q", name, warnings)
		}
		if m.Orientation != about.Orientation || metadata.ProfileColours(m.ICC) != about.Colours {
			t.Errorf("%s: read %d and %q, looked at %+v", name, m.Orientation, metadata.ProfileColours(m.ICC), about)
		}
	}
	if _, warnings := metadata.Read("tiff", bytes.NewReader(entriesTIFF(t, 0x010f, 0))); len(warnings) != 1 ||
		warnings[0] != "its EXIF block is of more than 4096 entries and left out" {
		t.Errorf("%q", warnings)
	}
	if m, _ := metadata.Read("jpeg", bytes.NewReader(crowded(t)["comments.jpeg"])); len(m.Own) != metadata.MaxParts {
		t.Errorf("%d comments are kept", len(m.Own))
	}
}
