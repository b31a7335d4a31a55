package vp8l_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"runtime"
	"testing"

	"golang.org/x/image/vp8l"

	"superres/internal/must"
	ours "superres/internal/vp8l"
)

// pictureOf returns img as a picture.
func pictureOf(img *image.NRGBA) ours.Picture {
	b := img.Bounds()
	return ours.Picture{Width: b.Dx(), Height: b.Dy(), Alpha: !img.Opaque(), Row: func(dst []uint32, y int) {
		for x := range dst {
			c := img.NRGBAAt(b.Min.X+x, b.Min.Y+y)
			dst[x] = uint32(c.A)<<24 | uint32(c.R)<<16 | uint32(c.G)<<8 | uint32(c.B)
		}
	}}
}

func encode(t testing.TB, img *image.NRGBA) []byte {
	t.Helper()
	s := ours.New(pictureOf(img))
	var out bytes.Buffer
	must.Succeed(t, s.Write(&out))
	if s.Size() != int64(out.Len()) {
		t.Fatalf("%v: said %d bytes, wrote %d", img.Rect, s.Size(), out.Len())
	}
	return out.Bytes()
}

// check fails unless img comes back as it was.
func check(t testing.TB, img *image.NRGBA) []byte {
	t.Helper()
	data := encode(t, img)
	got, err := vp8l.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%v: %v", img.Rect, err)
	}
	if got.Bounds() != img.Bounds() {
		t.Fatalf("size %v, expected %v", got.Bounds(), img.Bounds())
	}
	for i, v := range got.(*image.NRGBA).Pix {
		if v != img.Pix[i] {
			t.Fatalf("%v: pixel %d, sample %d is %d, expected %d", img.Rect, i/4, i%4, v, img.Pix[i])
		}
	}
	return data
}

// kinds fill pictures of all kinds, each by its name.
var kinds = map[string]func(img *image.NRGBA, r *rand.Rand){
	"noise": func(img *image.NRGBA, r *rand.Rand) { fill(img, func(int, int) color.NRGBA { return anyColour(r) }) },
	"opaque noise": func(img *image.NRGBA, r *rand.Rand) {
		fill(img, func(int, int) color.NRGBA { c := anyColour(r); c.A = 255; return c })
	},
	"one colour": func(img *image.NRGBA, r *rand.Rand) {
		c := anyColour(r)
		fill(img, func(int, int) color.NRGBA { return c })
	},
	"clear": func(img *image.NRGBA, r *rand.Rand) {
		fill(img, func(int, int) color.NRGBA { c := anyColour(r); c.A = 0; return c })
	},
	"grey slope": func(img *image.NRGBA, r *rand.Rand) {
		a, b := r.IntN(9), r.IntN(9)
		fill(img, func(x, y int) color.NRGBA { v := uint8(a*x + b*y); return color.NRGBA{v, v, v, 255} })
	},
	"colour slope": func(img *image.NRGBA, r *rand.Rand) {
		n := 1 + r.IntN(8)
		fill(img, func(x, y int) color.NRGBA {
			return color.NRGBA{uint8(x*2 + r.IntN(n)), uint8(y + r.IntN(n)), uint8(x + y), uint8(255 - y/3)}
		})
	},
	"few colours": func(img *image.NRGBA, r *rand.Rand) {
		few := make([]color.NRGBA, 1+r.IntN(40))
		for i := range few {
			few[i] = anyColour(r)
		}
		fill(img, func(int, int) color.NRGBA { return few[r.IntN(len(few))] })
	},
	"tiled": func(img *image.NRGBA, r *rand.Rand) {
		w, h := 1+r.IntN(40), 1+r.IntN(9)
		tile := make([]color.NRGBA, w*h)
		for i := range tile {
			tile[i] = anyColour(r)
		}
		fill(img, func(x, y int) color.NRGBA { return tile[y%h*w+x%w] })
	},
	"boxes": func(img *image.NRGBA, r *rand.Rand) {
		for range 12 {
			c, b := anyColour(r), img.Bounds()
			x, y := r.IntN(b.Dx()), r.IntN(b.Dy())
			fill(img.SubImage(image.Rect(x, y, x+1+r.IntN(b.Dx()), y+1+r.IntN(b.Dy()))).(*image.NRGBA),
				func(int, int) color.NRGBA { return c })
		}
	},
	"two symbols": func(img *image.NRGBA, r *rand.Rand) {
		a, b := anyColour(r), anyColour(r)
		fill(img, func(x, y int) color.NRGBA {
			if (x^y)&1 == 0 {
				return a
			}
			return b
		})
	},
}

