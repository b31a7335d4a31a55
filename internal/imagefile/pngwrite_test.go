package imagefile

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"runtime"
	"testing"

	"superres/internal/imagefile/imagetest"
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

// bestFiltered returns the five filtered forms of a row, and which has the least sum of
// magnitudes.
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
				t.Fatalf("pixels of %d bytes, %d of them: form %d %v, expected %d %v", n, length/n, got[0], got[1:], best, forms[best])
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

// pngPictures returns a picture of each kind that a PNG can have, with the type that
// image/png reads it as.
func pngPictures(w, h int, noise uint8) map[string]image.Image {
	r := image.Rect(3, 2, 3+w, 2+h) // off the origin so that a mistake with bounds shows
	fill := func(img interface {
		Set(x, y int, c color.Color)
	}, grey, opaque bool) {
		random := rand.New(rand.NewPCG(uint64(w), uint64(h)))
		for y := range h {
			for x := range w {
				c := color.NRGBA64{R: uint16(3000*x + 70*y), G: uint16(500 * (x + y)), B: uint16(x * y), A: uint16(900*x + 40000)}
				if noise > 0 {
					c.R += uint16(random.IntN(257 * int(noise)))
				}
				if grey {
					c.G, c.B = c.R, c.R
				}
				if opaque {
					c.A = 0xffff
				}
				img.Set(r.Min.X+x, r.Min.Y+y, c)
			}
		}
	}
	grey8, grey16, palette := image.NewGray(r), image.NewGray16(r), image.NewPaletted(r, nil)
	for i := range 200 {
		palette.Palette = append(palette.Palette, color.NRGBA{R: byte(i), G: byte(3 * i), B: 9, A: byte(max(255-i, 100))})
	}
	for i := range palette.Pix {
		palette.Pix[i] = byte(i * i % 200)
	}
	pictures := map[string]image.Image{"grey8": grey8, "grey16": grey16, "palette": palette}
	fill(grey8, true, true)
	fill(grey16, true, true)
	for name, opaque := range map[string]bool{"": true, "alpha": false} {
		one, deep, times, deepTimes := image.NewNRGBA(r), image.NewNRGBA64(r), image.NewRGBA(r), image.NewRGBA64(r)
		fill(one, false, opaque)
		fill(deep, false, opaque)
		fill(times, false, opaque)
		fill(deepTimes, false, opaque)
		pictures["colour8"+name], pictures["colour16"+name], pictures["rgba8"+name], pictures["rgba16"+name] = one, deep, times, deepTimes
	}
	greyAlpha, deepGreyAlpha := image.NewNRGBA(r), image.NewNRGBA64(r)
	fill(greyAlpha, true, false)
	fill(deepGreyAlpha, true, false)
	pictures["greyalpha8"], pictures["greyalpha16"] = greyAlpha, deepGreyAlpha
	return pictures
}

// What image/png reads of every kind, in odd sizes, is what was written.
func TestPNGRoundTrip(t *testing.T) {
	kinds := map[string][2]byte{ // bits of a sample and type of colour in the header
		"grey8": {8, 0}, "grey16": {16, 0}, "palette": {8, 3}, "greyalpha8": {8, 4}, "greyalpha16": {16, 4},
		"colour8": {8, 2}, "colour16": {16, 2}, "rgba8": {8, 2}, "rgba16": {16, 2},
		"colour8alpha": {8, 6}, "colour16alpha": {16, 6}, "rgba8alpha": {8, 6}, "rgba16alpha": {16, 6},
	}
	for _, size := range [][2]int{{1, 1}, {1, 7}, {13, 1}, {2, 2}, {3, 3}, {31, 17}, {101, 7}, {701, 151}} {
		for name, img := range pngPictures(size[0], size[1], 9) {
			var file bytes.Buffer
			if err := Encode(&file, img, "png", EncodeOptions{GreyAlpha: name[:5] == "greya"}); err != nil {
				t.Fatal(err)
			}
			if got := [2]byte(file.Bytes()[24:26]); got != kinds[name] {
				t.Errorf("%s, %v: depth and type are %v, expected %v", name, size, got, kinds[name])
			}
			got, err := png.Decode(&file)
			if err != nil || file.Len() > 0 {
				t.Errorf("%s, %v: %v, %d bytes left", name, size, err, file.Len())
				continue
			}
			if got.Bounds().Size() != img.Bounds().Size() {
				t.Errorf("%s: %v, expected %v", name, got.Bounds(), size)
			}
			same := func(c color.Color) color.Color { return color.NRGBA64Model.Convert(c) }
			if kinds[name][0] == 8 {
				same = func(c color.Color) color.Color { return color.NRGBAModel.Convert(c) }
			}
			for i := range size[0] * size[1] {
				x, y := i%size[0], i/size[0]
				if a, b := same(got.At(x, y)), same(img.At(3+x, 2+y)); a != b {
					t.Fatalf("%s, %v: pixel %d,%d is %v, expected %v", name, size, x, y, a, b)
				}
			}
		}
	}
}

// The bytes depend neither on the number of processors nor on what was written before.
func TestPNGWorkers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	want := map[string][]byte{}
	for _, workers := range []int{1, 2, 8, 1} {
		runtime.GOMAXPROCS(workers)
		for _, noise := range []uint8{0, 3, 255} { // which are packed in different ways
			for name, img := range pngPictures(511, 401, noise) {
				if name != "grey8" && name != "colour8" && name != "colour16alpha" {
					continue
				}
				name = fmt.Sprint(name, noise)
				file := imagetest.Encoded(t, func(b *bytes.Buffer) error { return Encode(b, img, "png", EncodeOptions{}) })
				if want[name] == nil {
					want[name] = file
				} else if !bytes.Equal(file, want[name]) {
					t.Errorf("%s with %d processors: %d bytes, expected %d others", name, workers, len(file), len(want[name]))
				}
			}
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

// A writer that fails is not written to again.
func TestPNGFailingWriter(t *testing.T) {
	img := pngPictures(900, 1001, 9)["colour8"]
	for k := 0; ; k++ {
		w := &failingAt{k: k}
		err := encodePNG(w, img, EncodeOptions{})
		if err == nil {
			if k < 10 {
				t.Errorf("%d calls for several chunks", k)
			}
			break
		}
		if !errors.Is(err, errFull) || w.calls != k+1 {
			t.Errorf("call %d: %v after %d calls", k, err, w.calls)
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
	}{"noise": {noise, huffmanOnly}, "drawing": {drawing, thorough}, "some": {some, quick}, "nothing": {nil, huffmanOnly}, "a byte": {noise[:1], huffmanOnly}} {
		b := &pngChunk{filtered: c.rows}
		if got := b.way(); got != c.want {
			t.Errorf("%s: way %d, expected %d", name, got, c.want)
		}
	}
}
