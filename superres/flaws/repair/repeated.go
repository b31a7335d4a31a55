package repair

import (
	"image"
	"image/draw"

	"superres/internal/picture"
)

// The greatest factor that Repeated finds, and the least side of a picture after the repeated samples are removed.
const (
	mostRepeated  = 16
	leastRepeated = 8
)

// Repeated returns the greatest k, 2 to 16, for which img consists of squares of k×k equal samples, as if it had been
// enlarged by repeating samples; 0 if there is none. There must be at least 8 squares along each side.
func Repeated(img image.Image) int {
	b := img.Bounds()
	for k := min(mostRepeated, b.Dx()/leastRepeated, b.Dy()/leastRepeated); k > 1; k-- {
		if b.Dx()%k == 0 && b.Dy()%k == 0 && isRepeated(img, k) {
			return k
		}
	}
	return 0
}

// isRepeated reports whether img consists of squares of k×k equal pixels.
func isRepeated(img image.Image, k int) bool {
	b := img.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			left, top := x-(x-b.Min.X)%k, y-(y-b.Min.Y)%k
			if (left != x || top != y) && img.At(x, y) != img.At(left, top) {
				return false
			}
		}
	}
	return true
}

// TakeOnce returns a new picture with one sample of each square of k×k samples of img: an *image.Gray or *image.Gray16
// if img is grey, else an *image.NRGBA or *image.NRGBA64. The sides of img must be multiples of k.
func TakeOnce(img image.Image, k int) image.Image {
	b := img.Bounds()
	w, h := b.Dx()/k, b.Dy()/k
	out := picture.Like(img, w, h).(draw.Image)
	for y := range h {
		for x := range w {
			out.Set(x, y, img.At(b.Min.X+x*k, b.Min.Y+y*k))
		}
	}
	return out
}
