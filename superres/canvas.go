package superres

import "image"

// canvas is a picture that is painted row by row: grey, or RGBA without
// premultiplication, of 8 or 16 bits a sample.
type canvas struct {
	img     image.Image
	w, h    int
	pix     []uint8
	samples int // of a pixel in memory: 1 or 4
	deep    bool
}

func newCanvas(w, h int, grey, deep bool) *canvas {
	c := &canvas{w: w, h: h, samples: 4, deep: deep}
	bounds := image.Rect(0, 0, w, h)
	switch {
	case grey && deep:
		m := image.NewGray16(bounds)
		c.img, c.pix, c.samples = m, m.Pix, 1
	case grey:
		m := image.NewGray(bounds)
		c.img, c.pix, c.samples = m, m.Pix, 1
	case deep:
		m := image.NewNRGBA64(bounds)
		c.img, c.pix = m, m.Pix
	default:
		m := image.NewNRGBA(bounds)
		c.img, c.pix = m, m.Pix
	}
	return c
}

// put rounds values of 0..1, which are limited to that, to a channel of row y.
func (c *canvas) put(y, channel int, row []float32) {
	if c.deep {
		pix := c.pix[2*(y*c.w*c.samples+channel):]
		for x, v := range row {
			s := uint16(0xffff*clamp(v) + 0.5)
			at := 2 * x * c.samples
			pix[at], pix[at+1] = uint8(s>>8), uint8(s)
		}
		return
	}
	pix := c.pix[y*c.w*c.samples+channel:]
	if c.samples == 1 {
		for x, v := range row {
			pix[x] = uint8(0xff*clamp(v) + 0.5)
		}
		return
	}
	for x, v := range row { // a constant step is faster
		pix[4*x] = uint8(0xff*clamp(v) + 0.5)
	}
}

// opaque makes all pixels opaque, unless they are grey.
func (c *canvas) opaque() {
	if c.samples == 1 {
		return
	}
	size := 1
	if c.deep {
		size = 2
	}
	eachRow(c.h, func(y int) {
		row := c.pix[y*c.w*4*size : (y+1)*c.w*4*size]
		for x := 3 * size; x < len(row); x += 4 * size {
			row[x] = 0xff
			row[x+size-1] = 0xff
		}
	})
}
