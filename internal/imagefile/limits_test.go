package imagefile_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"superres/internal/imagefile"
	"superres/internal/imagefile/imagetest"
	"superres/internal/metadata"
	"superres/internal/must"
	"superres/internal/picture"
	"superres/internal/safefile"
)

// A picture above the default number of pixels is left to Accept if its file has a byte for every 200 pixels, and is
// refused as a bomb if it has less. A limit that was set holds for all files, and so does the default without Accept.
func TestPixelsOfFile(t *testing.T) {
	claim := func(w, h uint32, length int) []byte {
		head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
		data := append([]byte("\x89PNG\r\n\x1a\n"), imagetest.PNGChunk("IHDR", append(head, 8, 2, 0, 0, 0))...)
		return append(append(data, imagetest.PNGChunk("IDAT", nil)...), make([]byte, max(length-len(data)-12, 0))...)
	}
	reached := errors.New("accept was called")
	accept := func(cfg image.Config, _ int64) error { return reached }
	const bytes100MP = 100e6 / 200
	for _, c := range []struct {
		name   string
		data   []byte
		limits imagefile.Limits
		want   string // of the error; empty: Accept was called
	}{
		{"100 megapixels", claim(10000, 10000, bytes100MP), imagefile.Limits{Accept: accept}, ""},
		{"a byte less", claim(10000, 10000, bytes100MP-1), imagefile.Limits{Accept: accept},
			"10000×10000 is 100000000 pixels, the limit is 99999800 for a file of 499999 bytes"},
		{"a bomb", claim(50000, 50000, 0), imagefile.Limits{Accept: accept},
			"50000×50000 is 2500 megapixels, the limit is 50 for a file of 45 bytes"},
		{"a small file of 50 megapixels", claim(10000, 5000, 0), imagefile.Limits{Accept: accept}, ""},
		{"a limit above", claim(50000, 50000, 0), imagefile.Limits{Accept: accept, Pixels: 3e9}, ""},
		{"a limit below", claim(10000, 10000, bytes100MP), imagefile.Limits{Accept: accept, Pixels: 90e6},
			"10000×10000 is 100 megapixels, the limit is 90"},
		{"without Accept", claim(10000, 10000, bytes100MP), imagefile.Limits{},
			"10000×10000 is 100 megapixels, the limit is 50"},
	} {
		_, err := imagefile.DecodeBytes(t.Context(), c.data, "a.png", c.limits)
		if !errors.Is(err, safefile.ErrLimit) || errors.Is(err, reached) != (c.want == "") ||
			!strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: %v, expected %q", c.name, err, c.want)
		}
	}
}

// Compressed TIFFs of all types of pictures, in both byte orders and of one strip and of several, come back as they
// were, are smaller than their samples, and have the same bytes with any number of processors.
func TestTIFFStrips(t *testing.T) {
	bigEndian := metadata.Metadata{EXIF: append([]byte("MM\x00*\x00\x00\x00\x08\x00\x01"),
		"\x01\x0f\x00\x02\x00\x00\x00\x03ab\x00\x00\x00\x00\x00\x00"...)}
	for _, size := range []image.Point{{1, 1}, {3, 2}, {700, 500}} {
		rect := image.Rectangle{Max: size}
		r := rand.New(rand.NewPCG(1, 2))
		grey, deepGrey := image.NewGray(rect), image.NewGray16(rect)
		colour, deep := image.NewNRGBA(rect), image.NewNRGBA64(rect)
		clear, palette := image.NewNRGBA(rect), image.NewPaletted(rect, color.Palette{color.White, color.Black,
			color.NRGBA{9, 8, 7, 255}})
		for y := range size.Y {
			for x := range size.X {
				v := uint16(70*x+50*y) + uint16(r.IntN(900))
				c := color.NRGBA64{v, v * 3, ^v, 0xffff}
				deepGrey.SetGray16(x, y, color.Gray16{Y: v})
				grey.SetGray(x, y, color.Gray{Y: uint8(v >> 8)})
				deep.SetNRGBA64(x, y, c)
				colour.SetNRGBA(x, y, color.NRGBA{uint8(v >> 8), uint8(v >> 7), uint8(x), 255})
				clear.SetNRGBA(x, y, color.NRGBA{uint8(v >> 8), uint8(v >> 7), uint8(x), uint8(y)})
				palette.SetColorIndex(x, y, uint8(x/9%3))
			}
		}
		for _, m := range []metadata.Metadata{{}, bigEndian} {
			for _, img := range []image.Image{grey, deepGrey, colour, deep, clear, palette} {
				var file, again bytes.Buffer
				opt := imagefile.EncodeOptions{Metadata: m}
				must.Succeed(t, imagefile.Encode(&file, img, imagefile.TIFF, opt))
				before := runtime.GOMAXPROCS(5)
				_ = imagefile.Encode(&again, img, imagefile.TIFF, opt)
				runtime.GOMAXPROCS(before)
				if !bytes.Equal(file.Bytes(), again.Bytes()) {
					t.Errorf("%T %v: other bytes with 5 processors", img, size)
				}
				if pix, _, _ := picture.Samples(img); size.X > 3 && file.Len() > len(pix)*95/100 {
					t.Errorf("%T: %d bytes of %d samples", img, file.Len(), len(pix))
				}
				pic, err := imagefile.DecodeBytes(t.Context(), file.Bytes(), "a.tif", imagefile.Limits{})
				if err != nil {
					t.Fatalf("%T %v: %v", img, size, err)
				}
				for y := range size.Y {
					for x := range size.X {
						got := color.NRGBA64Model.Convert(pic.Image.At(x, y))
						if want := color.NRGBA64Model.Convert(img.At(x, y)); got != want {
							t.Fatalf("%T %v: pixel %d,%d is %v, expected %v", img, size, x, y, got, want)
						}
					}
				}
			}
		}
	}
}