func anyColour(r *rand.Rand) color.NRGBA {
	v := r.Uint32()
	return color.NRGBA{uint8(v), uint8(v >> 8), uint8(v >> 16), uint8(v >> 24)}
}

func fill(img *image.NRGBA, at func(x, y int) color.NRGBA) {
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			img.SetNRGBA(x, y, at(x, y))
		}
	}
}

// A reader gets the pixels of all kinds of pictures, of all sizes up to some tiles and bands.
func TestPixels(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	sizes := []image.Point{{1, 1}, {1, 2}, {2, 1}, {3, 3}, {8, 1}, {1, 40}, {31, 33}, {32, 32}, {33, 65}, {200, 7},
		{7, 200}, {257, 130}}
	for range 20 {
		sizes = append(sizes, image.Pt(1+r.IntN(90), 1+r.IntN(90)))
	}
	for name, draw := range kinds {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 4))
			for _, size := range sizes {
				img := image.NewNRGBA(image.Rectangle{Max: size})
				draw(img, r)
				check(t, img)
			}
		})
	}
}

// Pictures of several bands, the widest and the highest come back, and all numbers of processors give the same bytes.
func TestLarge(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, size := range []image.Point{{ours.MostSide, 3}, {2, ours.MostSide}, {700, 700}} {
		for _, name := range []string{"colour slope", "boxes"} {
			img := image.NewNRGBA(image.Rectangle{Max: size})
			kinds[name](img, r)
			data := check(t, img)
			before := runtime.GOMAXPROCS(5)
			again := encode(t, img)
			runtime.GOMAXPROCS(before)
			if !bytes.Equal(data, again) {
				t.Errorf("%s %v: other bytes with 5 processors", name, size)
			}
		}
	}
}

// What repeats, or has one colour, takes next to nothing, and noise hardly more than its bytes.
func TestSizes(t *testing.T) {
	for name, most := range map[string]float64{"one colour": 0.01, "tiled": 0.9, "boxes": 0.05, "grey slope": 0.1,
		"colour slope": 2.2, "opaque noise": 3.03, "noise": 4.03, "few colours": 1} {
		r, img := rand.New(rand.NewPCG(7, 8)), image.NewNRGBA(image.Rect(0, 0, 300, 300))
		kinds[name](img, r)
		if got := float64(len(encode(t, img))) / (300 * 300); got > most {
			t.Errorf("%s: %.3f bytes a pixel, expected at most %g", name, got, most)
		}
	}
}

// The error of a writer comes back unchanged.
func TestWriteFails(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 40, 40))
	want := fmt.Errorf("full")
	if err := ours.New(pictureOf(img)).Write(failing{want}); err != want {
		t.Errorf("%v, expected %v", err, want)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// Any pixels in a picture of any width come back.
func FuzzPixels(f *testing.F) {
	f.Add(uint16(3), []byte("some pixels of no picture, some pixels of no picture"))
	f.Add(uint16(1), []byte{1, 2, 3, 255})
	f.Add(uint16(40), bytes.Repeat([]byte{9, 9, 9, 255, 9, 8, 9, 255}, 100))
	f.Fuzz(func(t *testing.T, width uint16, data []byte) {
		w := 1 + int(width)%300
		h := len(data) / 4 / w
		if h < 1 || h > 2000 {
			t.Skip()
		}
		img := image.NewNRGBA(image.Rect(0, 0, w, h))
		copy(img.Pix, data)
		check(t, img)
	})
}
