package picture

import (
	"image"
	"image/color"
)

// ModelOf returns the colour model of pictures that are grey or have alpha, by which colours are not multiplied, with 8
// bits a sample or, if deep, with 16.
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

// New returns an empty picture of a colour model of package color, or of a palette: grey, indices, inks, or red, green,
// blue and alpha. Of any other model it is an *image.RGBA.
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

// Samples returns the memory of img, whose pixels lie one behind the other, and the lengths in bytes of a row and of a
// pixel. pix shares the memory of img; nothing is copied. It is nil for other types, such as *image.YCbCr.
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
