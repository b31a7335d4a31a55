package picture

import (
	"image"
	"image/draw"
)

// Wrapped returns the rectangle r of img, in new memory, with its first pixel at (0, 0), as an image of the type that
// Like returns. r is relative to the corner of img, and may extend beyond img: past an edge, pixels wrap around.
func Wrapped(img image.Image, r image.Rectangle) image.Image {
	b, size := img.Bounds(), r.Size()
	out := Like(img, size.X, size.Y)
	pix, _, bytes := Samples(out) // bytes is the length of a pixel
	from, stride, _ := Samples(img)
	canCopy := from != nil && img.ColorModel() == out.ColorModel() // as bytes, a run of pixels at a time
	inside := func(at, side int) int { return ((at % side) + side) % side }
	for y := range size.Y {
		inY := inside(r.Min.Y+y, b.Dy())
		for x := 0; x < size.X; {
			inX, at, run := inside(r.Min.X+x, b.Dx()), (y*size.X+x)*bytes, 1
			if canCopy {
				run = min(b.Dx()-inX, size.X-x)
				copy(pix[at:at+run*bytes], from[inY*stride+inX*bytes:])
			} else {
				out.(draw.Image).Set(x, y, img.At(b.Min.X+inX, b.Min.Y+inY))
			}
			x += run
		}
	}
	return out
}
