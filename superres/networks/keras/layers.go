package keras

import (
	"encoding/json"
	"errors"
	"math"

	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

// config holds the parameters of all kinds of layers that are supported. Newer files have NewShape and NewAlpha.
type config struct {
	Name          string          `json:"name"`
	Shape         []*int          `json:"batch_input_shape"`
	NewShape      []*int          `json:"batch_shape"`
	Filters       int             `json:"filters"`
	Kernel        pair            `json:"kernel_size"`
	Strides       pair            `json:"strides"`
	Dilation      pair            `json:"dilation_rate"`
	Pool          pair            `json:"pool_size"`
	Size          pair            `json:"size"`
	Groups        int             `json:"groups"`
	Multiplier    int             `json:"depth_multiplier"`
	Padding       json.RawMessage `json:"padding"`
	Cropping      json.RawMessage `json:"cropping"`
	Activation    string          `json:"activation"`
	DataFormat    string          `json:"data_format"`
	Interpolation string          `json:"interpolation"`
	Axis          json.RawMessage `json:"axis"`
	Alpha         *float64        `json:"alpha"`
	NewAlpha      *float64        `json:"negative_slope"`
	MaxValue      *float64        `json:"max_value"`
	Threshold     float64         `json:"threshold"`
	Epsilon       float64         `json:"epsilon"`
	Scale         json.RawMessage `json:"scale"`
	Offset        float64         `json:"offset"`
	KeepDims      bool            `json:"keepdims"`
}

// pair holds a number for the vertical and one for the horizontal direction. A file may have a single number for both.
type pair [2]int

// UnmarshalJSON implements json.Unmarshaler. A single number stands for both, and null leaves the pair as it is.
func (p *pair) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	if json.Unmarshal(data, &p[0]) == nil {
		p[1] = p[0]
		return nil
	}
	var list []int
	if err := json.Unmarshal(data, &list); err != nil || len(list) != 2 {
		return errors.New("expected one number or two")
	}
	*p = pair(list)
	return nil
}

// call is a layer that is being read. Its methods panic with a fail.Failure at the first error.
type call struct {
	*reader
	config
	name, class string
	in          []int // the nodes of the graph that the layer takes
}

// maker says how to make the nodes of a kind of layer, and whether it takes many inputs. make returns the last node.
type maker struct {
	takesMany bool
	make      func(*call) int
}

// makers maps each supported kind of layer to its maker. The last four kinds are UpscalerJS's own. An Activation adds
// nothing itself, since reader.add adds the activation of every layer.
var makers map[string]maker

func init() {
	combine := func(op graph.Op) maker { return maker{true, func(c *call) int { return c.combine(op) }} }
	same := maker{false, func(c *call) int { return c.in[0] }}
	makers = map[string]maker{ // true: the layer takes several inputs
		"Conv2D": {false, (*call).conv}, "DepthwiseConv2D": {false, (*call).conv},
		"Conv2DTranspose": {false, (*call).transposed}, "BatchNormalization": {false, (*call).batchNormalization},
		"Add": combine(graph.Add{}), "Multiply": combine(graph.Mul{}), "Subtract": combine(graph.Sub{}),
		"Maximum": combine(graph.Max{}), "Minimum": combine(graph.Min{}),
		"Concatenate": {true, (*call).concatenate}, "Activation": same, "Dropout": same, "SpatialDropout2D": same,
		"ReLU": {false, (*call).relu}, "LeakyReLU": {false, (*call).relu}, "PReLU": {false, (*call).prelu},
		"UpSampling2D": {false, (*call).upSampling}, "Rescaling": {false, (*call).rescaling},
		"MaxPooling2D": {false, (*call).pool}, "AveragePooling2D": {false, (*call).pool},
		"GlobalAveragePooling2D": {false, (*call).globalPool}, "GlobalMaxPooling2D": {false, (*call).globalPool},
		"ZeroPadding2D": {false, (*call).pad}, "Cropping2D": {false, (*call).pad},
		"MultiplyBeta": {false, (*call).multiplyBeta}, "PixelShuffle2x": {false, shuffle(2)},
		"PixelShuffle3x": {false, shuffle(3)}, "PixelShuffle4x": {false, shuffle(4)},
	}
}

