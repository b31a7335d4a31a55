package graph

import (
	"context"

	"superres/internal/kernel"
	"superres/internal/parallel"
)

func (c Conv) compute(ctx context.Context, out Samples, in []Samples) error {
	src := in[0]
	if c.Groups == src.Channels && c.Groups == c.Out {
		return c.computeDepthwise(ctx, out, src)
	}
	packed := c.pack(src.Channels / c.Groups)
	grain := 8 // rows of a range, for which Height − 1 more of the input are copied
	if c.Dilation > 1 {
		grain = 1
	}
	return parallel.For(ctx, out.H, grain, func() func(lo, hi int) {
		b := c.newBand(src, out.W, grain)
		return func(lo, hi int) {
			for g := range c.Groups {
				b.load(src, lo, hi, g)
				for y := lo; y < hi; y++ {
					b.convolve(out, y, y-lo, g, packed)
				}
			}
		}
	})
}

// packed are the weights of a convolution in the order of kernel.Convolve32.
type packed struct {
	// cols is the number of outputs of a group, rounded up to a multiple of kernel.Lanes by outputs of 0.
	cols int
	// weight has, for each group, the weight of tap (y, x) from channel i to output o at ((y·Width + x)·in + i)·cols
	// + o; bias has cols values for each group.
	weight, bias []float32
}

// pack returns the weights for groups of in input channels.
func (c Conv) pack(in int) packed {
	outs := c.Out / c.Groups
	p := packed{cols: (outs + kernel.Lanes - 1) / kernel.Lanes * kernel.Lanes}
	taps := c.Height * c.Width
	p.weight = make([]float32, c.Groups*taps*in*p.cols)
	p.bias = make([]float32, c.Groups*p.cols)
	from := c.Weight
	for o := range c.Out {
		g, column := o/outs, o%outs
		to := p.weight[g*taps*in*p.cols:]
		for i := range in {
			for t := range taps {
				to[(t*in+i)*p.cols+column] = from[t]
			}
			from = from[taps:]
		}
		if len(c.Bias) > 0 {
			p.bias[g*p.cols+column] = c.Bias[o]
		}
	}
	return p
}

// band is the memory in which a worker computes rows of a convolution.
type band struct {
	c Conv
	// in is the number of input channels of a group, outs that of its outputs.
	in, outs int
	// rows has padded input rows of one group, each Dilation below the one before, of length entries each: the
	// samples of a row with its padding, or, for taps that are apart, the Width samples of every output side by side.
	// step is the number of entries from one output's samples to those of the next.
	rows         []float32
	length, step int
	// result has a row of outputs, with those that are added for the kernel.
	result []float32
}

// newBand returns the memory for at most grain rows of width outputs; for one if taps are apart.
func (c Conv) newBand(src Samples, width, grain int) *band {
	b := &band{c: c, in: src.Channels / c.Groups, outs: c.Out / c.Groups}
	b.step = b.in
	b.length = (src.W + c.Pad.Left + c.Pad.Right) * b.in
	if c.Dilation > 1 && c.Width > 1 {
		b.step = c.Width * b.in
		b.length = width * b.step
	}
	b.rows = make([]float32, (grain+c.Height-1)*b.length)
	b.result = make([]float32, width*(b.outs+kernel.Lanes))
	return b
}

// load copies the inputs of group g for output rows [lo, hi).
func (b *band) load(src Samples, lo, hi, g int) {
	c := b.c
	for r := range hi - lo + c.Height - 1 {
		to := b.rows[r*b.length : (r+1)*b.length]
		y := lo - c.Pad.Top + r*c.Dilation
		if y < 0 || y >= src.H {
			clear(to)
			continue
		}
		row := src.Row(y)
		if c.Dilation > 1 && c.Width > 1 {
			for i := 0; i < len(to); i += b.in {
				x := i/b.step - c.Pad.Left + i%b.step/b.in*c.Dilation
				loadSample(to[i:i+b.in], row, x, g, src)
			}
			continue
		}
		left, right := c.Pad.Left*b.in, len(to)-c.Pad.Right*b.in
		clear(to[:left])
		clear(to[right:])
		if to = to[left:right]; c.Groups == 1 {
			copy(to, row)
			continue
		}
		for x := range src.W {
			loadSample(to[x*b.in:][:b.in], row, x, g, src)
		}
	}
}

// loadSample sets to to the channels of group g at x of a row, which are 0 outside.
func loadSample(to, row []float32, x, g int, src Samples) {
	if x < 0 || x >= src.W {
		clear(to)
		return
	}
	copy(to, row[x*src.Channels+g*len(to):])
}

// convolve computes group g of row y of the output, the inputs of which begin at row r of the band.
func (b *band) convolve(out Samples, y, r, g int, p packed) {
	c := b.c
	k := c.Width * b.in
	dst := out.Row(y)
	direct := c.Groups == 1 && p.cols == b.outs
	if !direct {
		dst = b.result[:out.W*p.cols]
	}
	n := c.Height * k * p.cols
	kernel.Convolve32(dst, b.rows[r*b.length:], b.step, b.length, c.Height, k, p.weight[g*n:(g+1)*n],
		p.bias[g*p.cols:(g+1)*p.cols], out.W)
	if direct {
		return
	}
	for x := range out.W {
		copy(out.At(x, y)[g*b.outs:(g+1)*b.outs], dst[x*p.cols:])
	}
}

// computeDepthwise computes a convolution in which every channel is a group.
func (c Conv) computeDepthwise(ctx context.Context, out, src Samples) error {
	weight := make([]float32, len(c.Weight)) // the weights of a tap side by side
	taps := c.Height * c.Width
	for i, w := range c.Weight {
		weight[i%taps*c.Out+i/taps] = w
	}
	return forRows(ctx, out, func(y int) {
		for x := range out.W {
			sum := out.At(x, y)
			clear(sum)
			copy(sum, c.Bias)
			for t := range taps {
				sy, sx := y-c.Pad.Top+t/c.Width*c.Dilation, x-c.Pad.Left+t%c.Width*c.Dilation
				if sy < 0 || sy >= src.H || sx < 0 || sx >= src.W {
					continue
				}
				from, w := src.At(sx, sy)[:len(sum)], weight[t*c.Out:][:len(sum)]
				for i, v := range from {
					sum[i] += float32(v * w[i])
				}
			}
		}
	})
}

func (c ConvTranspose) compute(ctx context.Context, out Samples, in []Samples) error {
	conv, shuffle, crop := c.lower(in[0].Channels)
	s := in[0]
	for _, op := range []Op{conv, shuffle} {
		shape, err := op.shape([]Shape{s.Shape})
		if err != nil {
			return err
		}
		next := NewSamples(shape)
		if err := op.compute(ctx, next, []Samples{s}); err != nil {
			return err
		}
		s = next
	}
	return crop.compute(ctx, out, []Samples{s})
}
