package picture

import "image"

// Busiest returns the w×h window of img with the most detail, among windows at multiples of w/2 and h/2. The result
// is relative to the corner of img, and empty if no window fits into img. Detail is the sum of the magnitudes of the
// differences of R + G + B between pixels two apart, across and down: edges and texture weigh more than noise.
func Busiest(img image.Image, w, h int) image.Rectangle {
	b := img.Bounds()
	sums := make([]int32, b.Dx()*b.Dy()) // R + G + B of each pixel
	for i := range sums {
		r, g, bl, _ := img.At(b.Min.X+i%b.Dx(), b.Min.Y+i/b.Dx()).RGBA()
		sums[i] = int32(r + g + bl)
	}
	var best image.Rectangle
	largest := -1
	for y := 0; y+h <= b.Dy(); y += max(1, h/2) {
		for x := 0; x+w <= b.Dx(); x += max(1, w/2) {
			detail := 0
			for v := y; v+2 < y+h; v++ {
				for u := x; u+2 < x+w; u++ {
					i := v*b.Dx() + u
					across, down := sums[i+2]-sums[i], sums[i+2*b.Dx()]-sums[i]
					detail += int(max(across, -across) + max(down, -down))
				}
			}
			if detail > largest {
				largest, best = detail, image.Rect(x, y, x+w, y+h)
			}
		}
	}
	return best
}
