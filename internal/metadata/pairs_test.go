package metadata_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"strings"
	"testing"

	"superres/internal/imagefile"
	"superres/internal/imagefile/imagetest"
	"superres/internal/metadata"
)

// Whatever format a profile, an EXIF block and an XMP packet come in and go out, they survive byte for byte; TIFF
// spreads EXIF over its own directory, where every value survives.
func TestEveryPairOfFormats(t *testing.T) {
	icc, xmp := imagetest.Profile("RGB ", 3333), packet(1)
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		exif := exifBlock(order, 1)
		m := blocks{icc, exif, xmp}
		for in, data := range map[string][]byte{
			"png": pngWith(t, colours(), m), "jpeg": jpegWith(t, colours(), m), "webp": webpWith(m),
			"tiff": tiffWith(t, colours(), metadata.Metadata{ICC: icc, EXIF: exif, XMP: xmp}),
		} {
			p := decoded(t, data)
			if string(p.Format) != in || len(p.Warnings) > 0 {
				t.Fatalf("%s: read as %s, %v", in, p.Format, p.Warnings)
			}
			for _, out := range []string{"png", "jpeg", "webp", "tiff"} {
				file := encoded(t, p.Image, out, imagefile.EncodeOptions{Metadata: p.Metadata})
				got := decoded(t, file)
				what := in + " to " + out
				if !bytes.Equal(got.Metadata.ICC, icc) || !bytes.Equal(got.Metadata.XMP, xmp) {
					t.Errorf("%s, %v: the profile or the XMP packet has changed", what, order)
				}
				if in != "tiff" && out != "tiff" && !bytes.Equal(got.Metadata.EXIF, exif) {
					t.Errorf("%s, %v: the EXIF block has changed", what, order)
				}
				if in != "tiff" && out == "tiff" && !bytes.Equal(file[8:len(exif)], exif[8:]) {
					t.Errorf("%s, %v: the file does not begin with the EXIF block", what, order)
				}
				checkTags(t, what, got.Metadata.EXIF, exif)
				if out == "tiff" {
					checkTags(t, what+" itself", file, exif)
				}
				if len(got.Warnings) > 0 {
					t.Errorf("%s: %v", what, got.Warnings)
				}
				again := encoded(t, p.Image, out, imagefile.EncodeOptions{Metadata: p.Metadata})
				if !bytes.Equal(file, again) {
					t.Errorf("%s: two files differ", what)
				}
			}
		}
	}
}

// checkTags compares what two blocks say about the picture. Orientation, resolution
// and the small copy belong to the file, not to the picture.
func checkTags(t *testing.T, what string, got, want []byte) {
	t.Helper()
	if got == nil {
		t.Errorf("%s: there is no EXIF block", what)
		return
	}
	have := tags(t, got)
	for tag, v := range tags(t, want) {
		switch tag {
		case "/0x112", "/0x11a", "/0x11b", "/0x128":
			continue
		}
		if have[tag] != v {
			t.Errorf("%s: tag %s is %q, want %q", what, tag, have[tag], v)
		}
	}
}

// A picture that is turned has no orientation any more, in EXIF and in XMP, and no
// small copy that would lie on its side. Nothing else changes.
func TestOrientationIsReset(t *testing.T) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		m := blocks{nil, exifBlock(order, 6), packet(6)}
		for in, data := range map[string][]byte{"png": pngWith(t, colours(), m), "jpeg": jpegWith(t, colours(), m),
			"webp": webpWith(m)} {
			p := decoded(t, data)
			if got := p.Image.Bounds(); got != image.Rect(0, 0, 4, 5) || p.Metadata.Orientation != 6 {
				t.Errorf("%s: %v, orientation %d", in, got, p.Metadata.Orientation)
			}
			want := exifBlock(order, 1)
			first := order.(binary.ByteOrder).Uint32(want[4:])
			next := first + 2 + 12*8
			copy(want[next:], "\x00\x00\x00\x00")
			if !bytes.Equal(p.Metadata.EXIF, want) {
				t.Errorf("%s: the EXIF block is not the same but for its orientation and second directory", in)
			}
			if !bytes.Equal(p.Metadata.XMP, packet(1)) {
				t.Errorf("%s: XMP is %s", in, p.Metadata.XMP)
			}
			again := decoded(t, encoded(t, p.Image, "png", imagefile.EncodeOptions{Metadata: p.Metadata}))
			if again.Image.Bounds() != image.Rect(0, 0, 4, 5) || again.Metadata.Orientation != 1 {
				t.Errorf("%s: turned twice", in)
			}
		}
	}
}

