package tiff

import (
	"encoding/binary"
	"math"

	"superres/internal/elementary"
)

// fill writes a row of s.n pixels to the canvas: colour k to channel k, alpha to the last. It drops further samples.
func (d *decoder) fill(s span) {
	if s.n <= 0 {
		return
	}
	c := &d.canvas
	n, used := d.inBlock(), d.samplesUsed() // samples of a pixel: in the row, and wanted
	to := c.pix[s.y*c.stride+s.x*c.pixel:]
	if d.photometric == separated && d.alpha != opaque {
		d.fillInks(to, s) // converts CMYK with alpha to RGB
		return
	}
	for k := range min(n, used) {
		channel := k
		if d.planar {
			channel = s.plane
		}
		isAlpha := channel == d.colours
		if isAlpha {
			channel = alphaChannel
		}
		d.fillChannel(to[channel*c.sample:], s, k, n, isAlpha)
	}
}

// fillInks converts the CMYK and alpha of the row s to RGB and alpha. to is the canvas from the first pixel of s on.
// The channel of alpha holds black until the pixels are converted, and gets alpha last.
func (d *decoder) fillInks(to []byte, s span) {
	const isAlpha = true
	c, n := &d.canvas, d.inBlock()
	for k := range d.colours {
		d.fillChannel(to[k*c.sample:], s, k, n, !isAlpha)
	}
	pixel := d.converter()
	for i := range s.n {
		pixel(to[i*c.pixel:][:c.pixel])
	}
	d.fillChannel(to[alphaChannel*c.sample:], s, d.colours, n, isAlpha)
}

// fillChannel scales sample k of the n samples of each pixel in row s to the 8 or 16 bits of the canvas. to begins
// with the channel in the first pixel. It inverts colours if 0 is white, and copies palette indices unscaled.
func (d *decoder) fillChannel(to []byte, s span, k, n int, isAlpha bool) {
	c := &d.canvas
	inverted := d.photometric == whiteIsZero && !isAlpha
	raw := d.photometric == palette && !isAlpha
	switch {
	case d.bits == 8 && c.sample == 1:
		flip := byte(0)
		if inverted {
			flip = 0xff
		}
		for i, x := 0, k; i < s.n; i, x = i+1, x+n {
			to[i*c.pixel] = s.row[x] ^ flip
		}
	case d.isFloat():
		for i := range s.n {
			v := uint16(float64(d.float(s.row, i*n+k)/d.white*math.MaxUint16) + 0.5) // scaled from 0..white
			if inverted {
				v = ^v
			}
			to[i*c.pixel], to[i*c.pixel+1] = byte(v>>8), byte(v)
		}
	case c.sample == 1:
		table := d.levels(inverted, raw)
		for i := range s.n {
			to[i*c.pixel] = table[d.integer(s.row, i*n+k)]
		}
	default:
		for i := range s.n {
			v := d.integer(s.row, i*n+k)
			if !raw {
				v = d.scaleTo16(v)
			}
			if inverted {
				v ^= math.MaxUint16
			}
			to[i*c.pixel], to[i*c.pixel+1] = byte(v>>8), byte(v)
		}
	}
}

// levels returns a table that scales samples of up to 8 bits to 0..255, to 255..0 if inverted, or not at all if raw.
func (d *decoder) levels(inverted, raw bool) (table [256]byte) {
	most := 1<<d.bits - 1
	for v := range most + 1 {
		level := (v*255 + most/2) / most
		if inverted {
			level = 255 - level
		}
		if raw {
			level = v
		}
		table[v] = byte(level)
	}
	return table
}

// scaleTo16 scales a sample of 1 to 32 bits to 0..65535. Negative samples of more than 16 bits become 0.
func (d *decoder) scaleTo16(v uint32) uint32 {
	if d.format == signed && d.bits > 16 && v>>(d.bits-1) == 1 {
		return 0
	}
	if d.bits >= 16 {
		return v >> (d.bits - 16)
	}
	most := uint32(1)<<d.bits - 1
	return (v*math.MaxUint16 + most/2) / most
}

// integer returns sample i of a row, of up to 32 bits. Samples that are no whole bytes are packed, highest bit first.
func (d *decoder) integer(row []byte, i int) uint32 {
	switch d.bits {
	case 8:
		return uint32(row[i])
	case 16:
		return uint32(d.order.Uint16(row[2*i:]))
	case 32:
		return d.order.Uint32(row[4*i:])
	case 24:
		return d.integer24(row[3*i:])
	}
	at := i * d.bits // in bits
	v, have := uint64(0), 0
	for p := at / 8; have < d.bits+at%8; p++ { // all bytes that have bits of the sample
		v, have = v<<8|uint64(row[p]), have+8
	}
	return uint32(v >> (have - at%8 - d.bits) & (1<<d.bits - 1))
}

// integer24 returns the number of 24 bits at the start of b.
func (d *decoder) integer24(b []byte) uint32 {
	if d.order == binary.ByteOrder(binary.LittleEndian) {
		return d.order.Uint32([]byte{b[0], b[1], b[2], 0})
	}
	return d.order.Uint32([]byte{0, b[0], b[1], b[2]})
}

// float returns sample i of a row in floating point: 0 for negative values and NaN, at most d.white once that is set.
func (d *decoder) float(row []byte, i int) float64 {
	v := 0.0
	switch d.bits {
	case 16:
		v = float64(elementary.Float16(d.order.Uint16(row[2*i:])))
	case 24:
		v = float24(d.integer24(row[3*i:]))
	case 32:
		v = float64(math.Float32frombits(d.order.Uint32(row[4*i:])))
	case 64:
		v = math.Float64frombits(d.order.Uint64(row[8*i:]))
	}
	switch {
	case !(v > 0):
		return 0
	case d.white > 0:
		return min(v, d.white)
	}
	return v
}

// float24 returns the number with these bits: a sign, 7 bits of exponent with the bias 63, and 16 of fraction.
func float24(bits uint32) float64 {
	const bias, length, special = 63, 16, 127
	exponent, fraction := int(bits>>length&special), float64(bits&(1<<length-1))
	v := math.Ldexp(fraction, 1-bias-length)
	switch {
	case exponent == special && fraction != 0:
		return math.NaN()
	case exponent == special:
		v = math.Inf(1)
	case exponent > 0:
		v = math.Ldexp(fraction+1<<length, exponent-bias-length)
	}
	if bits>>23 == 1 {
		return -v
	}
	return v
}
