package graphtest

import (
	"math"

	"superres/superres/networks/graph"
)

// exact holds samples in float64, laid out as in graph.Samples.
type exact struct {
	graph.Shape
	Values []float64
}

// At returns the samples of the channels at (x, y).
func (s exact) At(x, y int) []float64 { return s.Values[(y*s.W+x)*s.Channels:][:s.Channels] }

// rounded returns s in float32.
func (s exact) rounded() graph.Samples {
	out := graph.NewSamples(s.Shape)
	for i, v := range s.Values {
		out.Values[i] = float32(v)
	}
	return out
}

// Eval returns the result of a graph for a picture, computed slowly in float64 by the definitions of the operations.
func Eval(g *graph.Graph, picture graph.Samples) graph.Samples {
	return EvalEach(g, picture, func(graph.Samples) {})
}

// EvalEach does what Eval does: it computes the result of g for a picture in float64. It calls visit with the picture
// and then with the samples of each further node, rounded to float32.
func EvalEach(g *graph.Graph, picture graph.Samples, visit func(graph.Samples)) graph.Samples {
	shapes, err := g.Shapes(picture.W, picture.H)
	if err != nil {
		panic("graphtest: " + err.Error())
	}
	all := []exact{exactOf(picture)}
	visit(picture)
	for i, n := range g.Nodes[1:] {
		var in []exact
		for _, from := range n.Inputs {
			in = append(in, all[from])
		}
		all = append(all, apply(n.Op, shapes[i+1], in))
		visit(all[i+1].rounded())
	}
	return all[g.Output].rounded()
}

func exactOf(s graph.Samples) exact {
	out := exact{s.Shape, make([]float64, len(s.Values))}
	for i, v := range s.Values {
		out.Values[i] = float64(v)
	}
	return out
}

// Apply returns the result, of the given shape, of an operation with one input.
func Apply(op graph.Op, shape graph.Shape, in graph.Samples) graph.Samples {
	return apply(op, shape, []exact{exactOf(in)}).rounded()
}

// apply returns op's result, of the given shape, for inputs in: from convolve or fill, else from value for each sample.
func apply(op graph.Op, shape graph.Shape, in []exact) exact {
	out := exact{shape, make([]float64, shape.W*shape.H*shape.Channels)}
	if c, ok := op.(graph.Conv); ok {
		convolve(c, out, in[0])
		return out
	}
	if fill(op, out, in) {
		return out
	}
	for i := range out.Values {
		x, y, c := i/out.Channels%out.W, i/out.Channels/out.W, i%out.Channels
		out.Values[i] = value(op, in, x, y, c)
	}
	return out
}

// convolve sets out to the convolution of s, one row of sums at a time.
func convolve(op graph.Conv, out, s exact) {
	planes := make([]float64, len(s.Values)) // one channel after another
	for i, v := range s.Values {
		planes[i%s.Channels*s.W*s.H+i/s.Channels] = v
	}
	sums := make([]float64, out.W)
	in, taps := s.Channels/op.Groups, op.Height*op.Width
	for o := range op.Out {
		first := o / (op.Out / op.Groups) * in
		for y := range out.H {
			clear(sums)
			for i := range in * taps {
				sy := y - op.Pad.Top + i%taps/op.Width*op.Dilation
				if sy < 0 || sy >= s.H {
					continue
				}
				row := planes[((first+i/taps)*s.H+sy)*s.W:][:s.W]
				shift, w := i%op.Width*op.Dilation-op.Pad.Left, float64(op.Weight[o*in*taps+i])
				for x := max(-shift, 0); x < min(len(sums), s.W-shift); x++ {
					sums[x] += w * row[x+shift]
				}
			}
			for x, sum := range sums {
				if op.Bias != nil {
					sum += float64(op.Bias[o])
				}
				out.At(x, y)[o] = sum
			}
		}
	}
}

// value returns the sample of channel c at (x, y) of the result of op, by its definition.
func value(op graph.Op, in []exact, x, y, c int) float64 {
	s := in[0]
	v := func(k int) float64 { // the sample of input k; a single channel or pixel is repeated
		return at(in[k], min(x, in[k].W-1), min(y, in[k].H-1), min(c, in[k].Channels-1))
	}
	switch op := op.(type) {
	case graph.ConvTranspose:
		return convTransposeValue(op, s, x, y, c)
	case graph.PReLU:
		return max(v(0), 0) + valueFor(op.Slope, c)*min(v(0), 0)
	case graph.Function:
		return functionValue(op, v(0))
	case graph.Clip:
		return min(max(v(0), float64(op.Min)), float64(op.Max))
	case graph.Affine:
		return v(0)*valueFor(op.Scale, c) + valueFor(op.Offset, c)
	case graph.Add:
		return v(0) + v(1)
	case graph.Sub:
		return v(0) - v(1)
	case graph.Mul:
		return v(0) * v(1)
	case graph.Concat:
		for _, s := range in {
			if c < s.Channels {
				return at(s, x, y, c)
			}
			c -= s.Channels
		}
	case graph.Select:
		return at(s, x, y, op.Channels[c])
	case graph.PixelShuffle:
		r := op.Factor
		return at(s, x/r, y/r, c*r*r+y%r*r+x%r)
	case graph.PixelUnshuffle:
		r := op.Factor
		return at(s, x*r+c%r, y*r+c%(r*r)/r, c/(r*r))
	case graph.Pad:
		return padValue(op, s, x-op.Left, y-op.Top, c)
	}
	panic("no such operation")
}

