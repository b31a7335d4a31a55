package ncnn

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

// TestLayers reads networks of one layer each.
func TestLayers(t *testing.T) {
	none := []float32{0}
	for _, c := range []struct {
		line    string
		weights []int
		want    []graph.Op
	}{
		{"ReLU x 1 1 a b 0=0.2", nil, []graph.Op{graph.PReLU{Slope: []float32{0.2}}}},
		{"Noop x 1 1 a b", nil, nil},
		{"BinaryOp x 1 1 a b 0=8 1=1 2=3", nil, []graph.Op{graph.Reciprocal, affine(3, 0)}},
		{"BinaryOp x 2 1 a a b 0=4", nil, []graph.Op{graph.Max{}}},
		{"UnaryOp x 1 1 a b 0=5", nil, []graph.Op{graph.Sqrt}},
		{"Interp x 1 1 a b 0=2 9=\"*(0w,2),*(2,0h)\"", nil,
			[]graph.Op{graph.Resize{By: graph.Bilinear, Up: 2, Down: 1}}},
		{"Pooling x 1 1 a b 0=0 1=3 2=2 3=1 5=1", nil, []graph.Op{graph.Pool{IsMax: true, Height: 3, Width: 3,
			Stride: 2, Pad: graph.Edges{Top: 1, Left: 1, Bottom: 1, Right: 1}}}},
		{"Pooling x 1 1 a b 0=1 4=1", nil, []graph.Op{graph.Reduce{OfPicture: true}}},
		{"Dropout x 1 1 a b 0=2", nil, []graph.Op{affine(2, 0)}},
		{"Sigmoid x 1 1 a b", nil, []graph.Op{graph.Sigmoid}},
		{"Swish x 1 1 a b", nil, []graph.Op{graph.SiLU}},
		{"GELU x 1 1 a b 0=1", nil, []graph.Op{graph.GELUTanh}},
		{"HardSwish x 1 1 a b 0=1.666667e-01 1=5.000000e-01", nil, []graph.Op{graph.HardSwish}},
		{"HardSwish x 1 1 a b", nil, []graph.Op{affine(0.2, 0.5), graph.Clip{Min: 0, Max: 1}, graph.Mul{}}},
		{"HardSigmoid x 1 1 a b", nil, []graph.Op{affine(0.2, 0.5), graph.Clip{Min: 0, Max: 1}}},
		{"Clip x 1 1 a b 0=-1 1=6.5", nil, []graph.Op{graph.Clip{Min: -1, Max: 6.5}}},
		{"Eltwise x 2 1 a a b 0=1 -23301=2,1.0,-0.5", nil, []graph.Op{affine(-0.5, 0), graph.Add{}}},
		{"BinaryOp x 1 1 a b 0=7 1=1 2=1.5", nil, []graph.Op{affine(-1, 1.5)}},
		{"BinaryOp x 1 1 a b 0=3 1=1 2=4", nil, []graph.Op{affine(0.25, 0)}},
		{"BinaryOp x 1 1 a b 0=4 1=1 2=0", nil, []graph.Op{graph.PReLU{Slope: none}}},
		{"BinaryOp x 1 1 a b 0=5 1=1 2=6", nil, []graph.Op{graph.Clip{Min: -math.MaxFloat32, Max: 6}}},
		{"BinaryOp x 1 1 a b 0=6 1=1 2=2", nil, []graph.Op{graph.Square}},
		{"BinaryOp x 2 1 a a b 0=2", nil, []graph.Op{graph.Square}},
		{"BinaryOp x 2 1 a a b 0=7", nil, []graph.Op{graph.Sub{}}},
		{"UnaryOp x 1 1 a b 0=16", nil, []graph.Op{graph.Tanh}},
		{"Concat x 2 1 a a b", nil, []graph.Op{graph.Concat{}}},
		{"Crop x 1 1 a b -23309=1,1 -23310=1,-233 -23311=1,0", nil, []graph.Op{graph.Select{Channels: []int{1, 2}}}},
		{"Crop x 1 1 a b -23309=2,2,-5 -23310=2,-2,-1 -23311=2,1,2", nil,
			[]graph.Op{graph.Pad{Edges: graph.Edges{Top: -2, Bottom: -2, Left: 5 - exampleWidth, Right: -1}}}},
		{"Crop x 1 1 a b 2=1 3=-233 4=-233 5=2", nil, []graph.Op{graph.Select{Channels: []int{1, 2}}}},
		{"Padding x 1 1 a b 0=1 1=2 2=3 3=4 4=2", nil,
			[]graph.Op{graph.Pad{Edges: graph.Edges{Top: 1, Bottom: 2, Left: 3, Right: 4}, Mode: graph.PadReflect}}},
		{"ShuffleChannel x 1 1 a b 0=3", nil, []graph.Op{graph.Select{Channels: []int{0, 1, 2}}}},
		{"Reorg x 1 1 a b 0=2", nil, []graph.Op{graph.PixelUnshuffle{Factor: 2}}},
		{"Interp x 1 1 a b 0=3 1=0.5 2=0.5", nil,
			[]graph.Op{graph.Resize{By: graph.Bicubic, Up: 1, Down: 2, A: -0.75}}},
		{"Interp x 1 1 a b 0=3 1=0.75 2=0.75", nil,
			[]graph.Op{graph.Resize{By: graph.Bicubic, Up: 3, Down: 4, A: -0.75}}},
		{"Interp x 1 1 a b 0=2 1=3 2=3 6=1", nil,
			[]graph.Op{graph.Resize{By: graph.Bilinear, Up: 3, Down: 1, AlignCorners: true}}},
	} {
		f := newFile().layer("Input in 0 1 a").layer(c.line, c.weights...)
		r := newReader(f.bin.Bytes())
		if err := fail.Catch(func() { readParam(f.param(), r.readLayer) }); err != nil {
			t.Errorf("%s: %v", c.line, err)
			continue
		}
		output := r.output()
		for _, op := range slices.Backward(c.want) {
			n := r.graph.Node(output)
			if fmt.Sprintf("%#v", n.Op) != fmt.Sprintf("%#v", op) {
				t.Errorf("%s: got %#v, expected %#v", c.line, n.Op, op)
			}
			output = n.Inputs[len(n.Inputs)-1]
		}
		if output != 0 {
			t.Errorf("%s: more than the expected nodes", c.line)
		}
	}
}