// The sides of the example picture for networks that take any size: multiples of 48, since networks may divide sides.
const exampleWidth, exampleHeight = 240, 336

// input returns a Builder for the picture that an InputLayer describes. Sides that it leaves open get the example's,
// and channels are 3. The shape of the layer is the number of pictures, the height, the width and the channels.
func (c *call) input() *graph.Builder {
	shape := c.Shape
	if shape == nil {
		shape = c.NewShape
	}
	fail.When(len(shape) != 4, "a picture of %d dimensions, expected 4", len(shape))
	sides := [3]int{exampleHeight, exampleWidth, 3}
	for i := range sides {
		if shape[i+1] != nil {
			sides[i] = *shape[i+1]
		}
	}
	return fail.Need(graph.NewBuilder(c.name, graph.Shape{H: sides[0], W: sides[1], Channels: sides[2]}))
}

// weight returns the named weights of the layer. It fails unless they have the given number of dimensions.
func (c *call) weight(name string, rank int) weight {
	w, ok := c.weights[c.name+"/"+name]
	fail.When(!ok || len(w.shape) != rank, "lacks weights %q of %d dimensions", name, rank)
	return w
}

// bias returns the biases of the layer; nil if it has none.
func (c *call) bias() []float32                { return c.weights[c.name+"/bias"].data }
func (c *call) add(op graph.Op, in ...int) int { return fail.Need(c.builder.Add(c.name, op, in...)) }

// text returns a text from the config of a layer; empty if data is no text.
func text(data json.RawMessage) (s string) {
	_ = json.Unmarshal(data, &s) // if data is no text, s stays empty
	return s
}

// edges returns the padding of a layer, given its stride and how many samples its taps span, both down and across: none
// if the file says "valid". If it says "same", the layer divides sides by stride, where they are multiples of it.
func (c *call) edges(taps, stride pair) (e graph.Edges) {
	switch text(c.Padding) {
	case "valid":
	case "same":
		down, across := max(taps[0]-stride[0], 0), max(taps[1]-stride[1], 0)
		e = graph.Edges{Top: down / 2, Left: across / 2, Bottom: down - down/2, Right: across - across/2}
	default:
		panic(fail.With("with padding %.20q is not supported", text(c.Padding)))
	}
	fail.When(c.DataFormat == "channels_first", "with the channels first is not supported")
	return e
}

// strides returns the stride and the dilation, 1 if not stated. They must be the same down and across, and not large.
func (c *call) strides() (stride, dilation int) {
	stride, dilation = max(c.Strides[0], 1), max(c.Dilation[0], 1)
	fail.When(c.Strides[0] != c.Strides[1] || c.Dilation[0] != c.Dilation[1] || max(stride, dilation) > graph.MaxScale,
		"with the strides %v and the dilations %v is not supported", c.Strides, c.Dilation)
	return stride, dilation
}

// conv adds a Conv2D or DepthwiseConv2D. The graph orders the weights by output, input (of the group) and tap.
func (c *call) conv() int {
	name, isDepthwise := "kernel", c.class == "DepthwiseConv2D"
	if isDepthwise {
		name = "depthwise_kernel"
	}
	w := c.weight(name, 4)
	stride, dilation := c.strides()
	height, width, in, out := w.shape[0], w.shape[1], w.shape[2], w.shape[3]
	op := graph.Conv{Out: out, Height: height, Width: width, Dilation: dilation, Groups: max(c.Groups, 1),
		Bias: c.bias(), Weight: make([]float32, len(w.data))}
	if isDepthwise { // every input channel has `out` outputs
		op.Groups, op.Out = in, in*out
	}
	spans := pair{(height-1)*dilation + 1, (width-1)*dilation + 1}
	op.Pad = c.edges(spans, pair{stride, stride})
	for i, v := range w.data { // the order in the file: taps, inputs, outputs
		tap, from, to := i/(in*out), i/out%in, i%out
		k := (to*in+from)*height*width + tap
		if isDepthwise {
			k = (from*out+to)*height*width + tap
		}
		op.Weight[k] = v
	}
	return fail.Need(c.builder.AddStrided(c.name, op, stride, c.in[0]))
}

