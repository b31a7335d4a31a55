package learning

import "superres/internal/kernel"

// A pass takes half the time when its products are in bfloat16. The sums, the parameters and what is added to them stay
// in float32, and so do the products of the last tenth of the steps. On a machine with two cores of AMD's Zen 5 that
// was busy with other work, in turns, for channels × layers in the chain:
//
//	                                     32×10   32×18   32×22   48×10
//	steps a second, float32                        5.4     3.9     6.5
//	steps a second, bfloat16                      10.0     8.0    12.8
//	PSNR after 2,000 steps at ×2
//	of Set5, float32                     37.18                   37.21
//	of Set5, bfloat16                    37.18                   37.19
//	of T91, float32                      35.26                   35.31
//	of T91, bfloat16                     35.25                   35.30
//	of open-valid, float32               33.43                   33.49
//	of open-valid, bfloat16              33.43                   33.48
//
// A whole training, with its last tenth, takes 0.55 to 0.6 of the time.
//
// The operations do 330 to 490 GFLOP/s on one core, those in float32 190 to 235:
//
//	channels                                16      32      48      64
//	Convolve32                             191     235     225     230
//	ConvolveBFloat16                       373     480     487     462
//	Correlate                              208     232     221     235
//	CorrelateBFloat16                      329     475     481     480
//
// With 16 channels each loaded number meets one vector only, and loads are what takes the time.

// rounded has the numbers of a pass whose products are in bfloat16. What lies between layers is kept in bfloat16, the
// rows that are being computed in float32.
type rounded struct {
	inputs [][]uint16   // the input of each layer with its zeros
	before [][]uint16   // the output of each layer before its activation; nil for the last
	back   [2][]uint16  // the gradients of the outputs of two layers
	a, b   []uint32     // pairs of neighbouring samples in some rows of a layer's input, and of its output's gradient
	rows   [2][]float32 // two rows of samples
}

// newRoundedPass is newPass with products in bfloat16.
func newRoundedPass(shapes []shape, skip, side, margin int) *pass {
	p, r := newBarePass(shapes, skip, side, margin), &rounded{}
	padded, a, b, row := 0, 0, 0, 0
	for i, s := range shapes {
		n, m := p.full(i), p.sides[i+1]
		r.inputs = append(r.inputs, make([]uint16, n*n*s.in+s.span+s.in+kernel.Lanes))
		var z []uint16
		if !s.linear {
			z = make([]uint16, m*m*s.wide)
		}
		r.before = append(r.before, z)
		full := m + 2*p.margin(i)
		padded, row = max(padded, (full*full+1)*s.wide), max(row, m*s.wide)
		a, b = max(a, (rowsTogether+s.side-1)*p.lineOfPairs(i)), max(b, rowsTogether*(m+1)/2*s.wide)
	}
	r.back[0], r.back[1] = make([]uint16, padded), make([]uint16, padded)
	r.rows[0], r.rows[1] = make([]float32, row), make([]float32, row)
	r.a, r.b = make([]uint32, a), make([]uint32, b)
	last := len(shapes) - 1
	full, s := side+2*p.margin(last), shapes[last]
	p.before[last] = make([]float32, side*side*s.wide)
	p.after[last] = p.before[last]
	p.back[last%2] = make([]float32, full*full*s.wide)
	p.rounded = r
	return p
}

// bytes returns the memory of r in bytes; that of nil is 0.
func (r *rounded) bytes() int64 {
	if r == nil {
		return 0
	}
	n := len(r.back[0]) + len(r.back[1])
	for i := range r.inputs {
		n += len(r.inputs[i]) + len(r.before[i])
	}
	return 2*int64(n) + 4*int64(len(r.a)+len(r.b)+len(r.rows[0])+len(r.rows[1]))
}

// lineOfPairs returns the number of pairs in a row of a layer's input.
func (p *pass) lineOfPairs(layer int) int {
	s := p.shapes[layer]
	return kernel.PadTo((p.sides[layer+1]-1)*s.in+s.span, kernel.Lanes)
}

// roundedGradient is gradient in bfloat16.
func (p *pass) roundedGradient(layer int) (d []uint16, row int) {
	return p.rounded.back[layer%2], p.sides[layer+1] + 2*p.margin(layer)
}

