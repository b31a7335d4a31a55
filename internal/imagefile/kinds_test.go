package imagefile

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"reflect"
	"testing"

	"superres/internal/imagefile/imagetest"
	"superres/internal/metadata"
	"superres/internal/must"
	"superres/internal/safefile"
)

// Grey with alpha comes out as that, in 8 and 16 bits; what is not grey does not.
func TestGreyAlpha(t *testing.T) {
	shallow, deep := image.NewNRGBA(image.Rect(2, 1, 41, 30)), image.NewNRGBA64(image.Rect(2, 1, 41, 30))
	for i := range 39 * 29 {
		x, y := 2+i%39, 1+i/39
		v, a := uint16(1700*x+y*y), uint16(65535-50*x*y)
		shallow.SetNRGBA(x, y, color.NRGBA{uint8(v >> 8), uint8(v >> 8), uint8(v >> 8), uint8(a >> 8)})
		deep.SetNRGBA64(x, y, color.NRGBA64{v, v, v, a})
	}
	for _, img := range []image.Image{shallow, deep} {
		data := imagetest.Encoded(t, func(b *bytes.Buffer) error {
			return Encode(b, img, "png",
				EncodeOptions{GreyAlpha: true})
		})
		if data[25] != 4 {
			t.Errorf("%T: colour type %d", img, data[25])
		}
		p := must.Get(decodeBytes(data, "a.png", Limits{}))(t)
		if !p.GreyAlpha || reflect.TypeOf(p.Image) != reflect.TypeOf(img) {
			t.Errorf("%T: read as %T, grey with alpha %v", img, p.Image, p.GreyAlpha)
		}
		for y := range 29 {
			for x := range 39 {
				if got, want := p.Image.At(x, y), img.At(2+x, 1+y); got != want {
					t.Fatalf("%T: pixel %d,%d is %v, want %v", img, x, y, got, want)
				}
			}
		}
	}
	// In a TIFF it is colour, and a profile for grey does not fit.
	icc := make([]byte, 132)
	icc[3] = 132
	copy(icc[16:], "GRAY")
	copy(icc[36:], "acsp")
	for format, want := range map[Format]int{"png": 132, "tiff": 0} {
		opt := EncodeOptions{GreyAlpha: true, Metadata: metadata.Metadata{ICC: icc}}
		p, err := decodeBytes(imagetest.Encoded(t, func(b *bytes.Buffer) error {
			return Encode(b, shallow, format, opt)
		}), "a", Limits{})
		if err != nil || len(p.Metadata.ICC) != want {
			t.Errorf("%s: a profile of %d bytes, %v", format, len(p.Metadata.ICC), err)
		}
	}
	shallow.SetNRGBA(5, 5, color.NRGBA{1, 2, 3, 4})
	if data := imagetest.Encoded(t, func(b *bytes.Buffer) error {
		return Encode(b, shallow, "png",
			EncodeOptions{GreyAlpha: true})
	}); data[25] != 6 {
		t.Errorf("colour written with the colour type %d", data[25])
	}
}

// Opaque colour takes three samples a pixel in a TIFF, as it came.
func TestTIFFSamples(t *testing.T) {
	opaque := image.NewNRGBA(image.Rect(0, 0, 20, 10))
	for i := range opaque.Pix {
		opaque.Pix[i] = 255
	}
	for _, c := range []struct {
		img  image.Image
		want int // bytes of pixels
	}{{opaque, 600}, {imagetest.Ramp(20, 10), 800}, {imagetest.GreyRamp(20, 10), 200},
		{image.NewGray16(image.Rect(0, 0, 20, 10)), 400}} {
		data := imagetest.Encoded(t, func(b *bytes.Buffer) error { return Encode(b, c.img, "tiff", EncodeOptions{}) })
		if got := int(binary.LittleEndian.Uint32(data[4:])) - 8; got != c.want {
			t.Errorf("%T: %d bytes, want %d", c.img, got, c.want)
		}
	}
	planes := append([]byte(imagetest.TIFFStart), imagetest.TIFFPage(0, [4]uint32{256, 4, 1, 9},
		[4]uint32{257, 4, 1, 9}, [4]uint32{258, 3, 1, 8},
		[4]uint32{262, 3, 1, 1}, [4]uint32{277, 3, 1, 3}, [4]uint32{284, 3, 1, 2})...)
	_, err := decodeBytes(planes, "a.tif", Limits{})
	checkRefusal(t, err, safefile.ErrInput, "a.tif",
		"is a TIFF with a plane for each colour, which cannot be read; save it as PNG first")
}

// A palette of greys with a profile for colours stays in colour, so that the profile
// keeps its meaning.
func TestGreyPaletteWithProfile(t *testing.T) {
	img := image.NewPaletted(image.Rect(0, 0, 4, 4), color.Palette{color.Gray{10}, color.Gray{200}})
	data := imagetest.Encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, img) })
	for colours, want := range map[string]image.Image{"RGB ": &image.Paletted{}, "GRAY": &image.Gray{}} {
		icc := make([]byte, 132)
		icc[3] = 132
		copy(icc[16:], colours)
		copy(icc[36:], "acsp")
		with := bytes.Join([][]byte{data[:33], imagetest.PNGChunk("iCCP",
			append([]byte("p\x00\x00"), zlibBytes(icc)...)), data[33:]}, nil)
		p := must.Get(decodeBytes(with, "a.png", Limits{}))(t)
		if reflect.TypeOf(p.Image) != reflect.TypeOf(want) || !bytes.Equal(p.Metadata.ICC, icc) {
			t.Errorf("%s: %T", colours, p.Image)
		}
	}
}

