package learning

import (
	"superres/internal/kernel"
	"superres/superres/convolutional"
)

// pass takes one patch forward through the layers, and the gradient of its loss back. Its input is a window: the patch
// and some samples around it. Its output has as many samples as the patch. The layers shrink their input; where this
// would take a wider margin than the option Margin, the input is padded with zeros instead, so that a deep network does
// not spend most of its time on samples beside the patch. A pass is used by one goroutine.
type pass struct {
	shapes  []shape
	skip    int          // see convolutional.Architecture
	side    int          // side of the output
	sides   []int        // side of the input of each layer, then of the last output
	pads    []int        // the rows and columns of zeros around the input of each layer
	input   []float32    // the window, padded for the span of the first layer
	levels  levels       // of the patch
	before  [][]float32  // the output of each layer before its activation
	after   [][]float32  // the input of the next layer with its zeros; for the last layer the same slice as before
	back    [2][]float32 // gradients of the layers' outputs, two used alternately
	skipped [2][]float32 // gradients of outputs that skip layers, two used alternately
	zero    []float32
	bias    []float32 // the bias of a layer at the levels of the patch
	tiles   *tiles
}

// levels are the strength of the degradation of a patch and the trust in its reduction, 0 to 1, at the indices
// convolutional.Strength and convolutional.Trust. The trainer gives them to the network with the patch.
type levels [convolutional.LevelCount]float32

// rowsTogether is the number of rows of samples that one call of Correlate gets: few enough to stay in the cache.
const rowsTogether = 6

// newPass returns a pass for targets of side×side samples. Layers also compute up to margin samples around the target.
func newPass(shapes []shape, skip, side, margin int) *pass {
	p := &pass{shapes: shapes, skip: skip, side: side}
	p.sides, p.pads = make([]int, len(shapes)+1), make([]int, len(shapes))
	p.sides[len(shapes)] = side
	for i := len(shapes) - 1; i >= 0; i-- {
		full := p.full(i)
		if p.sides[i] = full; i > 0 && full > side+2*margin { // zeros in place of wider samples
			p.sides[i] = p.sides[i+1]
			p.pads[i] = (full - p.sides[i]) / 2
		}
	}
	p.before, p.after = make([][]float32, len(shapes)), make([][]float32, len(shapes))
	p.input = make([]float32, kernel.PadTo(p.sides[0]*p.sides[0]*shapes[0].in+shapes[0].span, kernel.Lanes))
	for k := range p.skipped {
		p.skipped[k] = make([]float32, p.sides[1]*p.sides[1]*shapes[0].wide)
	}
	p.zero = make([]float32, shapes[0].wide)
	p.bias = make([]float32, shapes[0].wide)
	most, longest, widest := 0, 0, 0 // sizes of buffers: a gradient, rows of samples, channels
	for i, s := range shapes {
		m, padded := p.sides[i+1], p.sides[i+1]+2*p.margin(i)
		p.before[i] = make([]float32, m*m*s.wide)
		if p.after[i] = p.before[i]; i < len(shapes)-1 {
			// Behind the samples are zeros, for tiles that extend beyond the samples.
			p.after[i] = make([]float32, tiledSize(p.full(i+1))*s.wide)
		}
		most, widest = max(most, tiledSize(padded)*s.wide), max(widest, s.wide)
		if s.isTiled() {
			longest, widest = max(longest, p.sides[i]), max(widest, s.in)
		}
	}
	p.back[0], p.back[1] = make([]float32, most), make([]float32, most)
	p.tiles = newTiles(longest, widest)
	return p
}

// bytes returns the memory of the pass in bytes.
func (p *pass) bytes() int64 {
	n := len(p.input) + len(p.back[0]) + len(p.back[1]) + len(p.skipped[0]) + len(p.skipped[1])
	for i := range p.shapes {
		n += len(p.before[i])
		if i < len(p.shapes)-1 {
			n += len(p.after[i]) // the last is before[i] itself
		}
	}
	return 4*int64(n) + p.tiles.bytes()
}

// full returns the side of the input of a layer, including the zeros around it.
func (p *pass) full(layer int) int { return p.sides[layer+1] + p.shapes[layer].side - 1 }

// inputOf returns the input of a layer, including the zeros around it.
func (p *pass) inputOf(layer int) []float32 {
	if layer == 0 {
		return p.input
	}
	return p.after[layer-1]
}

// start returns the index, in the padded input of the next layer, of the first value of row y of a layer's output.
// That input begins with rows and columns of zeros, as many as pads says.
func (p *pass) start(layer, y int) int {
	pad := p.pads[layer+1]
	return ((y+pad)*p.full(layer+1) + pad) * p.shapes[layer].wide
}

