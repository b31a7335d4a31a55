package comparison

import (
	"image"
	"image/draw"

	"superres/internal/report"
)

// maxShown is the largest number of pictures that the page shows.
const maxShown = 12

// cropZoom is the factor by which parts of photographs are enlarged on the page.
const cropZoom = 3

// maxSide returns the largest side, in pixels, of a picture on the page, or of its part that is shown.
func (p protocol) maxSide() int {
	if p.photo {
		return 60
	}
	return 96
}

// crop encodes a picture as PNG, or its part where the truth has most detail.
func (p protocol) crop(img, truth image.Image) ([]byte, error) {
	b, side := img.Bounds(), p.maxSide()
	if b.Dx() > side || b.Dy() > side {
		window := busiestWindow(truth, min(b.Dx(), side), min(b.Dy(), side))
		part := image.NewNRGBA(image.Rectangle{Max: window.Size()})
		draw.Draw(part, part.Rect, img, b.Min.Add(window.Min), draw.Src)
		img = part
	}
	return report.PNG(img)
}

// busiestWindow returns the window of w×h pixels with the most detail, among those at multiples of half its size,
// counted from the corner of the picture. Detail is the sum of differences of brightness between pixels two apart, so
// that edges and texture count for more than noise.
func busiestWindow(img image.Image, w, h int) image.Rectangle {
	b := img.Bounds()
	sums := make([]int, b.Dx()*b.Dy()) // of R, G and B
	for i := range sums {
		r, g, bl, _ := img.At(b.Min.X+i%b.Dx(), b.Min.Y+i/b.Dx()).RGBA()
		sums[i] = int(r + g + bl)
	}
	var best image.Rectangle
	largest := -1
	for y := 0; y+h <= b.Dy(); y += max(1, h/2) {
		for x := 0; x+w <= b.Dx(); x += max(1, w/2) {
			detail := 0
			for v := y; v+2 < y+h; v++ {
				for u := x; u+2 < x+w; u++ {
					i := v*b.Dx() + u
					detail += abs(sums[i+2]-sums[i]) + abs(sums[i+2*b.Dx()]-sums[i])
				}
			}
			if detail > largest {
				largest, best = detail, image.Rect(x, y, x+w, y+h)
			}
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }
