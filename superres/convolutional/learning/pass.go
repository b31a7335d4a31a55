package learning

import "superres/internal/kernel"

// pass takes a square of samples forward through the layers, and the gradient of an error
// back. Every layer has its taps only where they fit, as in network.go, so of a window
// of side+2·reach samples come side samples for each of which the picture around it counts
// as it does in the whole picture. It is one worker's.
type pass struct {
	shapes []shape
	side   int         // of what comes out
	sides  []int       // of what goes into each layer, and of what comes out of the last
	input  []float32   // the window, with room for the span of the first layer
	before [][]float32 // z, what each layer makes, before it is thresholded
	after  [][]float32 // h, after; that of the last layer is z
	back   [2][]float32
	skip   []float32
	zero   []float32
	bias   []float32 // of a layer at the level of the patch
	level  float32
}

// rowsTogether is how many rows of samples Correlate passes for each tile of weights: they
// should stay near the processor.
const rowsTogether = 6

func newPass(shapes []shape, side int) *pass {
	p := &pass{shapes: shapes, side: side, sides: make([]int, len(shapes)+1)}
	p.sides[len(shapes)] = side
	for i := len(shapes) - 1; i >= 0; i-- {
		p.sides[i] = p.sides[i+1] + shapes[i].side - 1
	}
	p.input = make([]float32, p.sides[0]*p.sides[0]*shapes[0].in+shapes[0].span)
	most := 0
	for i, s := range shapes {
		n, room := p.sides[i+1], p.sides[i+1]+2*(s.side-1)
		z := make([]float32, n*n*s.wide)
		h := z
		if !s.linear {
			h = make([]float32, len(z))
		}
		p.before, p.after = append(p.before, z), append(p.after, h)
		if i > 0 {
			most = max(most, room*room*s.wide)
		} else {
			most = max(most, len(z))
		}
	}
	p.back[0], p.back[1] = make([]float32, most), make([]float32, most)
	p.skip = make([]float32, p.sides[len(shapes)-1]*p.sides[len(shapes)-1]*shapes[0].wide)
	p.zero = make([]float32, shapes[0].wide)
	p.bias = make([]float32, shapes[0].wide)
	return p
}

// bytes is what a pass takes.
func (p *pass) bytes() int64 {
	n := len(p.input) + len(p.back[0]) + len(p.back[1]) + len(p.skip)
	for i, s := range p.shapes {
		n += len(p.before[i])
		if !s.linear {
			n += len(p.after[i])
		}
	}
	return 4 * int64(n)
}

// into is what goes into a layer.
func (p *pass) into(i int) []float32 {
	if i == 0 {
		return p.input
	}
	return p.after[i-1]
}

// forward takes the window in p.input through the layers.
func (p *pass) forward(layers []parameters) {
	last := len(p.shapes) - 1
	for i, s := range p.shapes {
		if i == last {
			p.addFirst()
		}
		x, n, m := p.into(i), p.sides[i], p.sides[i+1]
		bias := layers[i].bias
		if s.leveled {
			copy(p.bias, bias)
			for o, v := range layers[i].level {
				p.bias[o] += p.level * v
			}
			bias = p.bias
		}
		for y := range m {
			z := p.before[i][y*m*s.wide : (y+1)*m*s.wide]
			kernel.Convolve32(z, x[y*n*s.in:], s.in, n*s.in, s.side, s.span, layers[i].weight, bias, m)
			if !s.linear {
				kernel.Activate(p.after[i][y*m*s.wide:], z, layers[i].slope)
			}
		}
	}
}

// addFirst adds what the first layer made to what goes into the last.
func (p *pass) addFirst() {
	last := len(p.shapes) - 1
	c, m := p.shapes[0].wide, p.sides[last]
	for y := range m {
		to := p.after[last-1][y*m*c : (y+1)*m*c]
		for i, v := range p.first(p.after[0], y)[:len(to)] {
			to[i] += v
		}
	}
}

// first is what belongs, of what the first layer made or of its gradient, to row y of what
// goes into the last.
func (p *pass) first(x []float32, y int) []float32 {
	last := len(p.shapes) - 1
	n, m := p.sides[1], p.sides[last]
	margin := (n - m) / 2
	return x[((margin+y)*n+margin)*p.shapes[0].wide:]
}

// out is what the last layer made of sample (x, y): as many entries as it has channels.
func (p *pass) out(x, y int) []float32 {
	last := len(p.shapes) - 1
	s := p.shapes[last]
	return p.after[last][(y*p.side+x)*s.wide:][:s.out]
}
