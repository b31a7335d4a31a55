package networks

import (
	"errors"
	"fmt"
	"math"

	"superres/internal/kernel"
	"superres/internal/lines"
	"superres/internal/parallel"
	"superres/superres/networks/graph"
)

// convolution is a convolution of integers: weights for the integers of its input, and biases, both as real numbers.
type convolution struct {
	node   specNode
	from   values // the input
	weight []float64
	bias   []float64
	slope  []float64 // of negative results
	// isPlain is true if each weight is rounded to the nearest integer.
	isPlain bool
}

// conv compiles a convolution, and the PReLU that follows it where nobody else takes its values.
func (c *compiler) conv(i int, op graph.Conv) (compiled, error) {
	if c.inParts {
		return c.convInParts(i, op)
	}
	in, err := c.integers(c.graph.Nodes[i].Inputs[0])
	if err != nil {
		return compiled{}, err
	}
	v := c.convolution(op, in)
	if c.isTail[i] {
		return c.sums(v)
	}
	if users := c.users[i]; len(users) == 1 {
		if next, ok := c.graph.Nodes[users[0]].Op.(graph.PReLU); ok {
			for o := range v.slope {
				v.slope[o] = float64(next.Slope[o%len(next.Slope)])
			}
			i = users[0]
			c.isFused[i] = true
		}
	}
	return c.quantise(i, v)
}

// convolution returns op for inputs in integers.
func (c *compiler) convolution(op graph.Conv, in compiled) *convolution {
	from := c.builder.nodes[in.integers]
	taps, perGroup := op.Height*op.Width, from.channels/op.Groups
	v := &convolution{from: from, node: specNode{
		Op: "conv", In: []int{in.integers}, Channels: op.Out, Height: op.Height, Width: op.Width, Dilation: op.Dilation,
		Top: op.Pad.Top, Left: op.Pad.Left, Bottom: op.Pad.Bottom, Right: op.Pad.Right,
	}}
	v.bias, v.slope = make([]float64, op.Out), make([]float64, op.Out)
	for o := range v.bias {
		v.slope[o] = 1
		if op.Bias != nil {
			v.bias[o] = float64(op.Bias[o])
		}
	}
	isDepthwise := op.Groups > 1 && op.Groups == from.channels && op.Out == from.channels && from.step%kernel.Lanes == 0
	if isDepthwise {
		v.node.Op = "depthwise"
		v.weight = make([]float64, len(op.Weight))
		for k, w := range op.Weight {
			v.weight[k] = float64(w) * in.units[k/taps]
		}
		return v
	}
	// A convolution in groups is one with weights of 0 between them.
	v.weight = make([]float64, op.Out*from.channels*taps)
	for o := range op.Out {
		first := o / (op.Out / op.Groups) * perGroup
		for k := range perGroup {
			for t := range taps {
				w := float64(op.Weight[(o*perGroup+k)*taps+t])
				v.weight[(o*from.channels+first+k)*taps+t] = w * in.units[first+k]
			}
		}
	}
	return v
}

// round returns the weights and biases of v as integers, and the gain of each output: the integer that stands for 1.
func (c *compiler) round(v *convolution) (a arrays, gains []float64, err error) {
	n := v.node
	var all moments
	if !v.isPlain {
		all = momentsOf(c.whole[n.In[0]], v.from.channels, n.Height, n.Width, n.Dilation, c.alone)
	}
	outputs, per := n.Channels, len(v.weight)/n.Channels
	gains, errs := make([]float64, outputs), make([]error, outputs)
	a = arrays{weights: make([]int16, len(v.weight)), bias: make([]int32, outputs)}
	err = parallel.For(c.ctx, outputs, 1, func() func(lo, hi int) {
		return func(o, _ int) {
			m := all
			if n.Op == "depthwise" {
				m.means, m.channels = m.means[o:o+1], [][]float64{{1}}
			}
			a.bias[o], gains[o], errs[o] = v.roundOutput(&m, o, a.weights[o*per:(o+1)*per])
		}
	})
	return a, gains, errors.Join(append(errs, err)...)
}

// roundOutput sets to to the weights of output o as integers, and returns its bias and its gain. That is the largest
// for which no sum can overflow.
func (v *convolution) roundOutput(m *moments, o int, to []int16) (bias int32, gain float64, err error) {
	weight := v.weight[o*len(to):][:len(to)]
	most, all := 0., 0.
	for _, w := range weight {
		most, all = max(most, math.Abs(w)), all+math.Abs(w)
	}
	if gain = 1; all > 0 || v.bias[o] != 0 {
		gain = v.largestGain(all, v.bias[o])
	}
	if v.node.isTiled() {
		most = max(most, greatestTransformed(weight))
	}
	if most > 0 {
		gain = min(gain, math.MaxInt16/most)
	}
	if math.IsNaN(gain) || math.IsInf(gain, 0) || gain <= 0 {
		return 0, 0, errors.New("its weights are out of the range of integers")
	}
	for range 100 {
		added := 0.
		if v.isPlain {
			for k, w := range weight {
				to[k] = int16(math.RoundToEven(w * gain))
			}
		} else {
			added = m.round(to, weight, gain)
		}
		exact := math.Round(float64(v.bias[o]*gain) + added)
		if bias = int32(min(max(exact, math.MinInt32), math.MaxInt32)); v.fits(to, bias) {
			return bias, gain, nil
		}
		gain *= 0.99
	}
	return 0, 0, errors.New("its weights are out of the range of integers")
}

// largestGain returns the gain for which sums of weights with the given sum of magnitudes would just not overflow.
func (v *convolution) largestGain(all, bias float64) float64 {
	gain := math.MaxInt32 / (float64(float64(v.from.largest(v.node.Op))*all) + math.Abs(bias))
	if v.node.isTiled() {
		gain = min(gain, kernel.MaxWinogradSum/(float64(float64(v.from.tileInput())*all)+math.Abs(bias)))
	}
	return gain
}

