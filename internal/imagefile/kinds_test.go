package imagefile

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"reflect"
	"slices"
	"testing"

	"superres/internal/imagefile/imagetest"
	"superres/internal/metadata"
	"superres/internal/must"
	"superres/internal/safefile"
)

// Opaque colour takes three samples a pixel in a TIFF, as it came.
func TestTIFFSamples(t *testing.T) {
	opaque := image.NewNRGBA(image.Rect(0, 0, 20, 10))
	for i := range opaque.Pix {
		opaque.Pix[i] = 255
	}
	for _, c := range []struct {
		img  image.Image
		want uint16
	}{{opaque, 3}, {imagetest.Ramp(20, 10), 4}, {imagetest.GreyRamp(20, 10), 1},
		{image.NewGray16(image.Rect(0, 0, 20, 10)), 1}} {
		data, samples := encoded(t, c.img, TIFF, EncodeOptions{}), uint16(0)
		must.Succeed(t, metadata.TIFFDirectories(bytes.NewReader(data), func(d metadata.TIFFDirectory) bool {
			for e := range d.Entries() {
				if e.Tag == 277 {
					samples = uint16(e.Number)
				}
			}
			return true
		}))
		if samples != c.want {
			t.Errorf("%T: %d samples a pixel, want %d", c.img, samples, c.want)
		}
	}
	for text, compression := range map[string]uint32{"JPEG 2000": 34712, "a fax of several bits a pixel": 4} {
		page := imagetest.TIFFPage(0, [4]uint32{256, 4, 1, 9}, [4]uint32{257, 4, 1, 9}, [4]uint32{258, 3, 1, 1},
			[4]uint32{259, 3, 1, compression}, [4]uint32{262, 3, 1, 1}, [4]uint32{277, 3, 1, 2})
		_, err := decodeBytes(append([]byte(imagetest.TIFFStart), page...), "a.tif", Limits{})
		checkRefusal(t, err, safefile.ErrInput, "a.tif",
			"TIFF with "+text+" inside, which cannot be read; save it as PNG first")
	}
}

// A profile goes where the picture has colours of its kind: with grey to a PNG of grey with alpha, not to a TIFF of the
// same, which is colour. A palette of greys with a profile for colours stays in colour.
func TestProfiles(t *testing.T) {
	greyAlpha := image.NewNRGBA(image.Rect(0, 0, 4, 4))
	palette := image.NewPaletted(greyAlpha.Rect, color.Palette{color.Gray{10}, color.Gray{200}})
	for format, want := range map[Format]int{PNG: 132, TIFF: 0} {
		opt := EncodeOptions{GreyAlpha: true, Metadata: metadata.Metadata{ICC: imagetest.Profile("GRAY", 132)}}
		p := must.Get(decodeBytes(encoded(t, greyAlpha, format, opt), "a", Limits{}))(t)
		if len(p.Metadata.ICC) != want {
			t.Errorf("%s: a profile of %d bytes", format, len(p.Metadata.ICC))
		}
	}
	for colours, want := range map[string]image.Image{"RGB ": &image.Paletted{}, "GRAY": &image.Gray{}} {
		icc := imagetest.Profile(colours, 132)
		chunk := imagetest.PNGChunk("iCCP", append([]byte("p\x00\x00"), zlibBytes(icc)...))
		p := must.Get(decodeBytes(imagetest.WithChunks(imagetest.PNG(t, palette), chunk), "a.png", Limits{}))(t)
		if reflect.TypeOf(p.Image) != reflect.TypeOf(want) || !bytes.Equal(p.Metadata.ICC, icc) {
			t.Errorf("%s: %T", colours, p.Image)
		}
	}
}

