package imagefile

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math/rand/v2"
	"runtime"
	"testing"

	"superres/internal/must"
)

// filtered returns a filtered form of a row, as the standard states it; n is how far a
// byte is from the one to its left.
func filtered(form int, row, above []byte, n int) (out []byte) {
	for i, v := range row {
		var left, corner byte
		if i >= n {
			left, corner = row[i-n], above[i-n]
		}
		switch form {
		case 1:
			v -= left
		case 2:
			v -= above[i]
		case 3:
			v -= byte((int(left) + int(above[i])) / 2)
		case 4:
			v -= paeth(left, above[i], corner)
		}
		out = append(out, v)
	}
	return out
}

// bestFiltered returns the five filtered forms of a row, and which has the least sum of magnitudes.
func bestFiltered(row, above []byte, n int) (forms [5][]byte, best int) {
	var sums [5]int
	for form := range forms {
		forms[form] = filtered(form, row, above, n)
		for _, v := range forms[form] {
			sums[form] += max(int(int8(v)), -int(int8(v)))
		}
		if sums[form] < sums[best] {
			best = form
		}
	}
	return forms, best
}

// paeth is the predictor of that name: the neighbour nearest to left + up - corner.
func paeth(left, up, corner byte) byte {
	p := int(left) + int(up) - int(corner)
	distance := func(v byte) int { return max(p-int(v), int(v)-p) }
	a, b, c := distance(left), distance(up), distance(corner)
	switch {
	case a <= b && a <= c:
		return left
	case b <= c:
		return up
	}
	return corner
}

func TestFilterRow(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	chosen := map[byte]int{}
	for _, n := range []int{1, 2, 3, 4, 6, 8} {
		for trial := range 400 {
			length := n * (1 + trial%23)
			row, above := make([]byte, mostPixelBytes+length), make([]byte, mostPixelBytes+length)
			noise := 1 + random.IntN(1<<random.IntN(9))
			for i := mostPixelBytes; i < len(row); i++ {
				above[i] = byte(random.IntN(noise))
				row[i] = byte(random.IntN(noise))
				switch trial % 5 { // something that this form is good at
				case 1:
					row[i] += row[i-n]
				case 2:
					row[i] += above[i]
				case 3:
					above[i] = byte(random.IntN(256))
					row[i] = byte((int(row[i-n])+int(above[i]))/2) + byte(random.IntN(3))
				case 4:
					above[i] += byte(5 * i)
					row[i] = above[i] + byte(trial)
				}
			}
			got := make([]byte, 1+length)
			filterRow(got, row, above, n)
			forms, best := bestFiltered(row[mostPixelBytes:], above[mostPixelBytes:], n)
			if int(got[0]) != best || !bytes.Equal(got[1:], forms[best]) {
				t.Fatalf("pixels of %d bytes, %d of them: form %d %v, expected %d %v", n, length/n, got[0], got[1:],
					best, forms[best])
			}
			chosen[got[0]]++
		}
	}
	for form := range byte(5) {
		if chosen[form] < 20 {
			t.Errorf("form %d was chosen %d times", form, chosen[form])
		}
	}
}

// writtenPNG is a kind of picture and the PNG that Encode makes of it.
type writtenPNG struct {
	name            string
	create          func(image.Rectangle) draw.Image
	isGrey, isClear bool    // with equal samples, with transparency
	header          [2]byte // bits of a sample and type of colour
}

var writtenPNGs = []writtenPNG{
	{"grey", func(r image.Rectangle) draw.Image { return image.NewGray(r) }, true, false, [2]byte{8, pngGrey}},
	{"grey16", func(r image.Rectangle) draw.Image { return image.NewGray16(r) }, true, false, [2]byte{16, pngGrey}},
	{"palette", func(r image.Rectangle) draw.Image { return image.NewPaletted(r, clearPalette()) }, false, true,
		[2]byte{8, pngPalette}},
	{"grey with alpha", func(r image.Rectangle) draw.Image { return image.NewNRGBA(r) }, true, true,
		[2]byte{8, pngGreyAlpha}},
	{"grey16 with alpha", func(r image.Rectangle) draw.Image { return image.NewNRGBA64(r) }, true, true,
		[2]byte{16, pngGreyAlpha}},
	{"colour", func(r image.Rectangle) draw.Image { return image.NewNRGBA(r) }, false, false, [2]byte{8, pngRGB}},
	{"colour with alpha", func(r image.Rectangle) draw.Image { return image.NewNRGBA(r) }, false, true,
		[2]byte{8, pngRGBA}},
	{"colour16", func(r image.Rectangle) draw.Image { return image.NewNRGBA64(r) }, false, false, [2]byte{16, pngRGB}},
	{"colour16 with alpha", func(r image.Rectangle) draw.Image { return image.NewNRGBA64(r) }, false, true,
		[2]byte{16, pngRGBA}},
	{"RGBA", func(r image.Rectangle) draw.Image { return image.NewRGBA(r) }, false, false, [2]byte{8, pngRGB}},
	{"RGBA with alpha", func(r image.Rectangle) draw.Image { return image.NewRGBA(r) }, false, true,
		[2]byte{8, pngRGBA}},
	{"RGBA64", func(r image.Rectangle) draw.Image { return image.NewRGBA64(r) }, false, false, [2]byte{16, pngRGB}},
	{"RGBA64 with alpha", func(r image.Rectangle) draw.Image { return image.NewRGBA64(r) }, false, true,
		[2]byte{16, pngRGBA}},
}