func TestConstants(t *testing.T) {
	g := newFile().layer("Input in 0 1 a").
		layer("MemoryData m 0 1 m 0=1 1=1 2=3", -3).
		layer("BinaryOp x 2 1 a m b 0=0").
		layer("BatchNorm n 1 1 b c 0=3", -3, -3, -3, -3).
		layer("Scale s 1 1 c d 0=3 1=1", -3, -3).
		layer("Bias e 1 1 d e 0=3", -3).read(t)
	if len(g.Nodes) != 5 || g.Parameters() != 1+3+6+6+1+3 {
		t.Errorf("%d nodes, %d parameters", len(g.Nodes), g.Parameters())
	}
}

func TestSlice(t *testing.T) {
	g := newFile().layer("Input in 0 1 a").
		layer("Reorg r 1 1 a b 0=2 1=1").
		layer("Slice s 1 3 b c d e -23300=3,3,-233,-233").
		layer("Concat x 2 1 d e f 0=0").
		layer("Concat y 2 1 f c g 0=0").
		layer("PixelShuffle p 1 1 g h 0=2 1=1").read(t)
	for i, want := range map[int][]int{
		2: {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11}, // block first
		3: {0, 1, 2}, 4: {3, 4, 5, 6}, 5: {7, 8, 9, 10, 11},
		8: {0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11},
	} {
		if got := g.Nodes[i].Op.(graph.Select).Channels; !slices.Equal(got, want) {
			t.Errorf("node %d has channels %v, expected %v", i, got, want)
		}
	}
}

