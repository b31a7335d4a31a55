package superres

import (
	"context"

	"superres/internal/parallel"
	"superres/patches"
)

// Transparency is enlarged like brightness, by the same model: an outline is an
// outline. Two things keep the edges clean. Colour is enlarged apart from it, over
// the whole picture, with the colour of what can be seen carried into what cannot
// (bleed). And no sample leaves the range that alpha has around its place in the
// picture (within), so that the inside of a figure stays wholly opaque, the outside
// wholly transparent, whatever a dictionary or an interpolation makes of the edge
// between them.

// within limits every sample of out to the range of the 3×3 samples of low around its
// place. out is the rows of the enlargement, which has the given height, from top on.
func within(out *patches.Plane, top, height int, low *patches.Plane) {
	// The background context never ends, so there is no error.
	_ = parallel.For(context.Background(), out.H, 16, func() func(from, to int) {
		least, most := make([]float32, low.W), make([]float32, low.W)
		last := -1 // the row of low that they are for
		return func(from, to int) {
			for y := from; y < to; y++ {
				if v := under(top+y, low.H, height); v != last {
					extremes(least, most, low, v)
					last = v
				}
				row := out.Row(y)
				for x := range row {
					u := under(x, low.W, out.W)
					row[x] = min(max(row[x], least[u]), most[u])
				}
			}
		}
	})
}

// extremes finds the least and the greatest of the samples at most one row and one
// column away from those of row y.
func extremes(least, most []float32, p *patches.Plane, y int) {
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

// bleed gives the pixels that are wholly transparent the colour of their nearest
// neighbours that are not, so that enlarging mixes no hidden colour into edges.
// It works outwards one ring of pixels at a time, and leaves a picture without
// any visible pixel alone. Of several neighbours the more opaque count for more:
// the colours of the others are coarse in a file that once was premultiplied.
func bleed(channels []*patches.Plane, alpha *patches.Plane) {
	w, h := alpha.W, alpha.H
	weight := make([]float32, w*h) // 0: not known yet; −1: not yet, but next
	var ring []int                 // pixels that became known last
	neighbours := func(i int, visit func(j int)) {
		x, y := i%w, i/w
		for dy := max(y-1, 0); dy <= min(y+1, h-1); dy++ {
			for dx := max(x-1, 0); dx <= min(x+1, w-1); dx++ {
				visit(dy*w + dx)
			}
		}
	}
	copy(weight, alpha.Pix)
	for i, a := range alpha.Pix {
		if a > 0 {
			edge := false
			neighbours(i, func(j int) { edge = edge || weight[j] == 0 })
			if edge {
				ring = append(ring, i)
			}
		}
	}
	var weights []float32
	for len(ring) > 0 {
		var next []int
		for _, i := range ring {
			neighbours(i, func(j int) {
				if weight[j] == 0 {
					weight[j] = -1
					next = append(next, j)
				}
			})
		}
		weights = weights[:0]
		for _, i := range next {
			sum, whole, count := [3]float32{}, float32(0), float32(0)
			neighbours(i, func(j int) {
				if a := weight[j]; a > 0 {
					whole += a
					count++
					for c, p := range channels {
						sum[c] += float32(a * p.Pix[j])
					}
				}
			})
			for c, p := range channels {
				p.Pix[i] = sum[c] / whole
			}
			weights = append(weights, whole/count)
		}
		for k, i := range next {
			weight[i] = weights[k]
		}
		ring = next
	}
}
