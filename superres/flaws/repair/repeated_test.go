package repair

import (
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"reflect"
	"testing"
)

// Repeated finds by how much samples of pictures of all kinds were repeated, and TakeOnce undoes it.
func TestRepeated(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, make := range []func(r image.Rectangle) draw.Image{
		func(r image.Rectangle) draw.Image { return image.NewGray(r) },
		func(r image.Rectangle) draw.Image { return image.NewGray16(r) },
		func(r image.Rectangle) draw.Image { return image.NewNRGBA(r) },
		func(r image.Rectangle) draw.Image { return image.NewNRGBA64(r) },
	} {
		for _, k := range []int{2, 3, 7, 16} {
			once := make(image.Rect(0, 0, 9+rng.IntN(9), 9+rng.IntN(9)))
			many := make(image.Rect(5, 3, 5+k*once.Bounds().Dx(), 3+k*once.Bounds().Dy()))
			for y := range once.Bounds().Dy() {
				for x := range once.Bounds().Dx() {
					c := color.NRGBA64{uint16(rng.Uint32()), uint16(rng.Uint32()), uint16(rng.Uint32()),
						uint16(rng.Uint32() | 0x8000)}
					once.Set(x, y, c)
					for i := range k * k {
						many.Set(5+x*k+i%k, 3+y*k+i/k, c)
					}
				}
			}
			if got := Repeated(once); got != 0 {
				t.Errorf("%T of noise: %d", once, got)
			}
			if got := Repeated(many); got != k {
				t.Errorf("%T repeated %d times: %d", once, k, got)
			}
			if got := TakeOnce(many, k); !reflect.DeepEqual(got, image.Image(once)) {
				t.Errorf("%T repeated %d times: another picture is left", once, k)
			}
			b := many.Bounds()
			at := color.NRGBAModel.Convert(many.At(b.Max.X-1, b.Max.Y-1)).(color.NRGBA)
			at.R, at.G, at.B = at.R^128, at.G^128, at.B^128
			if many.Set(b.Max.X-1, b.Max.Y-1, at); Repeated(many) != 0 {
				t.Errorf("%T: found with another last sample", once)
			}
		}
	}
	if got := Repeated(image.NewGray(image.Rect(0, 0, 64, 64))); got != 8 {
		t.Errorf("one colour: %d", got)
	}
	if got := Repeated(image.NewGray(image.Rect(0, 0, 14, 99))); got != 0 {
		t.Errorf("a narrow picture: %d", got)
	}
}
