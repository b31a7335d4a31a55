package superres

import (
	"context"

	"superres/patches"
)

// Transparency is enlarged like brightness, by the same model: an outline is an
// outline. Two things keep the edges clean. Colour is enlarged apart from it, over
// the whole picture, with the colour of what can be seen carried into what cannot
// (bleed). And no sample leaves the range that alpha has around its place in the
// picture (within), so that the inside of a figure stays wholly opaque, the outside
// wholly transparent, whatever a dictionary or an interpolation makes of the edge
// between them.

// enlargeAlpha returns an alpha plane at w×h.
func (m *Model) enlargeAlpha(ctx context.Context, alpha *patches.Plane, w, h int, report func(float64)) (*patches.Plane, error) {
	out, err := m.plane(ctx, alpha, w, h, report)
	if err != nil {
		return nil, err
	}
	within(out, alpha)
	return out, nil
}

// within limits every sample of out to the range of the 3×3 samples of low around
// its place.
func within(out, low *patches.Plane) {
	least, most := extremes(low)
	eachRow(out.H, func(y int) {
		v := min((2*y+1)*low.H/(2*out.H), low.H-1)
		lo, hi, row := least.Row(v), most.Row(v), out.Row(y)
		for x := range row {
			u := min((2*x+1)*low.W/(2*out.W), low.W-1)
			row[x] = min(max(row[x], lo[u]), hi[u])
		}
	})
}

// extremes returns the least and the greatest of the samples at most one row and one
// column away.
func extremes(p *patches.Plane) (least, most *patches.Plane) {
	least, most = patches.NewPlane(p.W, p.H), patches.NewPlane(p.W, p.H)
	eachRow(p.H, func(y int) {
		lo, hi := least.Row(y), most.Row(y)
		copy(lo, p.Row(y))
		copy(hi, p.Row(y))
		for v := max(y-1, 0); v <= min(y+1, p.H-1); v++ {
			row := p.Row(v)
			for x := range row {
				for _, s := range row[max(x-1, 0):min(x+2, p.W)] {
					lo[x], hi[x] = min(lo[x], s), max(hi[x], s)
				}
			}
		}
	})
	return least, most
}

// bleed gives the pixels that are wholly transparent the colour of their nearest
// neighbours that are not, so that enlarging mixes no hidden colour into edges.
// It works outwards one ring of pixels at a time, and leaves a picture without
// any visible pixel alone. Of several neighbours the more opaque count for more:
// the colours of the others are coarse in a file that once was premultiplied.
func bleed(channels []*patches.Plane, alpha *patches.Plane) {
	w, h := alpha.W, alpha.H
	weight := make([]float32, w*h) // 0: not known yet
	var ring []int                 // pixels that became known last
	for i, a := range alpha.Pix {
		if a > 0 {
			weight[i] = a
			ring = append(ring, i)
		}
	}
	neighbours := func(i int, visit func(j int)) {
		x, y := i%w, i/w
		for dy := max(y-1, 0); dy <= min(y+1, h-1); dy++ {
			for dx := max(x-1, 0); dx <= min(x+1, w-1); dx++ {
				visit(dy*w + dx)
			}
		}
	}
	listed := make([]bool, w*h)
	var weights []float32
	for len(ring) > 0 {
		var next []int
		for _, i := range ring {
			neighbours(i, func(j int) {
				if weight[j] == 0 && !listed[j] {
					listed[j] = true
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
