package superres

import (
	"context"
	"superres/patches/plane"

	"superres/internal/parallel"
	"superres/superres/resample"
)

// Transparency is enlarged like brightness, by the same model: an outline is an
// outline. Two things keep the edges clean. Colour is enlarged apart from it, over
// the whole picture, with the colour of what can be seen carried into what cannot
// (see internal/picture). And no sample leaves the range that alpha has around its place in the
// picture (within), so that the inside of a figure stays wholly opaque, the outside
// wholly transparent, whatever a dictionary or an interpolation makes of the edge
// between them.

// within limits every sample of out to the range of the 3×3 samples of low around its
// place. out is the rows of the enlargement, which has the given height, from top on.
func within(out *plane.Plane, top, height int, low *plane.Plane) {
	// The background context never ends, so there is no error.
	_ = parallel.For(context.Background(), out.H, 16, func() func(from, to int) {
		least, most := make([]float32, low.W), make([]float32, low.W)
		last := -1 // the row of low that they are for
		return func(from, to int) {
			for y := from; y < to; y++ {
				if v := resample.Under(top+y, low.H, height); v != last {
					extremes(least, most, low, v)
					last = v
				}
				row := out.Row(y)
				for x := range row {
					u := resample.Under(x, low.W, out.W)
					row[x] = min(max(row[x], least[u]), most[u])
				}
			}
		}
	})
}

// extremes finds the least and the greatest of the samples at most one row and one
// column away from those of row y.
func extremes(least, most []float32, p *plane.Plane, y int) {
	copy(least, p.Row(y))
	copy(most, p.Row(y))
	for v := max(y-1, 0); v <= min(y+1, p.H-1); v++ {
		row := p.Row(v)
		for x := range row {
			for _, s := range row[max(x-1, 0):min(x+2, p.W)] {
				least[x], most[x] = min(least[x], s), max(most[x], s)
			}
		}
	}
}
