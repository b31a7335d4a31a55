package onnx

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"superres/internal/heap"
	"superres/internal/must"
)

// outsideTensor returns a constant of float32 whose numbers are in another file.
func outsideTensor(name string, dims []int, entries ...string) []byte {
	b := number(message(nil, 8, name), 2, typeFloat32)
	for _, d := range dims {
		b = number(b, 1, uint64(d))
	}
	for i := 0; i+1 < len(entries); i += 2 {
		b = message(b, 13, message(message(nil, 1, entries[i]), 2, entries[i+1]))
	}
	return number(b, 14, 1)
}

// Weights in a file beside are read from there, and from nowhere else.
func TestBeside(t *testing.T) {
	weights := append(make([]byte, 8), 0, 0, 128, 63, 0, 0, 0, 64, 0, 0, 64, 64) // 1, 2 and 3 behind 8 bytes
	folder := fstest.MapFS{"w/x.data": {Data: weights}, "y.data": {Data: weights[8:]}}
	for want, entries := range map[string][]string{
		"Affine{[1 2 3] [0]}[0]":                             {"location", "w/x.data", "offset", "8", "length", "12"},
		"Affine{[0 0 1] [0]}[0]":                             {"location", "./w/x.data", "checksum", "-"},
		"Affine{[1 2 3] [0]}":                                {"location", "y.data"},
		`bytes 9 to 21 of the file "w/x.data", which has 20`: {"location", "w/x.data", "offset", "9"},
		"has 8 bytes at 0":                                   {"location", "w/x.data", "length", "8"},
		"has -4 bytes at 8":                                  {"location", "w/x.data", "offset", "8", "length", "-4"},
		"bytes 4611686018427387904 to":                       {"location", "w/x.data", "offset", "4611686018427387904"},
		`"../w/x.data", which is not in the`:                 {"location", "../w/x.data"},
		`"/etc/passwd", which is not in the`:                 {"location", "/etc/passwd"},
		`"../../etc/hosts", which is not`:                    {"location", `..\..\etc\hosts`},
		`"z.data", which is missing`:                         {"location", "z.data"},
		`"w", which is missing`:                              {"location", "w"},
		`"", which is not`:                                   {},
	} {
		f := sized(4, 6).constant(outsideTensor("c", []int{1, 3, 1, 1}, entries...)).node("Mul x c > y")
		text := described(f.bytes(), folder)
		if !strings.Contains(text, want) {
			t.Errorf("%v: got %q, expected %q", entries, text, want)
		}
	}
	// No byte is needed twice, so that a small file cannot make much of one.
	f := sized(4, 6).node("Relu x > y")
	for i := range 1000 {
		f.constant(outsideTensor(fmt.Sprint(i), []int{1 << 18}, "location", "big"))
	}
	data := f.bytes()
	big := fstest.MapFS{"big": {Data: make([]byte, 1<<20)}}
	took := heap.Within(8<<20, func() {
		if _, err := Read(data, big); err == nil || !strings.Contains(err.Error(), "each of use once") {
			t.Errorf("got %v", err)
		}
	})
	if took > 8<<20 {
		t.Errorf("took %d MB for 1 MB of weights", took>>20)
	}
	if names := FilesBeside(data); len(names) != 1 || names[0] != "big" {
		t.Errorf("the files beside are %q", names)
	}
}

// localFunction adds a function of nodes in the lines of body to the bytes of a file.
func localFunction(file []byte, domain, name, inputs, outputs string, body *file) []byte {
	f := message(message(nil, 1, name), 10, domain)
	for _, in := range strings.Fields(inputs) {
		f = message(f, 4, in)
	}
	for _, out := range strings.Fields(outputs) {
		f = message(f, 5, out)
	}
	must := fields(body.graph, func(part field) error {
		f = message(f, 7, part.bytes)
		return nil
	})
	if must != nil {
		panic(must)
	}
	return message(file, 25, f)
}