// at returns a sample, or 0 beyond the edges.
func at(s exact, x, y, c int) float64 {
	if x < 0 || x >= s.W || y < 0 || y >= s.H {
		return 0
	}
	return s.Values[(y*s.W+x)*s.Channels+c]
}

// valueFor returns the value for channel c from a list of one value per channel or of a single value.
func valueFor(list []float32, c int) float64 {
	if len(list) == 1 {
		c = 0
	}
	return float64(list[c])
}

// convTransposeValue returns the sample of channel c at (x, y): the sum over all samples of s with taps that reach it.
func convTransposeValue(op graph.ConvTranspose, s exact, x, y, c int) (sum float64) {
	if op.Bias != nil {
		sum = float64(op.Bias[c])
	}
	in, out := s.Channels/op.Groups, op.Out/op.Groups
	for i := c / out * in; i < (c/out+1)*in; i++ {
		for sy := range s.H {
			for sx := range s.W {
				ky, kx := y+op.Pad-sy*op.Stride, x+op.Pad-sx*op.Stride
				if ky < 0 || ky >= op.Kernel || kx < 0 || kx >= op.Kernel {
					continue
				}
				sum += at(s, sx, sy, i) * float64(op.Weight[((i*out+c%out)*op.Kernel+ky)*op.Kernel+kx])
			}
		}
	}
	return sum
}

// functionValue returns f(x) by the definition of f in float64.
func functionValue(f graph.Function, x float64) float64 {
	sigmoid := 1 / (1 + math.Exp(-x))
	softplus := math.Log(1 + math.Exp(x))
	hard := min(max(x+3, 0), 6) / 6
	switch f {
	case graph.Sigmoid:
		return sigmoid
	case graph.Tanh:
		return (math.Exp(x) - math.Exp(-x)) / (math.Exp(x) + math.Exp(-x))
	case graph.SiLU:
		return x * sigmoid
	case graph.GELU:
		return x * (1 + math.Erf(x/math.Sqrt(2))) / 2
	case graph.GELUTanh:
		return x / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*math.Pow(x, 3))))
	case graph.Mish:
		return x * math.Tanh(softplus)
	case graph.ELU:
		if x > 0 {
			return x
		}
		return math.Exp(x) - 1
	case graph.Softplus:
		return softplus
	case graph.HardSwish:
		return x * hard
	case graph.Abs:
		return math.Abs(x)
	case graph.Square:
		return x * x
	case graph.Sqrt:
		return math.Sqrt(x)
	case graph.Reciprocal:
		return 1 / x
	case graph.Floor:
		return math.Floor(x)
	case graph.Ceil:
		return math.Ceil(x)
	case graph.Round:
		return math.RoundToEven(x)
	case graph.Sign, graph.Positive:
		switch {
		case x > 0:
			return 1
		case x < 0 && f == graph.Sign:
			return -1
		}
		return 0
	}
	return math.Exp(x) // graph.Exp
}

// resizeValue returns the sample of channel c at (x, y) of s resized to the shape to. Edge samples repeat beyond edges.
// The sum is over 4 samples to each side, more than the kernels reach.
func resizeValue(op graph.Resize, s exact, to graph.Shape, x, y, c int) (sum float64) {
	if op.By == graph.Nearest {
		return at(s, x*s.W/to.W, y*s.H/to.H, c)
	}
	px, py := position(op, x, s.W, to.W), position(op, y, s.H, to.H)
	for sy := int(py) - 4; sy <= int(py)+4; sy++ {
		for sx := int(px) - 4; sx <= int(px)+4; sx++ {
			v := at(s, min(max(sx, 0), s.W-1), min(max(sy, 0), s.H-1), c)
			sum += v * kernelAt(op, px-float64(sx)) * kernelAt(op, py-float64(sy))
		}
	}
	return sum
}

// position returns the coordinate in an input of `from` samples for sample i of a result of `to` samples.
func position(op graph.Resize, i, from, to int) float64 {
	if op.AlignCorners {
		if to == 1 {
			return 0
		}
		return float64(i) * float64(from-1) / float64(to-1)
	}
	return (float64(i)+0.5)*float64(from)/float64(to) - 0.5
}

// kernelAt returns the weight of a sample at distance d in the interpolation of op: linear, or Keys's cubic with A.
func kernelAt(op graph.Resize, d float64) float64 {
	d = math.Abs(d)
	a := op.A
	switch {
	case op.By == graph.Bilinear:
		return max(0, 1-d)
	case d < 1:
		return (a+2)*d*d*d - (a+3)*d*d + 1
	case d < 2:
		return a*d*d*d - 5*a*d*d + 8*a*d - 4*a
	}
	return 0
}

// padValue returns the sample of channel c at (x, y) of s. Beyond the edges it is 0, unless op.Mode says otherwise.
func padValue(op graph.Pad, s exact, x, y, c int) float64 {
	switch op.Mode {
	case graph.PadEdge:
		x, y = min(max(x, 0), s.W-1), min(max(y, 0), s.H-1)
	case graph.PadReflect:
		x, y = s.W-1-abs(s.W-1-abs(x)), s.H-1-abs(s.H-1-abs(y))
	}
	return at(s, x, y, c)
}

func abs(i int) int { return max(i, -i) }
