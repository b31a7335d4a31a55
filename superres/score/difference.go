package score

import (
	"image"
	"math"

	"superres/internal/picture"
)

// Difference says how far apart the colours of two pictures are, in levels of 0..255:
// whole numbers for pictures of 8 bits, fractions for deeper ones.
type Difference struct {
	// Mean is that of |test − ref| over all pixels and channels.
	Mean float64
	// Max is the largest of them.
	Max float64
}

// Differ compares the colours of test with those of ref, to the edges. Grey counts as three equal channels where the
// other picture is coloured, transparency is not compared, and pixels that cannot be seen have the colours of their
// neighbours. The sizes may differ as in Compare.
func Differ(ref, test image.Image, scale int) (Difference, error) {
	a, b, err := matched(ref, test, scale)
	if err != nil {
		return Difference{}, err
	}
	level := func(p picture.Picture, v float32) float64 {
		if p.Deep {
			return 255 * float64(v)
		}
		return math.Round(255 * float64(v)) // v is k/255, which float32 holds but nearly
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