// On request the first picture of several is taken.
func TestFirstFrame(t *testing.T) {
	first, second := imagetest.Indexed(4, 4), imagetest.Indexed(4, 4)
	clear(second.Pix)
	animation := imagetest.Encoded(t, func(b *bytes.Buffer) error {
		return gif.EncodeAll(b, &gif.GIF{Image: []*image.Paletted{first, second}, Delay: []int{1, 1}})
	})
	still := imagetest.Sound(t)["colour.png"]
	apng := bytes.Join([][]byte{still[:33], imagetest.PNGChunk("acTL", []byte{0, 0, 0, 2, 0, 0, 0, 0}), still[33:]},
		nil)

	frame := func(w, h int) []byte {
		size := []byte{byte(w - 1), 0, 0, byte(h - 1), 0, 0}
		return riffChunk("ANMF", append(append(append(make([]byte, 6), size...), 0, 0, 0, 0),
			imagetest.PlainWebP(w, h)[12:]...))
	}
	file := append([]byte("WEBP"), riffChunk("VP8X", []byte{2 | 8, 0, 0, 0, 4, 0, 0, 3, 0, 0})...)
	file = append(append(file, riffChunk("ANIM", make([]byte, 6))...), append(frame(5, 4), frame(2, 2)...)...)
	file = append(file, riffChunk("EXIF", imagetest.WithExif([]byte{0xff, 0xd8}, 6, binary.LittleEndian)[12:])...)
	animated := append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(file))), file...)

	page := imagetest.TIFFPage(0, [4]uint32{256, 4, 1, 2}, [4]uint32{257, 4, 1, 1}, [4]uint32{258, 3, 1, 8},
		[4]uint32{262, 3, 1, 1}, [4]uint32{273, 4, 1, 0}, [4]uint32{279, 4, 1, 2})
	pages := append([]byte(imagetest.TIFFStart), page...)
	binary.LittleEndian.PutUint32(pages[len(pages)-4:], uint32(len(pages)))
	pages = append(pages, page...)

	for name, c := range map[string]struct {
		data   []byte
		size   image.Point
		remedy safefile.Remedy
	}{
		"a.gif": {animation, image.Pt(4, 4), FirstFrame}, "a.png": {apng, image.Pt(7, 5), FirstFrame},
		"a.webp": {animated, image.Pt(4, 5), FirstFrame}, "a.tif": {pages, image.Pt(2, 1), FirstPage},
	} {
		_, err := decodeBytes(c.data, name, Limits{})
		checkRefusal(t, err, safefile.ErrInput, name, "with more than one p")
		checkRemedy(t, err, c.remedy)
		p, err := decodeBytes(c.data, name, Limits{FirstFrame: true})
		if err != nil {
			t.Error(err)
			continue
		}
		if p.Image.Bounds().Size() != c.size {
			t.Errorf("%s: %v", name, p.Image.Bounds())
		}
		if got, ok := p.Image.(*image.Paletted); ok && name == "a.gif" && !bytes.Equal(got.Pix, first.Pix) {
			t.Errorf("%s: another frame", name)
		}
		for n := range c.data { // and nothing of it makes a panic
			p, err := decodeBytes(c.data[:n], name, Limits{FirstFrame: true})
			checkOutcome(t, p, err)
		}
	}
	for name, data := range imagetest.Sound(t) {
		plain, _ := decodeBytes(data, name, Limits{})
		p, err := decodeBytes(data, name, Limits{FirstFrame: true})
		if err != nil || !reflect.DeepEqual(p, plain) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A CMYK JPEG is read, with a word about its colours, and its profile goes nowhere.
func TestCMYK(t *testing.T) {
	icc := make([]byte, 132)
	icc[3] = 132
	copy(icc[16:], "CMYK")
	copy(icc[36:], "acsp")
	data := []byte{0xff, 0xd8}
	data = append(data, imagetest.JPEGSegment(0xee, []byte("Adobe\x00\x64\x00\x00\x00\x00\x00")...)...)
	data = append(data, imagetest.JPEGSegment(0xe2, append([]byte("ICC_PROFILE\x00\x01\x01"), icc...)...)...)
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
		file := imagetest.Encoded(t, func(b *bytes.Buffer) error {
			return Encode(b, p.Image, format, EncodeOptions{Metadata: p.Metadata})
		})
		got, err := decodeBytes(file, "b."+string(format), Limits{})
		if err != nil || got.Metadata.ICC != nil {
			t.Errorf("%s: %v, a profile of %d bytes", format, err, len(got.Metadata.ICC))
		}
	}
}

func riffChunk(kind string, body []byte) []byte {
	b := binary.LittleEndian.AppendUint32([]byte(kind), uint32(len(body)))
	return append(append(b, body...), make([]byte, len(body)%2)...)
}
