package pixelart_test

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/disintegration/imaging"

	"superres/internal/must"
	"superres/superres"
	"superres/superres/flaws/pixelart"
	"superres/superres/flaws/repair"
	"superres/superres/models"
)

// sprites is the number of sprites that are drawn.
const sprites = 30

// sprite draws sprite n, of 16 to 40 pixels a side, in 4 to 12 colours with a dark outline: creatures, alike on both
// sides; balls, shaded by tones and by dithering; blades; walls of bricks; and gems. The ground is transparent, or, if
// opaque, one more colour.
func sprite(n int, opaque bool) *image.NRGBA {
	rng := rand.New(rand.NewPCG(70, uint64(n)))
	side := 16 + 4*(n%7)
	img := image.NewNRGBA(image.Rect(0, 0, side, side))
	hue := [3]int{rng.IntN(256), rng.IntN(256), rng.IntN(256)}
	tone := func(i, of int) color.NRGBA { // from the darkest, 0
		share := 40 + 215*i/max(of-1, 1)
		return color.NRGBA{uint8(hue[0] * share / 255), uint8(hue[1] * share / 255), uint8(hue[2] * share / 255), 255}
	}
	ground := color.NRGBA{}
	if opaque {
		ground = color.NRGBA{uint8(255 - hue[0]), 200, uint8(hue[2]), 255}
	}
	inside := make([]bool, side*side)
	half := side / 2
	for y := range side {
		for x := range side {
			dx, dy := 2*x-side+1, 2*y-side+1
			switch n % 5 {
			case 0: // a creature: random cells of 2×2, mirrored, denser in the middle
				cell := rand.New(rand.NewPCG(uint64(n), uint64(min(x, side-1-x)/2*64+y/2)))
				inside[y*side+x] = cell.IntN(side*side) > dx*dx/2+dy*dy/2
			case 1:
				inside[y*side+x] = dx*dx+dy*dy < side*side*3/4
			case 2:
				inside[y*side+x] = max(x-(side-1-y), side-1-y-x) < 3 && y > 1 && y < side-3 ||
					y == x && y > half && y < side-2
			case 3:
				inside[y*side+x] = y%6 != 5 && (x+y/6%2*4)%8 != 7
			case 4:
				inside[y*side+x] = max(dx, -dx)+max(dy, -dy) < side*5/6 || max(dx, -dx) < half && dy < 0 && dy > -half
			}
		}
	}
	in := func(x, y int) bool { return x >= 0 && y >= 0 && x < side && y < side && inside[y*side+x] }
	for y := range side {
		for x := range side {
			c := ground
			switch tones := 3 + n%4; {
			case in(x, y) && n%5 == 1: // lit from above left
				light := 2*tones*(2*side-x-y)/(2*side) + (x+y)%2
				c = tone(min(light/2+1, tones), tones+1)
			case in(x, y):
				c = tone(1+(x+2*y)/(side/2+1)%tones, tones+1)
			case in(x-1, y) || in(x+1, y) || in(x, y-1) || in(x, y+1) || n%5 == 3:
				c = color.NRGBA{20, 12, 28, 255}
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

func enlarged(img image.Image, k int) *image.NRGBA {
	return imaging.Resize(img, img.Bounds().Dx()*k, img.Bounds().Dy()*k, imaging.NearestNeighbor)
}

// Sprites are found, as they were drawn and as squares, on transparency and on a colour, and auto enlarges them to
// colours of theirs alone.
func TestSprites(t *testing.T) {
	auto := must.Get(models.Open(models.Auto))(t)
	for n := range sprites {
		for k := 1; k <= 8; k++ {
			own := sprite(n, (n+k)%2 == 0)
			img := enlarged(own, k)
			if !pixelart.Is(img, repair.Repeated(img)) {
				t.Errorf("sprite %d is not found at ×%d", n, k)
				continue
			}
			if k != 1+n%8 {
				continue
			}
			out := must.Get(auto.Upscale(t.Context(), img, superres.Options{Scale: 3}))(t)
			known := map[color.Color]bool{}
			for i := range own.Rect.Dx() * own.Rect.Dy() {
				known[own.At(i%own.Rect.Dx(), i/own.Rect.Dx())] = true
			}
			b := out.Bounds()
			if b.Dx() != 3*img.Rect.Dx() || b.Dy() != 3*img.Rect.Dy() {
				t.Errorf("sprite %d: %v", n, b)
			}
			for y := range b.Dy() {
				for x := range b.Dx() {
					if c := color.NRGBAModel.Convert(out.At(x, y)); !known[c] {
						t.Fatalf("sprite %d at ×%d: (%d, %d) is %v", n, k, x, y, c)
					}
				}
			}
		}
	}
}

// chart returns a chart of more than 64 colours: slices of a pie, antialiased, above a dithered ground.
func chart() *image.NRGBA {
	large := imaging.New(480, 480, color.White)
	for y := range 360 {
		for x := range 480 {
			c := [3]uint8{200, 30, 60}
			if y > 180+(x-240)/3 {
				c[0], c[2] = 20, 220
			}
			if x > 240-(y-180)/5 {
				c[1] = 160
			}
			if (x-240)*(x-240)+(y-180)*(y-180) < 170*170 {
				large.SetNRGBA(x, y, color.NRGBA{c[0], c[1], c[2], 255})
			}
		}
	}
	img := imaging.Resize(large, 120, 120, imaging.Box)
	for i := 90 * 120; i < 120*120; i++ {
		img.SetNRGBA(i%120, i/120, color.NRGBA{uint8(i%120+i/120) % 2 * 255, 0, 0, 255})
	}
	return img
}

// What has antialiased edges, or is a photograph, is none, also as squares of equal pixels.
func TestOthersAreNone(t *testing.T) {
	hopper := must.Get(imaging.Open("../../../testdata/hopper.png"))(t)
	dithered := image.NewPaletted(image.Rect(0, 0, 64, 64), color.Palette{color.Black, color.White})
	draw.FloydSteinberg.Draw(dithered, dithered.Rect, imaging.Resize(hopper, 64, 64, imaging.Box), image.Point{})
	for name, img := range map[string]image.Image{
		"photograph": hopper, "dithered photograph": imaging.Clone(dithered),
		"small photograph":      imaging.Resize(hopper, 24, 24, imaging.Box),
		"photograph as squares": enlarged(imaging.Resize(hopper, 40, 40, imaging.Box), 3),
		"reduced sprite":        imaging.Resize(enlarged(sprite(5, true), 5), 54, 54, imaging.Box),
		"enlarged sprite":       imaging.Resize(sprite(6, true), 90, 90, imaging.Linear),
		"chart as squares":      enlarged(chart(), 2),
		"flat":                  imaging.New(40, 40, color.White),
		"tiny":                  imaging.Crop(sprite(3, true), image.Rect(0, 0, 7, 16)),
	} {
		if pixelart.Is(img, repair.Repeated(img)) {
			t.Errorf("%s is taken for pixel art", name)
		}
	}
}

// TestData looks at the pictures of data sets, of which none is pixel art.
func TestData(t *testing.T) {
	if os.Getenv("SUPERRES_FULL") == "" {
		t.Skip("takes a minute; SUPERRES_FULL is not set")
	}
	count := 0
	for _, folder := range []string{"set5", "t91", "open-valid", "general-dev", "kodak", "skimage", "pexels",
		"unsplash", "open"} {
		list, _ := filepath.Glob(filepath.Join("..", "..", "..", "..", "shared", "data", folder, "*.*"))
		for _, name := range list {
			img, err := imaging.Open(name)
			if err != nil {
				continue
			}
			if count++; pixelart.Is(img, repair.Repeated(img)) {
				t.Errorf("%s is taken for pixel art", name)
			}
		}
	}
	if count == 0 {
		t.Skip("the data sets are not there")
	}
	t.Logf("%d pictures", count)
}

// At ×2 the rule is that of Scale2x where edges are oblique, and corners of boxes stay; at any scale an oblique edge is
// straight: it has as many pixels on either side.
func TestEnlarge(t *testing.T) {
	stairs := image.NewGray(image.Rect(0, 0, 8, 8))
	box := image.NewGray(image.Rect(0, 0, 8, 8))
	for y := range 8 {
		for x := range 8 {
			if x >= y {
				stairs.Pix[8*y+x] = 200
			}
			if x > 2 && y > 2 {
				box.Pix[8*y+x] = 200
			}
		}
	}
	for _, w := range []int{16, 24, 20, 80} {
		out := pixelart.Enlarge(stairs, w, w, false).(*image.Gray)
		for y := range w {
			for x := range w {
				if v := out.Pix[w*y+x]; (x-y)*8 > w && v != 200 || (y-x)*8 > w && v != 0 {
					t.Errorf("stairs to %d: (%d, %d) is %d", w, x, y, v)
				}
			}
		}
		out = pixelart.Enlarge(box, w, w, false).(*image.Gray)
		for y := range w {
			for x := range w {
				if want := box.Pix[(2*y+1)*8/(2*w)*8+(2*x+1)*8/(2*w)]; out.Pix[w*y+x] != want {
					t.Errorf("box to %d: (%d, %d) is not %d", w, x, y, want)
				}
			}
		}
	}
	if got := pixelart.Enlarge(enlarged(sprite(0, false), 4), 32, 32, false); fmt.Sprint(got) !=
		fmt.Sprint(pixelart.Enlarge(repair.TakeOnce(sprite(0, false), 1), 32, 32, false)) {
		t.Error("squares of equal pixels are not taken once")
	}
}

// Blended, a pixel is the mean of what it covers, colours weighted by opacity; where it covers one colour, it is that.
func TestBlend(t *testing.T) {
	row := func(w int, pix ...uint8) *image.NRGBA {
		return &image.NRGBA{Pix: pix, Stride: 4 * w, Rect: image.Rect(0, 0, w, 1)}
	}
	img := row(2, 200, 100, 0, 255, 7, 8, 9, 0)
	for w, want := range map[int]*image.NRGBA{
		2: img,
		3: row(3, 200, 100, 0, 255, 200, 100, 0, 128, 7, 8, 9, 0),
		4: row(4, 200, 100, 0, 255, 200, 100, 0, 255, 7, 8, 9, 0, 7, 8, 9, 0),
	} {
		if got := pixelart.Enlarge(img, w, 1, true).(*image.NRGBA); fmt.Sprint(got.Pix) != fmt.Sprint(want.Pix) {
			t.Errorf("to %d: %v, expected %v", w, got.Pix, want.Pix)
		}
	}
	deep := &image.Gray16{Pix: []uint8{1, 0, 3, 0}, Stride: 4, Rect: image.Rect(0, 0, 2, 1)}
	if got := pixelart.Enlarge(deep, 3, 1, true).(*image.Gray16); fmt.Sprint(got.Pix) != "[1 0 2 0 3 0]" {
		t.Errorf("16 bits: %v", got.Pix)
	}
	stairs := image.NewGray(image.Rect(0, 0, 8, 8))
	for i := range stairs.Pix {
		if i%8 >= i/8 {
			stairs.Pix[i] = 160
		}
	}
	out := pixelart.Enlarge(stairs, 32, 32, true).(*image.Gray)
	if got := out.Pix[32*16+12 : 32*16+17]; fmt.Sprint(got) != "[0 0 100 160 160]" {
		t.Errorf("across an oblique edge: %v", got) // half of it and the diagonal of the parts: 10 of 16
	}
}
