package graph

func (c Conv) size() int { return c.Height * c.Width }

// mergeChain merges two successive convolutions, b in node from and c in node i, into one in node i, if both have one
// group, b or c has 1×1 taps, and the merged convolution needs no more products than b and c together. A c that pads
// must have more taps than 1×1, and a b without bias.
func (s *simplifier) mergeChain(i int, b, c Conv, from Node) {
	in := s.channels[from.Inputs[0]]
	if b.Groups != 1 || c.Groups != 1 || b.size() > 1 && c.size() > 1 || c.size() == 1 && c.Pad != (Edges{}) {
		return
	}
	if c.Pad != (Edges{}) { // at the edges c sees zeros, where the merged convolution would see b's bias
		for _, v := range b.Bias {
			if v != 0 {
				return
			}
		}
	}
	taps := max(b.size(), c.size())
	merged, apart := c.Out*in*taps, b.Out*in*b.size()+c.Out*b.Out*c.size()
	pad := b.Pad.plus(c.Pad)
	if merged > apart || !pad.within(0, MaxSide*MaxSide) || !s.spend(merged*b.Out) {
		return
	}
	result := chain(b, c, in)
	result.Pad = pad
	if finite(result.Weight) && finite(result.Bias) {
		s.set(i, result, from.Inputs...)
	}
}

// chain joins b, with `in` inputs, and then c, one of which has 1×1 taps, to one convolution. The caller sets its Pad.
func chain(b, c Conv, in int) Conv {
	result := c
	if b.size() > 1 {
		result = b
	}
	taps := result.size()
	result.Out = c.Out
	result.Weight, result.Bias = make([]float32, c.Out*in*taps), make([]float32, c.Out)
	for o := range c.Out {
		for k := range in {
			for t := range taps { // the one with 1×1 taps has tap 0 alone
				sum := 0.0
				for m := range b.Out {
					before, after := b.Weight[(m*in+k)*b.size()+t%b.size()], c.Weight[(o*b.Out+m)*c.size()+t%c.size()]
					sum += float64(before) * float64(after) // only the sum is rounded
				}
				result.Weight[(o*in+k)*taps+t] = float32(sum)
			}
		}
		sum := 0.0
		if len(c.Bias) > 0 {
			sum = float64(c.Bias[o])
		}
		for m, v := range b.Bias {
			for t := range c.size() {
				sum += float64(v) * float64(c.Weight[(o*b.Out+m)*c.size()+t])
			}
		}
		result.Bias[o] = float32(sum)
	}
	return result
}

// mergeSum replaces node i, the sum of two convolutions of the same samples, by one convolution, if no other node takes
// the two, both have one group, and every tap of one coincides with a tap of the other.
func (s *simplifier) mergeSum(i int) {
	first, second := s.nodes[i].Inputs[0], s.nodes[i].Inputs[1]
	a, okA := s.nodes[first].Op.(Conv)
	b, okB := s.nodes[second].Op.(Conv)
	if !okA || !okB || s.uses[first] != 1 || s.uses[second] != 1 || a.Out != b.Out || a.Groups != 1 || b.Groups != 1 ||
		s.nodes[first].Inputs[0] != s.nodes[second].Inputs[0] {
		return
	}
	if a.size() < b.size() {
		a, b = b, a
	}
	single := b.size() == 1
	if a.Dilation != b.Dilation && !single {
		return
	}
	// The first tap of b is at row top and column left among the taps of a.
	down, across := a.Pad.Top-b.Pad.Top, a.Pad.Left-b.Pad.Left
	top, left := down/a.Dilation, across/a.Dilation
	if down%a.Dilation != 0 || across%a.Dilation != 0 || top < 0 || left < 0 || top+b.Height > a.Height ||
		left+b.Width > a.Width || !s.spend(len(a.Weight)) {
		return
	}
	weight, bias := make([]float32, len(a.Weight)), make([]float32, a.Out)
	copy(weight, a.Weight)
	for k, w := range b.Weight {
		x, y, pair := k%b.Width, k/b.Width%b.Height, k/b.size() // a pair of an output and an input
		weight[pair*a.size()+(top+y)*a.Width+left+x] += w
	}
	for _, list := range [][]float32{a.Bias, b.Bias} {
		for o, v := range list {
			bias[o] += v
		}
	}
	a.Weight, a.Bias = weight, bias
	if finite(weight) && finite(bias) {
		s.set(i, a, s.nodes[first].Inputs[0])
	}
}