// called returns a node of a domain.
func (f *file) called(domain, line string, attributes ...attr) *file {
	nodes := newFile().node(line, attributes...)
	_ = fields(nodes.graph, func(part field) error {
		f.graph = message(f.graph, 1, message(part.bytes, 7, domain))
		return nil
	})
	return f
}

// reference is an attribute of a node of a function that has the value of one of the function.
func reference(name, of string) []byte { return message(message(nil, 1, name), 21, of) }

func TestFunctions(t *testing.T) {
	f := sized(4, 6).called("my", "Twice x > a", attr{"slope", 0.25}).called("my", "Twice a > y")
	inner := newFile()
	leaky := message(message(message(message(nil, 4, "LeakyRelu"), 1, "v"), 2, "r"), 5, reference("alpha", "slope"))
	inner.graph = message(inner.graph, 1, leaky)
	inner.node("Add r v > s")
	data := localFunction(f.bytes(), "my", "Twice", "v", "s", inner)
	want := "PReLU{[0.25]}[0] Add[1 0] PReLU{[0.01]}[2] Add[3 2]"
	if got := describe(must.Get(Read(data, nil))(t)); got != want {
		t.Errorf("got %s, expected %s", got, want)
	}
	// Functions that call each other, many nodes of one node, and what is missing.
	again := newFile().called("my", "Twice v > s")
	many := newFile()
	for range 4 {
		many.called("my", "Deep v > _")
	}
	deep := localFunction(localFunction(f.bytes(), "my", "Twice", "v", "s", many.node("Relu v > s")), "my", "Deep", "v",
		"s", newFile().called("my", "Deeper v > s").called("my", "Deeper v > t"))
	for i := range 12 {
		name, next := "Deep"+strings.Repeat("er", i+1), "Deep"+strings.Repeat("er", i+2)
		body := newFile()
		for k := range 8 {
			body.called("my", fmt.Sprintf("%s v > s%d", next, k))
		}
		if i == 11 {
			body = newFile().node("Relu v > s0")
		}
		deep = localFunction(deep, "my", name, "v", "s0", body)
	}
	for want, data := range map[string][]byte{
		"more than 16 deep":                   localFunction(f.bytes(), "my", "Twice", "v", "s", again),
		"more than 20000 functions":           deep,
		"is there twice":                      localFunction(data, "my", "Twice", "v", "s", inner),
		"the operation my.Twice is not":       f.bytes(),
		"has 1 inputs":                        localFunction(f.bytes(), "my", "Twice", "", "s", inner),
		"no node of the function makes \"t\"": localFunction(f.bytes(), "my", "Twice", "v", "t", inner),
		"no node makes the result \"y\"":      sized(4, 6).node("Dropout x > a y").bytes(),
	} {
		if _, err := Read(data, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, expected %q", err, want)
		}
	}
}

func TestQuantised(t *testing.T) {
	raw := func(kind uint64) []byte { return rawTensor("q", kind, []int{1, 3, 1, 1}, []byte{1, 128, 255}) }
	scale := floats("s", nil, 0.5)
	for want, f := range map[string]*file{
		"Affine{[0.5 -64 -0.5] [0]}[0]": sized(4, 6).constant(raw(typeInt8)).constant(scale).
			node("DequantizeLinear q s > c").node("Mul x c > y"),
		"Affine{[-63.5 0 63.5] [0]}[0]": sized(4, 6).constant(raw(typeUint8)).constant(scale).
			constant(rawTensor("z", typeUint8, nil, []byte{128})).node("DequantizeLinear q s z > c").
			node("Mul x c > y"),
		"Affine{[1 256 765] [0]}[0]": sized(4, 6).constant(raw(typeUint8)).constant(floats("s", []int{3}, 1, 2, 3)).
			node("DequantizeLinear q s > c").node("Mul x c > y"),
		"Affine{[2] [0]}[0] Round[1] Affine{[1] [-3]}[2] Clip{-128 127}[3] Affine{[1] [3]}[4]": sized(4, 6).
			constant(scale).constant(rawTensor("z", typeInt8, nil, []byte{253})).
			node("QuantizeLinear x s z > c").node("DequantizeLinear c s z > y"),
		"for 8 bits with one scale alone": sized(4, 6).constant(floats("s", []int{3}, 1, 2, 3)).
			node("QuantizeLinear x s > y"),
		"with [2] scales": sized(4, 6).constant(raw(typeUint8)).constant(floats("s", []int{2}, 1, 2)).
			node("DequantizeLinear q s > c").node("Mul x c > y"),
		"with 1 scales and 3 zeros": sized(4, 6).constant(raw(typeUint8)).constant(scale).
			node("DequantizeLinear q s q > c").node("Mul x c > y"),
	} {
		text := described(f.bytes(), nil)
		if !strings.Contains(text, want) {
			t.Errorf("got %q, expected %q", text, want)
		}
	}
}