// fits reports whether no sum with the weights and bias of an output can overflow.
func (v *convolution) fits(weights []int16, bias int32) bool {
	all := int64(0)
	for _, w := range weights {
		all += max(int64(w), -int64(w))
	}
	most := max(int64(bias), -int64(bias))
	if most+all*v.from.largest(v.node.Op) > math.MaxInt32 {
		return false
	}
	if !v.node.isTiled() {
		return true
	}
	exact := make([]float64, len(weights))
	for i, w := range weights {
		exact[i] = float64(w)
	}
	return most+all*v.from.tileInput() <= kernel.MaxWinogradSum && greatestTransformed(exact) <= math.MaxInt16
}

// greatestTransformed returns the greatest magnitude of 3×3 weights after Winograd's filter transform.
func greatestTransformed(weight []float64) (most float64) {
	for ; len(weight) > 0; weight = weight[9:] {
		var taps [3][3]float64
		for t, w := range weight[:9] {
			taps[t/3][t%3] = w
		}
		for _, w := range kernel.TransformTaps(taps) {
			most = max(most, math.Abs(w))
		}
	}
	return most
}

// tiny is the factor of the sums that are measured, which have to be multiplied by less than 1.
const tiny = 1. / (1 << 31)

// quantise adds the convolution as one with integers for a result.
func (c *compiler) quantise(i int, v *convolution) (compiled, error) {
	a, gains, err := c.round(v)
	if err != nil {
		return compiled{}, err
	}
	reached, err := c.greatest(v, a, gains)
	if err != nil {
		return compiled{}, err
	}
	units := c.units(i, reached)
	for o, gain := range gains {
		// A sum is multiplied by less than 1.
		units[o] = max(units[o], 1.001*max(1, math.Abs(v.slope[o]))/gain)
	}
	arrange(units, c.wants(i))
	v.node.Most = math.MaxInt16
	for o, gain := range gains {
		a.floats = append(a.floats, float32(1/float64(gain*units[o])))
	}
	for o, gain := range gains {
		a.floats = append(a.floats, float32(v.slope[o]/float64(gain*units[o])))
	}
	if err := c.emit(v.node, a); err != nil {
		return compiled{}, err
	}
	return compiled{integers: c.last(), floats: -1, units: units}, nil
}

// greatest returns the greatest magnitudes of the results of a convolution.
func (c *compiler) greatest(v *convolution, a arrays, gains []float64) (reach, error) {
	n, reached := v.node, newReach(len(gains))
	each := func(picture, o int, sum float32) {
		value := float64(sum) / float64(gains[o]*tiny)
		if value < 0 {
			value *= v.slope[o]
		}
		reached.add(picture, o, value)
	}
	for range gains {
		a.floats = append(a.floats, tiny)
	}
	if n.Op == "depthwise" {
		return reached, c.eachDepthwise(v, a, each)
	}
	n.Op = "sums"
	measured, err := c.measure(n, a)
	for p, r := range measured {
		for y := range r.H {
			row := r.FloatRow(y)
			for x := range r.W {
				for o, sum := range row[x*r.Step:][:len(gains)] {
					each(p, o, sum)
				}
			}
		}
	}
	return reached, err
}

// eachDepthwise calls each with the sums, times tiny, of a convolution of each channel by itself.
func (c *compiler) eachDepthwise(v *convolution, a arrays, each func(picture, o int, sum float32)) error {
	n, taps := v.node, v.node.Height*v.node.Width
	for p, in := range c.whole[n.In[0]] {
		w := in.W + n.Left + n.Right - (n.Width-1)*n.Dilation
		h := in.H + n.Top + n.Bottom - (n.Height-1)*n.Dilation
		for y := range h {
			if err := c.ctx.Err(); err != nil {
				return err
			}
			for x := range w {
				for o := range n.Channels {
					each(p, o, float32(depthwiseSum(in, &n, a.weights[o*taps:][:taps], a.bias[o], o, x, y))*tiny)
				}
			}
		}
	}
	return nil
}

// depthwiseSum returns the sum of one channel at (x, y).
func depthwiseSum(in *lines.Rows, n *specNode, weights []int16, bias int32, o, x, y int) int32 {
	sum := bias
	for t, w := range weights {
		row, column := y-n.Top+t/n.Width*n.Dilation, x-n.Left+t%n.Width*n.Dilation
		if row >= 0 && row < in.H && column >= 0 && column < in.W {
			sum += int32(w) * int32(in.Row(row)[column*in.Step+o])
		}
	}
	return sum
}

// sums adds the convolution as one with float32 for a result.
func (c *compiler) sums(v *convolution) (compiled, error) {
	if v.node.Op == "depthwise" {
		return compiled{}, errors.New("at the end of a network it has to see all channels")
	}
	a, gains, err := c.round(v)
	if err != nil {
		return compiled{}, err
	}
	for _, gain := range gains {
		if gain <= 1 {
			return compiled{}, fmt.Errorf("its weights are too large: an integer would stand for %g", 1/gain)
		}
		a.floats = append(a.floats, float32(1/gain))
	}
	v.node.Op = "sums"
	if err := c.emit(v.node, a); err != nil {
		return compiled{}, err
	}
	if n := v.node.Channels; n%kernel.Lanes != 0 {
		identity := arrays{}
		for i := range n {
			identity.indexes = append(identity.indexes, int32(i))
		}
		if err := c.emit(specNode{Op: "floatgather", In: []int{c.last()}, Channels: n}, identity); err != nil {
			return compiled{}, err
		}
	}
	return compiled{integers: -1, floats: c.last()}, nil
}
