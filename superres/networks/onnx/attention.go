package onnx

import (
	"errors"
	"math"
	"slices"

	"superres/superres/networks/graph"
)

// attention computes Attention of ONNX 23: it weights values by the softmax of scaled products of queries and keys.
func (c *call) attention() ([]*value, error) {
	for _, v := range c.in[4:] {
		if v != nil {
			return nil, errors.New("with keys and values of before is not supported")
		}
	}
	heads := c.int("q_num_heads", 0)
	if c.outputs > 1 || c.int("is_causal", 0) != 0 || c.real("softcap", 0) != 0 ||
		heads != c.int("kv_num_heads", heads) {
		return nil, errors.New("of an order, with a cap, with several results, or with fewer heads of keys is not " +
			"supported")
	}
	q, isPacked, err := c.inHeads(c.in[0], heads)
	if err != nil {
		return nil, err
	}
	k, _, err := c.inHeads(c.in[1], heads)
	if err != nil {
		return nil, err
	}
	v, _, err := c.inHeads(c.in[2], heads)
	if err != nil {
		return nil, err
	}
	out, err := c.product(q, c.swapLast(k))
	if err != nil {
		return nil, err
	}
	scale := c.real("scale", 1/math.Sqrt(float64(c.sizes(q)[3])))
	if out, err = c.combineNumber('*', out[0], scale, false); err != nil {
		return nil, err
	}
	if c.in[3] != nil {
		if m := c.in[3].constant; m == nil || m.reals == nil {
			return nil, errors.New("with a mask that is no constant of real numbers is not supported")
		}
		if out, err = c.arithmetic('+', out[0], c.in[3]); err != nil {
			return nil, err
		}
	}
	if out, err = c.softmaxOf(out[0], 3); err == nil {
		out, err = c.product(out[0], v)
	}
	if err != nil || !isPacked {
		return out, err
	}
	dims := c.layout(out[0]).transposed([]int{0, 2, 1, 3})
	packed, err := dims.reshaped(c.sizes(c.in[0]))
	return []*value{out[0].arranged(packed)}, err
}

// inHeads returns an input of Attention in four dimensions, the second of which counts the heads. An input of three
// dimensions is packed: its last dimension is divided into the given number of heads.
func (c *call) inHeads(v *value, heads int) (out *value, isPacked bool, err error) {
	if v.constant != nil {
		return nil, false, errors.New("of constants is not supported")
	}
	sizes := c.sizes(v)
	if len(sizes) == 4 {
		return v, false, nil
	}
	if len(sizes) != 3 || heads < 1 || sizes[2]%heads != 0 {
		return nil, false, errView
	}
	dims, err := c.layout(v).reshaped([]int{sizes[0], sizes[1], heads, sizes[2] / heads})
	if err != nil {
		return nil, false, err
	}
	return v.arranged(dims.transposed([]int{0, 2, 1, 3})), true, nil
}

// rmsNormalization divides the channels of each pixel by the root of the mean of their squares.
func (c *call) rmsNormalization() ([]*value, error) {
	v := c.in[0]
	dims := slices.Clone(c.layout(v))
	last := len(dims) - 1
	first, err := axis(c.int("axis", -1), last+1)
	if err != nil {
		return nil, err
	}
	ofPicture, ofChannels, err := c.extent(v, []int{last})
	if err != nil || first != last || ofPicture || !ofChannels || c.outputs > 1 {
		return nil, errors.New("of other samples than the channels of a pixel is not supported")
	}
	mean, err := c.addChain(v, graph.Square, graph.Reduce{By: graph.Mean, OfChannels: true},
		affine(1, c.real("epsilon", 1e-5)), graph.Sqrt)
	if err != nil {
		return nil, err
	}
	dims[last] = nil
	out, err := c.arithmetic('/', v, mean[0].arranged(dims))
	if err != nil {
		return nil, err
	}
	return c.scaleAndOffset(out, 1, 2, 0)
}
