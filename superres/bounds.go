package superres

import (
	"image"
	"image/color"
	"math"

	"superres/internal/elementary"
	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres/resample"
)

// ErrorBounds returns, for each pixel of an enlargement, an estimate of the greatest error of its brightness, in levels
// of 0 to 255: nine of ten pixels have errors within their bounds.
//
// Errors are larger where the model added much to interpolation, and where there is much fine detail. The logarithm of
// the bound is a linear function of the signs: the logarithms of the mean squares of added and of fine detail, each
// within 2 and within 8 pixels, and what Choose found in the picture. The weights come from quantile regression on
// degraded pictures: see flaws/learned/learning.
func (s *Signs) ErrorBounds() *plane.Plane {
	w := boundWeights[min(max(int(math.Ceil(s.scale)), 2), 4)-2] // of the scale, rounded up, or the nearest of 2 to 4
	out := plane.New(s.added[0].W, s.added[0].H)
	parallel.Rows(out.H, func(y int) {
		row := out.Row(y)
		for x := range row {
			sum := 0.0
			for i, v := range s.At(x, y) {
				sum += float64(w[i] * v)
			}
			row[x] = float32(min(elementary.Exp(sum), 255))
		}
	})
	return out
}

// BoundShare is the share of the pixels that have an error within the bound.
const BoundShare = 0.9

// BoundsReach is how far from a pixel, in pixels of the result, a sample can lie and still count for its Signs, from
// which its error bound is computed. In pixels of the picture the same number suffices.
const BoundsReach = 10

// BoundsBytes is the most memory, in bytes, that Signs, ErrorBounds and BoundsMap take for each pixel of the result.
const BoundsBytes = 48

// SignCount is the number of signs of a pixel.
const SignCount = 10

// boundWeights are the weights of the signs, in the order of Signs.At, at the scales 2, 3 and 4. The first weight of
// each is raised, by 0.01, 0.075 and 0.07, to allow for pictures that were not learned from. .ci/estimators now prints
// other weights, as it looks at pictures by files made since. With them bounds are 4 to 8 % wider and cover 0.2 to 1 %
// more pixels, but correlations are lower by 0.01 or 0.02; so these were kept.
var boundWeights = [3][SignCount]float64{
	{0.9855, 0.0961, -0.0731, 0.2458, 0.0601, 0.6450, 0.6677, -0.0672, 0.8130, -0.1120},
	{1.5700, 0.0593, -0.0490, 0.2425, 0.0915, 0.6997, 0.5641, 0.1051, 0.9802, -0.1340},
	{1.9111, 0.0427, -0.0238, 0.2132, 0.1267, 0.7260, 0.4831, 0.2013, 1.1040, -0.1228},
}

// Signs holds the numbers from which the error bounds of an enlargement are computed: SignCount of them for each pixel.
type Signs struct {
	scale         float64
	added, detail [2]*plane.Plane // mean squares, in levels, within a radius of 2 and of 8 pixels
	choice        [5]float64      // strength, shares of robust model and interpolation, corrected blur and sharpening
}

// newSigns returns the signs of result, an enlargement of img: the mean squares, within 2 and 8 pixels, of added, the
// difference of result from a bicubic enlargement, and of detail, the difference of result from its mean within 2
// pixels; and choice, which holds for all pixels.
func newSigns(img, result image.Image, choice [5]float64) *Signs {
	low, high := picture.Split(img).Luma(), picture.Split(result).Luma()
	s := &Signs{scale: float64(high.W) / float64(low.W), choice: choice}
	added := resample.Resize(low, high.W, high.H, resample.Bicubic)
	detail := meanAround(high, 2)
	for i, v := range high.Pix {
		added.Pix[i] = square(255 * (added.Pix[i] - v))
		detail.Pix[i] = square(255 * (detail.Pix[i] - v))
	}
	for i, radius := range [2]int{2, 8} {
		s.added[i], s.detail[i] = meanAround(added, radius), meanAround(detail, radius)
	}
	return s
}

// At returns the signs of the pixel (x, y): 1, which makes a weight an offset, the logarithms of the mean squares of
// added, then of detail, each within 2 and 8 pixels (plus 0.05, to be finite), and the signs that all pixels share.
func (s *Signs) At(x, y int) (list [SignCount]float64) {
	list[0] = 1
	at := y*s.added[0].W + x
	for i := range s.added {
		list[1+i] = elementary.Log(float64(s.added[i].Pix[at]) + 0.05)
		list[3+i] = elementary.Log(float64(s.detail[i].Pix[at]) + 0.05)
	}
	copy(list[5:], s.choice[:])
	return list
}

func square(v float32) float32 { return v * v }

// meanAround returns the means of p in squares that reach radius samples to each side; edge samples are repeated.
func meanAround(p *plane.Plane, radius int) *plane.Plane {
	across, out := plane.New(p.W, p.H), plane.New(p.W, p.H)
	share := 1 / float32(2*radius+1)
	parallel.Rows(p.H, func(y int) {
		row, to := p.Row(y), across.Row(y)
		for x := range to {
			sum := float32(0)
			for u := x - radius; u <= x+radius; u++ {
				sum += row[min(max(u, 0), p.W-1)]
			}
			to[x] = sum * share
		}
	})
	parallel.Rows(p.H, func(y int) {
		to := out.Row(y)
		for v := y - radius; v <= y+radius; v++ {
			for x, s := range across.Row(min(max(v, 0), p.H-1)) {
				to[x] += float32(s * share)
			}
		}
	})
	return out
}

// boundSteps is the number of palette entries for each level of a bound in BoundsMap.
const boundSteps = 8

// BoundsMap shows bounds in false colours: black for a bound of 0 levels, then blue, red and yellow, up to white for 32
// levels and more. The index of a colour in the palette is the bound times 8.
func BoundsMap(bounds *plane.Plane) *image.Paletted {
	out := image.NewPaletted(image.Rect(0, 0, bounds.W, bounds.H), heat())
	for y := range bounds.H {
		for x, v := range bounds.Row(y) {
			out.Pix[y*out.Stride+x] = uint8(min(math.Round(float64(v)*boundSteps), 255))
		}
	}
	return out
}

// heat returns a palette of 256 colours, of steadily growing brightness, by linear interpolation between six colours.
func heat() color.Palette {
	stops := [...][3]float64{{0, 0, 0}, {45, 20, 130}, {190, 40, 100}, {250, 150, 30}, {255, 240, 120}, {255, 255, 255}}
	list := make(color.Palette, 256)
	for i := range list {
		at := math.Sqrt(float64(i)/255) * float64(len(stops)-1) // the root gives small bounds most of the colours
		k := min(int(at), len(stops)-2)
		mix := func(c int) uint8 {
			return uint8(math.Round(stops[k][c] + float64((at-float64(k))*(stops[k+1][c]-stops[k][c]))))
		}
		list[i] = color.RGBA{mix(0), mix(1), mix(2), 255}
	}
	return list
}
