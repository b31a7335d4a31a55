package picture

import (
	"encoding/binary"
	"image"
	"math"

	"superres/internal/kernel"
	"superres/internal/parallel"
)

// Canvas is an image that is painted row by row: grey or non-premultiplied RGBA, with 8 or 16 bits a sample.
type Canvas struct {
	Image   image.Image // the painted image
	W, H    int         // size of the whole picture
	top     int         // the row of the picture that is the first row of Image: see Strip
	pix     []uint8     // the memory of Image
	samples int         // samples per pixel in memory, 1 or 4
	deep    bool        // a sample has two bytes, the high byte first; false: one
}

// NewCanvas returns a canvas of w×h pixels, black if grey, else transparent; deep selects 16 bits a sample.
func NewCanvas(w, h int, grey, deep bool) *Canvas {
	c := &Canvas{Image: New(ModelOf(grey, deep), image.Rect(0, 0, w, h)), W: w, H: h, samples: 4, deep: deep}
	if grey {
		c.samples = 1
	}
	c.pix, _, _ = Samples(c.Image)
	return c
}

// NewStrips returns a canvas like NewCanvas, but its Image has no rows yet: Strip must be called before painting.
func NewStrips(w, h int, grey, deep bool) *Canvas {
	c := NewCanvas(w, 0, grey, deep)
	c.H = h
	return c
}

// Strip replaces Image by a new image for the rows from..to-1 of the picture, which will be painted next.
func (c *Canvas) Strip(from, to int) {
	strip := NewCanvas(c.W, to-from, IsGrey(c.Image), c.deep)
	c.Image, c.pix, c.top = strip.Image, strip.pix, from
}

// Put writes the values of row, clamped to 0..1 and rounded, to one channel of row y.
func (c *Canvas) Put(y, channel int, row []float32) {
	if c.deep {
		pix := c.pix[2*((y-c.top)*c.W*c.samples+channel):]
		for x, v := range row {
			s := uint16(0xffff*float64(Clamp(v)) + 0.5)
			at := 2 * x * c.samples
			pix[at], pix[at+1] = uint8(s>>8), uint8(s)
		}
		return
	}
	pix := c.pix[(y-c.top)*c.W*c.samples+channel:]
	if c.samples == 1 {
		for x, v := range row {
			pix[x] = uint8(0xff*float64(Clamp(v)) + 0.5)
		}
		return
	}
	for x, v := range row { // 4 instead of c.samples, because a constant is faster
		pix[4*x] = uint8(0xff*float64(Clamp(v)) + 0.5)
	}
}

// Colour paints row y with opaque pixels, from Y in luma, R−Y in red and B−Y in blue. It may overwrite red and blue.
func (c *Canvas) Colour(y int, luma, red, blue []float32) {
	const r, b = WeightR / WeightG, WeightB / WeightG // G = Y − r·(R−Y) − b·(B−Y)
	if !c.deep {
		kernel.Paint(c.pix[4*(y-c.top)*c.W:], luma, red, blue, r, b)
		return
	}
	green := make([]float32, len(luma))
	for x, v := range luma {
		green[x] = v - float32(r*red[x]) - float32(b*blue[x])
		red[x] += v
		blue[x] += v
	}
	for i, row := range [][]float32{red, green, blue} {
		c.Put(y, i, row)
	}
	c.makeOpaque(y)
}

// RGB paints row y with opaque pixels, from red, green and blue, clamped to 0..1 and rounded.
func (c *Canvas) RGB(y int, red, green, blue []float32) {
	if c.deep {
		for i, row := range [][]float32{red, green, blue} {
			c.Put(y, i, row)
		}
		c.makeOpaque(y)
		return
	}
	paintRGB(c.pix[4*(y-c.top)*c.W:], red, green, blue)
}

// paintRGB sets dst to opaque 8-bit RGBA pixels from red, green and blue, clamped to 0..1 and rounded.
func paintRGB(dst []uint8, red, green, blue []float32) {
	dst, green, blue = dst[:4*len(red)], green[:len(red)], blue[:len(red)]
	for x, r := range red {
		g, b := green[x], blue[x]
		if max(math.Float32bits(r), math.Float32bits(g), math.Float32bits(b)) > oneBits { // one is outside 0..1
			r, g, b = Clamp(r), Clamp(g), Clamp(b)
		}
		to := dst[4*x : 4*x+4]
		to[0], to[1], to[2], to[3] = level8(r), level8(g), level8(b), 0xff
	}
}

func level8(v float32) uint8 { return uint8(int32(0xff*float64(v) + 0.5)) }

// makeOpaque makes the pixels of row y opaque.
func (c *Canvas) makeOpaque(y int) {
	ones := make([]float32, c.W)
	for x := range ones {
		ones[x] = 1
	}
	c.Put(y, 3, ones)
}

// Divided returns a canvas with the colours of c divided by alpha. c holds all rows, with premultiplied colours of 16
// bits a sample. Pixels with an alpha of 0 become 0. The result has 16 bits a sample if deep is true, else 8.
func (c *Canvas) Divided(deep bool) *Canvas {
	out, top := NewCanvas(c.W, c.H, false, deep), 0xff // false: not grey
	if deep {
		top = 0xffff
	}
	parallel.Rows(c.H, func(y int) {
		for i := y * c.W; i < (y+1)*c.W; i++ {
			alpha := int(binary.BigEndian.Uint16(c.pix[8*i+6:]))
			for s, divisor := range [4]int{alpha, alpha, alpha, 0xffff} { // alpha is only brought to the new depth
				v, level := int(binary.BigEndian.Uint16(c.pix[8*i+2*s:])), 0
				if divisor > 0 {
					level = (2*min(v, divisor)*top + divisor) / (2 * divisor)
				}
				if deep {
					binary.BigEndian.PutUint16(out.pix[8*i+2*s:], uint16(level))
				} else {
					out.pix[4*i+s] = uint8(level)
				}
			}
		}
	})
	return out
}

// Bounds are the smallest and largest level (see Canvas.Level) for all pixels enlarged from sample X of a row.
type Bounds struct {
	X           int32
	Least, Most uint16
}

// Level returns the level to which Put rounds the value v.
func (c *Canvas) Level(v float32) uint16 {
	top := 0xff
	if c.deep {
		top = 0xffff
	}
	return uint16(float64(top)*float64(Clamp(v)) + 0.5)
}

// Limit clamps one channel of row y to the Bounds in limits. The pixels enlarged from sample x are those from starts[x]
// to starts[x+1]-1. As rounding is monotonic, the result is the same as if values had been clamped before rounding.
func (c *Canvas) Limit(y, channel int, limits []Bounds, starts []int32) {
	if c.deep {
		pix := c.pix[2*((y-c.top)*c.W*c.samples+channel):]
		for _, b := range limits {
			for at := starts[b.X]; at < starts[b.X+1]; at++ {
				sample := pix[2*int(at)*c.samples:][:2]
				binary.BigEndian.PutUint16(sample, min(max(binary.BigEndian.Uint16(sample), b.Least), b.Most))
			}
		}
		return
	}
	pix := c.pix[(y-c.top)*c.W*c.samples+channel:]
	for _, b := range limits {
		for at := starts[b.X]; at < starts[b.X+1]; at++ {
			sample := &pix[int(at)*c.samples]
			*sample = uint8(min(max(uint16(*sample), b.Least), b.Most))
		}
	}
}