// TestFurtherOperations reads means, norms, attention and their like.
func TestFurtherOperations(t *testing.T) {
	one := func(line string, attributes ...attr) *file { return newFile().node(line, attributes...) }
	axes := func(line string, list ...int) *file { return newFile().constant(ints("a", list...)).node(line) }
	for name, c := range map[string]struct {
		file *file
		want string
	}{
		"max pool": {one("MaxPool x > a", attr{"kernel_shape", []int{3, 3}}, attr{"pads", []int{2, 0, 0, 2}}).
			node("AveragePool a > y", attr{"kernel_shape", []int{1, 3}}, attr{"pads", []int{0, 1, 0, 1}},
				attr{"count_include_pad", 1}),
			"Pool{true 3 3 1 {2 0 0 2} false}[0] Pool{false 1 3 1 {0 1 0 1} true}[1]"},
		"pool with two strides": {one("MaxPool x > y", attr{"kernel_shape", []int{2, 2}}, attr{"strides", []int{1, 2}}),
			"different strides"},
		"ESA": {pooled(),
			"Pool{true 7 7 3 {0 0 0 0} false}[0] Resize{1 0 0 0 false}[1 0]"},
		"mean of the picture": {one("GlobalAveragePool x > a").node("Mul x a > y"), "Reduce{0 true false}[0] Mul[0 1]"},
		"mean of axes": {axes("ReduceMean x a > b", 2, -1).node("Add x b > y"),
			"Reduce{0 true false}[0] Add[0 1]"},
		"norm of channels": {axes("ReduceL2 x a > b", 1).node("Div x b > y"), "Reduce{2 false true}[0] Div[0 1]"},
		"mean of rows":     {axes("ReduceMean x a > b", 2).node("Add x b > y"), "along the rows or the columns alone"},
		"mean of a half": {axes("ReduceMean x a > b", 2).constant(ints("c", 3)).node("ReduceMean b c > d").
			node("Add x d > y"), "Reduce{0 true false}[0] Add[0 1]"},
		"result of rows": {axes("ReduceMax x a > y", 3), "along the rows or the columns alone"},
		"two reductions": {axes("ReduceMax x a > b", 2).constant(ints("c", 3)).node("ReduceSum b c > y"), "along both"},
		"mean of sums": {sized(8, 6).constant(ints("a", 3)).constant(ints("b", 2)).constant(ints("s", 8, 6)).
			node("ReduceSum x a > r").node("ReduceSum r b > c").node("ReduceProd s > n", attr{"keepdims", 0}).
			node("Cast n > f", attr{"to", typeFloat32}).node("Div c f > m").node("Mul x m > y"),
			"Reduce{0 true false}[0] Mul[0 1]"},
		"instance": {newFile().weights("s", 3).weights("b", 3).node("InstanceNormalization x s b > y"),
			"Normalize{3 true 1e-05}[0] Affine{[0 0.01 0.02] [0]}[1] Affine{[1] [0 0.01 0.02]}[2]"},
		"layer": {newFile().weights("s", 3).node("Transpose x > a", attr{"perm", []int{0, 2, 3, 1}}).
			node("LayerNormalization a s > b").node("Transpose b > y", attr{"perm", []int{0, 3, 1, 2}}),
			"Normalize{1 false 1e-05}[0] Affine{[0 0.01 0.02] [0]}[1]"},
		"softmax of channels": {one("Softmax x > y", attr{"axis", 1}), "Softmax{3}[0]"},
		"softmax of columns":  {one("Softmax x > y"), "of other samples than the channels"},
		"linear": {newFile().weights("w", 3, 3).weights("b", 3).
			node("Transpose x > a", attr{"perm", []int{0, 2, 3, 1}}).
			node("MatMul a w > c").node("Add c b > d").node("Transpose d > y", attr{"perm", []int{0, 3, 1, 2}}),
			"Conv{3 1×1 {0 0 0 0} 1 1}[0] Affine{[1] [0 0.01 0.02]}[1]"},
		"windows": {windowed(), "Conv{4 1×1 {0 0 0 0} 1 1}[0] Scores{{4 4 2} {0 0 0 0}}[1 1] Softmax{16}[2] " +
			"WeightedSum{{4 4 2} {0 0 0 0}}[3 1] Conv{3 1×1 {0 0 0 0} 1 1}[4]"},
		"channels": {sized(8, 8).constant(ints("s", 1, 1, 3, 64)).constant(ints("e", 1, 3, 8, 8)).
			node("Reshape x s > q").
			node("Transpose q > k", attr{"perm", []int{0, 1, 3, 2}}).node("MatMul q k > a").node("Softmax a > p").
			node("MatMul p q > o").node("Reshape o e > y"),
			"ChannelScores{{0 0 1}}[0 0] Softmax{3}[1] ChannelSum{{0 0 1}}[2 0]"},
		"overlapping windows": {overlapping(), "Pad{{1 1 1 1} 0}[0] Scores{{2 2 1} {4 4 2 2}}[0 1] Softmax{16}[2] " +
			"WeightedSum{{2 2 1} {4 4 2 2}}[3 1]"},
		"no windows": {newFile().constant(table("i", 2, 0, 1, 1, 3)).
			node("Gather x i > y", attr{"axis", 2}), "no windows one after another"},
		"attention": {attending(attr{"q_num_heads", 2}, attr{"kv_num_heads", 2}), "Select{[0 0 0 0]}[0] " +
			"Scores{{4 4 2} {0 0 0 0}}[1 1] Affine{[0.70710677] [0]}[2] Affine{[1] [0.5]}[3] Softmax{16}[4] " +
			"WeightedSum{{4 4 2} {0 0 0 0}}[5 1] Conv{3 1×1 {0 0 0 0} 1 1}[6]"},
		"causal attention":      {attending(attr{"q_num_heads", 2}, attr{"is_causal", 1}), "of an order"},
		"attention of no heads": {attending(), "rearranged in this way"},
		"root of mean squares": {newFile().weights("s", 3).node("Transpose x > a", attr{"perm", []int{0, 2, 3, 1}}).
			node("RMSNormalization a s > b").node("Transpose b > y", attr{"perm", []int{0, 3, 1, 2}}),
			"Square[0] Reduce{0 false true}[1] Affine{[1] [1e-05]}[2] Sqrt[3] Div[0 4] Affine{[0 0.01 0.02] [0]}[5]"},
		"along channels": {newFile().weights("w", 1, 1, 3).constant(ints("c", 3)).node("GlobalAveragePool x > a").
			node("Squeeze a c > b").node("Transpose b > d", attr{"perm", []int{0, 2, 1}}).
			node("Conv d w > e", attr{"pads", []int{1, 1}}).node("Transpose e > f", attr{"perm", []int{0, 2, 1}}).
			node("Unsqueeze f c > g").node("Mul x g > y"),
			"Reduce{0 true false}[0] Conv{3 1×1 {0 0 0 0} 1 1}[1] Mul[0 2]"},
		"least of channels": {axes("ReduceMin x a > b", 1).node("Sub x b > y"),
			"Affine{[-1] [0]}[0] Reduce{3 false true}[1] Affine{[-1] [0]}[2] Sub[0 3]"},
		"norm of heads": {heads("ReduceL2 h > n"), "Conv{4 1×1 {0 0 0 0} 1 1}[0] ReduceEach{2 2}[1] " +
			"Div[1 2] Conv{3 1×1 {0 0 0 0} 1 1}[3]"},
		"linear of windows": {inWindows(), "Conv{3 1×1 {0 0 0 0} 1 1}[0] Affine{[1] [0 0.01 0.02]}[1]"},
		"repeated": {newFile().constant(ints("i", 0)).constant(ints("s", 1, 4, 1, 1)).
			node("Gather x i > a", attr{"axis", 1}).node("Expand a s > b").
			node("Concat b b b > c", attr{"axis", 1}).
			node("DepthToSpace c > y", attr{"blocksize", 2}, attr{"mode", "CRD"}),
			"Select{[0]}[0] Select{[0 0 0 0]}[1] Concat[2 2 2] PixelShuffle{2}[3]"},
		"all pixels": {sized(8, 8).constant(ints("s", 1, 1, 3, 64)).node("Reshape x s > q").
			node("Transpose q > k", attr{"perm", []int{0, 1, 3, 2}}).node("MatMul k q > y"),
			"of all pixels is not supported"},
		"masked": {newFile().constant(rawTensor("m", typeBool, []int{3, 1, 1}, []byte{1, 0, 1})).
			constant(floats("n", nil, -2)).node("Where m x n > y"), "Affine{[1 0 1] [0]}[0] Affine{[1] [0 -2 0]}[1]"},
		"where": {compared(), "Positive[0] Affine{[-1] [0]}[0] Where[1 2 0]"},
		"greatest": {newFile().weights("w", 3, 3, 1, 1).node("Conv x w > n").node("Max x n > a").
			constant(floats("1", nil, 1)).node("Min a 1 > y"),
			"Conv{3 1×1 {0 0 0 0} 1 1}[0] Max[0 1] Clip{-3.4028235e+38 1}[2]"},
		"rounded": {one("Round x > y"), "Round[0]"},
		"padded by a number": {newFile().constant(ints("p", 0, 0, 1, 1, 0, 0, 1, 1)).constant(floats("v", nil, 0.5)).
			node("Pad x p v > a").weights("w", 3, 3, 3, 3).node("Conv a w > y"),
			"Affine{[1] [-0.5]}[0] Pad{{1 1 1 1} 0}[1] Affine{[1] [0.5]}[2] Conv{3 3×3 {0 0 0 0} 1 1}[3]"},
		"rolled back": {sized(8, 8).constant(ints("a", -2)).constant(ints("z", 0)).
			constant(ints("m", math.MaxInt64)).constant(ints("i", 2)).node("Slice x a m i > b").
			node("Slice x z a i > c").node("Concat b c > y", attr{"axis", 2}), "Roll{-2 0}[0]"},
		"rolled": {sized(8, 8).constant(ints("a", 2)).constant(ints("z", 0)).constant(ints("m", math.MaxInt64)).
			constant(ints("i", 2)).node("Slice x a m i > b").node("Slice x z a i > c").
			node("Concat b c > y", attr{"axis", 2}), "Roll{2 0}[0]"},
		"expanded": {sized(8, 8).constant(ints("a", 1)).constant(ints("s", 1, 3, 8, 8)).node("ReduceSum x a > b").
			node("Expand b s > c").node("Sub x c > y"), "Reduce{1 false true}[0] Sub[0 1]"},
	} {
		got := described(c.file.bytes(), nil)
		if got != c.want && (c.want[0] >= 'A' && c.want[0] <= 'Z' || !strings.Contains(got, c.want)) {
			t.Errorf("%s: got %s", name, got)
		}
	}
}

