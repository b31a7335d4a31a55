package picture

import (
	"image"
	"image/color"
)

// Wrapped returns the part of img in r, in new memory, with its first pixel at (0, 0), as *image.Gray, *image.Gray16,
// *image.NRGBA or *image.NRGBA64, whichever holds it. r is relative to the first pixel of img; beyond an edge of img
// follows its opposite edge.
func Wrapped(img image.Image, r image.Rectangle) image.Image {
	b, size := img.Bounds(), image.Rectangle{Max: r.Size()}
	var (
		out         image.Image
		pix, from   []uint8
		bytes, wide int // of a pixel, and of a row of from; 0: from is not known
	)
	switch isGrey, isDeep := IsGrey(img), IsDeep(img); {
	case isGrey && isDeep:
		grey := image.NewGray16(size)
		out, pix, bytes = grey, grey.Pix, 2
	case isGrey:
		grey := image.NewGray(size)
		out, pix, bytes = grey, grey.Pix, 1
	case isDeep:
		colour := image.NewNRGBA64(size)
		out, pix, bytes = colour, colour.Pix, 8
	default:
		colour := image.NewNRGBA(size)
		out, pix, bytes = colour, colour.Pix, 4
	}
	switch m := img.(type) {
	case *image.Gray:
		from, wide = m.Pix, m.Stride
	case *image.Gray16:
		from, wide = m.Pix, m.Stride
	case *image.NRGBA:
		from, wide = m.Pix, m.Stride
	case *image.NRGBA64:
		from, wide = m.Pix, m.Stride
	}
	inside := func(at, side int) int { return ((at % side) + side) % side }
	for y := range size.Dy() {
		inY := inside(r.Min.Y+y, b.Dy())
		for x := range size.Dx() {
			inX, at := inside(r.Min.X+x, b.Dx()), (y*size.Dx()+x)*bytes
			if wide > 0 {
				copy(pix[at:at+bytes], from[inY*wide+inX*bytes:])
			} else {
				out.(interface{ Set(x, y int, c color.Color) }).Set(x, y, img.At(b.Min.X+inX, b.Min.Y+inY))
			}
		}
	}
	return out
}
