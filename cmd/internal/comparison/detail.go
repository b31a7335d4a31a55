package comparison

import (
	"image"
	"image/draw"

	"superres/internal/report"
)

// shownTests is how many pictures the page shows at most.
const shownTests = 12

// cropZoom is how much parts of photographs are enlarged on the page.
const cropZoom = 3

// shownSide is, in pixels, the largest side of a picture on the page, or of the part that is shown.
func (p protocol) shownSide() int {
	if p.photo {
		return 60
	}
	return 96
}

// crop encodes a picture as PNG, or the part of it where the truth has most detail.
func (p protocol) crop(img, truth image.Image) ([]byte, error) {
	b, side := img.Bounds(), p.shownSide()
	if b.Dx() > side || b.Dy() > side {
		at := busiest(truth, min(b.Dx(), side), min(b.Dy(), side))
		part := image.NewNRGBA(image.Rectangle{Max: at.Size()})
		draw.Draw(part, part.Rect, img, b.Min.Add(at.Min), draw.Src)
		img = part
	}
	return report.PNG(img)
}

// busiest returns the window of w×h, from 0,0, with the most detail, among those at
// multiples of half its size: there brightness differs most between samples two apart,
// so that edges and texture count for more than noise.
func busiest(img image.Image, w, h int) image.Rectangle {
	b := img.Bounds()
	sums := make([]int, b.Dx()*b.Dy()) // of R, G and B
	for i := range sums {
		r, g, bl, _ := img.At(b.Min.X+i%b.Dx(), b.Min.Y+i/b.Dx()).RGBA()
		sums[i] = int(r + g + bl)
	}
	var best image.Rectangle
	most := -1
	for y := 0; y+h <= b.Dy(); y += max(1, h/2) {
		for x := 0; x+w <= b.Dx(); x += max(1, w/2) {
			detail := 0
			for v := y; v+2 < y+h; v++ {
				for u := x; u+2 < x+w; u++ {
					at := v*b.Dx() + u
					detail += abs(sums[at+2]-sums[at]) + abs(sums[at+2*b.Dx()]-sums[at])
				}
			}
			if detail > most {
				most, best = detail, image.Rect(x, y, x+w, y+h)
			}
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }
