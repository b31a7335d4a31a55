package superres

import (
	"image"
	"image/color"
	"math"

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
	b := img.Bounds()
	w, h := b.Dx(), b.Dy()
	switch m := img.(type) {
	case *image.Gray:
		p := patches.NewPlane(w, h)
		eachRow(h, func(y int) {
			row := p.Row(y)
			for x, v := range m.Pix[m.PixOffset(b.Min.X, b.Min.Y+y):][:w] {
				row[x] = float32(v) / 0xff
			}
		})
		return picture{channels: []*patches.Plane{p}}
	case *image.Gray16:
		p := patches.NewPlane(w, h)
		eachRow(h, func(y int) {
			for x := range w {
				p.Row(y)[x] = float32(m.Gray16At(b.Min.X+x, b.Min.Y+y).Y) / 0xffff
			}
		})
		return picture{channels: []*patches.Plane{p}, deep: true}
	}
	p := picture{alpha: patches.NewPlane(w, h), deep: isDeep(img)}
	for range 3 {
		p.channels = append(p.channels, patches.NewPlane(w, h))
	}
	all := append(p.channels[:3:3], p.alpha)
	if p.deep {
		eachRow(h, func(y int) {
			for x := range w {
				c := color.NRGBA64Model.Convert(img.At(b.Min.X+x, b.Min.Y+y)).(color.NRGBA64)
				for i, v := range [4]uint16{c.R, c.G, c.B, c.A} {
					all[i].Row(y)[x] = float32(v) / 0xffff
				}
			}
		})
	} else {
		m := imaging.Clone(img)
		eachRow(h, func(y int) {
			for i, plane := range all {
				row := plane.Row(y)
				pix := m.Pix[y*m.Stride+i:]
				for x := range row {
					row[x] = float32(pix[4*x]) / 0xff
				}
			}
		})
	}
	if isOpaque(p.alpha) {
		p.alpha = nil
	} else {
		bleed(p.channels, p.alpha)
	}
	return p
}

// image puts the planes together: grey, RGBA without premultiplication, in 8 or
// 16 bits as the picture came.
func (p picture) image() image.Image {
	w, h := p.channels[0].W, p.channels[0].H
	bounds := image.Rect(0, 0, w, h)
	all := p.channels[:len(p.channels):len(p.channels)]
	if len(all) == 3 && p.alpha != nil {
		all = append(all, p.alpha)
	}
	var pix []uint8
	var img image.Image
	size := 1 // samples of a pixel in memory
	if len(all) > 1 {
		size = 4
	}
	switch {
	case size == 1 && p.deep:
		m := image.NewGray16(bounds)
		pix, img = m.Pix, m
	case size == 1:
		m := image.NewGray(bounds)
		pix, img = m.Pix, m
	case p.deep:
		m := image.NewNRGBA64(bounds)
		pix, img = m.Pix, m
	default:
		m := image.NewNRGBA(bounds)
		pix, img = m.Pix, m
	}
	eachRow(h, func(y int) {
		for c := range size {
			for x := range w {
				v := float32(1)
				if c < len(all) {
					v = clamp(all[c].Pix[y*w+x])
				}
				at := (y*w+x)*size + c
				if p.deep {
					s := uint16(math.Round(0xffff * float64(v)))
					pix[2*at], pix[2*at+1] = uint8(s>>8), uint8(s)
				} else {
					pix[at] = uint8(math.Round(0xff * float64(v)))
				}
			}
		}
	})
	return img
}

// luma returns the brightness plane of BT.601: 0.299 R + 0.587 G + 0.114 B, or
// the plane itself when the picture is grey.
func (p picture) luma() *patches.Plane {
	if len(p.channels) == 1 {
		return p.channels[0]
	}
	r, g, b := p.channels[0], p.channels[1], p.channels[2]
	out := patches.NewPlane(r.W, r.H)
	for i := range out.Pix {
		out.Pix[i] = float32(0.299*float64(r.Pix[i]) + 0.587*float64(g.Pix[i]) + 0.114*float64(b.Pix[i]))
	}
	return out
}

func isDeep(img image.Image) bool {
	switch img.(type) {
	case *image.RGBA64, *image.NRGBA64, *image.Gray16, *image.Alpha16:
		return true
	}
	return false
}

func isOpaque(alpha *patches.Plane) bool {
	for _, v := range alpha.Pix {
		if v != 1 {
			return false
		}
	}
	return true
}
