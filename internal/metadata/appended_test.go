package metadata_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"slices"
	"strings"
	"testing"

	"superres/internal/imagefile"
	"superres/internal/imagefile/imagetest"
	"superres/internal/metadata"
	"superres/internal/must"
)

// smallMap is a gain map of 13×7 samples, no multiples of a block, that says so by XMP and ISO 21496-1.
func smallMap(t testing.TB) []byte {
	m := image.NewGray(image.Rect(0, 0, 13, 7))
	for i := range m.Pix {
		m.Pix[i] = byte(i%13*15 + i/13*8)
	}
	return imagetest.AsGainMap(imagetest.JPEG(t, m, 95), true, true)
}

// photo is a JPEG of 52×28 pixels.
func photo(t testing.TB) []byte { return imagetest.JPEG(t, imagetest.Ramp(52, 28), 90) }

// doubled returns a JPEG of twice the size of the picture in data, with its metadata, and all warnings.
func doubled(t *testing.T, data []byte, format imagefile.Format) (file []byte, warnings []string) {
	t.Helper()
	p := must.Get(imagefile.DecodeBytes(t.Context(), bytes.Clone(data), "test", imagefile.Limits{}))(t)
	size := p.Image.Bounds().Size()
	m, cut := p.Metadata.Resized(metadata.Resizing{From: size, To: size.Mul(2)})
	_, lost := m.For(string(format), false)
	big := imagetest.Ramp(2*size.X, 2*size.Y)
	return encoded(t, big, string(format), imagefile.EncodeOptions{Metadata: m, Software: "superres 1"}),
		slices.Concat(p.Warnings, cut, lost)
}

// indexed returns the pictures that the segment MPF of a JPEG lists, and fails unless it is big-endian with entries at
// its end, the first for the whole picture.
func indexed(t *testing.T, file []byte) (pictures [][]byte) {
	t.Helper()
	at := bytes.Index(file, []byte("MPF\x00MM\x00*")) + 4
	if at < 4 {
		return nil
	}
	end := at - 6 + int(binary.BigEndian.Uint16(file[at-6:]))
	for e := file[at+50 : end]; len(e) >= 16; e = e[16:] {
		n, offset := int(binary.BigEndian.Uint32(e[4:])), int(binary.BigEndian.Uint32(e[8:]))
		if offset > 0 {
			offset += at
		}
		pictures = append(pictures, file[offset:offset+n])
	}
	if !bytes.HasSuffix(pictures[0], []byte("\xff\xd9")) {
		t.Error("the first picture is not whole")
	}
	if cfg, err := jpeg.Decode(bytes.NewReader(pictures[0])); err != nil {
		t.Errorf("the first picture: %v, %v", cfg, err)
	}
	return pictures
}

// A gain map is found in each of the ways that tell of it, and lies behind the result byte for byte, where all of them
// find it.
func TestGainMapIsKept(t *testing.T) {
	gainMap := smallMap(t)
	apple := slices.Concat([]byte{0xff, 0xd8}, imagetest.JPEGSegment(0xe1, []byte("http://ns.adobe.com/xap/1.0/\x00"+
		`<x xmlns:HDRGainMap="http://ns.apple.com/HDRGainMap/1.0/" HDRGainMap:HDRGainMapVersion="65536"/>`)...),
		imagetest.JPEG(t, imagetest.GreyRamp(13, 7), 90)[2:])
	for name, b := range map[string]imagetest.Behind{
		"all":                {GainMap: gainMap, XMP: true, ISO: true, MPF: true},
		"XMP":                {GainMap: gainMap, XMP: true},
		"elements":           {GainMap: gainMap, XMP: true, MPF: true, Elements: true},
		"ISO":                {GainMap: gainMap, ISO: true, MPF: true},
		"Apple":              {GainMap: apple, MPF: true},
		"all, with a film":   {GainMap: gainMap, XMP: true, ISO: true, MPF: true, Film: imagetest.Film(333)},
		"ISO and other film": {GainMap: gainMap, ISO: true, MPF: true, Film: samsung(imagetest.Film(99))},
	} {
		b.Picture = photo(t)
		data := b.Bytes()
		if _, err := imagefile.Decode(t.Context(), bytes.NewReader(data), "test", imagefile.Limits{}); err != nil {
			t.Errorf("%s: from a pipe: %v", name, err)
		}
		file, warnings := doubled(t, data, "jpeg")
		if len(warnings) > 0 {
			t.Errorf("%s: %q", name, warnings)
		}
		if pictures := indexed(t, file); len(pictures) != 2 || !bytes.Equal(pictures[1], b.GainMap) ||
			!bytes.Equal(file, slices.Concat(pictures[0], pictures[1], b.Film)) {
			t.Fatalf("%s: the result has %d pictures, or other bytes", name, len(pictures))
		}
		for text, want := range map[string]bool{"hdrgm:Version": b.XMP, "urn:iso": b.ISO, "Container:Directory": b.XMP,
			fmt.Sprintf("Length='%d'", len(b.GainMap)):      b.XMP && !b.Elements,
			fmt.Sprintf("<Item:Length>%d<", len(b.GainMap)): b.Elements,
			fmt.Sprintf("Length='%d'", max(len(b.Film), 1)): b.XMP && b.Film != nil} {
			front := file[:bytes.Index(file, []byte{0xff, 0xda})]
			if got := bytes.Contains(front, []byte(text)); got != want {
				t.Errorf("%s: %q is there: %v", name, text, got)
			}
		}
		again, _ := doubled(t, file, "jpeg") // what was written is read
		if pictures := indexed(t, again); len(pictures) != 2 || !bytes.Equal(pictures[1], b.GainMap) {
			t.Errorf("%s: the result of the result has %d pictures", name, len(pictures))
		}
	}
}