// output returns the samples of the last layer at (x, y), one per channel, in the memory of p.
func (p *pass) output(x, y int) []float32 {
	last := len(p.shapes) - 1
	s := p.shapes[last]
	return p.after[last][(y*p.side+x)*s.wide:][:s.out]
}

// forward computes the output of all layers for the window in p.input.
func (p *pass) forward(layers []*layer) {
	for i, s := range p.shapes {
		x, n, m := p.inputOf(i), p.full(i), p.sides[i+1] // n and m: sides of the input and the output
		bias := p.biasOf(i, layers[i].now)
		step := tiledRows(m) // rows that are computed together
		for top := 0; top < m; top += step {
			rows, row := min(step, m-top), m*s.wide
			z := p.before[i][top*row : (top+rows)*row]
			if s.isTiled() {
				p.tiles.convolve(z, row, x[top*n*s.in:], n*s.in, s.in, layers[i].spread, bias, rows, m)
			} else {
				for y := range rows {
					kernel.Convolve32(z[y*row:], x[(top+y)*n*s.in:], s.in, n*s.in, s.side, s.span, layers[i].now.weight,
						bias, m)
				}
			}
			if s.linear {
				continue
			}
			for y := top; y < top+rows; y++ {
				to := p.after[i][p.start(i, y):][:row]
				kernel.Activate(to, p.before[i][y*row:][:row], layers[i].now.slope)
				if p.isSum(i) {
					add(to, p.after[i-p.skip][p.overlap(i, y):])
				}
			}
		}
	}
}

// biasOf returns the bias of a layer at the levels of the patch, in the memory of p or of the layer.
func (p *pass) biasOf(layer int, now parameters) []float32 {
	if !p.shapes[layer].graded {
		return now.bias
	}
	copy(p.bias, now.bias)
	for o := range p.bias {
		sum := float32(0)
		for k, list := range now.levels {
			sum += float32(p.levels[k] * list[o])
		}
		p.bias[o] += sum
	}
	return p.bias
}

// isSum reports whether the output of the layer p.skip layers earlier is added to this layer's output.
func (p *pass) isSum(layer int) bool {
	return layer > 0 && layer < len(p.shapes)-1 && layer%p.skip == 0
}

// isSkipped reports whether the output of a layer is added to the output of the layer p.skip layers later.
func (p *pass) isSkipped(layer int) bool { return layer%p.skip == 0 && p.isSum(layer+p.skip) }

// shrinkage returns by how many samples on each side a layer's output is larger than the output p.skip layers later.
func (p *pass) shrinkage(layer int) int { return (p.sides[layer+1] - p.sides[layer+p.skip+1]) / 2 }

// overlap returns the index in p.after[layer−skip] of the first value that a skip adds to row y of a layer's output.
func (p *pass) overlap(layer, y int) int {
	from := layer - p.skip
	by := p.shrinkage(from)
	return p.start(from, y+by) + by*p.shapes[from].wide
}

// add adds v to sums. v must be at least as long.
func add(sums, v []float32) { kernel.AddFloats(sums, sums, v) }

// margin returns the width of the border of zeros around the gradient of a layer's output, with which convolution gives
// the gradient of all of the layer's input. It is 0 for the first layer.
func (p *pass) margin(layer int) int {
	if layer == 0 {
		return 0
	}
	return p.shapes[layer].side - 1 - p.pads[layer]
}

// gradient returns the buffer for the gradient of a layer's output, one of two in turn, and the samples in a row of it.
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

