package imagefile

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"testing"

	"superres/internal/imagefile/imagetest"
)

// The kinds of PNG after the test suite of Willem van Schaik, made here by a writer
// that knows nothing of image/png: every colour type at every depth, plain and
// interlaced, with and without transparency, with all five filters.

// pngKind is one kind of PNG.
type pngKind struct {
	colourType, depth int
	interlaced        bool
	transparent       bool // has a chunk tRNS
	gamma             bool
	w, h              int
}

func (k pngKind) String() string {
	return fmt.Sprintf("type %d, %d bits, interlaced %v, tRNS %v, gAMA %v, %dx%d", k.colourType, k.depth, k.interlaced, k.transparent, k.gamma, k.w, k.h)
}

const ( // colour types
	typeGrey      = 0
	typeRGB       = 2
	typeIndexed   = 3
	typeGreyAlpha = 4
	typeRGBA      = 6
)

// pngKinds lists all there are, in several sizes.
func pngKinds() (all []pngKind) {
	for colourType, depths := range map[int][]int{
		typeGrey: {1, 2, 4, 8, 16}, typeRGB: {8, 16}, typeIndexed: {1, 2, 4, 8}, typeGreyAlpha: {8, 16}, typeRGBA: {8, 16},
	} {
		for _, depth := range depths {
			for bits := range 8 {
				k := pngKind{colourType: colourType, depth: depth, interlaced: bits&1 != 0, transparent: bits&2 != 0, gamma: bits&4 != 0}
				if k.transparent && (colourType == typeGreyAlpha || colourType == typeRGBA) {
					continue
				}
				for _, size := range [][2]int{{1, 1}, {2, 3}, {5, 4}, {8, 8}, {9, 7}, {33, 2}, {1, 17}} {
					k.w, k.h = size[0], size[1]
					all = append(all, k)
				}
			}
		}
	}
	return all
}

// channels is the number of samples of a pixel.
func (k pngKind) channels() int {
	return map[int]int{typeGrey: 1, typeRGB: 3, typeIndexed: 1, typeGreyAlpha: 2, typeRGBA: 4}[k.colourType]
}

// sample is the value of a sample of the picture, of the kind's depth.
func (k pngKind) sample(x, y, c int) uint16 {
	v := uint32(x*7919+y*104729+c*1299709+17) * 2654435761
	return uint16(v >> (32 - k.depth))
}

// key is the pixel that tRNS makes transparent, one that is there.
func (k pngKind) key(c int) uint16 { return k.sample(k.w/2, k.h/2, c) }

// entry is an entry of the palette, with alpha for those that tRNS lists.
func (k pngKind) entry(i uint16) color.NRGBA {
	c := color.NRGBA{uint8(37 * i), uint8(255 - 11*i), uint8(i * i), 255}
	if k.transparent && i < 3 {
		c.A = uint8(120 * i)
	}
	return c
}

// want is the pixel that a reader must see.
func (k pngKind) want(x, y int) color.NRGBA64 {
	wide := func(v uint16) uint16 { return uint16(uint32(v) * 65535 / (1<<k.depth - 1)) }
	s := func(c int) uint16 { return wide(k.sample(x, y, c)) }
	hidden := k.transparent
	for c := range k.channels() {
		hidden = hidden && k.sample(x, y, c) == k.key(c)
	}
	alpha := uint16(0xffff)
	if hidden {
		alpha = 0
	}
	switch k.colourType {
	case typeGrey:
		return color.NRGBA64{s(0), s(0), s(0), alpha}
	case typeRGB:
		return color.NRGBA64{s(0), s(1), s(2), alpha}
	case typeIndexed:
		return straight(k.entry(k.sample(x, y, 0)))
	case typeGreyAlpha:
		return color.NRGBA64{s(0), s(0), s(0), s(1)}
	}
	return color.NRGBA64{s(0), s(1), s(2), s(3)}
}

// raw returns the filtered rows of the picture or of one pass of it: the pixels at
// x0, x0+dx, … in the rows y0, y0+dy, …
func (k pngKind) raw(x0, y0, dx, dy int) []byte {
	var out []byte
	n := max(1, k.channels()*k.depth/8) // bytes between a byte and the one to its left
	var above []byte
	for y := y0; y < k.h; y += dy {
		var row []byte
		acc, bits := uint32(0), 0
		for x := x0; x < k.w; x += dx {
			for c := range k.channels() {
				acc, bits = acc<<k.depth|uint32(k.sample(x, y, c)), bits+k.depth
				for ; bits >= 8; bits -= 8 {
					row = append(row, byte(acc>>(bits-8)))
				}
			}
		}
		if bits > 0 {
			row = append(row, byte(acc<<(8-bits)))
		}
		if len(row) == 0 {
			return nil
		}
		if above == nil {
			above = make([]byte, len(row))
		}
		form := (y/dy + k.depth) % 5
		out = append(append(out, byte(form)), filtered(form, row, above, n)...)
		above = row
	}
	return out
}

