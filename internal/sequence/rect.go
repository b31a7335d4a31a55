package sequence

import (
	"bytes"
	"image"

	"superres/internal/picture"
)

// findChange returns the smallest rectangle outside of which before and now, of one type and size, are equal: of one
// pixel where they are equal everywhere. With a nil before it returns the bounds of now.
func findChange(before, now image.Image) image.Rectangle {
	whole := now.Bounds()
	if before == nil {
		return whole
	}
	a, stride, size := picture.Samples(before)
	b, _, _ := picture.Samples(now)
	return findDifference(a, b, stride, size, whole)
}

// findDifference is findChange for a and b, the memory of two pictures with the bounds whole, which begin at the
// origin. Rows have stride bytes, and pixels size bytes.
func findDifference(a, b []byte, stride, size int, whole image.Rectangle) image.Rectangle {
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

// crop returns the part r of img. It shares the memory of img; nothing is copied.
func crop(img image.Image, r image.Rectangle) image.Image {
	return img.(interface {
		SubImage(image.Rectangle) image.Image
	}).SubImage(r)
}
