package superres

import (
	"encoding/binary"
	"image"
	"image/color"

	"github.com/disintegration/imaging"

	"superres/patches"
)

// picture is an image as planes of 0..1: one plane for grey, or red, green and
// blue, not premultiplied; alpha is nil when the picture is opaque.
type picture struct {
	channels []*patches.Plane
	alpha    *patches.Plane
	deep     bool // 16 bits a sample rather than 8
}

// split takes an image of any type apart. Grey and grey16 stay one plane.
func split(img image.Image) picture {
	h := img.Bounds().Dy()
	if isOpaque(img) {
		return splitRows(nil, img, true, 0, h)
	}
	p := splitRows(nil, img, false, 0, h)
	bleed(p.channels, p.alpha)
	return p
}

// splitRows takes the rows lo..hi-1 of an image apart, which is opaque or is not, into
// memory of mem.
func splitRows(mem *spares, img image.Image, opaque bool, lo, hi int) picture {
	b := img.Bounds()
	w, h, top := b.Dx(), hi-lo, b.Min.Y+lo
	p := picture{deep: isDeep(img)}
	planes := 3
	if isGrey(img) {
		planes = 1
	}
	for range planes {
		p.channels = append(p.channels, mem.plane(w, h))
	}
	all := p.channels[:planes:planes]
	if !opaque {
		p.alpha = mem.plane(w, h)
		all = append(all, p.alpha)
	}
	switch m := img.(type) {
	case *image.Gray:
		eachRow(h, func(y int) {
			row := all[0].Row(y)
			for x, v := range m.Pix[m.PixOffset(b.Min.X, top+y):][:w] {
				row[x] = levels[v]
			}
		})
		return p
	case *image.Gray16:
		eachRow(h, func(y int) {
			row, pix := all[0].Row(y), m.Pix[m.PixOffset(b.Min.X, top+y):]
			for x := range row {
				row[x] = float32(binary.BigEndian.Uint16(pix[2*x:])) / 0xffff
			}
		})
		return p
	}
	if p.deep {
		eachRow(h, func(y int) {
			for x := range w {
				c := deepAt(img, b.Min.X+x, top+y)
				values := [4]uint16{c.R, c.G, c.B, c.A}
				for i, plane := range all {
					plane.Pix[y*w+x] = float32(values[i]) / 0xffff
				}
			}
		})
		return p
	}
	pix, stride := rgbaRows(img, opaque, top, h)
	eachRow(h, func(y int) {
		for i, plane := range all {
			row := plane.Row(y)
			pix := pix[y*stride+i:]
			for x := range row {
				row[x] = levels[pix[4*x]]
			}
		}
	})
	return p
}

// rgbaRows returns h rows of an image in 8 bits without premultiplication, in its own
// memory where they are there.
func rgbaRows(img image.Image, opaque bool, top, h int) (pix []uint8, stride int) {
	b := img.Bounds()
	switch m := img.(type) {
	case *image.NRGBA:
		return m.Pix[m.PixOffset(b.Min.X, top):], m.Stride
	case *image.RGBA:
		if opaque {
			return m.Pix[m.PixOffset(b.Min.X, top):], m.Stride
		}
	}
	m := imaging.Crop(img, image.Rect(b.Min.X, top, b.Max.X, top+h))
	return m.Pix, m.Stride
}

// levels are the levels of 8 bits as 0..1.
var levels = func() (list [256]float32) {
	for i := range list {
		list[i] = float32(i) / 0xff
	}
	return list
}()

// deepAt returns a pixel in 16 bits without premultiplication.
func deepAt(img image.Image, x, y int) color.NRGBA64 {
	switch m := img.(type) {
	case *image.NRGBA64:
		return m.NRGBA64At(x, y)
	case *image.RGBA64:
		if c := m.RGBA64At(x, y); c.A == 0xffff {
			return color.NRGBA64(c)
		}
	}
	return color.NRGBA64Model.Convert(img.At(x, y)).(color.NRGBA64)
}

// image puts the planes together: grey, RGBA without premultiplication, in 8 or
// 16 bits as the picture came.
func (p picture) image() image.Image {
	w, h := p.channels[0].W, p.channels[0].H
	c := newCanvas(w, h, len(p.channels) == 1, p.deep)
	all := p.channels[:len(p.channels):len(p.channels)]
	if p.alpha != nil {
		all = append(all, p.alpha)
	}
	eachRow(h, func(y int) {
		for i, plane := range all {
			c.put(y, i, plane.Row(y))
		}
		if len(all) == 3 {
			c.opaque(y)
		}
	})
	return c.img
}

// luma returns the brightness plane of BT.601: 0.299 R + 0.587 G + 0.114 B, or
// the plane itself when the picture is grey.
func (p picture) luma() *patches.Plane { return p.lumaIn(nil) }

// lumaIn is luma in memory of mem.
func (p picture) lumaIn(mem *spares) *patches.Plane {
	if len(p.channels) == 1 {
		return p.channels[0]
	}
	out := mem.plane(p.channels[0].W, p.channels[0].H)
	eachRow(out.H, func(y int) {
		row := out.Row(y)
		r, g, b := p.channels[0].Row(y)[:len(row)], p.channels[1].Row(y)[:len(row)], p.channels[2].Row(y)[:len(row)]
		for x := range row {
			row[x] = float32(float64(weightR*float64(r[x])) + float64(weightG*float64(g[x])) + float64(weightB*float64(b[x])))
		}
	})
	return out
}

// The weights of BT.601.
const weightR, weightG, weightB = 0.299, 0.587, 0.114

func isGrey(img image.Image) bool {
	switch img.(type) {
	case *image.Gray, *image.Gray16:
		return true
	}
	return false
}

func isDeep(img image.Image) bool {
	switch img.(type) {
	case *image.RGBA64, *image.NRGBA64, *image.Gray16, *image.Alpha16:
		return true
	}
	return false
}

func isOpaque(img image.Image) bool {
	o, ok := img.(interface{ Opaque() bool })
	return ok && o.Opaque()
}
