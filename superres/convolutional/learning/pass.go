package learning

import "superres/internal/kernel"

// pass takes one patch forward through the layers, and the gradient of its loss back. Layers are not padded: a
// window of side+2·reach samples gives side samples of output, none of which depends on samples outside of the
// window. A pass is used by one goroutine.
type pass struct {
	shapes   []shape
	side     int         // side of the output
	sides    []int       // of the input of each layer, then of the output of the last
	input    []float32   // the window, padded for the span of the first layer
	strength float32     // of the degradation of the patch
	before   [][]float32 // the output of each layer before its activation
	after    [][]float32 // and after it; for the last layer the same slice
	back     [2][]float32
	skip     []float32 // the gradient that goes from the last layer straight to the first
	zero     []float32
	bias     []float32 // the bias of a layer at the strength
	rounded  *rounded  // nil: all products are in float32
}

// rowsTogether is the number of rows of samples for which Correlate uses each tile of weights, chosen so that
// they stay in the cache.
const rowsTogether = 6

// newPass returns a pass for patches that predict side×side samples, with products in float32.
func newPass(shapes []shape, side int) *pass {
	p := newBarePass(shapes, side)
	most := 0
	for i, s := range shapes {
		n, padded := p.sides[i+1], p.sides[i+1]+2*p.margin(i)
		z := make([]float32, n*n*s.wide)
		h := z
		if !s.linear {
			h = make([]float32, len(z))
		}
		p.before[i], p.after[i] = z, h
		most = max(most, padded*padded*s.wide)
	}
	p.back[0], p.back[1] = make([]float32, most), make([]float32, most)
	return p
}

// newBarePass returns a pass without memory for the outputs and the gradients of layers.
func newBarePass(shapes []shape, side int) *pass {
	p := &pass{shapes: shapes, side: side, sides: make([]int, len(shapes)+1)}
	p.sides[len(shapes)] = side
	for i := len(shapes) - 1; i >= 0; i-- {
		p.sides[i] = p.sides[i+1] + shapes[i].side - 1
	}
	p.before, p.after = make([][]float32, len(shapes)), make([][]float32, len(shapes))
	p.input = make([]float32, kernel.PadTo(p.sides[0]*p.sides[0]*shapes[0].in+shapes[0].span, kernel.Lanes))
	p.skip = make([]float32, p.sides[len(shapes)-1]*p.sides[len(shapes)-1]*shapes[0].wide)
	p.zero = make([]float32, shapes[0].wide)
	p.bias = make([]float32, shapes[0].wide)
	return p
}

// bytes returns the memory of the pass in bytes.
func (p *pass) bytes() int64 {
	n := len(p.input) + len(p.back[0]) + len(p.back[1]) + len(p.skip)
	for i, s := range p.shapes {
		n += len(p.before[i])
		if !s.linear {
			n += len(p.after[i])
		}
	}
	return 4*int64(n) + p.rounded.bytes()
}

// inputOf returns the input of a layer.
func (p *pass) inputOf(layer int) []float32 {
	if layer == 0 {
		return p.input
	}
	return p.after[layer-1]
}

// output returns the samples of the last layer at (x, y), one per channel, in the memory of p.
func (p *pass) output(x, y int) []float32 {
	last := len(p.shapes) - 1
	s := p.shapes[last]
	return p.after[last][(y*p.side+x)*s.wide:][:s.out]
}

// forward computes the output of all layers for the window in p.input.
func (p *pass) forward(layers []parameters) {
	last := len(p.shapes) - 1
	for i, s := range p.shapes {
		if i == last {
			p.addFirst()
		}
		x, n, m := p.inputOf(i), p.sides[i], p.sides[i+1]
		bias := p.biasOf(i, layers[i])
		for y := range m {
			z := p.before[i][y*m*s.wide : (y+1)*m*s.wide]
			kernel.Convolve32(z, x[y*n*s.in:], s.in, n*s.in, s.side, s.span, layers[i].weight, bias, m)
			if !s.linear {
				kernel.Activate(p.after[i][y*m*s.wide:], z, layers[i].slope)
			}
		}
	}
}

// biasOf returns the bias of a layer at the strength of the patch, in the memory of p or of the layer.
func (p *pass) biasOf(layer int, now parameters) []float32 {
	if !p.shapes[layer].graded {
		return now.bias
	}
	copy(p.bias, now.bias)
	for o, v := range now.strength {
		p.bias[o] += p.strength * v
	}
	return p.bias
}

// addFirst adds the output of the first layer to the input of the last.
func (p *pass) addFirst() {
	last := len(p.shapes) - 1
	c, m := p.shapes[0].wide, p.sides[last]
	for y := range m {
		to := p.after[last-1][y*m*c : (y+1)*m*c]
		add(to, p.after[0][p.overlap(y):])
	}
}

