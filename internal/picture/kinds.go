package picture

import (
	"encoding/binary"
	"image"
	"image/color"

	"github.com/disintegration/imaging"

	"superres/internal/parallel"
	"superres/patches/plane"
)

// ModelOf returns the colour model of grey or of non-premultiplied RGBA pictures, with 8 bits a sample or, if deep, 16.
func ModelOf(grey, deep bool) color.Model {
	switch {
	case grey && deep:
		return color.Gray16Model
	case grey:
		return color.GrayModel
	case deep:
		return color.NRGBA64Model
	}
	return color.NRGBAModel
}

// New returns an empty picture for a palette or a model of grey, CMYK, NRGBA or RGBA; for all others, an *image.RGBA.
func New(m color.Model, bounds image.Rectangle) image.Image {
	if p, ok := m.(color.Palette); ok {
		return image.NewPaletted(bounds, p)
	}
	switch m {
	case color.GrayModel:
		return image.NewGray(bounds)
	case color.Gray16Model:
		return image.NewGray16(bounds)
	case color.CMYKModel:
		return image.NewCMYK(bounds)
	case color.NRGBAModel:
		return image.NewNRGBA(bounds)
	case color.NRGBA64Model:
		return image.NewNRGBA64(bounds)
	case color.RGBA64Model:
		return image.NewRGBA64(bounds)
	}
	return image.NewRGBA(bounds)
}

// Like returns an empty picture of w×h pixels that can hold pixels of img: *image.Gray or *image.Gray16 if img is grey,
// else *image.NRGBA or *image.NRGBA64.
func Like(img image.Image, w, h int) image.Image {
	return New(ModelOf(IsGrey(img), IsDeep(img)), image.Rect(0, 0, w, h))
}

// Samples returns the memory of img, in which the samples of a pixel are adjacent, and the lengths in bytes of a row
// and of a pixel. Nothing is copied. pix is nil for other types, such as *image.YCbCr.
func Samples(img image.Image) (pix []byte, stride, size int) {
	switch m := img.(type) {
	case *image.Gray:
		return m.Pix, m.Stride, 1
	case *image.Paletted:
		return m.Pix, m.Stride, 1
	case *image.Gray16:
		return m.Pix, m.Stride, 2
	case *image.NRGBA:
		return m.Pix, m.Stride, 4
	case *image.RGBA:
		return m.Pix, m.Stride, 4
	case *image.CMYK:
		return m.Pix, m.Stride, 4
	case *image.NRGBA64:
		return m.Pix, m.Stride, 8
	case *image.RGBA64:
		return m.Pix, m.Stride, 8
	}
	return nil, 0, 0
}

// IsGrey reports whether an image has one channel and no transparency.
func IsGrey(img image.Image) bool {
	switch img.(type) {
	case *image.Gray, *image.Gray16:
		return true
	}
	return false
}

// IsDeep reports whether an image has 16 bits a sample.
func IsDeep(img image.Image) bool {
	switch img.(type) {
	case *image.RGBA64, *image.NRGBA64, *image.Gray16, *image.Alpha16:
		return true
	}
	return false
}

// IsOpaque reports whether an image has a method Opaque that returns true.
func IsOpaque(img image.Image) bool {
	o, ok := img.(interface{ Opaque() bool })
	return ok && o.Opaque()
}

// Split returns the planes of an image of any type, in new memory: one for a grey image. If not opaque, it calls Bleed.
func Split(img image.Image) Picture {
	isOpaque := IsOpaque(img)
	p := SplitRows(plane.New, img, isOpaque, 0, img.Bounds().Dy())
	if !isOpaque {
		p.Bleed()
	}
	return p
}

// SplitRows returns the planes, allocated by newPlane, of rows lo..hi-1 of an image. opaque must be IsOpaque(img). If
// opaque is false, there is an alpha plane, and transparent pixels keep their hidden colours.
func SplitRows(newPlane Allocator, img image.Image, opaque bool, lo, hi int) Picture {
	b := img.Bounds()
	w, h, top := b.Dx(), hi-lo, b.Min.Y+lo
	p := Picture{Deep: IsDeep(img)}
	planes := 3
	if IsGrey(img) {
		planes = 1
	}
	for range planes {
		p.Channels = append(p.Channels, newPlane(w, h))
	}
	all := p.Channels[:planes:planes]
	if !opaque {
		p.Alpha = newPlane(w, h)
		all = append(all, p.Alpha)
	}
	switch m := img.(type) {
	case *image.Gray:
		parallel.Rows(h, func(y int) {
			row := all[0].Row(y)
			for x, v := range m.Pix[m.PixOffset(b.Min.X, top+y):][:w] {
				row[x] = Levels[v]
			}
		})
		return p
	case *image.Gray16:
		parallel.Rows(h, func(y int) {
			row, pix := all[0].Row(y), m.Pix[m.PixOffset(b.Min.X, top+y):]
			for x := range row {
				row[x] = float32(binary.BigEndian.Uint16(pix[2*x:])) / 0xffff
			}
		})
		return p
	}
	if p.Deep {
		parallel.Rows(h, func(y int) {
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
	parallel.Rows(h, func(y int) {
		pix, red, green, blue := pix[y*stride:], all[0].Row(y), all[1].Row(y), all[2].Row(y)
		green, blue = green[:len(red)], blue[:len(red)]
		for x := range red {
			v := binary.LittleEndian.Uint32(pix[4*x:])
			red[x], green[x], blue[x] = Levels[uint8(v)], Levels[uint8(v>>8)], Levels[uint8(v>>16)]
		}
		for x := 0; !opaque && x < w; x++ {
			p.Alpha.Row(y)[x] = Levels[pix[4*x+3]]
		}
	})
	return p
}

// rgbaRows returns h rows of an image, from the one at y = top on, as non-premultiplied 8-bit RGBA. The result shares
// the memory of an *image.NRGBA and, if the image is opaque, of an *image.RGBA.
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

// Levels[v] is v/255.
var Levels = func() (list [256]float32) {
	for i := range list {
		list[i] = float32(i) / 0xff
	}
	return list
}()

// deepAt returns a pixel as non-premultiplied RGBA of 16 bits a sample. Its two cases only save time.
func deepAt(img image.Image, x, y int) color.NRGBA64 {
	switch m := img.(type) {
	case *image.NRGBA64:
		return m.NRGBA64At(x, y)
	case *image.RGBA64:
		if c := m.RGBA64At(x, y); c.A == 0xffff { // premultiplying changes no opaque pixel
			return color.NRGBA64(c)
		}
	}
	return color.NRGBA64Model.Convert(img.At(x, y)).(color.NRGBA64)
}