// clearPalette has 200 colours, most of them with transparency.
func clearPalette() (p color.Palette) {
	for i := range 200 {
		p = append(p, color.NRGBA{R: byte(i), G: byte(3 * i), B: 9, A: byte(max(255-i, 100))})
	}
	return p
}

// picture makes a picture of w×h pixels with some noise, off the origin so that a mistake with bounds shows.
func (k writtenPNG) picture(w, h, noise int) image.Image {
	img, random := k.create(image.Rect(3, 2, 3+w, 2+h)), rand.New(rand.NewPCG(uint64(w), uint64(h)))
	if p, ok := img.(*image.Paletted); ok {
		for i := range p.Pix {
			p.Pix[i] = byte(i * i % len(p.Palette))
		}
		return p
	}
	for y := range h {
		for x := range w {
			c := color.NRGBA64{R: uint16(3000*x + 70*y), G: uint16(500 * (x + y)), B: uint16(x * y), A: 0xffff}
			if noise > 0 {
				c.R += uint16(random.IntN(257 * noise))
			}
			if k.isGrey {
				c.G, c.B = c.R, c.R
			}
			if k.isClear {
				c.A = uint16(900*x + 40000)
			}
			img.Set(3+x, 2+y, c)
		}
	}
	return img
}

// What image/png reads of every kind, in odd sizes, is what was written. Grey with alpha is written and read as that.
func TestPNGRoundTrip(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {1, 7}, {13, 1}, {3, 3}, {31, 17}, {701, 101}} {
		for _, k := range writtenPNGs {
			img := k.picture(size[0], size[1], 9)
			data := encoded(t, img, PNG, EncodeOptions{GreyAlpha: true})
			if got := [2]byte(data[24:26]); got != k.header && size[0] > 1 { // a pixel may be grey
				t.Errorf("%s, %v: depth and type are %v, expected %v", k.name, size, got, k.header)
			}
			p := must.Get(decodeBytes(bytes.Clone(data), k.name, Limits{}))(t)
			if greyAlpha := data[25] == pngGreyAlpha; p.GreyAlpha != greyAlpha {
				t.Errorf("%s, %v: read as grey with alpha: %v", k.name, size, p.GreyAlpha)
			}
			file := bytes.NewReader(data)
			got, err := png.Decode(file)
			if err != nil || file.Len() > 0 || got.Bounds().Size() != img.Bounds().Size() {
				t.Errorf("%s, %v: %v, %d bytes left", k.name, size, err, file.Len())
				continue
			}
			model := color.NRGBA64Model
			if k.header[0] == 8 {
				model = color.NRGBAModel
			}
			for i := range size[0] * size[1] {
				x, y := i%size[0], i/size[0]
				if a, b := model.Convert(got.At(x, y)), model.Convert(img.At(3+x, 2+y)); a != b {
					t.Fatalf("%s, %v: pixel %d,%d is %v, expected %v", k.name, size, x, y, a, b)
				}
			}
		}
	}
}

// The bytes depend neither on the number of processors nor on what was written before.
func TestPNGWorkers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, noise := range []int{0, 3, 255} { // which are packed in different ways
		img := writtenPNGs[5].picture(511, 351, noise)
		runtime.GOMAXPROCS(1)
		want := encoded(t, img, PNG, EncodeOptions{})
		for _, workers := range []int{2, 8, 1} {
			runtime.GOMAXPROCS(workers)
			if file := encoded(t, img, PNG, EncodeOptions{}); !bytes.Equal(file, want) {
				t.Errorf("%d processors: %d bytes, expected %d others", workers, len(file), len(want))
			}
		}
	}
}

// Noise is packed without a search for matches, what repeats with a thorough one, and what
// repeats here and there with a quick one.
func TestWaysOfPacking(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	noise := make([]byte, chunkBytes)
	for i := range noise {
		noise[i] = byte(random.NormFloat64() * 6)
	}
	drawing := bytes.Repeat(noise[:300], chunkBytes/300)
	some := bytes.Clone(noise)
	for at := 2000; at+60 < len(some); at += 1000 {
		copy(some[at:at+60], some[at-700:])
	}
	for name, c := range map[string]struct {
		rows []byte
		want int
	}{"noise": {noise, huffmanOnly}, "drawing": {drawing, thorough}, "some": {some, quick},
		"nothing": {nil, huffmanOnly}, "a byte": {noise[:1], huffmanOnly}} {
		if got := new(packer).chooseMethod(new(bytes.Buffer), c.rows); got != c.want {
			t.Errorf("%s: way %d, expected %d", name, got, c.want)
		}
	}
}
