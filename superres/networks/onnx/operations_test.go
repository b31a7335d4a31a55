package onnx

import (
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"testing"

	"superres/internal/must"
	"superres/superres/networks/graph"
)

// described describes the graph in a file, whose weights may be in folder, or returns the error of reading it.
func described(data []byte, folder fs.FS) string {
	g, err := Read(data, folder)
	if err != nil {
		return err.Error()
	}
	return describe(g)
}

// describe returns the operations of a graph behind its input, with their inputs.
func describe(g *graph.Graph) string {
	var list []string
	for _, n := range g.Nodes[1:] {
		text := fmt.Sprintf("%s%v%v", graph.NameOf(n.Op), n.Op, n.Inputs)
		switch op := n.Op.(type) {
		case graph.Function, graph.Add, graph.Sub, graph.Mul, graph.Div, graph.Max, graph.Where, graph.Concat:
			text = fmt.Sprintf("%s%v", graph.NameOf(n.Op), n.Inputs)
		case graph.Conv:
			text = fmt.Sprintf("Conv{%d %d×%d %v %d %d}%v", op.Out, op.Height, op.Width, op.Pad, op.Dilation, op.Groups,
				n.Inputs)
		case graph.ConvTranspose:
			text = fmt.Sprintf("ConvTranspose{%d %d %d %d %d}%v", op.Out, op.Kernel, op.Stride, op.Pad, op.Extra,
				n.Inputs)
		}
		list = append(list, text)
	}
	return strings.Join(list, " ")
}

func sized(w, h int) *file {
	f := newFile()
	f.dims = []int{1, 3, h, w}
	return f
}

// shuffled is a pixel shuffle of four times the picture, as exporters write it.
func shuffled(order ...int) *file {
	return sized(10, 14).constant(ints("s1", 1, 3, 2, 2, 14, 10)).constant(ints("s2", 1, 3, 28, 20)).
		node("Concat x x x x > x4", attr{"axis", 1}).
		node("Reshape x4 s1 > r").node("Transpose r > t", attr{"perm", order}).node("Reshape t s2 > y")
}

