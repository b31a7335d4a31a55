package onnx

import (
	"math"

	"superres/internal/elementary"
	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

// maxInputs is the greatest number of inputs for operations that take any number of them.
const maxInputs = graph.MaxChannels

// operations are the supported operations by name.
var operations map[string]operation

func init() {
	const window = "auto_pad dilations group kernel_shape pads strides"
	const resize = "antialias axes coordinate_transformation_mode cubic_coeff_a exclude_outside extrapolation_value " +
		"keep_aspect_ratio_policy mode nearest_mode"
	const pooling = "auto_pad ceil_mode dilations kernel_shape pads strides"
	const reducing = "axes keepdims noop_with_empty_axes"
	foldGreatest := foldReduce(math.Inf(-1), math.Max, total)
	operations = map[string]operation{
		"Conv":               {2, 3, window, (*call).conv, nil},
		"ConvTranspose":      {2, 3, window + " output_padding output_shape", (*call).convTranspose, nil},
		"BatchNormalization": {5, 5, "epsilon momentum spatial training_mode", (*call).batchNormalization, nil},

		"Add": arithmetic('+', foldBinary(addInts, addReals)),
		"Sub": arithmetic('-', foldBinary(subInts, func(a, b float64) float64 { return a - b })),
		"Mul": arithmetic('*', foldBinary(mulInts, mulReals)),
		"Div": arithmetic('/', foldBinary(divInts, func(a, b float64) float64 { return a / b })),
		"Sum": {1, maxInputs, "", combineAll('+'), foldAll(foldBinary(addInts, addReals))},
		"Pow": {2, 2, "", (*call).pow, foldBinary(powInts, elementary.Pow)},
		"Max": {1, maxInputs, "", combineAll('>'), foldAll(foldBinary(maxInts, math.Max))},
		"Min": {1, maxInputs, "", combineAll('<'), foldAll(foldBinary(minInts, math.Min))},
		"Mod": {2, 2, "fmod", nil, foldBinary(modInts, math.Mod)},

		"Relu":        {1, 1, "", (*call).relu, foldUnary(func(x float64) float64 { return max(x, 0) }, false)},
		"LeakyRelu":   {1, 1, "alpha", (*call).leakyRelu, nil},
		"PRelu":       {2, 2, "", (*call).prelu, nil},
		"Elu":         {1, 1, "alpha", (*call).elu, nil},
		"Celu":        {1, 1, "alpha", (*call).celu, nil},
		"Gelu":        {1, 1, "approximate", (*call).gelu, nil},
		"HardSigmoid": {1, 1, "alpha beta", (*call).hardSigmoid, nil},
		"Clip":        {1, 3, "max min", (*call).clip, foldClip},

		"Sigmoid": unary(sigmoid, graph.Sigmoid), "Tanh": unary(tanh, graph.Tanh),
		"Softplus": unary(softplus, graph.Softplus), "Mish": unary(mish, graph.Mish),
		"HardSwish": unary(hardSwish, graph.HardSwish), "Abs": unary(math.Abs, graph.Abs),
		"Neg": unary(func(x float64) float64 { return -x }, affine(-1, 0)), "Exp": unary(exp, graph.Exp),
		"Log": unary(elementary.Log, nil), "Erf": unary(erf, nil), "Sqrt": unary(math.Sqrt, graph.Sqrt),
		"Reciprocal": unary(func(x float64) float64 { return 1 / x }, graph.Reciprocal),
		"Floor":      rounded(math.Floor, graph.Floor), "Ceil": rounded(math.Ceil, graph.Ceil),
		"Round": rounded(math.RoundToEven, graph.Round), "Sign": unary(sign, graph.Sign),
		"Swish": {1, 1, "alpha", (*call).swish, nil},

		"MaxPool":                      {1, 1, pooling + " storage_order", pool(true), nil},
		"AveragePool":                  {1, 1, pooling + " count_include_pad", pool(false), nil},
		"GlobalAveragePool":            {1, 1, "", globalPool(graph.Mean), nil},
		"GlobalMaxPool":                {1, 1, "", globalPool(graph.Maximum), nil},
		"ReduceMean":                   {1, 2, reducing, reduce(graph.Mean, false), foldReduce(0, addReals, meanOf)},
		"ReduceSum":                    {1, 2, reducing, reduce(graph.Sum, false), foldReduce(0, addReals, total)},
		"ReduceL2":                     {1, 2, reducing, reduce(graph.Norm, false), foldReduce(0, addSquare, rootOf)},
		"ReduceMax":                    {1, 2, reducing, reduce(graph.Maximum, false), foldGreatest},
		"ReduceMin":                    {1, 2, reducing, (*call).reduceMin, foldReduce(math.Inf(1), math.Min, total)},
		"ReduceProd":                   {1, 2, reducing, nil, foldReduce(1, mulReals, total)},
		"ReduceSumSquare":              {1, 2, reducing, reduce(graph.Sum, true), foldReduce(0, addSquare, total)},
		"InstanceNormalization":        {3, 3, "epsilon", (*call).instanceNormalization, nil},
		"LayerNormalization":           {2, 3, "axis epsilon stash_type", (*call).layerNormalization, foldLayerNorm},
		"GroupNormalization":           {3, 3, "epsilon num_groups stash_type", (*call).groupNormalization, nil},
		"RMSNormalization":             {2, 2, "axis epsilon stash_type", (*call).rmsNormalization, nil},
		"SimplifiedLayerNormalization": {2, 2, "axis epsilon stash_type", (*call).rmsNormalization, nil},
		"Attention": {3, 7, "is_causal kv_num_heads q_num_heads qk_matmul_output_mode scale softcap softmax_precision",
			(*call).attention, nil},
		"Softmax":          {1, 1, "axis", (*call).softmax, nil},
		"MatMul":           {2, 2, "", (*call).matMul, foldMatMul},
		"Gemm":             {2, 3, "alpha beta transA transB", (*call).gemm, foldGemm},
		"Einsum":           {1, 2, "equation", (*call).einsum, nil},
		"DequantizeLinear": {2, 3, "axis block_size output_dtype", (*call).dequantize, foldDequantize},
		"QuantizeLinear":   {2, 3, "axis block_size output_dtype saturate", (*call).quantize, nil},

		"Identity":        {1, 1, "", (*call).same, nil},
		"Dropout":         {1, 3, "ratio seed", (*call).dropout, nil},
		"Cast":            {1, 1, "saturate to", (*call).castSamples, foldCast},
		"CastLike":        {2, 2, "saturate", (*call).castLike, foldCastLike},
		"Concat":          {1, maxInputs, "axis", (*call).concat, foldConcat},
		"Split":           {1, 2, "axis num_outputs split", (*call).split, nil},
		"SplitToSequence": {1, 2, "axis keepdims", (*call).splitToSequence, nil},
		"SequenceAt":      {2, 2, "", (*call).sequenceAt, nil},
		"Slice":           {1, 5, "axes ends starts steps", (*call).sliceSamples, foldSlice},
		"Gather":          {2, 2, "axis", (*call).gatherSamples, foldGather},
		"ScatterND":       {3, 3, "reduction", (*call).scatterND, foldScatterND},
		"Pad":             {1, 4, "mode pads value", (*call).pad, nil},

		"TopK":            {2, 2, "axis largest sorted", (*call).topK, nil},
		"ScatterElements": {3, 3, "axis reduction", (*call).scatterElements, nil},

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
		"Greater":         {2, 2, "", compare(false, false), foldGreater(false, false)},
		"Less":            {2, 2, "", compare(true, false), foldGreater(true, false)},
		"GreaterOrEqual":  {2, 2, "", compare(true, true), foldGreater(true, true)},
		"LessOrEqual":     {2, 2, "", compare(false, true), foldGreater(false, true)},
		"Not":             {1, 1, "", nil, foldUnary(not, false)},
		"And":             {2, 2, "", nil, foldBinary(minInts, math.Min)},
		"Or":              {2, 2, "", nil, foldBinary(maxInts, math.Max)},
		"Where":           {3, 3, "", (*call).where, foldWhere},
	}
}

// dropout computes Dropout, which changes nothing outside training. No node may take its second output, the mask.
func (c *call) dropout() []*value {
	fail.When(c.number(2, 0) != 0, "for training is not supported")
	return []*value{c.in[0], nil}
}
