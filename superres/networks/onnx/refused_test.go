package onnx

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestRefused(t *testing.T) {
	one := func(line string, attributes ...attr) *file { return newFile().node(line, attributes...) }
	conv := func(attributes ...attr) *file {
		return newFile().weights("w", 3, 3, 3, 3).node("Conv x w > y", attributes...)
	}
	with := func(f *file, change func(*file)) *file { change(f); return f }
	for want, f := range map[string]*file{
		"of samples is supported within windows":      one("MatMul x x > y"),
		"of \"\" is not supported":                    one("Einsum x x > y"),
		"the operation If is not supported":           one("If x > y"),
		`takes "z", which no node before it makes`:    one("Add x z > y").node("Relu y > z"), // a circle
		`makes "x", which is there already`:           one("Relu x > x").node("Relu x > y"),
		`no node makes the result "y"`:                one("Relu x > z"),
		"makes 1×1×3 of 17×19×3":                      one("GlobalAveragePool x > y"),
		"has 0 inputs":                                one("Relu > y"),
		"has 2 outputs":                               one("Relu x > y z"),
		`takes "mask", which no node before it makes`: one("Dropout x > a mask").node("Add a mask > y"),
		`attribute "beta"`:                            one("Relu x > y", attr{"beta", 1.0}),
		"stride 32":                                   conv(attr{"strides", []int{32, 32}}),
		"padding that is not stated": conv(attr{"strides", []int{2, 2}},
			attr{"auto_pad", "SAME_UPPER"}),
		"different dilations":      conv(attr{"dilations", []int{1, 2}}),
		"2 groups":                 conv(attr{"group", 2}),
		"0 groups":                 conv(attr{"group", 0}),
		`padding "SAME"`:           conv(attr{"auto_pad", "SAME"}),
		"for [5 5] taps":           conv(attr{"kernel_shape", []int{5, 5}}),
		"2 pads":                   conv(attr{"pads", []int{1, 1}}),
		"padding {-5 0 0 0}":       conv(attr{"pads", []int{-5, 0, 0, 0}}),
		"Erf":                      one("Erf x > y"),
		"constant of [3] numbers":  newFile().weights("c", 3).node("Add x c > y"),
		"along the channels alone": one("Concat x x > y", attr{"axis", 2}),
		"keeps no samples":         newFile().constant(ints("a", 3)).node("Slice x a a > y"),
		"of [1 3 336 240] to [7]":  newFile().constant(ints("s", 7)).node("Reshape x s > y"),
		"rearranged in this way":   one("Transpose x > y", attr{"perm", []int{0, 1, 3, 2}}),
		"by [0 1 1 2] of 4":        one("Transpose x > y", attr{"perm", []int{0, 1, 1, 2}}),
		"by [0 0 0 0] of 4":        one("Transpose x > y", attr{"perm", []int{0, 0, 0, 0}}),
		"by 1.5×1.5":               scaled(1.5, 1.5),
		"by 3×2":                   scaled(2, 3),
		"by 17×17":                 scaled(17, 17),
		"by NaN×NaN":               scaled(math.NaN(), math.NaN()),
		`coordinates "half_pixel" and the rounding "floor"`: scaled(2, 2, attr{"nearest_mode", "floor"}),
		"with smoothing": scaled(0.5, 0.5, attr{"antialias", 1}),
		"operations depend on the size": newFile().constant(ints("i", 2)).node("Shape x > s").node("Gather s i > h").
			node("Cast h > f", attr{"to", typeFloat32}).node("Mul x f > y"),
		"expected 12 for the dimensions": withTensor(typeFloat32, []int{3}, make([]byte, 11)),
		"numbers of type string":         withTensor(8, []int{3}, nil),
		"expected at most":               withTensor(typeFloat32, []int{1 << 20, 1 << 20}, nil),
		"two constants":                  one("Relu x > y").weights("c", 1).weights("c", 1),
		"too large to compute": newFile().constant(ints("s", 1<<13, 1<<13)).
			node("ConstantOfShape s > c").node("Relu x > y"),
		"division by 0":                   newFile().constant(ints("s", 0)).node("Div s s > c").node("Relu x > y"),
		"is no picture":                   with(one("Relu x > y"), func(f *file) { f.dims = []int{2, 3, 4, 4} }),
		"is no picture of real":           with(one("Relu x > y"), func(f *file) { f.kind = typeInt64 }),
		"4 channels, expected 3":          with(one("Relu x > y"), func(f *file) { f.dims = []int{1, 4, 0, 0} }),
		"expected as many channels":       newFile().weights("w", 1, 3, 1, 1).node("Conv x w > y"),
		"a weight is not a finite number": newFile().constant(floats("k", nil, math.Inf(1))).node("Mul x k > y"),
	} {
		_, err := Read(f.bytes(), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, expected %q", err, want)
		}
	}
}

func withTensor(kind uint64, dims []int, raw []byte) *file {
	return newFile().node("Relu x > y").constant(rawTensor("c", kind, dims, raw))
}