// roundedInner returns the gradient of a layer's output in bfloat16 from row y on, without the margin before it.
func (p *pass) roundedInner(layer, y int) []uint16 {
	d, row := p.roundedGradient(layer)
	margin := p.margin(layer)
	return d[((y+margin)*row+margin)*p.shapes[layer].wide:]
}

// forwardRounded is forward with products in bfloat16.
func (p *pass) forwardRounded(layers []*layer) {
	r := p.rounded
	kernel.RoundBFloat16(r.inputs[0], p.input)
	for i, s := range p.shapes {
		x, n, m := r.inputs[i], p.full(i), p.sides[i+1]
		for y := range m {
			z, at := r.rows[0][:m*s.wide], y*m*s.wide
			if s.linear {
				z = p.before[i][at : at+m*s.wide]
			}
			kernel.ConvolveBFloat16(z, x[y*n*s.in:], s.in, n*s.in, s.side, s.span, layers[i].pairs, layers[i].now.bias,
				m)
			if s.linear {
				continue
			}
			to := r.inputs[i+1][p.start(i, y):]
			kernel.ActivateBFloat16(to, r.before[i][at:], z, layers[i].now.slope)
			if p.isSum(i) {
				kernel.Activate(z, z, layers[i].now.slope)
				skipped := r.rows[1][:len(z)]
				kernel.WidenBFloat16(skipped, r.inputs[i-p.skip+1][p.overlap(i, y):])
				add(z, skipped)
				kernel.RoundBFloat16(to, z)
			}
		}
	}
}

// backwardRounded is backward with products in bfloat16. It must follow forwardRounded.
func (p *pass) backwardRounded(layers []*layer, to []parameters) {
	last := len(p.shapes) - 1
	for y := range p.side {
		d := p.inner(last, y)
		addBias(to[last].bias, d)
		kernel.RoundBFloat16(p.roundedInner(last, y), d)
	}
	for i := last; i >= 0; i-- {
		p.correlateRounded(i, to[i].weight)
		if i == 0 {
			return
		}
		s, n := p.shapes[i], p.sides[i]
		d, row := p.roundedGradient(i)
		clearMargin(d, row, p.margin(i), s.wide)
		for y := range n {
			g := p.rounded.rows[0][:n*s.in]
			kernel.ConvolveBFloat16(g, d[y*row*s.wide:], s.wide, row*s.wide, s.side, s.side*s.wide,
				layers[i].transposedPairs, p.zero[:s.in], n)
			p.passSkipped(i-1, y, g)
			kernel.ActivateBackBFloat16(p.roundedInner(i-1, y), g, p.rounded.before[i-1][y*len(g):],
				layers[i-1].now.slope, to[i-1].slope, to[i-1].bias)
		}
	}
}

// correlateRounded adds the gradient of a layer's weights to to.
func (p *pass) correlateRounded(layer int, to []float32) {
	r, s, n, m := p.rounded, p.shapes[layer], p.full(layer), p.sides[layer+1]
	lineA, lineB := p.lineOfPairs(layer), (m+1)/2*s.wide
	for y := 0; y < m; y += rowsTogether {
		rows := min(rowsTogether, m-y)
		for j := range rows + s.side - 1 {
			kernel.PairBFloat16(r.a[j*lineA:(j+1)*lineA], r.inputs[layer][(y+j)*n*s.in:], s.in,
				lineA, 0, 1)
		}
		for j := range rows {
			b := r.b[j*lineB : (j+1)*lineB]
			kernel.PairBFloat16(b, p.roundedInner(layer, y+j), s.wide, s.wide, 2*s.wide, (m+1)/2)
			if m%2 > 0 { // the last sample has no second
				for o := lineB - s.wide; o < lineB; o++ {
					b[o] &= 1<<16 - 1
				}
			}
		}
		for j := range s.side {
			kernel.CorrelateBFloat16(to[j*s.span*s.wide:], s.wide, r.a[j*lineA:], 2*s.in, lineA, r.b, s.wide, lineB,
				rows, (m+1)/2, s.span)
		}
	}
}
