package imagefile

import (
	"image"
	"image/color"
	"image/draw"
)

// greyFromPalette returns img as *image.Gray if its palette has only opaque greys, and any other picture unchanged.
func greyFromPalette(img image.Image) image.Image {
	src, ok := img.(*image.Paletted)
	if !ok {
		return img
	}
	var grey [256]uint8
	for i, c := range src.Palette {
		r, g, b, a := c.RGBA()
		if r != g || g != b || a != 0xffff {
			return img
		}
		grey[i] = uint8(r >> 8)
	}
	dst := image.NewGray(src.Bounds())
	for y := range src.Rect.Dy() {
		row := dst.Pix[y*dst.Stride:]
		for x, index := range src.Pix[y*src.Stride : y*src.Stride+src.Rect.Dx()] {
			row[x] = grey[index]
		}
	}
	return dst
}

// adapt returns img converted to a type that the encoder writes with all the depth, colour and alpha that the format
// can hold, or img itself if it has such a type.
//
// Note: the encoders alone would write YCbCr as 16-bit PNG and 16-bit grey as colour, or drop or darken alpha.
func (c *codec) adapt(img image.Image) image.Image {
	switch src := img.(type) {
	case *image.Gray16:
		if !c.canDeep {
			return grey8(src)
		}
	case *image.YCbCr, *image.CMYK:
		if !c.takesAll {
			dst := image.NewRGBA(img.Bounds())
			draw.Draw(dst, dst.Rect, img, dst.Rect.Min, draw.Src)
			return dst
		}
	case *image.NYCbCrA:
		if !c.takesAll {
			return nrgba(img, func(x, y int) color.NRGBA { return plainNYCbCrA(src, x, y) })
		}
	case *image.Paletted:
		if !src.Opaque() && !c.takesAll && !c.takesClearPalettes {
			return nrgba(img, func(x, y int) color.NRGBA {
				return color.NRGBAModel.Convert(src.At(x, y)).(color.NRGBA)
			})
		}
	case *image.NRGBA64:
		if !c.canDeep {
			return nrgba(img, func(x, y int) color.NRGBA {
				return roundPixel(src.NRGBA64At(x, y))
			})
		}
	case *image.RGBA64:
		if !c.canDeep {
			return nrgba(img, func(x, y int) color.NRGBA {
				c := src.RGBA64At(x, y)
				if c.A == 0xffff {
					return roundPixel(color.NRGBA64(c)) // avoids the slow conversion below
				}
				return roundPixel(color.NRGBA64Model.Convert(c).(color.NRGBA64))
			})
		}
	}
	return img
}

// plainNYCbCrA returns the pixel (x, y) of src as RGB that is not multiplied by alpha.
func plainNYCbCrA(src *image.NYCbCrA, x, y int) color.NRGBA {
	c := src.NYCbCrAAt(x, y)
	r, g, b := color.YCbCrToRGB(c.Y, c.Cb, c.Cr)
	return color.NRGBA{R: r, G: g, B: b, A: c.A}
}

// nrgba returns a new picture with the bounds of img and at(x, y) as its pixel (x, y).
//
// Note: drawing onto an *image.NRGBA would multiply colours by alpha and divide them again, which changes faint pixels.
func nrgba(img image.Image, at func(x, y int) color.NRGBA) *image.NRGBA {
	b, dst := img.Bounds(), image.NewNRGBA(img.Bounds())
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			dst.SetNRGBA(x, y, at(x, y))
		}
	}
	return dst
}

// grey8 returns a new picture with the samples of src rounded from 16 to 8 bits.
func grey8(src *image.Gray16) *image.Gray {
	dst := image.NewGray(src.Bounds())
	for y := src.Rect.Min.Y; y < src.Rect.Max.Y; y++ {
		for x := src.Rect.Min.X; x < src.Rect.Max.X; x++ {
			dst.SetGray(x, y, color.Gray{Y: round8(src.Gray16At(x, y).Y)})
		}
	}
	return dst
}

func roundPixel(c color.NRGBA64) color.NRGBA {
	return color.NRGBA{R: round8(c.R), G: round8(c.G), B: round8(c.B), A: round8(c.A)}
}

func round8(v uint16) uint8 {
	return uint8((uint32(v)*255 + 32767) / 65535)
}
