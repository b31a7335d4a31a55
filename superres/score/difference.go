package score

import (
	"image"
	"math"

	"superres/internal/picture"
)

// Difference says how far apart the colours of two pictures are, in levels of 0..255:
// whole numbers for pictures of 8 bits, fractions for deeper ones.
type Difference struct {
	// Mean is the mean of |test − ref| over all pixels and channels.
	Mean float64
	// Max is the largest |test − ref|.
	Max float64
}

// Differ returns how far the colours of test are from the colours of ref, up to the edges. If one picture is grey and
// the other coloured, the grey one counts as three equal channels. Transparency is not compared, and fully transparent
// pixels have the colours of their neighbours. The sizes may differ as in Compare.
func Differ(ref, test image.Image, scale int) (Difference, error) {
	a, b, err := matched(ref, test, scale)
	if err != nil {
		return Difference{}, err
	}
	level := func(p picture.Picture, v float32) float64 {
		if p.Deep {
			return 255 * float64(v)
		}
		return math.Round(255 * float64(v)) // v is k/255, which float32 holds only approximately
	}
	var d Difference
	channels := max(len(a.Channels), len(b.Channels))
	for c := range channels {
		x, y := a.Channels[min(c, len(a.Channels)-1)], b.Channels[min(c, len(b.Channels)-1)]
		sum := 0.0
		for i, v := range x.Pix {
			miss := math.Abs(level(b, y.Pix[i]) - level(a, v))
			sum += miss
			d.Max = max(d.Max, miss)
		}
		d.Mean += sum / float64(len(x.Pix)*channels)
	}
	return d, nil
}