// Files of several pictures are refused, and on request the first is taken. What only looks like several is read.
func TestManyPictures(t *testing.T) {
	first, second := imagetest.Indexed(4, 4), imagetest.Indexed(4, 4)
	clear(second.Pix)
	animation := imagetest.GIF(t, first, second)
	apng := func(frames byte) []byte {
		control := imagetest.PNGChunk("acTL", []byte{0, 0, 0, frames, 0, 0, 0, 0})
		return imagetest.WithChunks(imagetest.Sound(t)["colour.png"], control)
	}
	frame := func(w, h int) []byte {
		head := append(make([]byte, 6), byte(w-1), 0, 0, byte(h-1), 0, 0, 0, 0, 0, 0)
		return imagetest.RIFFChunk("ANMF", append(head, imagetest.PlainWebP(w, h)[12:]...))
	}
	exif := imagetest.WithExif([]byte{0xff, 0xd8}, 6, binary.LittleEndian)[12:]
	animated := imagetest.RIFFChunk("RIFF", slices.Concat([]byte("WEBP"),
		imagetest.RIFFChunk("VP8X", []byte{2 | 8, 0, 0, 0, 4, 0, 0, 3, 0, 0}),
		imagetest.RIFFChunk("ANIM", make([]byte, 6)),
		frame(5, 4), frame(2, 2), imagetest.RIFFChunk("EXIF", exif)))

	page := [][4]uint32{{254, 4, 1, 0}, {256, 4, 1, 2}, {257, 4, 1, 1}, {258, 3, 1, 8}, {262, 3, 1, 1}, {273, 4, 1, 0},
		{279, 4, 1, 2}}
	length := uint32(len(imagetest.TIFFPage(0, page...)))
	pages := func(kind, last uint32) []byte {
		second := append([][4]uint32{{254, 4, 1, kind}}, page[1:]...)
		return slices.Concat([]byte(imagetest.TIFFStart), imagetest.TIFFPage(8+length, page...),
			imagetest.TIFFPage(last, second...))
	}
	for name, c := range map[string]struct {
		data   []byte
		want   string // in the refusal; empty: it is one picture
		size   image.Point
		remedy safefile.Remedy
	}{
		"a.gif":     {animation, "is an animated GIF with more than one picture", image.Pt(4, 4), FirstFrame},
		"a.png":     {apng(2), "animated PNG with more than one p", image.Pt(7, 5), FirstFrame},
		"a.webp":    {animated, "animated WebP with more than one p", image.Pt(4, 5), FirstFrame},
		"a.tif":     {pages(2, 0), "is a TIFF with more than one page", image.Pt(2, 1), FirstPage},
		"one.png":   {apng(1), "", image.Pt(7, 5), ""},
		"small.tif": {pages(1, 0), "", image.Pt(2, 1), ""},
		"loop.tif":  {pages(1, 8), "", image.Pt(2, 1), ""},
		"self.tif":  {pages(1, 8+length), "", image.Pt(2, 1), ""},
	} {
		if _, err := decodeBytes(bytes.Clone(c.data), name, Limits{}); c.want != "" {
			checkRefusal(t, err, safefile.ErrInput, name, c.want)
			checkRemedy(t, err, c.remedy)
		} else if err != nil {
			t.Error(err)
		}
		p := must.Get(decodeBytes(c.data, name, Limits{FirstFrame: true}))(t)
		if p.Image.Bounds().Size() != c.size {
			t.Errorf("%s: %v", name, p.Image.Bounds())
		}
		if got, ok := p.Image.(*image.Paletted); ok && name == "a.gif" && !bytes.Equal(got.Pix, first.Pix) {
			t.Errorf("%s: another frame", name)
		}
	}
	_, err := decodeBytes(animation[:len(animation)-9], "cut.gif", Limits{})
	checkRefusal(t, err, safefile.ErrInput, "cut.gif", "animated GIF")
	for name, data := range imagetest.Sound(t) {
		plain := must.Get(decodeBytes(data, name, Limits{}))(t)
		if p := must.Get(decodeBytes(data, name, Limits{FirstFrame: true}))(t); !reflect.DeepEqual(p, plain) {
			t.Errorf("%s: another picture as the first", name)
		}
	}
}

// A CMYK JPEG is read, with a word about its colours, and its profile goes nowhere.
func TestCMYK(t *testing.T) {
	data := []byte{0xff, 0xd8}
	data = append(data, imagetest.JPEGSegment(0xee, []byte("Adobe\x00\x64\x00\x00\x00\x00\x00")...)...)
	data = append(data, imagetest.JPEGSegment(0xe2, append([]byte("ICC_PROFILE\x00\x01\x01"),
		imagetest.Profile("CMYK", 132)...)...)...)
	data = append(data, imagetest.JPEGSegment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...)...)
	data = append(data, imagetest.JPEGSegment(0xc0, 8, 0, 8, 0, 8, 4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11,
		0)...)
	for _, class := range []byte{0x00, 0x10} { // one code, the bit 0, for "nothing"
		data = append(data, imagetest.JPEGSegment(0xc4, append(append([]byte{class, 1}, make([]byte, 15)...), 0)...)...)
	}
	data = append(data, imagetest.JPEGSegment(0xda, 4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 63, 0)...)
	data = append(data, 0, 0xff, 0xd9)
	p := must.Get(decodeBytes(data, "a.jpg", Limits{}))(t)
	if _, ok := p.Image.(*image.CMYK); !ok || len(p.Warnings) != 1 ||
		p.Warnings[0] != "its CMYK colours become RGB by plain arithmetic" {
		t.Errorf("%T, %q", p.Image, p.Warnings)
	}
	for _, format := range []Format{"png", "jpeg", "tiff"} {
		file := encoded(t, p.Image, format, EncodeOptions{Metadata: p.Metadata})
		got, err := decodeBytes(file, "b."+string(format), Limits{})
		if err != nil || got.Metadata.ICC != nil {
			t.Errorf("%s: %v, a profile of %d bytes", format, err, len(got.Metadata.ICC))
		}
	}
}
