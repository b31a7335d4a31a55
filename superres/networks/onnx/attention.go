package onnx

import (
	"math"
	"slices"

	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

// attention computes Attention of ONNX 23: it weights values by the softmax of scaled products of queries and keys, to
// which a constant mask may be added. The inputs are queries, keys, values and mask.
func (c *call) attention() []*value {
	for _, v := range c.in[4:] {
		fail.When(v != nil, "with keys and values of before is not supported")
	}
	heads := c.int("q_num_heads", 0)
	fail.When(c.outputs > 1 || c.int("is_causal", 0) != 0 || c.real("softcap", 0) != 0 ||
		heads != c.int("kv_num_heads", heads),
		"of an order, with a cap, with several results, or with fewer heads of keys is not supported")
	q, isPacked := c.inHeads(c.in[0], heads)
	k, _ := c.inHeads(c.in[1], heads)
	v, _ := c.inHeads(c.in[2], heads)
	out := c.product(q, c.swapLast(k))
	scale := c.real("scale", 1/math.Sqrt(float64(c.sizes(q)[3])))
	out = c.combineNumber('*', out[0], scale, false)
	if c.in[3] != nil {
		mask := c.in[3].constant
		fail.When(mask == nil || mask.reals == nil, "with a mask that is no constant of real numbers is not supported")
		out = c.arithmetic('+', out[0], c.in[3])
	}
	out = c.product(c.softmaxOf(out[0], 3)[0], v)
	if !isPacked {
		return out
	}
	dims := c.layout(out[0]).transposed([]int{0, 2, 1, 3})
	packed := fail.Need(dims.reshaped(c.sizes(c.in[0])))
	return []*value{out[0].arranged(packed)}
}

// inHeads returns an input of Attention in four dimensions, the second of which counts the heads. An input of three
// dimensions is packed: its last dimension is divided into the given number of heads.
func (c *call) inHeads(v *value, heads int) (out *value, isPacked bool) {
	fail.When(v.constant != nil, "of constants is not supported")
	sizes := c.sizes(v)
	if len(sizes) == 4 {
		return v, false
	}
	errView.When(len(sizes) != 3 || heads < 1 || sizes[2]%heads != 0)
	dims := fail.Need(c.layout(v).reshaped([]int{sizes[0], sizes[1], heads, sizes[2] / heads}))
	return v.arranged(dims.transposed([]int{0, 2, 1, 3})), true
}

// rmsNormalization divides the channels of each pixel by √(mean of squares + epsilon), and multiplies by a constant.
func (c *call) rmsNormalization() []*value {
	v := c.in[0]
	dims := slices.Clone(c.layout(v))
	last := len(dims) - 1
	first := axis(c.int("axis", -1), last+1)
	ofPicture, ofChannels, err := c.extent(v, []int{last})
	fail.When(err != nil || first != last || ofPicture || !ofChannels || c.outputs > 1,
		"of other samples than the channels of a pixel is not supported")
	mean := c.addChain(v, graph.Square, graph.Reduce{By: graph.Mean, OfChannels: true},
		affine(1, c.real("epsilon", 1e-5)), graph.Sqrt)
	dims[last] = nil // of size 1: the mean has no channels
	out := c.arithmetic('/', v, mean[0].arranged(dims))
	return c.scaleAndOffset(out, 0) // 0: the constant lacks no dimension after its last, which is the channels
}
