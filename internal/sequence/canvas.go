package sequence

import (
	"bytes"
	"image"
	"image/color"

	"github.com/disintegration/imaging"

	"superres/internal/imagefile"
	"superres/internal/picture"
)

// canvas is the picture that an animation shows at a given moment; the frames are put on it one after another. Samples
// are not multiplied by alpha, so that samples that are not blended keep their values.
type canvas interface {
	reset()                        // makes all pixels transparent
	put(img image.Image, c cell)   // draws img, the decoded frame c, into the rectangle c.rect
	dispose()                      // clears or restores the rectangle of the last frame, as that frame asks
	image(grey bool) image.Image   // returns a copy as a picture, grey if grey is true
	describe() (opaque, grey bool) // reports whether all pixels are opaque, and whether all visible pixels are grey
}

// plane is a canvas with 8 or 16 bits a sample.
type plane[T uint8 | uint16] struct {
	size  imagefile.Size
	width int // width in pixels
	pix   []T // red, green, blue and alpha of each pixel
	saved []T // the samples that the last frame covered, if they must be restored
	last  cell
	read  func(image.Image, imagefile.Size) []T // returns the samples of a picture of the given size
}

// newCanvas returns a transparent canvas with 16 bits a sample if deep is true, else with 8.
func newCanvas(size imagefile.Size, deep bool) canvas {
	width, _ := size.Sides()
	if deep {
		return &plane[uint16]{size: size, width: width, pix: imagefile.NewSamples[uint16](size, 4), read: readDeep}
	}
	return &plane[uint8]{size: size, width: width, pix: imagefile.NewSamples[uint8](size, 4),
		read: func(img image.Image, _ imagefile.Size) []uint8 { return imaging.Clone(img).Pix }}
}

// readDeep returns red, green, blue and alpha of each pixel in img, with 16 bits, not multiplied by alpha.
func readDeep(img image.Image, size imagefile.Size) []uint16 {
	b := img.Bounds()
	list := imagefile.NewSamples[uint16](size, 4)[:0]
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			c := color.NRGBA64Model.Convert(img.At(x, y)).(color.NRGBA64)
			list = append(list, c.R, c.G, c.B, c.A)
		}
	}
	return list
}

func (p *plane[T]) reset() {
	for i := range p.pix {
		p.pix[i] = 0
	}
	p.last = cell{}
}

// row returns the samples of row y of the canvas, between the left and right edges of r. They share the memory of p.
func (p *plane[T]) row(r image.Rectangle, y int) []T {
	at := 4 * (y*p.width + r.Min.X)
	return p.pix[at : at+4*r.Dx()]
}

// put implements canvas: img replaces the rectangle of c or, if c.over, is blended over it. If dispose must restore
// the rectangle, put first saves the samples there.
func (p *plane[T]) put(img image.Image, c cell) {
	p.last = c
	if c.after == restore {
		p.saved = p.saved[:0]
		for y := c.rect.Min.Y; y < c.rect.Max.Y; y++ {
			p.saved = append(p.saved, p.row(c.rect, y)...)
		}
	}
	src := p.read(img, c.size)
	for y := c.rect.Min.Y; y < c.rect.Max.Y; y++ {
		row := p.row(c.rect, y)
		if !c.over {
			src = src[copy(row, src):]
			continue
		}
		for ; len(row) > 0; row, src = row[4:], src[4:] {
			blend(row[:4:4], src[:4:4])
		}
	}
}

// blend blends the pixel src over the pixel dst. If a and b are their alphas, the result has the alpha a + b·(1 − a),
// and its colour is the mean of both colours, weighted by a and b·(1 − a).
func blend[T uint8 | uint16](dst, src []T) {
	most := uint64(^T(0))
	a, b := uint64(src[3]), uint64(dst[3])
	switch {
	case a == most || b == 0 && a > 0:
		copy(dst, src)
		return
	case a == 0:
		return
	}
	own, below := a*most, b*(most-a) // the weights a and b·(1 − a), times most²
	sum := own + below
	for i := range 3 {
		dst[i] = T((uint64(src[i])*own + uint64(dst[i])*below + sum/2) / sum)
	}
	dst[3] = T((sum + most/2) / most)
}

// dispose implements canvas: it clears or restores the rectangle of the last frame, if that frame asks for either.
func (p *plane[T]) dispose() {
	r := p.last.rect
	for i, y := 0, r.Min.Y; y < r.Max.Y; i, y = i+1, y+1 {
		row := p.row(r, y)
		switch p.last.after {
		case clear:
			for i := range row {
				row[i] = 0
			}
		case restore:
			copy(row, p.saved[i*len(row):])
		}
	}
}

// describe implements canvas: it looks at every pixel.
func (p *plane[T]) describe() (opaque, grey bool) {
	opaque, grey = true, true
	for pix := p.pix; len(pix) > 0; pix = pix[4:] {
		if pix[3] != ^T(0) {
			opaque = false
			if pix[3] == 0 {
				continue // invisible, so its colour does not count
			}
		}
		if pix[0] != pix[1] || pix[0] != pix[2] {
			grey = false
		}
	}
	return opaque, grey
}

// image implements canvas. If grey is true, it returns the red samples alone.
func (p *plane[T]) image(grey bool) (img image.Image) {
	step := 1 // distance between samples that are kept: of a grey pixel, red stands for green and blue
	if grey {
		step = 4
	}
	_, deep := any(p.pix).([]uint16)
	img = picture.New(picture.ModelOf(grey, deep), p.size.Bounds())
	to, _, _ := picture.Samples(img)
	for i := 0; i < len(p.pix); i += step {
		if deep { // the high byte of a sample comes first
			to[0], to = uint8(uint16(p.pix[i])>>8), to[1:]
		}
		to[0], to = uint8(p.pix[i]), to[1:]
	}
	return img
}

// findChange returns the smallest rectangle that contains all pixels in which previous and current differ. The pictures
// must have the same type and size. If they are equal, it contains one pixel; if previous is nil, all pixels.
func findChange(previous, current image.Image) image.Rectangle {
	whole := current.Bounds()
	if previous == nil {
		return whole
	}
	a, stride, size := picture.Samples(previous)
	b, _, _ := picture.Samples(current)
	return findDifference(a, b, stride, size, whole)
}

// findDifference is findChange for a and b, the memory of two pictures with the given bounds, which begin at the
// origin. Rows have stride bytes, and pixels size bytes.
func findDifference(a, b []byte, stride, size int, bounds image.Rectangle) image.Rectangle {
	var r image.Rectangle
	for y := range bounds.Dy() {
		p, q := a[y*stride:][:size*bounds.Dx()], b[y*stride:][:size*bounds.Dx()]
		if bytes.Equal(p, q) {
			continue
		}
		left, right := 0, len(p)-1
		for p[left] == q[left] {
			left++
		}
		for p[right] == q[right] {
			right--
		}
		r = r.Union(image.Rect(left/size, y, right/size+1, y+1))
	}
	if r.Empty() {
		return image.Rect(0, 0, 1, 1)
	}
	return r
}

// crop returns the part of img inside r. The part shares the memory of img.
func crop(img image.Image, r image.Rectangle) image.Image {
	return img.(interface {
		SubImage(image.Rectangle) image.Image
	}).SubImage(r)
}
