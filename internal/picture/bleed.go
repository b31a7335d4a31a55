package picture

// Bleed gives fully transparent pixels, in a picture with Alpha, the colour of their nearest visible neighbours, so
// that enlarging mixes no hidden colour into an edge. It works outwards from visible pixels in rings one pixel wide,
// and changes nothing if no pixel is visible. Neighbours are weighted by their opacity, because nearly transparent
// colours are coarse in a file that was once premultiplied.
func (p Picture) Bleed() {
	channels, alpha := p.Channels, p.Alpha
	w, h := alpha.W, alpha.H
	weight := make([]float32, w*h) // opacity of pixels with a final colour; 0: no colour yet; −1: in the next ring
	var ring []int                 // the pixels of the latest ring
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
			weights = append(weights, whole/count) // a filled pixel counts as opaque as its neighbours in the mean
		}
		for k, i := range next {
			weight[i] = weights[k]
		}
		ring = next
	}
}