// The resolution survives from each format to each.
func TestResolution(t *testing.T) {
	// 11811 and 5906 a metre: 300 and 150 dpi
	physical := imagetest.PNGChunk("pHYs", []byte{0, 0, 0x2e, 0x23, 0, 0, 0x17, 0x12, 1})
	density := imagetest.JPEGSegment(0xe0, []byte("JFIF\x00\x01\x01\x01\x01\x2c\x00\x96\x00\x00")...)
	var none blocks
	perInch := metadata.Metadata{Resolution: metadata.Resolution{X: 300, Y: 150, Unit: metadata.Inch}}
	for in, data := range map[string][]byte{
		"png": pngWith(t, colours(), none, physical), "jpeg": jpegWith(t, colours(), none, density),
		"tiff": tiffWith(t, colours(), perInch), "bmp": encoded(t, colours(), "bmp",
			imagefile.EncodeOptions{Metadata: perInch}),
	} {
		m := decoded(t, data).Metadata
		for _, out := range []string{"png", "jpeg", "tiff", "bmp"} {
			file := encoded(t, colours(), out, imagefile.EncodeOptions{Metadata: m})
			got := decoded(t, file).Metadata.Resolution
			factor := map[metadata.Unit]float64{metadata.Inch: 1, metadata.Centimetre: 2.54,
				metadata.Metre: 0.0254}[got.Unit]
			if x, y := got.X*factor, got.Y*factor; x < 299.98 || x > 300.02 || y < 149.98 || y > 150.02 {
				t.Errorf("%s to %s: %v", in, out, got)
			}
			if in == out && got != m.Resolution {
				t.Errorf("%s: %v became %v", in, m.Resolution, got)
			}
		}
	}
	// A ratio alone, and one from EXIF where the format itself has none.
	ratio := decoded(t, pngWith(t, colours(), none,
		imagetest.PNGChunk("pHYs", []byte{0, 0, 0, 2, 0, 0, 0, 1, 0}))).Metadata
	for _, out := range []string{"png", "jpeg", "tiff"} {
		got := decoded(t, encoded(t, colours(), out, imagefile.EncodeOptions{Metadata: ratio})).Metadata.Resolution
		if got != (metadata.Resolution{X: 2, Y: 1, Unit: metadata.Ratio}) {
			t.Errorf("ratio to %s: %v", out, got)
		}
	}
	if got := decoded(t, webpWith(blocks{exif: exifBlock(binary.BigEndian,
		1)})).Metadata.Resolution; got != perInch.Resolution && got.X != 300 {
		t.Errorf("from EXIF: %v", got)
	}
}

// Texts, IPTC and further XMP stay in a file of the same format.
func TestTexts(t *testing.T) {
	texts := [][]byte{imagetest.PNGChunk("tEXt", []byte("Author\x00somebody")), imagetest.PNGChunk("zTXt",
		append([]byte("Comment\x00\x00"), packed([]byte("long"))...)),
		imagetest.PNGChunk("iTXt", []byte("Title\x00\x00\x00\x00\x00Größe"))}
	old := imagetest.PNGChunk("tEXt", []byte("Software\x00another"))
	segments := [][]byte{imagetest.JPEGSegment(0xed,
		[]byte("Photoshop 3.0\x008BIM\x04\x04\x00\x00\x00\x00\x00\x00")...),
		imagetest.JPEGSegment(0xe1, []byte("http://ns.adobe.com/xmp/extension/\x00 0123456789")...),
		imagetest.JPEGSegment(0xfe, []byte("a comment")...)}
	for in, c := range map[string]struct {
		data  []byte
		parts [][]byte
	}{"png": {pngWith(t, colours(), blocks{}, append(texts, old)...), texts},
		"jpeg": {jpegWith(t, colours(), blocks{}, segments...), segments}} {
		p := decoded(t, c.data)
		for _, out := range []string{"png", "jpeg", "tiff"} {
			file := encoded(t, p.Image, out, imagefile.EncodeOptions{Metadata: p.Metadata, Software: "this one"})
			if all := bytes.Join(c.parts, nil); bytes.Contains(file, all) != (in == out) ||
				bytes.Contains(file, []byte("another")) {
				t.Errorf("%s to %s: the texts are there: %v", in, out, in != out)
			}
			_, warnings := p.Metadata.For(out, false)
			if want := map[string]string{
				"png":  `its text chunks "Author", "Comment", "Title" and "Software" are left out: only PNG has such`,
				"jpeg": "its Photoshop segment, extended XMP and comment are left out: only JPEG has such",
			}[in]; (in == out) != (len(warnings) == 0) || in != out && warnings[0] != want {
				t.Errorf("%s to %s: %q", in, out, warnings)
			}
		}
	}
	many := jpegWith(t, colours(), blocks{}, bytes.Repeat(jpegSegment(0xfe, make([]byte, 60000)), 300))
	if p := decoded(t, many); len(p.Metadata.Own) != metadata.MaxBlock/60000 || len(p.Warnings) != 1 {
		t.Errorf("%d comments kept, %q", len(p.Metadata.Own), p.Warnings)
	}
}

