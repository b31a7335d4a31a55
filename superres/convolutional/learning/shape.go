package learning

import (
	"superres/internal/kernel"
	"superres/superres/convolutional"
)

// shape is how a layer lies in memory while it is trained: channels come in whole vectors,
// and what the taps of a row of the window have, side·in weights, is filled up to whole
// tiles. What is added is 0, before and after every step.
type shape struct {
	side, in, out int
	span          int // entries a row of taps, side·in rounded up
	wide          int // out, rounded up
	linear        bool
	leveled       bool // knows a level
}

// rows is the number of rows of a matrix of weights, wide entries each.
func (s shape) rows() int { return s.side * s.span }

// row is where the weights of a tap and an input are.
func (s shape) row(tap, in int) int { return tap/s.side*s.span + tap%s.side*s.in + in }

// size is how many weights, biases, slopes and levels there are.
func (s shape) size() int {
	n := (s.rows() + 2) * s.wide
	if s.leveled {
		n += s.wide
	}
	return n
}

// shapesOf returns those of the layers of a network.
func shapesOf(n *convolutional.Network) (list []shape) {
	for _, l := range n.Layers {
		list = append(list, shape{
			side: l.Side, in: l.In, out: l.Out,
			span: kernel.PadTo(l.Side*l.In, kernel.Rows32), wide: kernel.PadTo(l.Out, kernel.Lanes),
			linear: l.Slope == nil, leveled: l.Strength != nil,
		})
	}
	return list
}

// parameters are those of a layer in its shape, or their gradient: parts of one slice.
type parameters struct {
	all                        []float32
	weight, bias, slope, level []float32
}

// over takes a slice apart, of size entries.
func (s shape) over(all []float32) parameters {
	n := s.rows() * s.wide
	all = all[:s.size():s.size()]
	return parameters{all, all[:n:n], all[n : n+s.wide : n+s.wide], all[n+s.wide : n+2*s.wide : n+2*s.wide], all[n+2*s.wide:]}
}

// of returns the parameters of a layer. Nothing is thresholded by a slope of 1.
func (s shape) of(l convolutional.Layer) parameters {
	p := s.over(make([]float32, s.size()))
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
	copy(p.level, l.Strength)
	return p
}

// put sets a layer to parameters.
func (s shape) put(p parameters, l convolutional.Layer) {
	for tap := range s.side * s.side {
		for i := range s.in {
			copy(l.Weight[(tap*s.in+i)*s.out:][:s.out], p.weight[s.row(tap, i)*s.wide:])
		}
	}
	copy(l.Bias, p.bias)
	copy(l.Slope, p.slope)
	copy(l.Strength, p.level)
}

// turn sets to to the weights by which a gradient goes back through the layer: those of
// each tap in the place of the opposite one, and transposed.
func (s shape) turn(to, weight []float32) {
	last := s.side*s.side - 1
	for tap := range last + 1 {
		for i := range s.in {
			from := weight[s.row(tap, i)*s.wide:][:s.wide]
			for o, v := range from {
				to[((last-tap)*s.wide+o)*s.in+i] = v
			}
		}
	}
}

// parametersOf returns the parameters of all layers of a network.
func parametersOf(n *convolutional.Network) (list []parameters) {
	for i, s := range shapesOf(n) {
		list = append(list, s.of(n.Layers[i]))
	}
	return list
}
