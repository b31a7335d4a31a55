package learning

import "superres/internal/kernel"

// margin is how many samples of zeros are around the gradient of what a layer makes, so
// that it can be convolved back to all of what went in. It never goes back beyond the first.
func (p *pass) margin(layer int) int {
	if layer == 0 {
		return 0
	}
	return p.shapes[layer].side - 1
}

// gradient is where that of what a layer makes is held, and the samples of a row of it. The
// layers take turns with two places.
func (p *pass) gradient(layer int) (d []float32, row int) {
	row = p.sides[layer+1] + 2*p.margin(layer)
	return p.back[layer%2][:row*row*p.shapes[layer].wide], row
}

// inner is row y of the gradient of what a layer makes, without the margin.
func (p *pass) inner(layer, y int) []float32 {
	d, row := p.gradient(layer)
	margin, s := p.margin(layer), p.shapes[layer]
	return d[((y+margin)*row+margin)*s.wide:][:p.sides[layer+1]*s.wide]
}

// clearMargin sets the margin to zero.
func (p *pass) clearMargin(layer int) {
	d, row := p.gradient(layer)
	margin := p.margin(layer) * p.shapes[layer].wide
	pitch := row * p.shapes[layer].wide
	for y := range row {
		line := d[y*pitch : (y+1)*pitch]
		if y < p.margin(layer) || y >= row-p.margin(layer) {
			clear(line)
		} else {
			clear(line[:margin])
			clear(line[pitch-margin:])
		}
	}
}

// backward takes the gradient of what the last layer made, which the caller has put into
// p.inner of it, back through the layers, and adds that of the parameters to to. turned are
// the weights of the layers but the first, see shape.turn. The window has gone forward.
func (p *pass) backward(layers []parameters, turned [][]float32, to []parameters) {
	last := len(p.shapes) - 1
	for i := last; i >= 0; i-- {
		s := p.shapes[i]
		n, m := p.sides[i], p.sides[i+1]
		for y := range m {
			d := p.inner(i, y)
			if s.linear {
				addBias(to[i].bias, d)
			} else {
				kernel.ActivateBack(d, p.before[i][y*m*s.wide:][:len(d)], layers[i].slope, to[i].slope, to[i].bias)
			}
		}
		if s.leveled { // the layer is the same for each level but for its bias
			for o, v := range to[i].bias {
				to[i].level[o] += p.level * v
			}
		}
		_, row := p.gradient(i)
		x := p.into(i)
		for y := 0; y < m; y += rowsTogether {
			d, rows := p.inner(i, y), min(rowsTogether, m-y)
			d = d[:cap(d)]
			for r := range s.side {
				kernel.Correlate(to[i].weight[r*s.span*s.wide:], s.wide, x[(y+r)*n*s.in:], s.in, n*s.in, d, row*s.wide, rows, m, s.span)
			}
		}
		if i == 0 {
			return
		}
		p.clearMargin(i)
		d, _ := p.gradient(i)
		for y := range n {
			kernel.Convolve32(p.inner(i-1, y), d[y*row*s.wide:], s.wide, row*s.wide, s.side, s.side*s.wide, turned[i], p.zero[:s.in], n)
		}
		if i == last {
			for y := range n {
				copy(p.skip[y*n*s.in:], p.inner(i-1, y))
			}
		}
		if i == 1 {
			p.addSkip()
		}
	}
}

// addSkip adds to the gradient of what the first layer made that of what went into the last.
func (p *pass) addSkip() {
	d, _ := p.gradient(0)
	c, m := p.shapes[0].wide, p.sides[len(p.shapes)-1]
	for y := range m {
		to := p.first(d, y)
		for i, v := range p.skip[y*m*c : (y+1)*m*c] {
			to[i] += v
		}
	}
}

// addBias adds the gradients of the biases of what is not thresholded.
func addBias(to, d []float32) {
	for len(d) > 0 {
		for o, v := range d[:len(to)] {
			to[o] += v
		}
		d = d[len(to):]
	}
}
