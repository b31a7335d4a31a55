package tiff

import (
	"encoding/binary"
	"image"
	"image/color"
	"math"

	"superres/internal/elementary"
	"superres/internal/parallel"
	"superres/internal/picture"
)

// canvas is the memory of the picture: rows of pixels with 1 or 4 channels of 8 or 16 bits, big-endian.
type canvas struct {
	img                   image.Image
	pix                   []byte // of img
	stride, pixel, sample int    // bytes from one row, pixel or channel to the next
}

// alphaChannel is the index of the channel for alpha and, in CMYK, for black.
const alphaChannel = 3

// newCanvas returns an empty canvas for l. The caller must have checked the size of l.
func newCanvas(l *layout) (c canvas) {
	c.img = picture.New(l.model(), image.Rect(0, 0, l.width, l.height))
	c.pix, c.stride, c.pixel = picture.Samples(c.img)
	if c.sample = 1; picture.IsDeep(c.img) {
		c.sample = 2
	}
	return c
}

// makeOpaque sets every byte to 255, so that alpha is opaque once the other channels are overwritten.
func (c canvas) makeOpaque() {
	for i := range c.pix {
		c.pix[i] = 0xff
	}
}

func (l *layout) isLab() bool { return l.photometric == cieLab || l.photometric == iccLab }

// colourPalette returns the palette of 2^bits opaque colours. If no entry is above 255, a program has written 8-bit
// numbers where 16-bit numbers belong, and the numbers are scaled.
func (l *layout) colourPalette() color.Palette {
	n := 1 << l.bits
	scale := uint16(257)
	for _, v := range l.colourMap[:3*n] {
		if v > 255 {
			scale = 1
		}
	}
	p := make(color.Palette, n)
	for i := range p {
		p[i] = color.RGBA64{l.colourMap[i] * scale, l.colourMap[n+i] * scale, l.colourMap[2*n+i] * scale,
			math.MaxUint16}
		if r, g, b, _ := p[i].RGBA(); l.isIndexed() {
			p[i] = color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255}
		}
	}
	return p
}

// picture returns the picture on the canvas, with its channels converted to red, green, blue and alpha. It changes
// nothing if there is one channel, or if the channels are RGB, RGB that fillInks has made, or CMYK of 8 bits.
func (d *decoder) picture() image.Image {
	c := &d.canvas
	isDone := d.photometric == rgb || d.photometric == separated && (c.sample == 1 || d.alpha != opaque)
	if c.pixel/c.sample != 4 || isDone {
		return c.img
	}
	pixel := d.converter()
	parallel.Rows(d.height, func(y int) {
		for row := c.pix[y*c.stride:][:d.width*c.pixel]; len(row) > 0; row = row[c.pixel:] {
			pixel(row[:c.pixel])
		}
	})
	return c.img
}

// converter returns the function that converts the channels of a pixel on the canvas to red, green, blue and alpha:
// from indices of a palette, CMYK, YCbCr, CIELab or, in all other cases, grey with alpha.
func (d *decoder) converter() func(p []byte) {
	wide := d.canvas.sample == 2
	get := func(p []byte, i int) float64 { return float64(p[i]) / math.MaxUint8 }
	set := func(p []byte, i int, v float64) { p[i] = byte(float64(min(max(v, 0), 1)*math.MaxUint8) + 0.5) }
	if wide {
		get = func(p []byte, i int) float64 { return float64(binary.BigEndian.Uint16(p[2*i:])) / math.MaxUint16 }
		set = func(p []byte, i int, v float64) {
			binary.BigEndian.PutUint16(p[2*i:], uint16(float64(min(max(v, 0), 1)*math.MaxUint16)+0.5))
		}
	}
	switch {
	case d.photometric == palette:
		return d.indexed()
	case d.photometric == separated:
		return func(p []byte) {
			k := 1 - get(p, alphaChannel) // how much the black ink leaves
			for i := range 3 {
				set(p, i, (1-get(p, i))*k)
			}
			set(p, alphaChannel, 1)
		}
	case d.photometric == yCbCr || d.isLab():
		toRGB := d.fromYCbCr
		if d.isLab() {
			toRGB = d.fromLab
		}
		return func(p []byte) {
			r, g, b := toRGB(get(p, 0), get(p, 1), get(p, 2))
			set(p, 0, r)
			set(p, 1, g)
			set(p, 2, b)
		}
	}
	return func(p []byte) { // grey with alpha
		n := d.canvas.sample
		copy(p[n:2*n], p[:n])
		copy(p[2*n:3*n], p[:n])
	}
}