// The map is turned as the picture is and keeps what it says of itself. The packet has the lengths of the new one.
func TestGainMapIsTurned(t *testing.T) {
	for o := 1; o <= 8; o++ {
		b := imagetest.Behind{Picture: imagetest.WithExif(photo(t), o, binary.BigEndian), XMP: true, ISO: true,
			MPF: true, GainMap: imagetest.WithExif(smallMap(t), o, binary.LittleEndian)}
		stored := must.Get(jpeg.Decode(bytes.NewReader(b.GainMap)))(t)
		want := imagefile.Upright(stored, o)
		file, warnings := doubled(t, b.Bytes(), "jpeg")
		pictures := indexed(t, file)
		if len(warnings) > 0 || len(pictures) != 2 {
			t.Fatalf("orientation %d: %q, %d pictures", o, warnings, len(pictures))
		}
		turned := pictures[1]
		got := must.Get(jpeg.Decode(bytes.NewReader(turned)))(t)
		if got.Bounds() != want.Bounds() {
			t.Fatalf("orientation %d: the map is %v, not %v", o, got.Bounds(), want.Bounds())
		}
		for i := range want.Bounds().Dx() * want.Bounds().Dy() {
			x, y := i%want.Bounds().Dx(), i/want.Bounds().Dx()
			a, b := got.At(x, y).(color.Gray).Y, want.At(x, y).(color.Gray).Y
			if max(a, b)-min(a, b) > 1 {
				t.Fatalf("orientation %d: sample %d,%d is %d, not %d", o, x, y, a, b)
			}
		}
		if o == 1 != bytes.Equal(turned, b.GainMap) || !bytes.Contains(turned, []byte(`hdrgm:GainMapMax="2"`)) ||
			!bytes.Contains(turned, []byte("urn:iso")) {
			t.Errorf("orientation %d: the map has changed: %v", o, o == 1)
		}
		if own := decoded(t, turned); own.Metadata.Orientation > 1 || own.Image.Bounds() != want.Bounds() {
			t.Errorf("orientation %d: the map says %d", o, own.Metadata.Orientation)
		}
		if !bytes.Contains(file, fmt.Appendf(nil, "Length='%d'", len(turned))) {
			t.Errorf("orientation %d: the length in XMP is not %d", o, len(turned))
		}
	}
}

// samsung is data behind a picture as telephones of Samsung write them: a block with a film, another one, and the
// directory.
func samsung(film []byte) []byte {
	order := binary.LittleEndian
	var blocks, entries []byte
	add := func(kind uint16, name string, data []byte) {
		start := len(blocks)
		blocks = order.AppendUint32(order.AppendUint16(append(blocks, 0, 0), kind), uint32(len(name)))
		blocks = append(append(blocks, name...), data...)
		entries = order.AppendUint32(order.AppendUint16(append(entries, 0, 0), kind), uint32(start))
		entries = order.AppendUint32(entries, uint32(len(blocks)-start))
	}
	add(0x0a30, "MotionPhoto_Data", film)
	add(0x0a01, "Image_UTC_Data", []byte("1700000000000"))
	for e := entries; len(e) > 0; e = e[12:] {
		order.PutUint32(e[4:], uint32(len(blocks))-order.Uint32(e[4:]))
	}
	directory := append(order.AppendUint32(append([]byte("SEFH"), 107, 0, 0, 0), 2), entries...)
	return append(order.AppendUint32(slices.Concat(blocks, directory), uint32(len(directory))), "SEFT"...)
}