// body is the chunks of the file between IHDR and the pixels, and the pixels before
// they are packed.
func (k pngKind) body() (before, pixels []byte) {
	if k.gamma {
		before = append(before, imagetest.PNGChunk("gAMA", []byte{0, 0, 0xb1, 0x8f})...)
	}
	if k.colourType == typeIndexed {
		var p, alphas []byte
		for i := range uint16(1) << k.depth {
			c := k.entry(i)
			p = append(p, c.R, c.G, c.B)
			if i < 3 {
				alphas = append(alphas, c.A)
			}
		}
		before = append(before, imagetest.PNGChunk("PLTE", p)...)
		if k.transparent {
			before = append(before, imagetest.PNGChunk("tRNS", alphas[:min(len(alphas), 1<<k.depth)])...)
		}
	} else if k.transparent {
		var key []byte
		for c := range k.channels() {
			key = binary.BigEndian.AppendUint16(key, k.key(c))
		}
		before = append(before, imagetest.PNGChunk("tRNS", key)...)
	}
	if !k.interlaced {
		return before, k.raw(0, 0, 1, 1)
	}
	for _, pass := range [7][4]int{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}} {
		pixels = append(pixels, k.raw(pass[0], pass[1], pass[2], pass[3])...)
	}
	return before, pixels
}

func (k pngKind) header() []byte {
	b := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(k.w)), uint32(k.h))
	b = append(b, byte(k.depth), byte(k.colourType), 0, 0, 0)
	if k.interlaced {
		b[12] = 1
	}
	return b
}

const pngSignature = "\x89PNG\r\n\x1a\n"

// file is the whole PNG, its pixels in chunks of seven bytes, with an empty one.
func (k pngKind) file() []byte {
	before, pixels := k.body()
	b := append([]byte(pngSignature), imagetest.PNGChunk("IHDR", k.header())...)
	b = append(b, before...)
	b = append(b, imagetest.PNGChunk("IDAT", nil)...)
	for z := zlibBytes(pixels); len(z) > 0; {
		n := min(7, len(z))
		b = append(b, imagetest.PNGChunk("IDAT", z[:n])...)
		z = z[n:]
	}
	return append(b, imagetest.PNGChunk("IEND", nil)...)
}

func zlibBytes(b []byte) []byte {
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	z.Write(b)
	z.Close()
	return packed.Bytes()
}

func TestEveryKindOfPNG(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs beside anything else")
	}
	kinds := pngKinds()
	for _, k := range kinds {
		p, err := decodeBytes(k.file(), "a.png", Limits{})
		if err != nil {
			t.Errorf("%v: %v", k, err)
			continue
		}
		for y := range k.h {
			for x := range k.w {
				want := k.want(x, y)
				got := straight(p.Image.At(x, y))
				if k.depth < 16 { // as 8 bits, and without the colour of what cannot be seen
					want = eightBits(want)
				}
				if want.A == 0 && got.A == 0 && k.colourType == typeIndexed {
					continue
				}
				if got != want {
					t.Fatalf("%v: pixel %d,%d is %v, want %v", k, x, y, got, want)
				}
			}
		}
		_, gray := p.Image.(*image.Gray)
		_, gray16 := p.Image.(*image.Gray16)
		if plain := k.colourType == typeGrey && !k.transparent; plain && (gray != (k.depth < 16) || gray16 != (k.depth == 16)) {
			t.Errorf("%v: decoded as %T", k, p.Image)
		}
		greyAlpha := k.colourType == typeGreyAlpha || k.colourType == typeGrey && k.transparent
		if p.GreyAlpha != greyAlpha {
			t.Errorf("%v: grey with alpha: %v", k, p.GreyAlpha)
		}
	}
	t.Logf("%d kinds", len(kinds))
}

// eightBits rounds c to values that 8 bits can hold.
func eightBits(c color.NRGBA64) color.NRGBA64 {
	return color.NRGBA64{c.R >> 8 * 257, c.G >> 8 * 257, c.B >> 8 * 257, c.A >> 8 * 257}
}