// The outputs are outside in ncnn's weights of a transposed convolution, and inside in those of the graph.
func TestDeconvolution(t *testing.T) {
	f := newFile().layer("Input in 0 1 a").
		layer("Deconvolution x 1 1 a b 0=3 1=4 3=2 4=1 6=144 9=2 -23310=1,0.1", -144-1) // the first is the tag
	data := f.bin.Bytes()
	copy(data, []byte{0x56, 0xc0, 2, 0})
	g := f.read(t)
	op := g.Nodes[1].Op.(graph.ConvTranspose)
	if op.Pad != 1 || op.Extra != 0 || g.Measure().Scale != 2 || graph.NameOf(g.Nodes[2].Op) != "PReLU" {
		t.Errorf("got %+v", op)
	}
	weights := bin(data[4:])
	if list := weights.floats(144); op.Weight[(1*3+2)*16+5] != list[(2*3+1)*16+5] {
		t.Error("the weights are not transposed")
	}
	cut := newFile().layer("Input in 0 1 a").layer("Deconvolution x 1 1 a b 0=3 1=3 3=2 15=1 16=1 6=81", 81).read(t)
	if want := (graph.Edges{Bottom: -1, Right: -1}); cut.Nodes[2].Op.(graph.Pad).Edges != want {
		t.Errorf("cut off %v", cut.Nodes[2].Op)
	}
}

// TestSizes reads a network whose Input has a size, as the size of an Interp only means something then.
func TestSizes(t *testing.T) {
	for input, accepted := range map[string]bool{"0=20 1=30 2=3": true, "": false, "0=21 1=30 2=3": false} {
		f := newFile().layer("Input in 0 1 a " + input).layer("Interp x 1 1 a b 0=2 3=60 4=40")
		g, err := Read(f.param(), nil)
		if err == nil != accepted || accepted && g.Measure().Scale != 2 {
			t.Errorf("input %q: %v", input, err)
		}
	}
}

func TestRefused(t *testing.T) {
	input := "Input in 0 1 a"
	for line, want := range map[string]string{
		"Reduction x 1 1 a b 0=1":                         "the operation Reduction is not supported",
		"InnerProduct x 1 1 a b":                          "InnerProduct",
		"ReLU x 1 1 b b":                                  `"b", which no layer before it makes`,
		"ReLU x 1 1 a a":                                  `"a", which a layer before it makes`,
		"ReLU x 1 1 a b 0=0.1 0=0.2":                      "twice",
		"ReLU x 1 1 a b 5=1":                              "parameter 5",
		"ReLU x 1 9 a b":                                  "lacks",
		"ReLU x -1 1 a b":                                 "lacks",
		"ReLU x 1 1 a b 0=x":                              "no number",
		"ReLU x 1 1 a b 0=nan":                            "no number",
		"ReLU x 2 1 a a b":                                "has 2 inputs",
		"ReLU x 1 2 a b c":                                "has 2 outputs",
		"Input y 0 1 b":                                   "more than one picture",
		"Interp x 1 1 a b 0=1 1=1.5 2=1.5":                "whole factors",
		"Interp x 1 1 a b 0=1 1=2 2=3":                    "whole factors",
		"Interp x 1 1 a b 0=1 1=2 2=2 5=1":                "another input",
		"Convolution x 1 1 a b 0=3 1=3 6=81 8=1":          "8 bits",
		"Convolution x 1 1 a b 0=3 1=3 3=17 6=81":         "stride 17",
		"Convolution x 1 1 a b 0=3 1=3 3=2 4=-233 6=81":   "not stated",
		"Convolution x 1 1 a b 0=3 1=3 6=82":              "expected 81",
		"Convolution x 1 1 a b 0=2000000000 1=3 6=81":     "2000000000 channels",
		"Convolution x 1 1 a b 0=3 1=2000000000 6=81":     "taps",
		"Convolution x 1 1 a b 0=3 1=3 6=81 9=9":          "activation of number 9",
		"PReLU x 1 1 a b 0=2000000000":                    "too short",
		"PReLU x 1 1 a b 0=-5":                            "too short",
		"MemoryData x 0 1 b 0=2000000000":                 "values",
		"Slice x 1 2 a b c -23300=2,3,-233":               "channels",
		"Slice x 1 2 a b c -23300=2,1,-233 1=1":           "axis 1",
		"Slice x 1 2 a b c -23300=3,1,-233":               "no array",
		"Crop x 1 1 a b -23309=1,0 -23310=1,9 -23311=1,1": "any size",
		"PixelShuffle x 1 1 a b 0=2000000000":             "expected 1 to 16",
		"PixelShuffle x 1 1 a b 0=2":                      "3 channels by 2",
		"Eltwise x 2 1 a a b 0=2":                         "maximum",
		"Pooling x 1 1 a b 0=0 1=2 2=-1":                  "stride -1",
		"Pooling x 1 1 a b 0=0 1=40 2=2":                  "windows of 40",
		"Interp x 1 1 a b 0=2 9=\"*(0w,2),*(0h\"":         "is not supported",
		"Interp x 1 1 a b 0=2 9=\"640,480\"":              "any size",
		"Interp x 1 1 a b 0=2 9=\"//(0w,0),0h\"":          "is not supported",
		"Interp x 1 1 a b 0=2 9=\"*(0w,1e300),0h\"":       "is not supported",
		"Interp x 1 1 a b 0=2 5=1":                        "lacks that",
		"BinaryOp x 1 1 a b 0=3 1=1 2=0":                  "division by 0",
		"Split x 1 2 a ../../b c":                         "", // names are names, not paths
	} {
		f := newFile().layer(input).layer(line)
		if strings.Contains(line, "9=9") {
			f = newFile().layer(input).layer(line, 81)
		}
		if want == "" {
			f.layer("BinaryOp z 2 1 ../../b c d 0=0")
		}
		_, err := Read(f.param(), f.bin.Bytes())
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", line, err, want)
		}
	}
}

