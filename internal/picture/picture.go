package picture

import (
	"image"
	"math"

	"superres/internal/parallel"
	"superres/patches/plane"
)

// Picture is an image as planes of samples in 0..1.
type Picture struct {
	// Channels are one plane of grey, or planes of red, green and blue that are not multiplied by alpha.
	Channels []*plane.Plane
	// Alpha is nil when the picture is opaque, as grey pictures always are.
	Alpha *plane.Plane
	// Deep is true for 16 bits a sample, false for 8.
	Deep bool
}

// Allocator returns a plane of w×h samples with undefined values, such as plane.New or a memory pool.
type Allocator func(w, h int) *plane.Plane

// Image returns a new image with the samples rounded to 8 bits, or to 16 if p.Deep: grey, or non-premultiplied RGBA.
func (p Picture) Image() image.Image {
	w, h := p.Channels[0].W, p.Channels[0].H
	c := NewCanvas(w, h, len(p.Channels) == 1, p.Deep)
	all := p.Channels[:len(p.Channels):len(p.Channels)]
	if p.Alpha != nil {
		all = append(all, p.Alpha)
	}
	parallel.Rows(h, func(y int) {
		for i, plane := range all {
			c.Put(y, i, plane.Row(y))
		}
		if len(all) == 3 { // red, green and blue without Alpha
			c.makeOpaque(y)
		}
	})
	return c.Image
}

// Premultiply multiplies the colours of p by its Alpha, which must not be nil.
func (p Picture) Premultiply() {
	for _, c := range p.Channels {
		parallel.Rows(c.H, func(y int) {
			alpha := p.Alpha.Row(y)
			for x, v := range c.Row(y) {
				c.Row(y)[x] = v * alpha[x]
			}
		})
	}
}

// Luma returns the BT.601 brightness, 0.299 R + 0.587 G + 0.114 B, in new memory; for a grey picture, its only plane.
func (p Picture) Luma() *plane.Plane { return p.LumaIn(plane.New) }

// LumaIn is Luma with a result that newPlane allocates, except for a grey picture, which has one plane.
func (p Picture) LumaIn(newPlane Allocator) *plane.Plane {
	if len(p.Channels) == 1 {
		return p.Channels[0]
	}
	out := newPlane(p.Channels[0].W, p.Channels[0].H)
	parallel.Rows(out.H, func(y int) { p.LumaRow(out.Row(y), y) })
	return out
}

// LumaRow sets dst to row y of Luma: for a grey picture, to a copy of the row.
func (p Picture) LumaRow(dst []float32, y int) {
	if len(p.Channels) == 1 {
		copy(dst, p.Channels[0].Row(y))
		return
	}
	r, g, b := p.Channels[0].Row(y)[:len(dst)], p.Channels[1].Row(y)[:len(dst)], p.Channels[2].Row(y)[:len(dst)]
	for x := range dst { // conversions of products prevent fused multiply-adds
		dst[x] = float32(float64(WeightR*float64(r[x])) + float64(WeightG*float64(g[x])) +
			float64(WeightB*float64(b[x])))
	}
}

// LumaOf sets dst to the BT.601 brightness of rgb, planes of red, green and blue, each clamped to 0..1. dst may be one
// of these planes. LumaOf computes in float32, four times as fast as Picture.Luma.
func LumaOf(dst *plane.Plane, rgb []*plane.Plane) {
	parallel.Rows(dst.H, func(y int) { lumaRow(dst.Row(y), rgb[0].Row(y), rgb[1].Row(y), rgb[2].Row(y)) })
}

// lumaRow sets dst, a row, to the brightness of red, green and blue: see LumaOf.
func lumaRow(dst, red, green, blue []float32) {
	red, green, blue = red[:len(dst)], green[:len(dst)], blue[:len(dst)]
	for x := range dst {
		r, g, b := red[x], green[x], blue[x]
		if max(math.Float32bits(r), math.Float32bits(g), math.Float32bits(b)) > oneBits { // one is outside 0..1
			r, g, b = Clamp(r), Clamp(g), Clamp(b)
		}
		dst[x] = float32(WeightR*r) + float32(WeightG*g) + float32(WeightB*b)
	}
}

// oneBits are the bits of the float32 1. As unsigned integers, the bits of samples outside 0..1 are larger.
const oneBits = 0x3f80_0000

// Green returns the colour difference G−Y for R−Y in red and B−Y in blue.
func Green(red, blue float32) float32 {
	return float32(-WeightR/WeightG*red) - float32(WeightB/WeightG*blue)
}

// WeightR, WeightG and WeightB are the weights of red, green and blue in the brightness of BT.601.
const WeightR, WeightG, WeightB = 0.299, 0.587, 0.114

// Round8 rounds a plane, in place, to the 256 levels of an 8-bit file, and returns it.
func Round8(p *plane.Plane) *plane.Plane {
	for i, v := range p.Pix {
		p.Pix[i] = float32(math.Round(255*float64(Clamp(v))) / 255)
	}
	return p
}

// Clamp returns v clamped to 0..1; NaN becomes 0.
func Clamp(v float32) float32 {
	if v >= 1 {
		return 1
	}
	if v > 0 {
		return v
	}
	return 0
}
