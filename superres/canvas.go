package superres

import (
	"encoding/binary"
	"image"

	"superres/internal/kernel"
)

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
			s := uint16(0xffff*float64(clamp(v)) + 0.5)
			at := 2 * x * c.samples
			pix[at], pix[at+1] = uint8(s>>8), uint8(s)
		}
		return
	}
	pix := c.pix[y*c.w*c.samples+channel:]
	if c.samples == 1 {
		for x, v := range row {
			pix[x] = uint8(0xff*float64(clamp(v)) + 0.5)
		}
		return
	}
	for x, v := range row { // a constant step is faster
		pix[4*x] = uint8(0xff*float64(clamp(v)) + 0.5)
	}
}

// colour paints row y, opaque, of a brightness and of what red and blue are more than
// that. It changes red and blue.
func (c *canvas) colour(y int, luma, red, blue []float32) {
	const r, b = weightR / weightG, weightB / weightG // of what green is less
	if !c.deep {
		kernel.Paint(c.pix[4*y*c.w:], luma, red, blue, r, b)
		return
	}
	green := make([]float32, len(luma))
	for x, v := range luma {
		green[x] = v - float32(r*red[x]) - float32(b*blue[x])
		red[x] += v
		blue[x] += v
	}
	for i, row := range [][]float32{red, green, blue} {
		c.put(y, i, row)
	}
	c.opaque(y)
}

// opaque makes the pixels of row y opaque.
func (c *canvas) opaque(y int) {
	ones := make([]float32, c.w)
	for x := range ones {
		ones[x] = 1
	}
	c.put(y, 3, ones)
}

// level rounds a value as put does.
func (c *canvas) level(v float32) uint16 {
	top := 0xff
	if c.deep {
		top = 0xffff
	}
	return uint16(float64(top)*float64(clamp(v)) + 0.5)
}

// limit keeps a channel of row y within levels: the pixels of held sample x are those from
// starts[x] to starts[x+1]. Rounding keeps the order of values, so this is the same as to
// limit them before.
func (c *canvas) limit(y, channel int, list []held, starts []int32) {
	if c.deep {
		pix := c.pix[2*(y*c.w*c.samples+channel):]
		for _, h := range list {
			for at := starts[h.x]; at < starts[h.x+1]; at++ {
				sample := pix[2*int(at)*c.samples:][:2]
				binary.BigEndian.PutUint16(sample, min(max(binary.BigEndian.Uint16(sample), h.least), h.most))
			}
		}
		return
	}
	pix := c.pix[y*c.w*c.samples+channel:]
	for _, h := range list {
		for at := starts[h.x]; at < starts[h.x+1]; at++ {
			sample := &pix[int(at)*c.samples]
			*sample = uint8(min(max(uint16(*sample), h.least), h.most))
		}
	}
}
