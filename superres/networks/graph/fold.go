package graph

// foldNode merges node i into one convolution with its first input: an Affine or a Pad that only crops with the
// convolution before it, a convolution with the zero padding, Affine or convolution before it. No other node may
// take that input, except zero padding, which stays for the others. If node i is the sum of two convolutions,
// foldNode merges these. It returns i, since visitNodes asks for the node that replaces node i.
func (s *simplifier) foldNode(i int) int {
	n := s.nodes[i]
	first, own := s.ownInput(i)
	from := s.nodes[first]
	switch op := n.Op.(type) {
	case Affine:
		if c, ok := from.Op.(Conv); ok && own {
			s.foldAfter(i, c, op, from)
		}
	case Pad:
		c, ok := from.Op.(Conv)
		pad := c.Pad.plus(op.Edges)
		if ok && own && op.within(-1<<30, 0) && pad.within(0, 1<<30) { // crops no more than c pads
			c.Pad = pad
			s.set(i, c, from.Inputs...)
		}
	case Conv:
		switch before := from.Op.(type) {
		case Pad:
			pad := op.Pad.plus(before.Edges)
			if before.Mode == PadZero && before.within(0, 1<<30) && pad.within(0, MaxSide*MaxSide) { // as Conv allows
				op.Pad = pad
				s.set(i, op, from.Inputs...)
			}
		case Affine:
			if own {
				s.foldBefore(i, op, before, from)
			}
		case Conv:
			if own {
				s.mergeChain(i, before, op, from)
			}
		}
	case Add:
		s.mergeSum(i)
	}
	return i
}

// foldAfter merges a convolution and the Affine after it into one convolution. Node from computes convolution c. Node i
// computes a from its result, becomes the convolution, and gets the name of from. If the budget of spend is used up or
// a new weight would not be finite, foldAfter and foldBefore change nothing.
func (s *simplifier) foldAfter(i int, c Conv, a Affine, from Node) {
	if !s.spend(len(c.Weight)) {
		return
	}
	scale, offset := perChannel(a.Scale, c.Out), perChannel(a.Offset, c.Out)
	weight, bias := make([]float32, len(c.Weight)), make([]float32, c.Out)
	copy(bias, c.Bias)
	perOutput := len(weight) / c.Out
	for o := range bias {
		bias[o] = float32(bias[o]*scale[o]) + offset[o]
		for k := o * perOutput; k < (o+1)*perOutput; k++ {
			weight[k] = c.Weight[k] * scale[o]
		}
	}
	c.Weight, c.Bias = weight, bias
	if finite(weight) && finite(bias) {
		s.set(i, c, from.Inputs...)
		s.nodes[i].Name = from.Name
	}
}

// foldBefore merges an Affine and the convolution after it into one convolution, node i. Node from computes a, node i
// computes c from its result. If a adds an offset and c pads, foldBefore changes nothing: padded zeros get no offset.
func (s *simplifier) foldBefore(i int, c Conv, a Affine, from Node) {
	in := s.channels[s.nodes[i].Inputs[0]]
	scale, offset := perChannel(a.Scale, in), perChannel(a.Offset, in)
	for _, v := range offset {
		if v != 0 && c.Pad != (Edges{}) {
			return
		}
	}
	if !s.spend(len(c.Weight)) {
		return
	}
	perGroup, taps := in/c.Groups, c.size()
	weight, bias := make([]float32, len(c.Weight)), make([]float32, c.Out)
	copy(bias, c.Bias)
	for o := range bias {
		channel := o / (c.Out / c.Groups) * perGroup // the first input of o's group
		sum := 0.0
		for k := range perGroup {
			for t := range taps {
				at := (o*perGroup+k)*taps + t
				sum += float64(c.Weight[at]) * float64(offset[channel+k]) // only the sum is rounded
				weight[at] = c.Weight[at] * scale[channel+k]
			}
		}
		bias[o] += float32(sum)
	}
	c.Weight, c.Bias = weight, bias
	if finite(weight) && finite(bias) {
		s.set(i, c, from.Inputs...)
	}
}

// perChannel returns list, which has one value per channel, or repeats its only value for every channel.
func perChannel(list []float32, channels int) []float32 {
	if len(list) == channels {
		return list
	}
	all := make([]float32, channels)
	for i := range all {
		all[i] = list[0]
	}
	return all
}