// indexed returns the function that replaces the index, the first sample of a pixel, by its colour, and keeps alpha.
func (d *decoder) indexed() func(p []byte) {
	colours := d.colourPalette()
	return func(p []byte) {
		wide := d.canvas.sample == 2
		i := int(p[0])
		if wide {
			i = int(binary.BigEndian.Uint16(p))
		}
		c := colours[min(i, len(colours)-1)].(color.RGBA64) // RGBA only if isIndexed, and then not here
		if wide {
			for k, v := range [3]uint16{c.R, c.G, c.B} {
				binary.BigEndian.PutUint16(p[2*k:], v)
			}
			return
		}
		p[0], p[1], p[2] = byte(c.R>>8), byte(c.G>>8), byte(c.B>>8)
	}
}

// fromYCbCr converts YCbCr to RGB, all from 0 to 1, with the luma coefficients and the black and white references in
// the file (TIFF 6.0, sections 20 and 21). The references are for samples of 8 bits. A channel with equal black and
// white is 0, as is green if its coefficient is 0. The results may lie outside of 0..1. float64 around a product keeps
// the compiler from fusing it with a sum, since not all processors do that.
func (d *decoder) fromYCbCr(y, cb, cr float64) (r, g, b float64) {
	ref, luma := d.reference, d.coefficients
	rescale := func(v, black, white, largest float64) float64 { // from black..white to 0..largest
		if white == black {
			return 0
		}
		return (float64(v*255) - black) / (white - black) * largest
	}
	y = rescale(y, ref[0], ref[1], 1)
	cb = rescale(cb, ref[2], ref[3], 127./255) // 127: the coding range of chroma in TIFF 6.0
	cr = rescale(cr, ref[4], ref[5], 127./255)
	r = float64(cr*(2-2*luma[0])) + y
	b = float64(cb*(2-2*luma[2])) + y
	if luma[1] != 0 {
		g = (y - float64(luma[0]*r) - float64(luma[2]*b)) / luma[1]
	}
	return r, g, b
}

// fromLab returns sRGB from 0 to 1 for channels from 0 to 1 that hold CIELab with the white D50: L* from 0 to 100, and
// a* and b* in two's complement or, for ICCLab, plus 128 (TIFF 6.0, section 23; Adobe Photoshop TIFF Technical Notes).
func (d *decoder) fromLab(l, a, b float64) (red, green, blue float64) {
	span := 255. // the range of a* and b*
	if d.canvas.sample == 2 {
		span = 65535. / 256
	}
	a, b = float64(a*span), float64(b*span)
	if d.photometric == iccLab {
		a, b = a-128, b-128
	} else {
		a, b = fromTwosComplement(a), fromTwosComplement(b)
	}
	fy := (float64(100*l) + 16) / 116
	x, y, z := 0.9642*labInverse(fy+a/500), labInverse(fy), 0.8249*labInverse(fy-b/200)
	// From XYZ (D50) to linear sRGB, with Bradford adaptation (brucelindbloom.com, "RGB/XYZ matrices").
	red = srgb(float64(3.1338561*x) - float64(1.6168667*y) - float64(0.4906146*z))
	green = srgb(float64(-0.9787684*x) + float64(1.9161415*y) + float64(0.0334540*z))
	blue = srgb(float64(0.0719453*x) - float64(0.2289914*y) + float64(1.4052427*z))
	return red, green, blue
}

// fromTwosComplement returns the signed number, in two's complement, of the unsigned byte v, 0 to 256.
func fromTwosComplement(v float64) float64 {
	if v >= 128 {
		return v - 256
	}
	return v
}

// labInverse is the inverse of the function f of CIELab.
func labInverse(t float64) float64 {
	if t > 6./29 {
		return t * t * t
	}
	return 3 * 6. / 29 * 6. / 29 * (t - 4./29)
}

// srgb applies the tone curve of sRGB (IEC 61966-2-1) to a linear value, 0 to 1.
func srgb(v float64) float64 {
	if v <= 0.0031308 {
		return 12.92 * max(v, 0)
	}
	return float64(1.055*elementary.Pow(v, 1/2.4)) - 0.055
}