// overlapping returns attention of the pixels of windows of 2×2 to those of 4×4 around them, as of HAT, as PyTorch
// exports Unfold.
func overlapping() *file {
	index := table("i", 4, 0, 2, 4, 6, 1, 3, 5, 7, 2, 4, 6, 8, 3, 5, 7, 9)
	f := sized(8, 8).constant(index).constant(ints("p", 0, 0, 1, 1, 0, 0, 1, 1)).node("Pad x p > z").
		node("Gather z i > r", attr{"axis", 2}).node("Gather r i > w", attr{"axis", 4}).
		node("Transpose w > u", attr{"perm", []int{0, 1, 2, 4, 3, 5}}).constant(ints("n", 1, 48, 16)).
		node("Reshape u n > o").constant(ints("e", 3, 4, 4, 16)).node("Reshape o e > v").
		node("Transpose v > t", attr{"perm", []int{3, 1, 2, 0}}).constant(ints("k", 16, 16, 3)).
		node("Reshape t k > b")
	f.constant(ints("d", 3, 4, 2, 4, 2)).node("Reshape x d > c").
		node("Transpose c > g", attr{"perm", []int{1, 3, 2, 4, 0}}).constant(ints("q", 16, 4, 3)).
		node("Reshape g q > a").node("Transpose b > h", attr{"perm", []int{0, 2, 1}}).node("MatMul a h > s").
		node("Softmax s > m").node("MatMul m b > j").constant(ints("l", 4, 4, 2, 2, 3)).node("Reshape j l > x1").
		node("Transpose x1 > x2", attr{"perm", []int{4, 0, 2, 1, 3}}).constant(ints("x3", 1, 3, 8, 8))
	return f.node("Reshape x2 x3 > y")
}