// clearMargin sets the outer margin samples on each side of d, a gradient of row×row samples of wide channels, to zero.
func clearMargin(d []float32, row, margin, wide int) {
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

// backward takes the gradient of the last layer's output, which the caller has written to p.inner, back through the
// layers, and adds the gradient of the parameters of layer i to to[i]. It must follow forward.
func (p *pass) backward(layers []*layer, to []parameters) {
	for i := len(p.shapes) - 1; i >= 0; i-- {
		s := p.shapes[i]
		m := p.sides[i+1]
		for y := range m {
			d := p.inner(i, y)
			if s.linear {
				addBias(to[i].bias, d)
				continue
			}
			p.passSkipped(i, y, d) // adds the gradient that comes by a skip
			kernel.ActivateBack(d, p.before[i][y*m*s.wide:][:len(d)], layers[i].now.slope, to[i].slope, to[i].bias)
		}
		p.addLevels(i, to[i])
		d, row := p.gradient(i)
		clearMargin(d, row, p.margin(i), s.wide)
		p.correlate(i, to[i].weight)
		if i > 0 {
			p.convolveBack(i, layers[i])
		}
	}
}

// correlate adds the gradient of a layer's weights to sums: some rows at a time, by tiles or by rows of taps.
func (p *pass) correlate(layer int, sums []float32) {
	s, m, full := p.shapes[layer], p.sides[layer+1], p.full(layer)
	x := p.inputOf(layer)
	_, row := p.gradient(layer)
	if s.isTiled() {
		block := s.in * s.wide
		taps := p.tiles.taps[:places*block]
		clear(taps)
		step := tiledRows(m)
		for y := 0; y < m; y += step {
			d := p.inner(layer, y)
			p.tiles.correlate(d[:cap(d)], row*s.wide, s.wide, x[y*full*s.in:], full*s.in, s.in, min(step, m-y), m)
		}
		p.tiles.gatherTaps(taps, block)
		add(sums, taps[:len(sums)])
		return
	}
	for y := 0; y < m; y += rowsTogether {
		d, rows := p.inner(layer, y), min(rowsTogether, m-y)
		d = d[:cap(d)] // Correlate reads on into the next rows
		for r := range s.side {
			kernel.Correlate(sums[r*s.span*s.wide:], s.wide, x[(y+r)*full*s.in:], s.in, full*s.in, d, row*s.wide, rows,
				m, s.span)
		}
	}
}

// convolveBack sets the gradient of the output of the layer before to the gradient of this layer's input: this layer's
// output gradient with its margin, convolved with the transposed weights. passSkipped adds the part of a skip.
func (p *pass) convolveBack(layer int, f *layer) {
	s, n := p.shapes[layer], p.sides[layer]
	d, row := p.gradient(layer)
	if s.isTiled() {
		d = d[:tiledSize(row)*s.wide] // tiles read on behind the last row
		clear(d[row*row*s.wide:])
		_, rowBefore := p.gradient(layer - 1)
		step := tiledRows(n)
		for y := 0; y < n; y += step {
			before := p.inner(layer-1, y)
			p.tiles.convolve(before[:cap(before)], rowBefore*s.in, d[y*row*s.wide:], row*s.wide, s.wide, f.spreadBack,
				p.zero[:s.in], min(step, n-y), n)
		}
		return
	}
	for y := range n {
		kernel.Convolve32(p.inner(layer-1, y), d[y*row*s.wide:], s.wide, row*s.wide, s.side, s.side*s.wide,
			f.transposed, p.zero[:s.in], n)
	}
}

// addLevels adds to gradient.levels the gradient of a layer's levels, which act only through its biases.
func (p *pass) addLevels(layer int, gradient parameters) {
	if p.shapes[layer].graded {
		for k, list := range gradient.levels {
			for o, v := range gradient.bias {
				list[o] += float32(p.levels[k] * v)
			}
		}
	}
}

// passSkipped adds to d, row y of the gradient of a layer's output, the gradient that a skip connection brings from the
// layer p.skip layers later, and keeps the sum for the layer p.skip layers earlier.
func (p *pass) passSkipped(layer, y int, d []float32) {
	if layer%p.skip > 0 {
		return
	}
	turn, wide := layer/p.skip%2, p.shapes[layer].wide // the sum of the later layer is in p.skipped[1-turn]
	if p.isSkipped(layer) {
		by, m := p.shrinkage(layer), p.sides[layer+p.skip+1]
		if from := y - by; from >= 0 && from < m {
			add(d[by*wide:][:m*wide], p.skipped[1-turn][from*m*wide:])
		}
	}
	if p.isSum(layer) {
		copy(p.skipped[turn][y*len(d):], d)
	}
}

// addBias adds the samples in d, the gradient of a linear layer's output, to sums, the gradient of the layer's biases.
func addBias(sums, d []float32) {
	for len(d) > 0 {
		for o, v := range d[:len(sums)] {
			sums[o] += v
		}
		d = d[len(sums):]
	}
}

// findPeaks sets peaks to the greatest magnitude of each channel in the output of each layer but the last, layer
// after layer. The zeros around the outputs do not change it.
func (p *pass) findPeaks(peaks []float32) {
	clear(peaks)
	for i, s := range p.shapes[:len(p.shapes)-1] {
		h := p.after[i]
		for at, v := range h {
			if v < 0 {
				v = -v
			}
			peaks[at%s.wide] = max(peaks[at%s.wide], v)
		}
		peaks = peaks[s.wide:]
	}
}
