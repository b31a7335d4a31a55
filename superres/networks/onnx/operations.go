package onnx

import (
	"errors"
	"math"

	"superres/superres/networks/graph"
)

// many is the greatest number of inputs of operations that take any number.
const many = graph.MaxChannels

// operations has the operations that are supported, by their names.
var operations map[string]operation

func init() {
	const window = "auto_pad dilations group kernel_shape pads strides"
	const resize = "antialias axes coordinate_transformation_mode cubic_coeff_a exclude_outside extrapolation_value " +
		"keep_aspect_ratio_policy mode nearest_mode"
	operations = map[string]operation{
		"Conv":               {2, 3, window, (*call).conv, nil},
		"ConvTranspose":      {2, 3, window + " output_padding output_shape", (*call).convTranspose, nil},
		"BatchNormalization": {5, 5, "epsilon momentum spatial training_mode", (*call).batchNormalization, nil},

		"Add": arithmetic('+', foldBinary(addInts, addReals)),
		"Sub": arithmetic('-', foldBinary(subInts, func(a, b float64) float64 { return a - b })),
		"Mul": arithmetic('*', foldBinary(mulInts, func(a, b float64) float64 { return a * b })),
		"Div": arithmetic('/', foldBinary(divInts, func(a, b float64) float64 { return a / b })),
		"Sum": {1, many, "", (*call).sum, foldAll(foldBinary(addInts, addReals))},
		"Pow": {2, 2, "", (*call).pow, foldBinary(powInts, math.Pow)},
		"Max": {1, many, "", extreme(true), foldAll(foldBinary(maxInts, math.Max))},
		"Min": {1, many, "", extreme(false), foldAll(foldBinary(minInts, math.Min))},
		"Mod": {2, 2, "fmod", nil, foldBinary(modInts, math.Mod)},

		"Relu":        {1, 1, "", (*call).relu, nil},
		"LeakyRelu":   {1, 1, "alpha", (*call).leakyRelu, nil},
		"PRelu":       {2, 2, "", (*call).prelu, nil},
		"Elu":         {1, 1, "alpha", (*call).elu, nil},
		"Celu":        {1, 1, "alpha", (*call).celu, nil},
		"Gelu":        {1, 1, "approximate", (*call).gelu, nil},
		"HardSigmoid": {1, 1, "alpha beta", (*call).hardSigmoid, nil},
		"Clip":        {1, 3, "max min", (*call).clip, nil},
		"Sigmoid":     unary(logistic, graph.Sigmoid),
		"Tanh":        unary(math.Tanh, graph.Tanh),
		"Softplus":    unary(softplus, graph.Softplus),
		"Mish":        unary(mish, graph.Mish),
		"HardSwish":   unary(hardSwish, graph.HardSwish),
		"Abs":         unary(math.Abs, graph.Abs),
		"Neg":         unary(func(x float64) float64 { return -x }, affine(-1, 0)),
		"Exp":         unary(math.Exp, graph.Exp),
		"Log":         unary(math.Log, nil),
		"Erf":         unary(math.Erf, nil),
		"Sqrt":        unary(math.Sqrt, nil),
		"Reciprocal":  unary(func(x float64) float64 { return 1 / x }, nil),
		"Floor":       {1, 1, "", nil, foldUnary(math.Floor, true)},
		"Ceil":        {1, 1, "", nil, foldUnary(math.Ceil, true)},
		"Round":       {1, 1, "", nil, foldUnary(math.RoundToEven, true)},

		"Identity": {1, 1, "", (*call).same, nil},
		"Dropout":  {1, 3, "ratio seed", (*call).dropout, nil},
		"Cast":     {1, 1, "saturate to", (*call).castSamples, foldCast},
		"CastLike": {2, 2, "saturate", (*call).castLike, foldCastLike},
		"Concat":   {1, many, "axis", (*call).concat, foldConcat},
		"Split":    {1, 2, "axis num_outputs split", (*call).split, nil},
		"Slice":    {1, 5, "axes ends starts steps", (*call).sliceSamples, foldSlice},
		"Gather":   {2, 2, "axis", (*call).gatherSamples, foldGather},
		"Pad":      {1, 4, "mode pads value", (*call).pad, nil},

		"DepthToSpace": {1, 1, "blocksize mode", (*call).depthToSpace, nil},
		"SpaceToDepth": {1, 1, "blocksize", (*call).spaceToDepth, nil},
		"Reshape":      {1, 2, "allowzero shape", (*call).reshape, foldReshape},
		"Flatten":      {1, 1, "axis", (*call).reshape, foldReshape},
		"Squeeze":      {1, 2, "axes", (*call).reshape, foldReshape},
		"Unsqueeze":    {1, 2, "axes", (*call).reshape, foldReshape},
		"Transpose":    {1, 1, "perm", (*call).transpose, foldTranspose},
		"Resize":       {1, 4, resize, (*call).resize, nil},
		"Upsample":     {1, 2, "mode scales", (*call).resize, nil},

		"Shape":           {1, 1, "end start", (*call).shapeValue, foldShape},
		"Constant":        {0, 0, "value value_float value_floats value_int value_ints", nil, foldConstant},
		"ConstantOfShape": {1, 1, "value", nil, foldConstantOfShape},
		"Expand":          {2, 2, "", (*call).expand, foldExpand},
		"Tile":            {2, 2, "", (*call).tile, foldTile},
		"Range":           {3, 3, "", nil, foldRange},
		"Equal":           {2, 2, "", nil, foldBinary(equalInts, equalReals)},
		"Where":           {3, 3, "", nil, foldWhere},
	}
}

// dropout is Dropout, which changes nothing where a network only runs. Its second output is then of no use: no node may
// take it.
func (c *call) dropout() ([]*value, error) {
	if training, err := c.number(2, 0); err != nil || training != 0 {
		return nil, errors.New("for training is not supported")
	}
	return []*value{c.in[0], nil}, nil
}