// transposed adds a Conv2DTranspose with square taps, as many or more along a side as the stride.
func (c *call) transposed() int {
	w := c.weight("kernel", 4)
	stride, dilation := c.strides()
	side, out, in := w.shape[0], w.shape[2], w.shape[3]
	fail.When(dilation != 1 || w.shape[1] != side || side < stride,
		"with %d×%d taps, dilation %d and stride %d is not supported", w.shape[1], side, dilation, stride)
	op := graph.ConvTranspose{Out: out, Kernel: side, Stride: stride, Groups: 1, Bias: c.bias(),
		Weight: make([]float32, len(w.data))}
	for i, v := range w.data { // the order in the file: taps, outputs, inputs
		tap, to, from := i/(in*out), i/in%out, i%in
		op.Weight[(from*out+to)*side*side+tap] = v
	}
	cut := c.edges(pair{side, side}, pair{stride, stride}) // what a convolution pads, the transposed one cuts off
	return fail.Need(c.builder.AddTransposed(c.name, op, cut, c.in[0]))
}

// batchNormalization adds a BatchNormalization. A list that the file lacks gets its usual value for each channel.
func (c *call) batchNormalization() int {
	channels := c.builder.Shape(c.in[0]).Channels
	values := map[string][]float32{}
	for name, usual := range map[string]float32{"gamma": 1, "beta": 0, "moving_mean": 0, "moving_variance": 1} {
		if values[name] = c.weights[c.name+"/"+name].data; values[name] == nil {
			for range channels {
				values[name] = append(values[name], usual)
			}
		}
	}
	return c.add(fail.Need(graph.BatchNorm(values["gamma"], values["beta"], values["moving_mean"],
		values["moving_variance"], c.Epsilon)), c.in[0])
}

// combine adds op for the first two inputs, then for the result and each further input.
func (c *call) combine(op graph.Op) (node int) {
	node = c.in[0]
	for _, other := range c.in[1:] {
		node = c.add(op, node, other)
	}
	return node
}

func (c *call) concatenate() int {
	axis := string(c.Axis)
	fail.When(axis != "-1" && axis != "3" && axis != "",
		"along axis %.20s is not supported, only along the channels", axis)
	return c.add(graph.Concat{}, c.in...)
}

// relu adds a ReLU or LeakyReLU with the slope below 0 and the upper limit (6 for a ReLU6) that the file states.
func (c *call) relu() int {
	slope := 0.
	if c.class == "LeakyReLU" {
		slope = 0.3 // Keras's default
	}
	for _, stated := range []*float64{c.Alpha, c.NewAlpha} {
		if stated != nil {
			slope = *stated
		}
	}
	fail.When(c.Threshold != 0, "with the threshold %g is not supported", c.Threshold)
	node := c.add(graph.PReLU{Slope: []float32{float32(slope)}}, c.in[0])
	if c.MaxValue == nil {
		return node
	}
	return c.add(graph.Clip{Min: -math.MaxFloat32, Max: float32(*c.MaxValue)}, node)
}

// prelu adds a PReLU with one slope for each channel: the shape of the weights is 1 apart from the last side.
func (c *call) prelu() int {
	w := c.weights[c.name+"/alpha"]
	n := len(w.shape)
	fail.When(n == 0 || n > 3 || len(w.data) != w.shape[n-1],
		"with slopes of the shape %v is not supported, only with one for each channel", w.shape)
	return c.add(graph.PReLU{Slope: w.data}, c.in[0])
}

