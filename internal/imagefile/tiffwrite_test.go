package imagefile_test

import (
	"bytes"
	"image"
	"image/color"
	"math/rand/v2"
	"runtime"
	"testing"

	"superres/internal/imagefile"
	"superres/internal/metadata"
	"superres/internal/must"
	"superres/internal/picture"
)

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
