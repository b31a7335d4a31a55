package imagefile

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"os"
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

// encoded returns the file that Encode makes of a picture.
func encoded(t testing.TB, img image.Image, format Format, opt EncodeOptions) []byte {
	t.Helper()
	return imagetest.Encoded(t, func(b *bytes.Buffer) error { return Encode(b, img, format, opt) })
}

// roundTrip writes img and reads it again.
func roundTrip(t *testing.T, img image.Image, format Format) image.Image {
	t.Helper()
	p := must.Get(decodeBytes(encoded(t, img, format, EncodeOptions{}), "again", Limits{}))(t)
	if p.Format != format || p.Image.Bounds().Size() != img.Bounds().Size() {
		t.Errorf("%T as %s: read as %s of %v", img, format, p.Format, p.Image.Bounds())
	}
	return p.Image
}

// Every type keeps its kind: grey its greyness, 16 bits their depth. What PNG and TIFF can hold comes back to the bit.
func TestRoundTrip(t *testing.T) {
	gray, gray16, nrgba, rgba, ycbcr := &image.Gray{}, &image.Gray16{}, &image.NRGBA{}, &image.RGBA{}, &image.YCbCr{}
	paletted, nrgba64 := &image.Paletted{}, &image.NRGBA64{}
	for format, types := range map[Format]map[string]image.Image{
		PNG: {"gray": gray, "gray16": gray16, "nrgba": nrgba, "nrgba64": nrgba64, "paletted": paletted,
			"opaque": paletted, "ycbcr": rgba, "cmyk": rgba, "nycbcra": nrgba},
		TIFF: {"gray": gray, "gray16": gray16, "nrgba": nrgba, "nrgba64": nrgba64, "paletted": nrgba,
			"opaque": paletted, "ycbcr": rgba, "cmyk": rgba, "nycbcra": nrgba},
		BMP:  {"gray": gray, "gray16": gray},
		JPEG: {"gray": gray, "gray16": gray, "nrgba": ycbcr, "nrgba64": ycbcr, "cmyk": ycbcr},
	} {
		for name, want := range types {
			img := every()[name]
			got := roundTrip(t, img, format)
			if reflect.TypeOf(got) != reflect.TypeOf(want) {
				t.Errorf("%s as %s: read as %T, want %T", name, format, got, want)
			}
			if format != PNG && format != TIFF || want == rgba || name == "nycbcra" {
				continue
			}
			origin := img.Bounds().Min
			for i := range 20 {
				x, y := i%5, i/5
				if c, want := straight(got.At(x, y)), straight(img.At(origin.X+x, origin.Y+y)); c != want {
					t.Fatalf("%s as %s: pixel %d,%d is %v, want %v", name, format, x, y, c, want)
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

// Formats of 8 bits round, and faint colours stay.
func TestRounding(t *testing.T) {
	pixel := image.Rect(0, 0, 1, 1)
	opaque, veil, faint := image.NewRGBA64(pixel), image.NewRGBA64(pixel), image.NewNYCbCrA(pixel, 0)
	opaque.SetRGBA64(0, 0, color.RGBA64{R: 200*257 + 129, G: 7 * 257, B: 65535, A: 65535})
	veil.SetRGBA64(0, 0, color.RGBA64{R: 32768, A: 32768})
	faint.Y[0], faint.Cb[0], faint.Cr[0], faint.A[0] = 100, 128, 128, 1
	below, above := image.NewGray16(pixel), image.NewGray16(pixel)
	below.SetGray16(0, 0, color.Gray16{Y: 100*257 + 128})
	above.SetGray16(0, 0, color.Gray16{Y: 100*257 + 129})
	for _, c := range []struct {
		got  image.Image
		want color.Color
	}{
		{roundTrip(t, below, BMP), color.Gray{Y: 100}}, {roundTrip(t, above, BMP), color.Gray{Y: 101}},
		{roundTrip(t, opaque, BMP), color.RGBA{R: 201, G: 7, B: 255, A: 255}},
		{BMP.codec().adapt(veil), color.NRGBA{R: 255, A: 128}},
		{roundTrip(t, faint, PNG), color.NRGBA{R: 100, G: 100, B: 100, A: 1}},
		{roundTrip(t, faint, TIFF), color.NRGBA{R: 100, G: 100, B: 100, A: 1}},
	} {
		if got := c.got.At(0, 0); got != c.want {
			t.Errorf("%T: got %v, want %v", c.got, got, c.want)
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
		{pixel, "gif", 0, `cannot write the format "gif" (known: PNG JPEG WebP TIFF BMP AVIF)`, KnownFormat},
		{pixel, "jpeg", 101, "quality 101 is not from 1 to 100", KnownQuality},
		{pixel, "jpeg", -1, "quality -1 is not", KnownQuality},
		{image.NewGray(image.Rectangle{}), "png", 0, "there is nothing to write, the picture is 0×0", LargerScale},
		{sized(image.Rect(0, 0, 65536, 1)), "jpeg", 0,
			"a side of JPEG has at most 65535 pixels, the picture is 65536×1", PNGOrSmaller},
		{sized(image.Rect(0, 0, 1, 65536)), "tiff", 0, "a side of TIFF has at most 65535 pixels", PNGOrSmaller},
		{sized(image.Rect(0, 0, 40000, 40000)), "bmp", 0,
			"BMP has at most 4 GiB, which a picture of 40000×40000 exceeds", PNGOrSmaller},
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

// failingAt is a writer that fails at the k-th call, from 0.
type failingAt struct{ k, calls int }

var errFull = errors.New("full")

func (w *failingAt) Write(p []byte) (int, error) {
	if w.calls++; w.calls > w.k {
		return len(p) / 2, errFull
	}
	return len(p), nil
}

// The error of a writer comes back, and a writer of a PNG that failed is not written to again.
func TestEncodePassesWriteErrors(t *testing.T) {
	for _, format := range []Format{JPEG, BMP, TIFF} {
		if err := Encode(&failingAt{}, imagetest.Ramp(4, 4), format, EncodeOptions{}); !errors.Is(err, errFull) {
			t.Errorf("%s: error %v", format, err)
		}
	}
	img, w := image.NewNRGBA(image.Rect(0, 0, 900, 800)), &failingAt{}
	for err := error(errFull); err != nil; w.k++ {
		w.calls = 0
		if err = encodePNG(w, img, EncodeOptions{}); err != nil && (!errors.Is(err, errFull) || w.calls != w.k+1) {
			t.Errorf("call %d: %v after %d calls", w.k, err, w.calls)
		}
	}
	if w.k < 11 {
		t.Errorf("%d calls for several chunks", w.k-1)
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
	checkRefusal(t, err, safefile.ErrOutput, "a.gif", `cannot write ".gif" files (known: PNG JPEG WebP TIFF BMP AVIF)`)
	checkRemedy(t, err, KnownName)
	_, err = FormatOf("dir.png/a")
	checkRefusal(t, err, safefile.ErrOutput, "dir.png/a", "has no extension to tell the format")
}

// A stream writes the bytes of Encode, however its rows come, and is not whole without all of them.
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
				Resolution: metadata.Resolution{X: 300, Y: 300, Unit: 2}, Film: []byte("a film")}}
			if img == colour { // its length stands in front of the picture
				opt.Metadata.GainMap = []byte("a gain map")
			}
			want := encoded(t, img, format, opt)
			for _, rows := range []int{1, 7, 8, 60, 129, h} {
				var got bytes.Buffer
				aside := must.Get(os.Create(filepath.Join(t.TempDir(), "aside")))(t)
				s := NewStream(&got, w, h, format, opt, aside)
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
				_ = aside.Close()
			}
		}
	}
}