func TestOperations(t *testing.T) {
	one := func(line string, attributes ...attr) *file { return newFile().node(line, attributes...) }
	with := func(f *file, change func(*file)) *file { change(f); return f }
	for name, c := range map[string]struct {
		file *file
		want string
	}{
		"relu":       {one("Relu x > y"), "PReLU{[0]}[0]"},
		"leaky relu": {one("LeakyRelu x > y", attr{"alpha", 0.25}), "PReLU{[0.25]}[0]"},
		"prelu":      {newFile().weights("s", 3, 1, 1).node("PRelu x s > y"), "PReLU{[0 0.01 0.02]}[0]"},
		"clip":       {newFile().weights("a").constant(floats("b", nil, 1)).node("Clip x a b > y"), "Clip{0 1}[0]"},
		"clip of old": {with(one("Clip x > y", attr{"min", -1.0}), func(f *file) { f.opset = 9 }),
			fmt.Sprintf("Clip{-1 %v}[0]", float32(math.MaxFloat32))},
		"clip below 0": {newFile().weights("a").node("Clip x a > y"), "PReLU{[0]}[0]"},
		"SiLU":         {newFile().node("Sigmoid x > s").node("Mul s x > y"), "SiLU[0]"},
		"SiLU by division": {newFile().constant(floats("1", nil, 1)).node("Neg x > n").node("Exp n > e").
			node("Add 1 e > d").node("Div x d > y"), "SiLU[0]"},
		"GELU": {newFile().constant(floats("r", nil, math.Sqrt2)).constant(floats("1", nil, 1)).
			constant(floats("h", nil, 0.5)).node("Div x r > a").node("Erf a > b").node("Add b 1 > c").
			node("Mul x c > d").node("Mul d h > y"), "GELU[0]"},
		"GELU by tanh": {newFile().constant(floats("3", nil, 3)).constant(floats("k", nil, 0.044715)).
			constant(floats("r", nil, 0.7978845608)).constant(floats("1", nil, 1)).constant(floats("h", nil, 0.5)).
			node("Pow x 3 > a").node("Mul k a > b").node("Add x b > c").node("Mul r c > d").node("Tanh d > e").
			node("Add 1 e > f").node("Mul h x > g").node("Mul g f > y"), "GELUTanh[0]"},
		"Mish":      {newFile().node("Softplus x > a").node("Tanh a > b").node("Mul x b > y"), "Mish[0]"},
		"HardSwish": {newFile().node("HardSigmoid x > a", attr{"alpha", 1.0 / 6}).node("Mul a x > y"), "HardSwish[0]"},
		"celu":      {one("Celu x > y"), "ELU[0]"},
		"GELU of a function": {newFile().constant(floats("r", nil, math.Sqrt2)).constant(floats("1", nil, 1)).
			constant(floats("h", nil, 0.5)).node("Sub 1 x > n").node("LeakyRelu n > z").node("Div z r > a").
			node("Erf a > b").node("Add b 1 > c").node("Mul z c > d").node("Mul d h > y"),
			"Affine{[-1] [1]}[0] PReLU{[0.01]}[1] GELU[2]"},
		"SiLU of SiLU": {newFile().node("Sigmoid x > a").node("Mul a x > b").node("Sigmoid b > c").node("Mul b c > y"),
			"SiLU[0] SiLU[1]"},
		"no known function": {newFile().constant(floats("h", nil, 0.5)).node("Sigmoid x > a").node("Sub a h > b").
			node("Add x x > c").node("Mul c b > y"),
			"Add[0 0] Sigmoid[0] Affine{[1] [-0.5]}[2] Mul[1 3]"},
		"square": {one("Mul x x > y"), "Square[0]"},
		"times one": {newFile().constant(floats("1", nil, 1)).node("Mul x 1 > y").node("Identity y > z"),
			""},
		"constants": {newFile().weights("c", 1, 3, 1, 1).constant(floats("k", nil, 255)).
			node("Sub x c > a").node("Mul a k > b").node("Sub c b > y"),
			"Affine{[1] [-0 -0.01 -0.02]}[0] Affine{[255] [0]}[1] Affine{[-1] [0 0.01 0.02]}[2]"},
		"arithmetic": {newFile().node("Relu x > a").node("Sub x a > b").node("Conv b w > c").weights("w", 3, 3, 1, 1).
			node("Sum c a x > y"),
			"PReLU{[0]}[0] Sub[0 1] Conv{3 1×1 {0 0 0 0} 1 1}[2] Add[3 1] Add[4 0]"},
		"conv": {newFile().weights("w", 6, 1, 3, 5).weights("b", 6).node("Conv x w b > a", attr{"group", 3},
			attr{"pads", []int{2, 4, 2, 4}}, attr{"dilations", []int{2, 2}}).weights("v", 3, 2, 1, 1).
			node("Conv a v > y", attr{"group", 3}),
			"Conv{6 3×5 {2 4 2 4} 2 3}[0] Conv{3 1×1 {0 0 0 0} 1 3}[1]"},
		"same upper": {newFile().weights("w", 3, 3, 2, 2).node("Conv x w > y", attr{"auto_pad", "SAME_UPPER"}),
			"Conv{3 2×2 {0 0 1 1} 1 1}[0]"},
		"batch normalization": {newFile().constant(floats("s", []int{3}, 1, 2, 3)).
			constant(floats("b", []int{3}, 1, 1, 1)).constant(floats("m", []int{3}, 0, 1, 2)).
			constant(floats("v", []int{3}, 1, 4, 9)).
			node("BatchNormalization x s b m v > y", attr{"epsilon", 0.0}), "Affine{[1 1 1] [1 0 -1]}[0]"},
		"split": {newFile().constant(ints("s", 1, 2)).node("Split x s > a b", attr{"axis", 1}).
			node("Concat b a > y", attr{"axis", -3}), "Select{[0]}[0] Select{[1 2]}[0] Concat[2 1]"},
		"split evenly": {one("Split x > a b c", attr{"axis", 1}).node("Concat c b a > y", attr{"axis", 1}),
			"Select{[0]}[0] Select{[1]}[0] Select{[2]}[0] Concat[3 2 1]"},
		"slice": {newFile().constant(ints("a", 1)).constant(ints("b", math.MaxInt64)).constant(ints("c", 1)).
			node("Slice x a b c > d").node("Concat d d > e", attr{"axis", 1}).node("Slice e f g c h > y").
			constant(ints("f", 3)).constant(ints("g", 0)).constant(ints("h", -1)),
			"Select{[1 2]}[0] Concat[1 1] Select{[3 2 1]}[2]"},
		"gather": {newFile().constant(ints("i", 2, -2, 0)).node("Gather x i > y", attr{"axis", 1}),
			"Select{[2 1 0]}[0]"},
		"pad": {newFile().constant(ints("p", 0, 0, 1, 2, 0, 0, 1, 2)).node("Pad x p > a", attr{"mode", "reflect"}).
			constant(ints("b", 1, 2)).constant(ints("e", -1, -2)).constant(ints("i", 2, 3)).node("Slice a b e i > y"),
			"Pad{{1 2 1 2} 2}[0] Pad{{-1 0 -1 0} 0}[1] Pad{{0 -2 0 -2} 0}[2]"},
		"shuffle": {shuffled(0, 1, 4, 2, 5, 3), "Concat[0 0 0 0] PixelShuffle{2}[1]"},
		"crd":     {shuffledBy("CRD"), "Concat[0 0 0 0] PixelShuffle{2}[1]"},
		"dcr": {shuffledBy("DCR"),
			"Concat[0 0 0 0] Select{[0 3 6 9 1 4 7 10 2 5 8 11]}[1] PixelShuffle{2}[2]"},
		"repeated": {sized(10, 14).constant(ints("s", 1, 3, 4, 14, 10)).constant(ints("a", 2)).
			constant(ints("r", 0, -1, 14, 10)).node("Unsqueeze x a > u").node("Expand u s > e").node("Reshape e r > z").
			node("DepthToSpace z > y", attr{"mode", "CRD"}, attr{"blocksize", 2}),
			"Select{[0 0 0 0 1 1 1 1 2 2 2 2]}[0] PixelShuffle{2}[1]"},
		"tiled": {newFile().constant(ints("s", 1, 4, 1, 1)).node("Tile x s > z").
			node("DepthToSpace z > y", attr{"blocksize", 2}),
			"Select{[0 1 2 0 1 2 0 1 2 0 1 2]}[0] Select{[0 3 6 9 1 4 7 10 2 5 8 11]}[1] PixelShuffle{2}[2]"},
		"nearest by repeating": {sized(10, 14).constant(ints("s", 1, 3, 14, 2, 10, 2)).constant(ints("a", 3, 5)).
			constant(ints("r", 1, 3, 28, 20)).node("Unsqueeze x a > u").node("Expand u s > e").node("Reshape e r > y"),
			"Select{[0 0 0 0 1 1 1 1 2 2 2 2]}[0] PixelShuffle{2}[1]"},
		"unshuffle":    {unshuffled(), "PixelUnshuffle{2 false}[0] PixelShuffle{2}[1]"},
		"channels":     {channelShuffle(), "Concat[0 0] Select{[0 3 1 4 2 5]}[1] Select{[0 1 2]}[2]"},
		"upsample":     {resized("Upsample x s > y", 9, attr{"mode", "nearest"}), "Resize{0 2 1 0 false}[0]"},
		"resize 10":    {resized("Resize x s > y", 10), "Resize{0 2 1 0 false}[0]"},
		"resize":       {resized("Resize x _ s > y", 11), "Resize{0 2 1 0 false}[0]"},
		"resize floor": {resized("Resize x _ s > y", 11, asymmetric...), "Resize{0 2 1 0 false}[0]"},
		"linear":       {resized("Resize x _ s > y", 13, attr{"mode", "linear"}), "Resize{1 2 1 0 false}[0]"},
		"cubic": {resized("Resize x _ s > y", 13, attr{"mode", "cubic"}, attr{"cubic_coeff_a", -0.5}),
			"Resize{2 2 1 -0.5 false}[0]"},
		"linear of old": {resized("Upsample x s > y", 9, attr{"mode", "linear"}),
			"Pad{{0 0 1 1} 1}[0] Conv{12 2×2 {0 0 0 0} 1 3}[1] PixelShuffle{2}[2]"},
		"constant of the type of samples": {newFile().constant(ints("c", 2)).node("CastLike c x > a").
			node("CastLike x a > b").node("Add b a > y"), "Affine{[1] [2]}[0]"},
		"split of a constant": {newFile().weights("c", 1, 2, 1, 1).node("Split c > a b", attr{"axis", 1}).
			node("Add b x > y"), "Affine{[1] [0.01]}[0]"},
		"corners": {resized("Resize x _ s > y", 13, attr{"mode", "linear"},
			attr{"coordinate_transformation_mode", "align_corners"}), "Resize{1 2 1 0 true}[0]"},
		"resize axes": {newFile().constant(floats("s", []int{2}, 3, 3)).
			node("Resize x _ s > y", attr{"axes", []int{2, 3}}),
			"Resize{0 3 1 0 false}[0]"},
		"resize to a size": {sized(20, 30).constant(ints("s", 1, 3, 60, 40)).node("Resize x _ _ s > y"),
			"Resize{0 2 1 0 false}[0]"},
		"resize to a computed size": {computedSize(), "Resize{0 2 1 0 false}[0]"},
		"transposed": {newFile().constant(ints("s", 3, 3, 4, 4)).node("ConstantOfShape s > w").
			node("ConvTranspose x w > y", attr{"strides", []int{2, 2}},
				attr{"pads", []int{1, 1, 1, 1}}), "ConvTranspose{3 4 2 1 0}[0]"},
		"transposed and cut": {newFile().weights("w", 3, 3, 3, 3).node("ConvTranspose x w > y",
			attr{"strides", []int{2, 2}}, attr{"pads", []int{0, 0, 1, 1}}),
			"ConvTranspose{3 3 2 0 0}[0] Pad{{0 0 -1 -1} 0}[1]"},
		"softmax of the picture": {sized(4, 6).constant(ints("s", 1, 3, 24)).constant(ints("r", 1, 3, 6, 4)).
			node("Reshape x s > a").node("Softmax a > b", attr{"axis", 2}).node("Reshape b r > y"),
			"Reduce{3 true false}[0] Sub[0 1] Exp[2] Reduce{1 true false}[3] Div[3 4]"},
		"softmax of branches": {sized(4, 6).constant(ints("s", 1, 2, 3, 6, 4)).constant(ints("1", 1)).
			node("Concat x x > a", attr{"axis", 1}).node("Reshape a s > b").node("Softmax b > c", attr{"axis", 1}).
			node("ReduceSum c 1 > y", attr{"keepdims", 0}), "Concat[0 0] Select{[0 3 1 4 2 5]}[1] Softmax{2}[2] " +
			"Select{[0 2 4 1 3 5]}[3] Select{[0 1 2]}[4] Select{[3 4 5]}[4] Add[5 6]"},
		"sequence": {sized(4, 6).constant(ints("n", 1, 2)).constant(ints("i", -2)).
			node("SplitToSequence x n > s", attr{"axis", 1}).node("SequenceAt s i > a").node("Add x a > y"),
			"Select{[0]}[0] Add[0 1]"},
		"sum by a map": {sized(4, 6).constant(ints("s", 1, 3, 24)).constant(ints("q", 1, 24, 1)).
			weights("w", 1, 3, 1, 1).constant(ints("r", 1, 3, 1, 1)).node("Conv x w > m").node("Reshape m q > n").
			node("Reshape x s > a").node("MatMul a n > b").node("Reshape b r > c").node("Add x c > y"),
			"Conv{1 1×1 {0 0 0 0} 1 1}[0] Mul[0 1] Reduce{1 true false}[2] Add[0 3]"},
		"float16":    {with(one("Relu x > y"), func(f *file) { f.kind = typeFloat16 }), "PReLU{[0]}[0]"},
		"brightness": {with(one("Relu x > y"), func(f *file) { f.dims = []int{0, 1, 0, 0} }), "PReLU{[0]}[0]"},
		"any channel": {with(newFile().weights("w", 1, 1, 1, 1).node("Conv x w > y"), func(f *file) { f.dims[1] = 0 }),
			"Conv{1 1×1 {0 0 0 0} 1 1}[0]"},
		"dropout": {one("Dropout x > a mask").node("Relu a > y"), "PReLU{[0]}[0]"},
		"any shape": {with(newFile().weights("w", 3, 3, 1, 1).node("Conv x w > y"), func(f *file) { f.dims = nil }),
			"Conv{3 1×1 {0 0 0 0} 1 1}[0]"},
		"shuffled brightness": {with(newFile().weights("w", 4, 1, 1, 1).node("Conv x w > a").
			constant(ints("s", -1, 1, 2, 2, 14, 10)).constant(ints("r", -1, 1, 28, 20)).node("Reshape a s > b").
			node("Transpose b > c", attr{"perm", []int{0, 1, 4, 2, 5, 3}}).node("Reshape c r > y"),
			func(f *file) { f.dims = []int{0, 1, 14, 10} }), "Conv{4 1×1 {0 0 0 0} 1 1}[0] PixelShuffle{2}[1]"},
		"last channels": {with(newFile().node("Transpose x > a", attr{"perm", []int{0, 3, 1, 2}}).node("Relu a > b").
			node("Transpose b > y", attr{"perm", []int{0, 2, 3, 1}}), func(f *file) { f.dims = []int{1, 0, 0, 3} }),
			"PReLU{[0]}[0]"},
	} {
		if got := described(c.file.bytes(), nil); got != c.want {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

var asymmetric = []attr{{"coordinate_transformation_mode", "asymmetric"}, {"nearest_mode", "floor"}}

func resized(line string, opset uint64, attributes ...attr) *file {
	f := newFile().constant(floats("s", []int{4}, 1, 1, 2, 2)).node(line, attributes...)
	f.opset = opset
	return f
}

func shuffledBy(mode string) *file {
	return newFile().node("Concat x x x x > a", attr{"axis", 1}).
		node("DepthToSpace a > y", attr{"mode", mode}, attr{"blocksize", 2})
}

func unshuffled() *file {
	return sized(10, 14).constant(ints("s", 0, 3, -1, 2, 5, 2)).constant(ints("r", 0, 12, 7, 5)).
		node("Reshape x s > a").node("Transpose a > b", attr{"perm", []int{0, 1, 3, 5, 2, 4}}).node("Reshape b r > c").
		node("DepthToSpace c > y", attr{"mode", "CRD"}, attr{"blocksize", 2})
}

func channelShuffle() *file {
	return sized(10, 14).constant(ints("s", 0, 2, 3, -1, 10)).constant(ints("r", 1, 6, 14, 10)).
		node("Concat x x > x2", attr{"axis", 1}).
		node("Reshape x2 s > a").node("Transpose a > b", attr{"perm", []int{0, 2, 1, 3, 4}}).node("Reshape b r > c").
		node("Slice c 0 3 1 > y").constant(ints("0", 0)).constant(ints("3", 3)).constant(ints("1", 1))
}

// computedSize enlarges to a size that is computed from that of the input, as exporters write it.
func computedSize() *file {
	return newFile().constant(ints("2", 2)).constant(ints("3", 3)).constant(ints("4", 4)).constant(floats("f", nil, 2)).
		constant(ints("nc", 1, 3)).
		node("Shape x > s").node("Slice s 2 4 > hw").node("Cast hw > a", attr{"to", typeFloat32}).node("Mul a f > b").
		node("Floor b > c").node("Cast c > d", attr{"to", typeInt64}).
		node("Concat nc d > e", attr{"axis", 0}).node("Resize x _ _ e > y", asymmetric...)
}

// TestConvOfThreeDimensions checks the weights of a convolution along channels and columns at once.
func TestConvOfThreeDimensions(t *testing.T) {
	f := sized(4, 6).constant(ints("1", 1)).constant(floats("w", []int{1, 1, 3, 1, 2}, 1, 2, 3, 4, 5, 6)).
		constant(floats("b", []int{1}, 7)).node("Unsqueeze x 1 > a").
		node("Conv a w b > c", attr{"pads", []int{1, 0, 1, 1, 0, 0}}).node("Squeeze c 1 > y")
	conv := must.Get(Read(f.bytes(), nil))(t).Nodes[1].Op.(graph.Conv)
	want := []float32{3, 4, 5, 6, 0, 0, 1, 2, 3, 4, 5, 6, 0, 0, 1, 2, 3, 4}
	if !slices.Equal(conv.Weight, want) || !slices.Equal(conv.Bias, []float32{7, 7, 7}) || conv.Width != 2 ||
		conv.Pad != (graph.Edges{Left: 1}) {
		t.Errorf("got %v", conv)
	}
}

func TestShortened(t *testing.T) {
	for _, c := range []struct {
		v    float32
		kind int
		want float64
	}{
		{0.1, typeFloat16, 0.0999755859375}, {0.1, typeBfloat16, 0.10009765625}, {-2.5, typeFloat16, -2.5},
		{65519, typeFloat16, 65504}, {-65520, typeFloat16, math.Inf(-1)}, {3e-8, typeFloat16, math.Ldexp(1, -24)},
		{1e5, typeBfloat16, 99840}, {1 + 1./256, typeBfloat16, 1}, {1 + 3./256, typeBfloat16, 1 + 4./256},
	} {
		if got := shortened(c.v, c.kind); float64(got) != c.want {
			t.Errorf("%g: got %g, expected %g", c.v, got, c.want)
		}
	}
}
