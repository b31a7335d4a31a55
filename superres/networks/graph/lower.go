package graph

// lower returns three operations that compute the transposed convolution c one after another. The convolution has an
// output channel for each of the Stride×Stride phases, the positions in a Stride×Stride block of the result; the pixel
// shuffle puts the phases there; Pad, with negative edges, crops. in is the number of input channels.
func (c ConvTranspose) lower(in int) (Conv, PixelShuffle, Pad) {
	r, outs := c.Stride, c.Out/c.Groups // outs: outputs of a group
	// Before the crop, row q·r + phase takes row q − t of the input with tap phase + r·t; columns likewise.
	taps := c.taps() // of a phase, along each side
	conv := Conv{Out: c.Out * r * r, Height: taps, Width: taps, Dilation: 1, Groups: c.Groups}
	conv.Pad = Edges{taps - 1, taps - 1, taps - 1, taps - 1}
	perGroup := in / c.Groups
	conv.Weight = make([]float32, conv.Out*perGroup*taps*taps)
	for i := range in {
		group, channel := i/perGroup, i%perGroup
		for o := range outs {
			for ky := range c.Kernel {
				for kx := range c.Kernel {
					output := (group*outs+o)*r*r + ky%r*r + kx%r
					at := ((output*perGroup+channel)*taps+taps-1-ky/r)*taps + taps - 1 - kx/r
					conv.Weight[at] = c.Weight[((i*outs+o)*c.Kernel+ky)*c.Kernel+kx]
				}
			}
		}
	}
	for _, b := range c.Bias {
		for range r * r {
			conv.Bias = append(conv.Bias, b)
		}
	}
	low := taps*r - c.Kernel + c.Pad - c.Extra // rows to crop below, and columns on the right
	return conv, PixelShuffle{r}, Pad{Edges: Edges{-c.Pad, -c.Pad, -low, -low}}
}

// taps returns the number of taps along each side of lower's convolution, enough for the rows that Extra adds too.
func (c ConvTranspose) taps() int {
	return (max(c.Kernel, c.Kernel+c.Extra-c.Pad) + c.Stride - 1) / c.Stride
}
