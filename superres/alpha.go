package superres

import (
	"context"

	"superres/internal/parallel"
	"superres/patches/plane"
	"superres/superres/resample"
)

// Transparency goes through the model as brightness does, because an outline is an edge like any other. Two measures
// keep outlines clean. Colour is enlarged separately, over the whole picture, after visible colour has been spread into
// the pixels that are fully transparent (package picture does that), so that no hidden colour is mixed into an edge.
// And the transparency of the result stays within the range that it has around the same place of the picture, so that
// the inside of a figure stays opaque and its outside transparent, however the model sharpens the edge between them.

// clampToNeighbours limits every sample of out to the range of the 3×3 samples of low around its place. out holds the
// rows of an enlargement of low, beginning with row top; height is the height of the whole enlargement.
func clampToNeighbours(out *plane.Plane, top, height int, low *plane.Plane) {
	const rowsPerTask = 16
	// The background context never ends, so there is no error.
	_ = parallel.For(context.Background(), out.H, rowsPerTask, func() func(from, to int) {
		least, greatest := make([]float32, low.W), make([]float32, low.W)
		ranged := -1 // the row of low whose ranges are in least and greatest; -1: none yet
		return func(from, to int) {
			for y := from; y < to; y++ {
				if v := resample.Under(top+y, low.H, height); v != ranged {
					neighbourRanges(least, greatest, low, v)
					ranged = v
				}
				row := out.Row(y)
				for x := range row {
					u := resample.Under(x, low.W, out.W)
					row[x] = min(max(row[x], least[u]), greatest[u])
				}
			}
		}
	})
}

// neighbourRanges sets least and greatest, which have p.W elements: for each sample of row y of p, to the least and the
// greatest of the 3×3 samples around it.
func neighbourRanges(least, greatest []float32, p *plane.Plane, y int) {
	copy(least, p.Row(y))
	copy(greatest, p.Row(y))
	for v := max(y-1, 0); v <= min(y+1, p.H-1); v++ {
		row := p.Row(v)
		for x := range row {
			for _, s := range row[max(x-1, 0):min(x+2, p.W)] {
				least[x], greatest[x] = min(least[x], s), max(greatest[x], s)
			}
		}
	}
}
