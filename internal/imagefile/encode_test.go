package imagefile

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"io"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"superres/internal/imagefile/imagetest"
	"superres/internal/metadata"
	"superres/internal/must"
	"superres/internal/safefile"
)

// every returns one picture of each type that a caller may have, 5×4, off the
// origin so that a mistake with bounds shows.
func every() map[string]image.Image {
	r := image.Rect(2, 3, 7, 7)
	pix := func(n int) []byte {
		p := make([]byte, n)
		for i := range p {
			p[i] = byte(i*67 + 5)
		}
		return p
	}
	return map[string]image.Image{
		"gray":    &image.Gray{Pix: pix(20), Stride: 5, Rect: r},
		"gray16":  &image.Gray16{Pix: pix(40), Stride: 10, Rect: r},
		"nrgba":   &image.NRGBA{Pix: pix(80), Stride: 20, Rect: r},
		"nrgba64": &image.NRGBA64{Pix: pix(160), Stride: 40, Rect: r},
		"paletted": &image.Paletted{Pix: make([]byte, 20), Stride: 5, Rect: r,
			Palette: color.Palette{color.NRGBA{R: 200, G: 9, B: 77, A: 3}}},
		"opaque": &image.Paletted{Pix: make([]byte, 20), Stride: 5, Rect: r,
			Palette: color.Palette{color.RGBA{R: 200, G: 9, B: 77, A: 255}}},
		"ycbcr":   image.NewYCbCr(r, image.YCbCrSubsampleRatio444),
		"cmyk":    &image.CMYK{Pix: pix(80), Stride: 20, Rect: r},
		"nycbcra": image.NewNYCbCrA(r, image.YCbCrSubsampleRatio444),
	}
}

// roundTrip writes img and reads it again.
func roundTrip(t *testing.T, img image.Image, format Format) image.Image {
	t.Helper()
	data := imagetest.Encoded(t, func(b *bytes.Buffer) error { return Encode(b, img, format, EncodeOptions{}) })
	p, err := decodeBytes(data, "again."+string(format), Limits{})
	if err != nil {
		t.Fatalf("%T as %s: %v", img, format, err)
	}
	if p.Format != format {
		t.Errorf("%T as %s: read as %s", img, format, p.Format)
	}
	return p.Image
}

// Every type keeps its kind: grey its greyness, 16 bits their depth.
func TestRoundTripTypes(t *testing.T) {
	kinds := map[Format]map[string]image.Image{
		"png": {"gray": &image.Gray{}, "gray16": &image.Gray16{}, "nrgba": &image.NRGBA{}, "nrgba64": &image.NRGBA64{},
			"paletted": &image.Paletted{},
			"opaque":   &image.Paletted{}, "ycbcr": &image.RGBA{}, "cmyk": &image.RGBA{}, "nycbcra": &image.NRGBA{}},
		"tiff": {"gray": &image.Gray{}, "gray16": &image.Gray16{}, "nrgba": &image.NRGBA{}, "nrgba64": &image.NRGBA64{},
			"paletted": &image.NRGBA{},
			"opaque":   &image.Paletted{}, "ycbcr": &image.RGBA{}, "cmyk": &image.RGBA{}, "nycbcra": &image.NRGBA{}},
		"bmp": {"gray": &image.Gray{}, "gray16": &image.Gray{}},
		"jpeg": {"gray": &image.Gray{}, "gray16": &image.Gray{}, "nrgba": &image.YCbCr{}, "nrgba64": &image.YCbCr{},
			"cmyk": &image.YCbCr{}},
	}
	for format, types := range kinds {
		for name, want := range types {
			img := every()[name]
			got := roundTrip(t, img, format)
			if got.Bounds().Size() != img.Bounds().Size() {
				t.Errorf("%s as %s: size %v", name, format, got.Bounds().Size())
			}
			if reflect.TypeOf(got) != reflect.TypeOf(want) {
				t.Errorf("%s as %s: read as %T, want %T", name, format, got, want)
			}
		}
	}
}