func TestCounts(t *testing.T) {
	for text, want := range map[string]string{
		"":                          "does not begin",
		"7767518\n":                 "does not begin",
		"7767517\n":                 "number of its layers",
		"\xdd\x85\x76\x00\x02":      "in binary is not supported, only in text",
		"7767517\n1000000 1000000":  "1000000 layers",
		"7767517\n3 3\nInput a 0 1": "lacks",
		"7767517\n3 3\nInput a 0 1 b\nReLU a 1 1 b c":                                 "has 2 layers",
		"7767517\n2 3\nInput a 0 1 b\nReLU a 1 1 b c\nReLU x 1 1 c d":                 "more than",
		"7767517\n3 3\nInput a 0 1 b\nReLU a 1 1 b c\nReLU x 1 1 b d":                 "2 results",
		"7767517\n2 2\nMemoryData a 0 1 b 0=1\nInput a 0 1 c":                         "too short",
		"7767517\n2 2\nReLU a 1 1 b c\nInput a 0 1 c":                                 "no layer before",
		"7767517\n20000 2\n" + strings.Repeat("ReLU a 1 1 b c\n", 20000):              "no layer before",
		"7767517\n20000 2\nInput a 0 1 b\n" + strings.Repeat("ReLU a 1 1 b c\n", 200): `makes "c"`,
	} {
		if _, err := Read([]byte(text), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, expected %q", text, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	small := compact()
	f.Add(small.param(), small.bin.Bytes())
	f.Add([]byte("7767517\n2 2\nInput a 0 1 b\nCrop x 1 1 b c -23309=1,0 -23310=1,-1 -23311=1,1"), []byte{})
	f.Add([]byte("7767517\n2 2\nInput a 0 1 b\nDeconvolution x 1 1 b c 0=1 1=1 3=2 6=3"), make([]byte, 16))
	f.Fuzz(func(t *testing.T, param, bin []byte) {
		g, err := Read(param, bin)
		if err != nil {
			return
		}
		if err := g.Check(); err != nil {
			t.Fatal(err)
		}
	})
}