func scaled(down, across float64, attributes ...attr) *file {
	return newFile().constant(floats("s", []int{4}, 1, 1, down, across)).node("Resize x _ s > y", attributes...)
}

func TestOpset(t *testing.T) {
	for _, opset := range []uint64{0, 8, 27, 1 << 40} {
		f := newFile().node("Relu x > y")
		f.opset = opset
		if _, err := Read(f.bytes(), nil); err == nil || !strings.Contains(err.Error(), "expected 9 to 26") {
			t.Errorf("operations of version %d: %v", opset, err)
		}
	}
}

// TestManyNodes reads networks that are larger than any that runs: the answer comes at once.
func TestManyNodes(t *testing.T) {
	f := newFile()
	f.node("Relu x > y")
	f.graph = []byte(strings.Repeat(string(f.graph), 1_000_000))
	data := f.bytes()
	start := time.Now()
	if _, err := Read(data, nil); err == nil || !strings.Contains(err.Error(), "more than 80000 nodes") {
		t.Errorf("a million nodes: %v", err)
	}
	if took := time.Since(start); took > 2*time.Second {
		t.Errorf("took %v", took)
	}
}

// TestManyRepeats reads a network whose samples grow without an end.
func TestManyRepeats(t *testing.T) {
	f := newFile().constant(ints("s", 1, 2, 2, 2))
	last := "x"
	for i := range 20_000 {
		next := "n" + strconv.Itoa(i)
		f.node("Tile " + last + " s > " + next)
		last = next
	}
	if _, err := Read(f.node("Identity "+last+" > y").bytes(), nil); err == nil {
		t.Error("is accepted")
	}
}

// TestReleased reads networks that compute more constants than may be there at a time: those that no node takes any
// more make room for others, unless they have another name.
func TestReleased(t *testing.T) {
	for _, isKept := range []bool{false, true} {
		f := newFile().constant(ints("s", 1<<18)).constant(ints("t", 1<<9, 1<<9))
		for i := range 40 {
			f.node(fmt.Sprintf("ConstantOfShape s > a%d", i)).node(fmt.Sprintf("Reshape a%d t > b%d", i, i))
			if !isKept {
				f.node(fmt.Sprintf("Sqrt b%d > c%d", i, i)).node(fmt.Sprintf("Shape c%d > e%d", i, i))
			}
		}
		for i := range 40 {
			f.node(fmt.Sprintf("Shape b%d > d%d", i, i))
			if !isKept {
				break
			}
		}
		_, err := Read(f.node("Relu x > y").bytes(), nil)
		if isKept != (err != nil && strings.Contains(err.Error(), "too large to compute")) {
			t.Errorf("kept %t: got %v", isKept, err)
		}
	}
}

// TestCutOff reads files that end early.
func TestCutOff(t *testing.T) {
	data := shuffledBy("DCR").bytes()
	for n := range len(data) {
		if _, err := Read(data[:n], nil); err == nil {
			t.Errorf("%d bytes of %d are accepted", n, len(data))
		}
	}
}

func TestTerms(t *testing.T) {
	f := newFile().node("Relu x > y")
	f.metadata = [2]string{"License", "CC BY 4.0\n\x1b[2J by \xff someone " + strings.Repeat("x", 1000)}
	g, err := Read(f.bytes(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := "CC BY 4.0 [2J by someone xxx"; !strings.HasPrefix(g.Terms, want) || len(g.Terms) > 210 {
		t.Errorf("got %q", g.Terms)
	}
}

func TestTermsOfDescription(t *testing.T) {
	data := message(newFile().node("Relu x > y").bytes(), 6, "A network for tests.\n license: MIT\r\nscale: 1")
	g, err := Read(data, nil)
	if err != nil || g.Terms != "MIT" {
		t.Errorf("got %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(shuffled(0, 1, 4, 2, 5, 3).bytes())
	f.Add(unshuffled().bytes())
	f.Add(channelShuffle().bytes())
	f.Add(computedSize().bytes())
	f.Add(shuffledBy("DCR").bytes())
	f.Add(newFile().weights("w", 3, 3, 4, 4).node("ConvTranspose x w > y", attr{"strides", []int{2, 2}}).bytes())
	f.Add(newFile().constant(ints("i", 2, -2, 0)).node("Gather x i > y", attr{"axis", 1}).bytes())
	for _, file := range []*file{windowed(), pooled(), compared(), overlapping(), heads("ReduceL2 h > n"), inWindows(),
		attending(attr{"q_num_heads", 2})} {
		f.Add(file.bytes())
	}
	f.Add(localFunction(sized(4, 6).called("my", "F x > y").bytes(), "my", "F", "v", "s", newFile().node("Relu v > s")))
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := Read(data, nil)
		if err != nil {
			return
		}
		if err := g.Check(); err != nil {
			t.Fatal(err)
		}
	})
}