// What PNG and TIFF can hold comes back to the bit.
func TestRoundTripPixels(t *testing.T) {
	for _, format := range []Format{TIFF, PNG} {
		for _, name := range []string{"gray", "gray16", "nrgba", "nrgba64", "paletted", "opaque"} {
			img := every()[name]
			got := roundTrip(t, img, format)
			origin := img.Bounds().Min
			for y := range 4 {
				for x := range 5 {
					// As NRGBA64, which changes none of these types' values.
					want := straight(img.At(origin.X+x, origin.Y+y))
					if c := straight(got.At(x, y)); c != want {
						t.Fatalf("%s as %s: pixel %d,%d is %v, want %v", name, format, x, y, c, want)
					}
				}
			}
		}
	}
}

// straight is a colour without multiplication by alpha, in 16 bits.
func straight(c color.Color) color.NRGBA64 {
	if c, ok := c.(color.NRGBA); ok {
		return color.NRGBA64{R: uint16(c.R) * 257, G: uint16(c.G) * 257, B: uint16(c.B) * 257, A: uint16(c.A) * 257}
	}
	return color.NRGBA64Model.Convert(c).(color.NRGBA64)
}

func TestEightBitFormatsRound(t *testing.T) {
	grey := image.NewGray16(image.Rect(0, 0, 2, 1))
	grey.SetGray16(0, 0, color.Gray16{Y: 100*257 + 128})
	grey.SetGray16(1, 0, color.Gray16{Y: 100*257 + 129})
	got := roundTrip(t, grey, "bmp").(*image.Gray).Pix
	if !bytes.Equal(got, []byte{100, 101}) {
		t.Errorf("got %v, want [100 101]", got)
	}
	opaque := image.NewRGBA64(image.Rect(0, 0, 1, 1))
	opaque.SetRGBA64(0, 0, color.RGBA64{R: 200*257 + 129, G: 7 * 257, B: 65535, A: 65535})
	if got, want := roundTrip(t, opaque, "bmp").At(0, 0), (color.RGBA{R: 201, G: 7, B: 255, A: 255}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	veil := image.NewRGBA64(image.Rect(0, 0, 1, 1))
	veil.SetRGBA64(0, 0, color.RGBA64{R: 32768, A: 32768})
	if got, want := BMP.codec().adapt(veil).At(0, 0), (color.NRGBA{R: 255, A: 128}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestFaintColoursStay(t *testing.T) {
	img := image.NewNYCbCrA(image.Rect(0, 0, 1, 1), image.YCbCrSubsampleRatio444)
	img.Y[0], img.Cb[0], img.Cr[0], img.A[0] = 100, 128, 128, 1
	for _, format := range []Format{"png", "tiff"} {
		if got, want := roundTrip(t, img, format).At(0, 0), (color.NRGBA{R: 100, G: 100, B: 100, A: 1}); got != want {
			t.Errorf("%s: got %v, want %v", format, got, want)
		}
	}
}

// sized is a picture of any size without pixels of its own.
type sized image.Rectangle

func (s sized) ColorModel() color.Model { return color.RGBAModel }
func (s sized) Bounds() image.Rectangle { return image.Rectangle(s) }
func (s sized) At(int, int) color.Color { return color.Black }

func TestEncodeRefusals(t *testing.T) {
	pixel := image.NewGray(image.Rect(0, 0, 1, 1))
	large := &image.NRGBA64{Rect: image.Rect(0, 0, 40000, 14000)}
	for _, c := range []struct {
		img     image.Image
		format  Format
		quality int
		want    string
		remedy  safefile.Remedy
	}{
		{pixel, "gif", 0, `cannot write the format "gif" (known: PNG JPEG TIFF BMP)`, KnownFormat},
		{pixel, "jpeg", 101, "JPEG quality 101 is not from 1 to 100", KnownQuality},
		{pixel, "jpeg", -1, "JPEG quality -1 is not", KnownQuality},
		{image.NewGray(image.Rectangle{}), "png", 0, "there is nothing to write, the picture is 0x0", LargerScale},
		{sized(image.Rect(0, 0, 65536, 1)), "jpeg", 0,
			"a side of JPEG has at most 65535 pixels, the picture is 65536x1", PNGOrSmaller},
		{sized(image.Rect(0, 0, 1, 65536)), "tiff", 0, "a side of TIFF has at most 65535 pixels", PNGOrSmaller},
		{sized(image.Rect(0, 0, 40000, 40000)), "bmp", 0,
			"BMP has at most 4 GiB, which a picture of 40000x40000 exceeds", PNGOrSmaller},
		{large, "tiff", 0, "TIFF has at most 4 GiB", PNGOrSmaller},
	} {
		var out bytes.Buffer
		err := Encode(&out, c.img, c.format, EncodeOptions{Quality: c.quality})
		if !errors.Is(err, safefile.ErrOutput) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
		checkRemedy(t, err, c.remedy)
		if out.Len() > 0 {
			t.Errorf("%s: %d bytes written", c.want, out.Len())
		}
	}
}

// A refused picture gets the name of its file.
func TestEncodeToFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.png")
	err := safefile.WriteAtomic(name, false, func(w io.Writer) error {
		return Encode(w, image.NewGray(image.Rectangle{}), "png", EncodeOptions{})
	})
	checkRefusal(t, err, safefile.ErrOutput, name, "there is nothing to write, the picture is 0x0")
}

func TestEncodePassesWriteErrors(t *testing.T) {
	full := errors.New("full")
	for _, format := range []Format{"png", "jpeg", "bmp", "tiff"} {
		r, w := io.Pipe()
		r.CloseWithError(full)
		if err := Encode(w, imagetest.Ramp(4, 4), format, EncodeOptions{}); !errors.Is(err, full) {
			t.Errorf("%s: error %v", format, err)
		}
	}
}

func TestFormatOf(t *testing.T) {
	for path, want := range map[string]Format{
		"a.png": "png", "a.PNG": "png", "dir.png/a.jpg": "jpeg", "a.b.JPEG": "jpeg", "a.bmp": "bmp", "a.tif": "tiff",
		"a.Tiff": "tiff",
	} {
		if got, err := FormatOf(path); got != want || err != nil {
			t.Errorf("%s: got %q, %v", path, got, err)
		}
	}
	_, err := FormatOf("a.gif")
	checkRefusal(t, err, safefile.ErrOutput, "a.gif", `cannot write ".gif" files (known: PNG JPEG TIFF BMP)`)
	checkRemedy(t, err, KnownName)
	_, err = FormatOf("dir.png/a")
	checkRefusal(t, err, safefile.ErrOutput, "dir.png/a", "has no extension to tell the format")
}

// A stream writes the bytes of Encode, however its rows come, and is not whole without all
// of them.
func TestStream(t *testing.T) {
	const w, h = 700, 130 // several chunks of a PNG
	colour, deep, grey, grey16 := image.NewNRGBA(image.Rect(0, 0, w, h)), image.NewNRGBA64(image.Rect(0, 0, w, h)),
		image.NewGray(image.Rect(0, 0, w, h)), image.NewGray16(image.Rect(0, 0, w, h))
	for i := range w * h {
		x, y := i%w, i/w
		v := color.NRGBA64{uint16(x * y), uint16(x * 97), uint16(y * 500), 0xffff}
		colour.Set(x, y, v)
		deep.Set(x, y, v)
		grey.Set(x, y, v)
		grey16.Set(x, y, v)
	}
	for _, img := range []interface {
		image.Image
		SubImage(image.Rectangle) image.Image
	}{colour, deep, grey, grey16} {
		for _, format := range []Format{"png", "jpeg"} {
			opt := EncodeOptions{Quality: 80, Software: "test", Metadata: metadata.Metadata{
				Resolution: metadata.Resolution{X: 300, Y: 300, Unit: 2}}}
			want := imagetest.Encoded(t, func(b *bytes.Buffer) error { return Encode(b, img, format, opt) })
			for _, rows := range []int{1, 7, 8, 60, 129, h} {
				var got bytes.Buffer
				s := NewStream(&got, w, h, format, opt)
				for y := 0; y < h; y += rows {
					if err := s.Close(); err == nil {
						t.Errorf("%T, %s: whole after %d rows", img, format, y)
					}
					must.Succeed(t, s.Put(img.SubImage(image.Rect(0, y, w, min(y+rows, h)))))
				}
				if err := s.Close(); err != nil || !bytes.Equal(got.Bytes(), want) {
					t.Errorf("%T, %s, %d rows at a time: %v, %d bytes, expected %d", img, format, rows, err, got.Len(),
						len(want))
				}
			}
		}
	}
}