// overlap returns where, in the first layer's output or in its gradient, that part begins which is added to row y of
// the last layer's input.
func (p *pass) overlap(y int) int {
	last := len(p.shapes) - 1
	n, m := p.sides[1], p.sides[last]
	margin := (n - m) / 2
	return ((margin+y)*n + margin) * p.shapes[0].wide
}

// add adds v, which is at least as long, to to.
func add(to, v []float32) {
	for i, x := range v[:len(to)] {
		to[i] += x
	}
}

// margin returns the width of the border of zeros around the gradient of a layer's output, with
// which it can be convolved back to all of the layer's input. The first layer needs none.
func (p *pass) margin(layer int) int {
	if layer == 0 {
		return 0
	}
	return p.shapes[layer].side - 1
}

// gradient returns the buffer for the gradient of a layer's output, and the samples in a row of it.
// The layers use two buffers in turn.
func (p *pass) gradient(layer int) (d []float32, row int) {
	row = p.sides[layer+1] + 2*p.margin(layer)
	return p.back[layer%2][:row*row*p.shapes[layer].wide], row
}

// inner returns row y of the gradient of a layer's output, without its margin.
func (p *pass) inner(layer, y int) []float32 {
	d, row := p.gradient(layer)
	margin, s := p.margin(layer), p.shapes[layer]
	return d[((y+margin)*row+margin)*s.wide:][:p.sides[layer+1]*s.wide]
}

// clearMargin sets the margin of a gradient d, of row×row samples of wide channels, to zero.
func clearMargin[T float32 | uint16](d []T, row, margin, wide int) {
	pitch := row * wide
	for y := range row {
		line := d[y*pitch : (y+1)*pitch]
		if y < margin || y >= row-margin {
			clear(line)
		} else {
			clear(line[:margin*wide])
			clear(line[pitch-margin*wide:])
		}
	}
}

// backward takes the gradient of the last layer's output, which the caller has written to p.inner, back through
// the layers, and adds the gradient of the parameters to to. transposed has the transposed weights of each
// layer: see layer.transpose. It must follow forward.
func (p *pass) backward(layers []parameters, transposed [][]float32, to []parameters) {
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
		p.addStrength(i, to[i])
		d, row := p.gradient(i)
		x := p.inputOf(i)
		for y := 0; y < m; y += rowsTogether {
			d, rows := p.inner(i, y), min(rowsTogether, m-y)
			d = d[:cap(d)]
			for r := range s.side {
				kernel.Correlate(to[i].weight[r*s.span*s.wide:], s.wide, x[(y+r)*n*s.in:], s.in, n*s.in, d, row*s.wide,
					rows, m, s.span)
			}
		}
		if i == 0 {
			return
		}
		clearMargin(d, row, p.margin(i), s.wide)
		for y := range n {
			kernel.Convolve32(p.inner(i-1, y), d[y*row*s.wide:], s.wide, row*s.wide, s.side, s.side*s.wide,
				transposed[i], p.zero[:s.in], n)
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

// addStrength adds the gradient of a layer's strengths, which act only through its biases.
func (p *pass) addStrength(layer int, to parameters) {
	if p.shapes[layer].graded {
		for o, v := range to.bias {
			to.strength[o] += p.strength * v
		}
	}
}

// addSkip adds the gradient of the last layer's input to that of the first layer's output.
func (p *pass) addSkip() {
	d, _ := p.gradient(0)
	c, m := p.shapes[0].wide, p.sides[len(p.shapes)-1]
	for y := range m {
		add(d[p.overlap(y):][:m*c], p.skip[y*m*c:])
	}
}

// addBias adds the gradient d of a linear layer's output to the gradient to of its biases.
func addBias(to, d []float32) {
	for len(d) > 0 {
		for o, v := range d[:len(to)] {
			to[o] += v
		}
		d = d[len(to):]
	}
}

// findPeaks sets to to the greatest magnitude of each channel in the pass, for all layers but the last.
func (p *pass) findPeaks(to []float32) {
	clear(to)
	for i, s := range p.shapes[:len(p.shapes)-1] {
		h := p.after[i]
		if p.rounded != nil {
			h = make([]float32, p.sides[i+1]*p.sides[i+1]*s.wide)
			kernel.WidenBFloat16(h, p.rounded.inputs[i+1])
		}
		for at, v := range h {
			if v < 0 {
				v = -v
			}
			to[at%s.wide] = max(to[at%s.wide], v)
		}
		to = to[s.wide:]
	}
}