// A profile goes only to the kind of picture that it is for, and formats that lack something say so.
func TestWhatDoesNotFit(t *testing.T) {
	full := metadata.Metadata{ICC: imagetest.Profile("RGB ", 200), EXIF: exifBlock(binary.LittleEndian, 1),
		XMP: packet(1)}
	for _, c := range []struct {
		m      metadata.Metadata
		format string
		grey   bool
		want   string // words of the warnings
	}{
		{full, "png", false, ""},
		{full, "png", true, `its ICC profile is for "RGB", not for "GRAY"`},
		{metadata.Metadata{ICC: imagetest.Profile("GRAY", 200)}, "png", true, ""},
		{metadata.Metadata{ICC: imagetest.Profile("GRAY", 200)}, "tiff", false, `for "GRAY", not for "RGB"`},
		{metadata.Metadata{ICC: imagetest.Profile("CMYK", 200)}, "jpeg", false, `for "CMYK", not for "RGB"`},
		{full, "bmp", false, "its EXIF block is left out: the output format has none its XMP packet is left out: " +
			"the output format has none its ICC profile is left out: the output format has none"},
		{metadata.Metadata{XMP: make([]byte, 65505)}, "jpeg", false,
			"its XMP packet is left out: the output format has room for 65504 bytes"},
		{metadata.Metadata{XMP: make([]byte, 65504)}, "jpeg", false, ""},
		{metadata.Metadata{EXIF: make([]byte, 65528)}, "jpeg", false,
			"its EXIF block is left out: the output format has room for 65527 bytes"},
	} {
		m, warnings := c.m.For(c.format, c.grey)
		if got := strings.Join(warnings, " "); got != c.want && (c.want == "" || !strings.Contains(got, c.want)) {
			t.Errorf("%s, grey %v: got %q, want %q", c.format, c.grey, got, c.want)
		}
		if c.want == "" && !bytes.Equal(m.ICC, c.m.ICC) {
			t.Errorf("%s, grey %v: the profile is gone", c.format, c.grey)
		}
	}
	// As large as a JPEG can have them.
	most := metadata.Metadata{ICC: imagetest.Profile("RGB ", 200_000), XMP: bytes.Repeat([]byte{'x'}, 65504)}
	got := decoded(t, encoded(t, colours(), "jpeg", imagefile.EncodeOptions{Metadata: most})).Metadata
	if !bytes.Equal(got.ICC, most.ICC) || !bytes.Equal(got.XMP, most.XMP) {
		t.Error("large blocks are lost in JPEG")
	}
}

// The record of provenance is where each format has its place for it.
func TestProvenance(t *testing.T) {
	opt := imagefile.EncodeOptions{Software: "superres 1; größe\n", Metadata: metadata.Metadata{
		EXIF: exifBlock(binary.BigEndian, 1)}}
	const text = "superres 1; gr??e?"
	for format, want := range map[string][]byte{
		"png":  imagetest.PNGChunk("tEXt", []byte("Software\x00"+text)),
		"jpeg": jpegSegment(0xfe, []byte(text)),
		"tiff": []byte(text + "\x00"),
	} {
		if file := encoded(t, colours(), format, opt); !bytes.Contains(file, want) {
			t.Errorf("%s: no record", format)
		}
		opt := opt
		opt.Software = ""
		if file := encoded(t, colours(), format, opt); bytes.Contains(file, []byte("superres")) ||
			bytes.Contains(file, []byte("Software")) {
			t.Errorf("%s: a record that was not asked for", format)
		}
	}
	file := encoded(t, colours(), "tiff", opt)
	if want := "2×19 "; !strings.HasPrefix(tags(t, file)["/0x131"], want) {
		t.Errorf("the TIFF's software is %q", tags(t, file)["/0x131"])
	}
}
