package learning

import (
	"math"
	"math/rand/v2"

	"superres/internal/kernel"
	"superres/superres/convolutional"
)

// shape is the layout of a layer's parameters in memory: output channels are padded to whole vectors, and the weights
// of a row of taps, side·in for each output, to whole tiles of the kernels. The padding is always 0.
type shape struct {
	side, in, out int
	span          int  // side·in with padding
	wide          int  // out with padding
	linear        bool // the layer has no activation
	graded        bool // levels are inputs of the layer
}

// shapesOf returns the shapes of the layers of a network.
func shapesOf(n *convolutional.Network) (list []shape) {
	for _, l := range n.Layers {
		list = append(list, shape{
			side: l.Side, in: l.In, out: l.Out,
			span: kernel.PadTo(l.Side*l.In, kernel.Rows32), wide: kernel.PadTo(l.Out, kernel.Lanes),
			linear: l.Slope == nil, graded: l.Levels[convolutional.Strength] != nil,
		})
	}
	return list
}

// rows returns the number of rows of the matrix of weights, which has s.wide columns.
func (s shape) rows() int { return s.side * s.span }

// row returns the row of the weight matrix for a tap and an input channel.
func (s shape) row(tap, in int) int { return tap/s.side*s.span + tap%s.side*s.in + in }

// size returns the number of all parameters: weights, biases, slopes and levels.
func (s shape) size() int {
	n := (s.rows() + 2) * s.wide // 2: a bias and a slope
	if s.graded {
		n += convolutional.LevelCount * s.wide
	}
	return n
}

// parameters are the parameters of a layer, or their gradient. The other slices are parts of all.
type parameters struct {
	all                 []float32
	weight, bias, slope []float32
	levels              [convolutional.LevelCount][]float32
}

// divide returns parameters with slices in the memory of the slice all, which has at least s.size() values.
func (s shape) divide(all []float32) parameters {
	p := parameters{all: all[:s.size():s.size()]}
	next := func(size int) (part []float32) {
		part, all = all[:size:size], all[size:]
		return part
	}
	p.weight, p.bias, p.slope = next(s.rows()*s.wide), next(s.wide), next(s.wide)
	if s.graded {
		for k := range p.levels {
			p.levels[k] = next(s.wide)
		}
	}
	return p
}

// read returns the parameters of l in new memory. Layers without an activation get slopes of 1.
func (s shape) read(l convolutional.Layer) parameters {
	p := s.divide(make([]float32, s.size()))
	for tap := range s.side * s.side {
		for i := range s.in {
			copy(p.weight[s.row(tap, i)*s.wide:], l.Weight[(tap*s.in+i)*s.out:][:s.out])
		}
	}
	copy(p.bias, l.Bias)
	for o := range p.slope {
		p.slope[o] = 1
	}
	copy(p.slope, l.Slope)
	for k, list := range l.Levels {
		copy(p.levels[k], list)
	}
	return p
}

// write sets the weights, biases, slopes and levels in the slices of l to p, without the padding.
func (s shape) write(l convolutional.Layer, p parameters) {
	for tap := range s.side * s.side {
		for i := range s.in {
			copy(l.Weight[(tap*s.in+i)*s.out:][:s.out], p.weight[s.row(tap, i)*s.wide:])
		}
	}
	copy(l.Bias, p.bias)
	copy(l.Slope, p.slope)
	for k, list := range p.levels {
		copy(l.Levels[k], list)
	}
}

// layer is a layer in training.
type layer struct {
	shape
	now        parameters
	transposed []float32  // the weights for backward: see transpose
	average    parameters // the running mean of now
	gradient   parameters
	momentum   parameters // the running mean of gradient
	square     []float32  // the running mean of the gradient's square, for all parameters but weights
	update     []float32  // the change of the weights in a step, before the learning rate
	muon       muon

	// For layers that are computed by tiles: the transforms of the weights and of transposed, and a buffer.
	spread, spreadBack, half []float32
}

// newLayer returns a layer that starts as l or, if random is true, with random weights from rng, of a deviation that
// suits the layer's place in the network. With isNearIdentity the random weights are added to the identity.
func newLayer(s shape, l convolutional.Layer, random, isNearIdentity bool, rng *rand.Rand) *layer {
	f := &layer{
		shape: s, now: s.read(l), transposed: make([]float32, s.side*s.side*s.wide*s.in),
		square: make([]float32, s.size()-s.rows()*s.wide),
		update: make([]float32, s.rows()*s.wide), muon: newMuon(s.wide),
	}
	for _, p := range []*parameters{&f.average, &f.gradient, &f.momentum} {
		*p = s.divide(make([]float32, s.size()))
	}
	if random {
		deviation := 0.35 // in the chain, if an output had a single product
		if s.side > 3 {
			deviation = 1.2 // the first layer for brightness
		} else if s.linear {
			deviation = 0.02 // the last layer
		}
		deviation /= math.Sqrt(float64(s.side * s.side * s.in))
		for tap := range s.side * s.side {
			for i := range s.in {
				row := f.now.weight[s.row(tap, i)*s.wide:][:s.out]
				for o := range row {
					row[o] = float32(deviation * rng.NormFloat64())
				}
				if isNearIdentity && tap == s.side*s.side/2 { // the tap in the middle
					row[i]++
				}
			}
		}
	}
	copy(f.average.all, f.now.all)
	f.prepare()
	return f
}

// prepare computes from f.now the forms of the weights that a pass needs. It must be called after each change of f.now.
func (f *layer) prepare() {
	f.transpose()
	if !f.isTiled() {
		return
	}
	block := f.in * f.wide
	if f.spread == nil {
		f.spread, f.spreadBack = make([]float32, places*block), make([]float32, places*block)
		f.half = make([]float32, 3*tileTaken*block)
	}
	spreadTaps(f.spread, f.now.weight, f.half, block)
	spreadTaps(f.spreadBack, f.transposed, f.half, block)
}

// transpose sets f.transposed to the current weights with inputs and outputs swapped and the taps in reverse order, for
// the convolutions of backward. The first layer for brightness needs none.
func (f *layer) transpose() {
	if f.in == 1 {
		return
	}
	last := f.side*f.side - 1
	for tap := range last + 1 {
		for i := range f.in {
			for o, v := range f.now.weight[f.row(tap, i)*f.wide:][:f.wide] {
				f.transposed[((last-tap)*f.wide+o)*f.in+i] = v
			}
		}
	}
}

// clearPadding clears the gradient of what pads rows of taps and outputs, and of the slopes if there is no activation.
func (f *layer) clearPadding() {
	for r := range f.side {
		clear(f.gradient.weight[(r*f.span+f.side*f.in)*f.wide : (r+1)*f.span*f.wide])
	}
	for r := range f.rows() {
		clear(f.gradient.weight[r*f.wide+f.out : (r+1)*f.wide])
	}
	clear(f.gradient.bias[f.out:])
	if f.graded {
		for _, list := range f.gradient.levels {
			clear(list[f.out:])
		}
	}
	if f.linear {
		clear(f.gradient.slope)
	}
}