// upSampling adds an UpSampling2D by nearest neighbour or bilinear interpolation.
func (c *call) upSampling() int {
	op := graph.Resize{Up: c.Size[0], Down: 1}
	isBilinear := c.Interpolation == "bilinear"
	isKnown := isBilinear || c.Interpolation == "nearest" || c.Interpolation == ""
	fail.When(!isKnown || c.Size[0] != c.Size[1], "by %v and %.20q is not supported", c.Size, c.Interpolation)
	if isBilinear {
		op.By = graph.Bilinear
	}
	return c.add(op, c.in[0])
}

func (c *call) rescaling() int {
	scale := 1.
	fail.If(json.Unmarshal(c.Scale, &scale))
	return c.add(graph.Affine{Scale: []float32{float32(scale)}, Offset: []float32{float32(c.Offset)}}, c.in[0])
}

// pool adds a MaxPooling2D or AveragePooling2D. A stride that is not stated is the side of the window.
func (c *call) pool() int {
	op := graph.Pool{IsMax: c.class == "MaxPooling2D", Height: c.Pool[0], Width: c.Pool[1], Stride: c.Strides[0]}
	if op.Stride == 0 {
		op.Stride = c.Pool[0]
	}
	fail.When(c.Strides[0] != c.Strides[1] || c.Strides[0] == 0 && c.Pool[0] != c.Pool[1],
		"with the strides %v of windows of %v is not supported", c.Strides, c.Pool)
	op.Pad = c.edges(c.Pool, pair{op.Stride, op.Stride})
	return c.add(op, c.in[0])
}

// globalPool reduces each channel of the picture to its mean or maximum. It needs keepdims: a picture of one pixel.
func (c *call) globalPool() int {
	op := graph.Reduce{OfPicture: true}
	if c.class == "GlobalMaxPooling2D" {
		op.By = graph.Maximum
	}
	fail.When(!c.KeepDims, "that leaves no picture is not supported")
	return c.add(op, c.in[0])
}

// pad adds a ZeroPadding2D, or a Cropping2D as a padding by negative numbers. The file states one number for each side,
// one for rows and one for columns, or one for all.
func (c *call) pad() int {
	data, sign := c.Padding, 1
	if c.class == "Cropping2D" {
		data, sign = c.Cropping, -1
	}
	var sides [2]pair // numbers before and after, first of rows, then of columns
	var each pair
	if err := json.Unmarshal(data, &sides); err != nil {
		fail.If(json.Unmarshal(data, &each))
		sides = [2]pair{{each[0], each[0]}, {each[1], each[1]}}
	}
	return c.add(graph.Pad{Edges: graph.Edges{Top: sign * sides[0][0], Bottom: sign * sides[0][1],
		Left: sign * sides[1][0], Right: sign * sides[1][1]}}, c.in[0])
}

// multiplyBeta adds the layer MultiplyBeta of UpscalerJS, which multiplies by 0.2.
func (c *call) multiplyBeta() int {
	return c.add(graph.Affine{Scale: []float32{0.2}, Offset: []float32{0}}, c.in[0])
}

// shuffle returns a function for maker.make that adds a pixel shuffle. Of its input, all channels for one place in the
// blocks of factor×factor pixels stand together.
func shuffle(factor int) func(*call) int {
	return func(c *call) int { return fail.Need(c.builder.AddShuffle(c.name, factor, true, c.in[0])) }
}

// activations are the functions that layers may apply to their result.
var activations = map[string]graph.Op{
	"relu": graph.PReLU{Slope: []float32{0}}, "relu6": graph.Clip{Min: 0, Max: 6}, "sigmoid": graph.Sigmoid,
	"tanh": graph.Tanh, "swish": graph.SiLU, "silu": graph.SiLU, "gelu": graph.GELU, "mish": graph.Mish,
	"elu": graph.ELU, "softplus": graph.Softplus,
}

// activate adds the activation of the layer to node, if there is one, and returns the last node.
func (c *call) activate(node int) int {
	if c.Activation == "" || c.Activation == "linear" {
		return node
	}
	op, ok := activations[c.Activation]
	fail.When(!ok, "with the activation %.20q is not supported", c.Activation)
	return c.add(op, node)
}