// A film stays behind the picture with all that leads to it, whoever wrote it.
func TestFilmIsKept(t *testing.T) {
	film := imagetest.Film(500)
	trailer := samsung(film)
	behind := len(trailer) - 24 // from the film on
	for name, c := range map[string]struct {
		xmp  []byte
		film []byte
		want string // in the XMP packet of the result
	}{
		"motion photo": {imagetest.XMPSegment(`GCamera:MotionPhoto="1"`, imagetest.Directory(false, 7, "MotionPhoto", "500")),
			film, "Padding='0'"},
		"micro video": {imagetest.XMPSegment(`GCamera:MicroVideo="1" GCamera:MicroVideoOffset="500"`, ""), film,
			`GCamera:MicroVideoOffset="500"`},
		"Samsung": {nil, trailer, ""},
		"Samsung with XMP": {imagetest.XMPSegment(`GCamera:MotionPhoto="1"`, imagetest.Directory(true, 24, "MotionPhoto",
			fmt.Sprint(behind))), trailer, "<Item:Padding>24<"},
	} {
		padding := []byte{}
		if name == "motion photo" {
			padding = make([]byte, 7)
		}
		picture := photo(t)
		file, warnings := doubled(t, slices.Concat(picture[:2], c.xmp, picture[2:], padding, c.film), "jpeg")
		if len(warnings) > 0 || !bytes.HasSuffix(file, slices.Concat([]byte{0xff, 0xd9}, c.film)) ||
			!bytes.Contains(file, []byte(c.want)) || bytes.Contains(file, []byte("MPF\x00")) {
			t.Errorf("%s: %q, or the film is not right behind the picture: %.900q", name, warnings, file)
		}
		for _, out := range []imagefile.Format{"png", "webp", "tiff", "bmp"} {
			file, warnings := doubled(t, slices.Concat(picture[:2], c.xmp, picture[2:], padding, c.film), out)
			if !strings.Contains(strings.Join(warnings, "; "), "its film is left out: only a JPEG keeps it") {
				t.Errorf("%s to %s: %q", name, out, warnings)
			}
			for _, text := range []string{"MotionPhoto", "MicroVideo", "Container:Directory"} {
				if bytes.Contains(file, []byte(text)) {
					t.Errorf("%s to %s: the result promises %s", name, out, text)
				}
			}
		}
	}
}

// Where a result cannot have a gain map, nothing promises one, and a line says so. All else in the packet stays.
func TestGainMapIsTold(t *testing.T) {
	for _, elements := range []bool{false, true} {
		b := imagetest.Behind{Picture: photo(t), GainMap: smallMap(t), XMP: true, ISO: true, MPF: true,
			Elements: elements}
		for _, out := range []imagefile.Format{"png", "webp", "tiff", "bmp"} {
			file, warnings := doubled(t, b.Bytes(), out)
			want := "its gain map is left out: only a JPEG keeps it"
			if warnings[0] != want || len(warnings) > 1 && out != "bmp" {
				t.Errorf("to %s: %q", out, warnings)
			}
			m, _ := metadata.Read(string(out), bytes.NewReader(file))
			if want := imagetest.Packet("", ""); strings.ReplaceAll(string(m.XMP), `"  >`, `" >`) != want && out != "bmp" {
				t.Errorf("to %s: the packet is %s, not %s", out, m.XMP, want)
			}
		}
	}
	// A packet that was copied into a PNG by another program promises what was never there.
	stale := []byte(imagetest.Packet(`hdrgm:Version="1.0"`, imagetest.Directory(false, 0, "GainMap", "99")))
	for _, out := range []imagefile.Format{"png", "jpeg"} {
		file, warnings := doubled(t, pngWith(t, colours(), blocks{xmp: stale}), out)
		if bytes.Contains(file, []byte("hdrgm:Version")) || len(warnings) > 0 {
			t.Errorf("a stale packet to %s: %q", out, warnings)
		}
	}
}

// What else lies behind a picture is named, but for smaller copies of it.
func TestOtherPicturesAreTold(t *testing.T) {
	picture, other := photo(t), photo(t)
	for kind, want := range map[uint32]string{
		0x020002: "the rest of its file is left out: the picture for the other eye",
		0x020003: "the rest of its file is left out: a picture from another angle",
		0x020001: "the rest of its file is left out: a picture of a panorama",
		0:        "the rest of its file is left out: a further picture",
		0x010001: "",
	} {
		length := len(picture) + 4 + 4 + 82
		mpf := imagetest.MPF(uint32(length), [3]uint32{kind, uint32(len(other)), uint32(length - 2 - 8)})
		file, warnings := doubled(t, slices.Concat(picture[:2], mpf, picture[2:], other), "jpeg")
		if strings.Join(warnings, "; ") != want || bytes.Contains(file, []byte("MPF\x00")) {
			t.Errorf("%#x: %q, want %q", kind, warnings, want)
		}
	}
	depth := imagetest.XMPSegment("", imagetest.Directory(false, 0, "Depth", fmt.Sprint(len(other))))
	file, warnings := doubled(t, slices.Concat(picture[:2], depth, picture[2:], other), "jpeg")
	if strings.Join(warnings, "") != `the rest of its file is left out: "Depth"` ||
		bytes.Contains(file, []byte("Container:Directory")) {
		t.Errorf("depth: %q", warnings)
	}
}
