package foreign_test

import (
	"bytes"
	"encoding/binary"
	"testing"

	"superres/internal/imagefile/foreign"
	"superres/internal/imagefile/imagetest"
)

func TestOf(t *testing.T) {
	box := func(brands string) string { return "\x00\x00\x00" + string(rune(8+len(brands))) + "ftyp" + brands }
	for head, want := range map[string]string{
		box("heic\x00\x00\x00\x00mif1heic"): "HEIC", box("mif1\x00\x00\x00\x00mif1heic"): "HEIC",
		box("mif1\x00\x00\x00\x00mif1avif"): "AVIF",
		box("avif\x00\x00\x00\x00mif1"):     "AVIF", box("crx \x00\x00\x00\x01crx isom"): "CR3",
		box("isom\x00\x00\x02\x00isomiso2"): "", box("qt  \x00\x00\x00\x00"): "",
		"\xff\x0a\xfa": "JPEG XL", "\x00\x00\x00\x0cJXL \r\n\x87\n": "JPEG XL", "\x00\x00\x00\x0cjP  \r\n": "JPEG 2000",
		"8BPS\x00\x01":         "Photoshop",
		"FUJIFILMCCD-RAW 0201": "RAF", "%PDF-1.7": "PDF", "P6\n3 2\n255\n": "PPM",
		"P6 was late": "",
		"<svg xmlns=": "SVG", "\xef\xbb\xbf<?xml version=\"1.0\"?>\n<!-- <b> -->\n<svg width=": "SVG",
		"<?xml?><!DOCTYPE svg PUBLIC": "SVG",
		"<?xml?><html><svg>":          "", "<?xpacket?><x:xmpmeta>": "",
		"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "", "Dear all": "",
		"": "", "<?": "",
	} {
		got, is := foreign.Of([]byte(head))
		if got.Title != want || is != (want != "") || is && got.Advice == "" || got.Document != (want == "PDF") {
			t.Errorf("%q: %+v, expected %q", head, got, want)
		}
	}
}

// raw is a TIFF of a first directory with some entries and, below it, one of the whole picture.
func raw(first [][4]uint32, whole ...[4]uint32) []byte {
	const start = 8
	first = append(first, [4]uint32{330, 4, 1, uint32(start + 2 + 12*(len(first)+1) + 4)})
	return append(append([]byte(imagetest.TIFFStart), imagetest.TIFFPage(0, first...)...),
		imagetest.TIFFPage(0, whole...)...)
}

func TestRawName(t *testing.T) {
	for name, want := range map[string]string{"a.nef": "NEF", "x/B.CR2": "CR2", "a.dng": "DNG", "a.arw": "ARW",
		"a.tif": "", "nef": "", "a.nef.tif": ""} {
		if got, is := foreign.RawName(name); got.Title != want || is != (want != "") {
			t.Errorf("%s: %q, expected %q", name, got.Title, want)
		}
	}
}

func TestRaw(t *testing.T) {
	small, filter := [4]uint32{254, 4, 1, 1}, [4]uint32{262, 3, 1, 32803}
	rgb, dng := [4]uint32{262, 3, 1, 2}, [4]uint32{50706, 1, 4, 0x401}
	nikon := raw([][4]uint32{small, {271, 2, 18, 0}}, [4]uint32{254, 4, 1, 0}, filter)
	binary.LittleEndian.PutUint32(nikon[8+2+12+8:], uint32(len(nikon)))
	nikon = append(nikon, "NIKON CORPORATION\x00"...)
	// One directory: a small copy, by a camera of a maker of raw files.
	lone := append([]byte(imagetest.TIFFStart), imagetest.TIFFPage(0, small, rgb, [4]uint32{271, 2, 6, 0})...)
	binary.LittleEndian.PutUint32(lone[8+2+2*12+8:], uint32(len(lone)))
	lone = append(lone, "Nikon\x00"...)
	canon := append([]byte("II*\x00\x10\x00\x00\x00CR\x02\x00"), 0, 0, 0, 0)
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"dng":                      {raw([][4]uint32{small, rgb, dng}, filter), "DNG"},
		"dng of one directory":     {append([]byte(imagetest.TIFFStart), imagetest.TIFFPage(0, dng)...), "DNG"},
		"nef":                      {nikon, "NEF"},
		"cr2":                      {canon, "CR2"},
		"sensor without a maker":   {raw([][4]uint32{rgb}, filter), "camera raw"},
		"compressed as a sensor's": {raw([][4]uint32{rgb}, [4]uint32{259, 3, 1, 32767}), "camera raw"},
		"nef of a copy alone":      {lone, "NEF"},
		"copy first":               {raw([][4]uint32{small}, rgb), "TIFF with a small copy first"},
		"picture and copies":       {raw([][4]uint32{rgb}, small), ""},
		"copy alone": {append([]byte(imagetest.TIFFStart), imagetest.TIFFPage(0, small, rgb)...),
			""},
		"a circle":                       {append([]byte(imagetest.TIFFStart), imagetest.TIFFPage(8, rgb)...), ""},
		"ends early":                     {[]byte("II*\x00\x08\x00"), ""},
		"directory before the beginning": {[]byte("II*\x00\x00\x00\x00\x00xxxxxxxx"), ""},
	} {
		got, is := foreign.Raw(bytes.NewReader(c.data))
		if got.Title != c.want || is != (c.want != "") {
			t.Errorf("%s: %q, expected %q", name, got.Title, c.want)
		}
		for n := range c.data { // and nothing of it makes a panic
			foreign.Raw(bytes.NewReader(c.data[:n]))
		}
	}
	for name, data := range imagetest.Sound(t) {
		if got, is := foreign.Raw(bytes.NewReader(data)); is {
			t.Errorf("%s: %q", name, got.Title)
		}
	}
}
