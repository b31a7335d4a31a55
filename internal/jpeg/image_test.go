package jpeg

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"testing"

	"superres/internal/must"
)

// picture returns a picture of gradients, edges and noise, grey or in colour.
func picture(r *rand.Rand, w, h int, isGrey bool) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	noise, step := 1+r.IntN(40), 1+r.IntN(9)
	for y := range h {
		for x := range w {
			v := x*step + y*3 + r.IntN(noise)
			if (x/7+y/5)%3 == 0 {
				v = 255 - v
			}
			img.SetNRGBA(x, y, color.NRGBA{R: uint8(v), G: uint8(y*step + x), B: uint8(128 + v/2), A: 255})
		}
	}
	if !isGrey {
		return img
	}
	grey := image.NewGray(img.Rect)
	for y := range h {
		for x := range w {
			grey.Set(x, y, img.At(x, y))
		}
	}
	return grey
}

// Ordinary files have the samples of image/jpeg, which rounds its transform in another way, within two levels.
func TestAgainstImageJPEG(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	samples, off := 0, 0
	for n := range 60 {
		var file bytes.Buffer
		img := picture(r, 1+r.IntN(70), 1+r.IntN(70), n%3 == 0)
		must.Succeed(t, jpeg.Encode(&file, img, &jpeg.Options{Quality: 30 + n}))
		want := must.Get(jpeg.Decode(bytes.NewReader(file.Bytes())))(t)
		got := must.Get(decode(file.Bytes(), Options{}))(t)
		if fmt.Sprintf("%T", got) != fmt.Sprintf("%T", want) || got.Bounds() != want.Bounds() {
			t.Fatalf("a %T of %v, expected a %T of %v", got, got.Bounds(), want, want.Bounds())
		}
		a, b := planes(got), planes(want)
		for i := range a {
			for k, v := range a[i] {
				d := int(v) - int(b[i][k])
				if samples++; d != 0 {
					off++
				}
				if d < -2 || d > 2 {
					t.Fatalf("file %d, plane %d: %d, expected %d", n, i, v, b[i][k])
				}
			}
		}
	}
	t.Logf("%.2f %% of the samples differ from image/jpeg", 100*float64(off)/float64(samples))
	if off > samples/20 {
		t.Errorf("%d of %d samples differ", off, samples)
	}
}

// planes returns the samples of a picture, without those beyond it.
func planes(img image.Image) [][]byte {
	crop := func(pix []byte, stride, w, h int) (out []byte) {
		for y := range h {
			out = append(out, pix[y*stride:][:w]...)
		}
		return out
	}
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	switch m := img.(type) {
	case *image.Gray:
		return [][]byte{crop(m.Pix, m.Stride, w, h)}
	case *image.YCbCr:
		cw, ch := (w+1)/2, (h+1)/2 // the encoder halves chroma
		return [][]byte{crop(m.Y, m.YStride, w, h), crop(m.Cb, m.CStride, cw, ch), crop(m.Cr, m.CStride, cw, ch)}
	}
	return nil
}

// BenchmarkDecode compares the time of a file of 12 megapixels, 4:2:0, with the time of image/jpeg.
func BenchmarkDecode(b *testing.B) {
	var file bytes.Buffer
	must.Succeed(b, jpeg.Encode(&file, picture(rand.New(rand.NewPCG(5, 6)), 4000, 3000, false), nil))
	b.Run("own", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			must.Get(decode(file.Bytes(), Options{}))(b)
		}
	})
	b.Run("image-jpeg", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			must.Get(jpeg.Decode(bytes.NewReader(file.Bytes())))(b)
		}
	})
}
