package imagefile

import (
	"encoding/binary"
	"image"
	"image/color"

	"superres/internal/picture"
)

// The colour types of a PNG.
const (
	pngGrey      = 0
	pngRGB       = 2
	pngPalette   = 3
	pngGreyAlpha = 4
	pngRGBA      = 6
)

// pngSamples is the number of samples of a pixel, by colour type.
var pngSamples = map[byte]int{pngGrey: 1, pngRGB: 3, pngPalette: 1, pngGreyAlpha: 2, pngRGBA: 4}

// mostPixelBytes is the number of bytes of the largest pixel in a PNG: four samples of 16 bits.
const mostPixelBytes = 8

// raster supplies the rows of a picture as bytes in the order of a PNG.
type raster struct {
	width, height int
	depth         int  // bytes of a sample
	kind          byte // the colour type in the header of the PNG
	palette       color.Palette
	read          func(dst []byte, y int) // fills dst with row y; safe for concurrent use
}

func (r *raster) pixelBytes() int { return r.depth * pngSamples[r.kind] }

func (r *raster) rowBytes() int { return r.width * r.pixelBytes() }

// rasterOf returns a raster of img, which adapt has converted. If greyAlpha is true, grey with alpha has two samples
// per pixel, else four. If alpha is true, opaque colours have alpha too. The raster shares the memory of img.
func rasterOf(img image.Image, greyAlpha, alpha bool) *raster {
	size := img.Bounds().Size()
	r := &raster{width: size.X, height: size.Y, depth: 1, kind: pngRGBA}
	pix, stride, pixel := picture.Samples(img) // four samples per pixel, unless kind says otherwise
	multiplied := false                        // colour is multiplied by alpha
	switch src := img.(type) {
	case *image.Gray, *image.Gray16:
		r.kind, r.depth = pngGrey, pixel
	case *image.Paletted:
		r.kind, r.palette = pngPalette, src.Palette
	case *image.NRGBA, *image.NRGBA64:
		r.depth = pixel / 4
	case *image.RGBA, *image.RGBA64:
		r.depth, multiplied = pixel/4, true
	default: // only readAny can read it
		pix, multiplied = nil, true
	}
	r.read = func(dst []byte, y int) { copy(dst, pix[y*stride:]) }
	if r.kind != pngRGBA {
		return r
	}
	switch {
	case greyAlpha && !multiplied && r.isGrey(pix, stride):
		r.kind = pngGreyAlpha
		r.read = func(dst []byte, y int) {
			src := pix[y*stride:]
			for x := range r.width {
				copy(dst[2*r.depth*x:], src[4*r.depth*x:][:r.depth])
				copy(dst[2*r.depth*x+r.depth:], src[4*r.depth*x+3*r.depth:][:r.depth])
			}
		}
	case pix != nil && !alpha && picture.IsOpaque(img):
		r.kind = pngRGB
		r.read = func(dst []byte, y int) { withoutAlpha(dst, pix[y*stride:], r.depth) }
	case multiplied:
		r.read = func(dst []byte, y int) { r.readAny(dst, img, y) }
	}
	return r
}

// plainRaster returns a raster of img without grey with alpha, and without alpha if all pixels are opaque.
func plainRaster(img image.Image) *raster { return rasterOf(img, false, false) }

// isGrey reports whether red, green and blue are equal in all RGBA pixels of pix, which has rows of stride bytes.
func (r *raster) isGrey(pix []byte, stride int) bool {
	n := r.depth
	for y := range r.height {
		for row := pix[y*stride:][:4*n*r.width]; len(row) > 0; row = row[4*n:] {
			if string(row[:n]) != string(row[n:2*n]) || string(row[:n]) != string(row[2*n:3*n]) {
				return false
			}
		}
	}
	return true
}

// withoutAlpha fills dst with three of every four samples in src: all but alpha. A sample has depth bytes.
func withoutAlpha(dst, src []byte, depth int) {
	if depth == 2 {
		for ; len(dst) >= 6; dst, src = dst[6:], src[8:] {
			copy(dst, src[:6])
		}
		return
	}
	for ; len(dst) >= 3; dst, src = dst[3:], src[4:] {
		dst[0], dst[1], dst[2] = src[0], src[1], src[2]
	}
}

// readAny fills dst with row y of img, which may have any type, as red, green, blue and alpha.
func (r *raster) readAny(dst []byte, img image.Image, y int) {
	from := img.Bounds().Min
	for x := range r.width {
		c := color.NRGBA64Model.Convert(img.At(from.X+x, from.Y+y)).(color.NRGBA64)
		for _, v := range [4]uint16{c.R, c.G, c.B, c.A} {
			if r.depth == 2 {
				binary.BigEndian.PutUint16(dst, v)
			} else {
				dst[0] = byte(v >> 8)
			}
			dst = dst[r.depth:]
		}
	}
}

// paletteBytes returns the palette for a PNG: red, green and blue of all entries, and alpha up to the last not opaque.
func (r *raster) paletteBytes() (colours, alpha []byte) {
	all := 0
	for i, c := range r.palette[:min(len(r.palette), 256)] {
		v := color.NRGBAModel.Convert(c).(color.NRGBA)
		colours, alpha = append(colours, v.R, v.G, v.B), append(alpha, v.A)
		if v.A != 0xff {
			all = i + 1
		}
	}
	return colours, alpha[:all]
}
