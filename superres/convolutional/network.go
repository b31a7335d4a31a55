package convolutional

import (
	"slices"

	"superres/internal/kernel"
)

// network is the float form of the stage: what training changes, and what the integers of
// the stage are rounded from. With Y the low-resolution brightness, C channels, M layers in
// the chain and scale s,
//
//	f   = φ₀(W₀ ∗ Y + b₀)               5×5, 1 → C
//	h   = φᵢ(Wᵢ ∗ h + bᵢ), h₀ = f        3×3, C → C, i = 1..M
//	out = W_L ∗ (h_M + f) + b_L          3×3, C → s²; shuffled into s×s pixels
//
// A network that knows a level l, 0..1, of how much is wrong with the picture, has l·vᵢ + bᵢ
// in place of bᵢ in all layers but the last, which moves the thresholds of φ. It is what a
// second input that is l everywhere comes to, but in every layer.
//
// out is what the enlargement lacks. φ(v) is v above zero and slope·v below, with one slope
// a channel. The picture is extended by the reach of the chain, its edge samples repeated,
// before the first layer; after that a layer has its taps only where they fit. That of colour,
// in colour.go, differs in its first layer and in how many outputs it has.
type network struct {
	scale    int
	channels int
	colour   bool
	layers   []layer // M+2
}

// layer is one convolution of side×side taps.
type layer struct {
	side, in, out int
	first         bool
	weight        []float32 // of tap t = dy·side+dx, from input i to output o: (t·in + i)·out + o
	bias          []float32 // out
	slope         []float32 // out; nil: what comes out is not thresholded
	level         []float32 // v, out; nil: the network knows no level
}

// brightness tells whether a weight is of what has 0 at half of the range: the brightness that
// goes into the first layer.
func (l *layer) brightness(weight int) bool {
	return l.first && (l.in == 1 || weight/l.out%l.in >= colours)
}

// newNetwork makes a network of the given sizes whose weights are 0 and slopes 0.2.
func newNetwork(scale, channels, depth int) *network {
	return params{Limit: kernel.Clip, Channels: channels, Depth: depth}.network(scale)
}

// network makes the network of parameters, whose weights are 0 and slopes 0.2.
func (p params) network(scale int) *network {
	n := &network{scale: scale, channels: p.Channels, colour: p.Colour, layers: p.shapes(scale)}
	for i := range n.layers {
		l := &n.layers[i]
		l.weight, l.bias = make([]float32, l.side*l.side*l.in*l.out), make([]float32, l.out)
		if i < len(n.layers)-1 {
			l.slope = make([]float32, l.out)
			for o := range l.slope {
				l.slope[o] = 0.2
			}
		}
	}
	if p.Leveled {
		n.knowLevels()
	}
	return n
}

// params are those of the network.
func (n *network) params() params {
	return params{Limit: kernel.Clip, Channels: n.channels, Depth: len(n.layers) - 2, Colour: n.colour, Leveled: n.layers[0].level != nil}
}

// knowLevels gives the network a level that changes nothing.
func (n *network) knowLevels() {
	for i := range n.layers[:len(n.layers)-1] {
		n.layers[i].level = make([]float32, n.layers[i].out)
	}
}

// at is the network at a level, as one that knows none.
func (n *network) at(level float32) *network {
	out := *n
	out.layers = slices.Clone(n.layers)
	for i := range out.layers {
		l := &out.layers[i]
		if l.level != nil {
			l.bias = slices.Clone(l.bias)
			for o, v := range l.level {
				l.bias[o] += level * v
			}
			l.level = nil
		}
	}
	return &out
}

// deepened is the network with as many layers in the chain as given or more: those that are
// added lie evenly between the others and change nothing. It shares the others.
func (n *network) deepened(depth int) *network {
	out := newNetwork(n.scale, n.channels, depth)
	for i := 1; i <= depth; i++ {
		l := &out.layers[i]
		for c := range l.out {
			l.weight[(l.side*l.side/2*l.in+c)*l.out+c] = 1
			l.slope[c] = 1
		}
	}
	have := len(n.layers) - 2
	for i := range have {
		out.layers[1+i*depth/have] = n.layers[1+i]
	}
	out.layers[0], out.layers[depth+1] = n.layers[0], n.layers[have+1]
	return out
}

// reach is how many rows of Y around a row count for it.
func (n *network) reach() int {
	reach := 0
	for _, l := range n.layers {
		reach += l.side / 2
	}
	return reach
}

// apply convolves w×h samples of l.in channels, where the taps fit.
func (l *layer) apply(x []float32, w, h int) ([]float32, int, int) {
	toW, toH := w-l.side+1, h-l.side+1
	out := make([]float32, toW*toH*l.out)
	for y := range toH {
		for c := range toW {
			sum := out[(y*toW+c)*l.out:][:l.out]
			copy(sum, l.bias)
			for t := range l.side * l.side {
				in := x[((y+t/l.side)*w+c+t%l.side)*l.in:][:l.in]
				for i, v := range in {
					for o, weight := range l.weight[(t*l.in+i)*l.out:][:l.out] {
						sum[o] += v * weight
					}
				}
			}
			for o, v := range sum {
				if l.slope != nil && v < 0 {
					sum[o] = v * l.slope[o]
				}
			}
		}
	}
	return out, toW, toH
}
