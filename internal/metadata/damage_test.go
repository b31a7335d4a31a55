package metadata_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"io"
	"reflect"
	"strings"
	"testing"

	"superres/internal/imagefile"
	"superres/internal/imagefile/imagetest"
	"superres/internal/metadata"
	"superres/internal/mutate"
)

// formatsOf are the formats of metadata by the extensions of the mutants.
var formatsOf = map[string]string{"png": "png", "jpg": "jpeg", "jpeg": "jpeg", "webp": "webp", "tif": "tiff",
	"tiff": "tiff", "bmp": "bmp"}

// readMetadata reads the metadata of a file. Read recovers from panics, so those are looked for in its warnings.
func readMetadata(t *testing.T, what, format string, data []byte) metadata.Metadata {
	t.Helper()
	outline := metadata.Look(format, bytes.NewReader(data))
	m, warnings := metadata.Read(format, bytes.NewReader(data))
	for _, w := range warnings {
		if strings.HasPrefix(w, "its metadata is damaged") {
			t.Errorf("%s: a panic", what)
		}
	}
	if size := sizeOf(m); size > outline.Bytes {
		t.Errorf("%s: %d bytes of metadata, %d were announced", what, size, outline.Bytes)
	}
	return m
}

// sizeOf returns the bytes that metadata take.
func sizeOf(m metadata.Metadata) int64 {
	size := len(m.ICC) + len(m.EXIF) + len(m.XMP) + len(m.GainMap) + len(m.Film)
	for _, g := range m.Geo {
		size += len(g.Data)
	}
	for _, p := range m.Own {
		size += len(p.Data)
	}
	return int64(size)
}

// writeMetadata writes what was read into every format that takes it.
func writeMetadata(t *testing.T, what string, m metadata.Metadata) {
	t.Helper()
	m, _ = m.Resized(metadata.Resizing{From: image.Pt(3, 2), To: image.Pt(30_000, 4), Part: image.Rect(1, 1, 9, 3)})
	for _, out := range []string{"png", "tiff", "jpeg"} {
		fitting, _ := m.For(out, false)
		var b bytes.Buffer
		if _, err := fitting.Writer(&b, out, "x", 100).Write(make([]byte, 100)); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if out == "tiff" {
			layout := fitting.TIFF("x", 3, func(uint32) []metadata.TIFFField { return nil })
			if err := layout.Write(&b, func(io.Writer) error { return nil }); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
}

// Metadata in files of which the structure is damaged is read or left out, without a panic and
// in little memory, and takes no more than was announced.
func TestMutatedFiles(t *testing.T) {
	mutator := mutate.New(t).Of("metadata.png", "profile.jpg", "gainmap.jpg", "geo.tif", "animated.webp", "pages.tif",
		"big.tif", "colour.jpeg", ".bmp", "alpha.webp")
	files := mutate.Files(3000)
	kept, most := uint64(0), int64(0)
	for n := range files {
		mutant := mutator.Mutant(n)
		format := formatsOf[mutant.Name[strings.LastIndexByte(mutant.Name, '.')+1:]]
		what := fmt.Sprintf("mutant %d, %v", n, mutant)
		var m metadata.Metadata
		got := mutate.Guard(t, what, 2<<20+64*int64(len(mutant.Data)), func() {
			if m = readMetadata(t, what, format, mutant.Data); m.EXIF != nil || m.ICC != nil || m.XMP != nil {
				kept++
			}
		})
		if n%16 == 0 { // for it takes long to pack a profile
			writeMetadata(t, what, m)
		}
		most = max(most, got)
	}
	t.Logf("%d of %d files have metadata; at most %d KiB were allocated for one", kept, files, most>>10)
	if kept < files/10 {
		t.Errorf("%d of %d files have metadata: the mutations are too harsh", kept, files)
	}
}

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
