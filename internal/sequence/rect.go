package sequence

import (
	"bytes"
	"image"

	"superres/internal/imagefile"
)

// changed is where two pictures of one type and size differ: the smallest rectangle, with one
// pixel at least. before may be nil: everywhere.
func changed(before, now image.Image) image.Rectangle {
	whole := now.Bounds()
	if before == nil {
		return whole
	}
	a, stride, size := imagefile.Samples(before)
	b, _, _ := imagefile.Samples(now)
	return differing(a, b, stride, size, whole)
}

// differing is changed for memory; the rectangle begins at the origin.
func differing(a, b []byte, stride, size int, whole image.Rectangle) image.Rectangle {
	var r image.Rectangle
	for y := range whole.Dy() {
		p, q := a[y*stride:][:size*whole.Dx()], b[y*stride:][:size*whole.Dx()]
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

// part is a rectangle of a picture, in the memory of that.
func part(img image.Image, r image.Rectangle) image.Image {
	return img.(interface {
		SubImage(image.Rectangle) image.Image
	}).SubImage(r)
}
