package graph

import (
	"math"
	"slices"
)

// joinNode returns the node that replaces node i: an earlier node if node i changes nothing or undoes its input, as
// a PixelUnshuffle undoes a PixelShuffle; else node i, which may now be joined with its input. x + x becomes 2·x.
func (s *simplifier) joinNode(i int) int {
	n := s.nodes[i]
	first := n.Inputs[0]
	if _, isConcat := n.Op.(Concat); isConcat && len(n.Inputs) == 1 || isIdentity(n.Op, s.channels[first]) {
		return first
	}
	switch op := n.Op.(type) {
	case Affine:
		s.joinAffine(i, op)
	case Clip:
		s.joinClip(i, op)
	case Concat:
		s.flatten(i)
	case Select:
		return s.joinSelect(i, op)
	case Pad:
		s.joinPad(i, op)
	case PixelUnshuffle:
		if before := s.nodes[first]; before.Op == Op(PixelShuffle{op.Factor}) {
			return before.Inputs[0]
		}
	case Add:
		if first == n.Inputs[1] {
			s.set(i, Affine{[]float32{2}, []float32{0}}, first)
		}
	case PReLU:
		if before, ok := s.nodes[first].Op.(PReLU); ok && leastOf(before.Slope) >= 0 { // keeps the sign
			s.set(i, PReLU{product(before.Slope, op.Slope)}, s.nodes[first].Inputs[0])
		}
	}
	return i
}

func leastOf(list []float32) float32 { return slices.Min(list) }

// product returns the products of two lists, element by element. A list of one value is repeated.
func product(a, b []float32) []float32 {
	n := max(len(a), len(b))
	a, b = perChannel(a, n), perChannel(b, n)
	list := make([]float32, n)
	for i := range list {
		list[i] = a[i] * b[i]
	}
	return list
}

// joinAffine joins an Affine with an Affine before it, or moves it nearer to a convolution if no other node takes
// its input: before a pixel shuffle, a Pad that adds no zeros, or, with positive factors and no offset, a PReLU.
func (s *simplifier) joinAffine(i int, op Affine) {
	first, own := s.ownInput(i)
	from := s.nodes[first]
	if len(from.Inputs) != 1 {
		return
	}
	before := from.Inputs[0]
	switch other := from.Op.(type) {
	case Affine:
		offset := product(other.Offset, op.Scale)
		n := max(len(offset), len(op.Offset))
		offset = slices.Clone(perChannel(offset, n))
		for c, v := range perChannel(op.Offset, n) {
			offset[c] += v
		}
		if joined := (Affine{product(other.Scale, op.Scale), offset}); finite(joined.Scale) && finite(joined.Offset) {
			s.set(i, joined, before)
		}
	case PReLU:
		if own && leastOf(op.Scale) > 0 && leastOf(op.Offset) == 0 && slices.Max(op.Offset) == 0 {
			s.set(first, op, before)
			s.set(i, other, first)
		}
	case PixelShuffle:
		if own {
			n := other.Factor * other.Factor
			s.set(first, Affine{repeat(op.Scale, n), repeat(op.Offset, n)}, before)
			s.set(i, other, first)
		}
	case Pad:
		if own && (other.Mode != PadZero || other.within(-1<<30, 0)) {
			s.set(first, op, before)
			s.set(i, other, first)
		}
	}
}

func finite(list []float32) bool {
	return !slices.ContainsFunc(list, func(v float32) bool {
		return math.IsNaN(float64(v)) || math.IsInf(float64(v), 0)
	})
}

// repeat returns list with every value repeated n times; a list of one value is returned as it is.
func repeat(list []float32, n int) []float32 {
	if len(list) == 1 {
		return list
	}
	all := make([]float32, 0, n*len(list))
	for _, v := range list {
		for range n {
			all = append(all, v)
		}
	}
	return all
}

// joinClip joins a Clip with a Clip before it, or removes a PReLU before it that only changes samples which the Clip
// makes Min. After other operations, a Clip that only limits samples to 0 and above becomes a ReLU.
func (s *simplifier) joinClip(i int, op Clip) {
	from := s.nodes[s.nodes[i].Inputs[0]]
	switch before := from.Op.(type) {
	case Clip:
		s.set(i, Clip{min(max(before.Min, op.Min), op.Max), min(max(before.Max, op.Min), op.Max)}, from.Inputs[0])
	case PReLU:
		if op.Min >= 0 && leastOf(before.Slope) >= 0 {
			s.set(i, op, from.Inputs[0])
		}
	default:
		if op.Min == 0 && op.Max >= math.MaxFloat32 {
			s.set(i, PReLU{[]float32{0}}, s.nodes[i].Inputs[0])
		}
	}
}

// flatten replaces every Concat among the inputs of node i, a Concat, by its inputs, up to MaxChannels inputs in all.
func (s *simplifier) flatten(i int) {
	var inputs []int
	for _, from := range s.nodes[i].Inputs {
		if _, ok := s.nodes[from].Op.(Concat); ok {
			inputs = append(inputs, s.nodes[from].Inputs...)
		} else {
			inputs = append(inputs, from)
		}
	}
	if len(inputs) != len(s.nodes[i].Inputs) && len(inputs) <= MaxChannels {
		s.set(i, Concat{}, inputs...)
	}
}

// joinSelect joins a Select with a Select before it, and takes one input of a Concat directly if all selected channels
// come from it. It returns the node that replaces node i: the input if the Select takes all channels in order, else i.
func (s *simplifier) joinSelect(i int, op Select) int {
	first := s.nodes[i].Inputs[0]
	from := s.nodes[first]
	switch other := from.Op.(type) {
	case Select:
		channels := make([]int, len(op.Channels))
		for k, c := range op.Channels {
			channels[k] = other.Channels[c]
		}
		s.set(i, Select{channels}, from.Inputs[0])
	case Concat:
		start := 0
		for _, input := range from.Inputs {
			end := start + s.channels[input]
			if slices.Min(op.Channels) >= start && slices.Max(op.Channels) < end {
				channels := slices.Clone(op.Channels)
				for k := range channels {
					channels[k] -= start
				}
				s.set(i, Select{channels}, input)
				break
			}
			start = end
		}
	}
	if n := s.nodes[i]; isIdentity(n.Op, s.channels[n.Inputs[0]]) {
		return n.Inputs[0]
	}
	return i
}

// joinPad joins node i with a Pad before it if both only cut, or if both have PadZero and the first does not cut.
func (s *simplifier) joinPad(i int, op Pad) {
	from := s.nodes[s.nodes[i].Inputs[0]]
	before, ok := from.Op.(Pad)
	if !ok {
		return
	}
	cuts := func(p Pad) bool { return p.within(-1<<30, 0) }
	areZeros := op.Mode == PadZero && before.Mode == PadZero && before.within(0, 1<<20)
	joined := before.Edges.plus(op.Edges)
	if (areZeros || cuts(op) && cuts(before)) && joined.within(-1<<20, 1<<10) { // what Pad allows
		s.set(i, Pad{joined, PadZero}, from.Inputs[0])
	}
}

func (e Edges) plus(f Edges) Edges {
	return Edges{e.Top + f.Top, e.Left + f.Left, e.Bottom + f.Bottom, e.Right + f.Right}
}