// attending returns Attention of the pixels of windows of 4×4, of four channels.
func attending(attributes ...attr) *file {
	return sized(8, 8).constant(ints("i", 0, 0, 0, 0)).node("Gather x i > g", attr{"axis", 1}).weights("o", 3, 4, 1, 1).
		constant(ints("s", 4, 2, 4, 2, 4)).node("Reshape g s > a").
		node("Transpose a > t", attr{"perm", []int{1, 3, 2, 4, 0}}).constant(ints("e", 4, 16, 4)).
		node("Reshape t e > q").constant(floats("b", nil, 0.5)).node("Attention q q q b > c", attributes...).
		constant(ints("f", 2, 2, 4, 4, 4)).node("Reshape c f > d").
		node("Transpose d > h", attr{"perm", []int{4, 0, 2, 1, 3}}).constant(ints("l", 1, 4, 8, 8)).
		node("Reshape h l > v").node("Conv v o > y")
}

// table returns a constant of whole numbers in rows.
func table(name string, rows int, list ...int) []byte {
	var raw []byte
	for _, v := range list {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return rawTensor(name, typeInt64, []int{rows, len(list) / rows}, raw)
}

// heads returns a node of two heads of two channels each, h, the last dimension, and what x divides by its result n.
func heads(line string) *file {
	return sized(4, 4).weights("w", 4, 3, 1, 1).weights("o", 3, 4, 1, 1).node("Conv x w > v").
		constant(ints("s", 1, 2, 2, 16)).node("Reshape v s > r").
		node("Transpose r > h", attr{"perm", []int{0, 1, 3, 2}}).node(line, attr{"axes", []int{-1}}).
		node("Div h n > d").node("Transpose d > t", attr{"perm", []int{0, 1, 3, 2}}).constant(ints("e", 1, 4, 4, 4)).
		node("Reshape t e > u").node("Conv u o > y")
}

// inWindows returns a convolution of 1×1 taps of windows, which are the batch.
func inWindows() *file {
	return sized(8, 8).weights("w", 3, 3, 1, 1).weights("b", 3).constant(ints("s", 3, 2, 4, 2, 4)).
		node("Reshape x s > a").node("Transpose a > t", attr{"perm", []int{1, 3, 0, 2, 4}}).
		constant(ints("e", 4, 3, 4, 4)).node("Reshape t e > c").node("Conv c w b > d").
		constant(ints("f", 2, 2, 3, 4, 4)).node("Reshape d f > g").
		node("Transpose g > h", attr{"perm", []int{2, 0, 3, 1, 4}}).constant(ints("i", 1, 3, 8, 8)).
		node("Reshape h i > y")
}

// Bytes and channels that are last, at both ends.
func TestLastChannels(t *testing.T) {
	f := newFile().node("Cast x > f", attr{"to", typeFloat32}).node("Transpose f > a", attr{"perm", []int{0, 3, 1, 2}}).
		node("Relu a > b").node("Cast b > c", attr{"to", typeUint8}).
		node("Transpose c > y", attr{"perm", []int{0, 2, 3, 1}})
	f.dims, f.kind = []int{1, 0, 0, 3}, typeUint8
	want := "PReLU{[0]}[0] Clip{0 255}[1] Floor[2]"
	if got := describe(must.Get(Read(f.bytes(), nil))(t)); got != want {
		t.Errorf("got %s, expected %s", got, want)
	}
}

// TestManyMatrices uses one matrix again and again, which would make a convolution of each.
func TestManyMatrices(t *testing.T) {
	f := sized(8, 8).weights("w", 3, 3).node("Transpose x > v0", attr{"perm", []int{0, 2, 3, 1}})
	f.constant(rawTensor("big", typeFloat32, []int{3, 1000}, make([]byte, 12_000)))
	f.constant(rawTensor("back", typeFloat32, []int{1000, 3}, make([]byte, 12_000)))
	for i := range 5000 {
		f.node(fmt.Sprintf("MatMul v%d big > a%d", i, i)).node(fmt.Sprintf("MatMul a%d back > v%d", i, i+1))
	}
	data := f.node("Transpose v5000 > y", attr{"perm", []int{0, 3, 1, 2}}).bytes()
	took := heap.Within(24<<20, func() {
		if _, err := Read(data, nil); err == nil || !strings.Contains(err.Error(), "too often") {
			t.Errorf("got %v", err)
		}
	})
	if took > 24<<20 {
		t.Errorf("took %d MB for %d KB", took>>20, len(data)>>10)
	}
}

// windowed is attention between the pixels of windows of 4×4, in two heads.
func windowed() *file {
	return sized(8, 8).weights("w", 4, 3, 1, 1).node("Conv x w > q").constant(ints("s6", 1, 4, 2, 4, 2, 4)).
		constant(ints("s3", 4, 16, 4)).node("Reshape q s6 > a").
		node("Transpose a > b", attr{"perm", []int{0, 2, 4, 3, 5, 1}}).node("Reshape b s3 > tokens").
		constant(ints("h", 4, 16, 2, 2)).node("Reshape tokens h > d").
		node("Transpose d > heads", attr{"perm", []int{0, 2, 1, 3}}).
		node("Transpose d > keys", attr{"perm", []int{0, 2, 3, 1}}).node("MatMul heads keys > scores").
		node("Softmax scores > p", attr{"axis", -1}).node("MatMul p heads > o").
		node("Transpose o > o2", attr{"perm", []int{0, 2, 1, 3}}).constant(ints("r", 1, 2, 2, 4, 4, 4)).
		node("Reshape o2 r > o3").node("Transpose o3 > o4", attr{"perm", []int{0, 5, 1, 3, 2, 4}}).
		constant(ints("e", 1, 4, 8, 8)).node("Reshape o4 e > o5").weights("v", 3, 4, 1, 1).node("Conv o5 v > y")
}

// pooled is enlarged to the size of the picture.
func pooled() *file {
	return newFile().node("MaxPool x > a", attr{"kernel_shape", []int{7, 7}}, attr{"strides", []int{3, 3}}).
		node("Shape x > s").node("Resize a _ _ s > y", attr{"mode", "linear"})
}

func compared() *file {
	return newFile().constant(floats("0", nil, 0)).node("Greater x 0 > c").node("Neg x > n").node("Where c n x > y")
}
