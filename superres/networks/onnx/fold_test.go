package onnx

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"superres/internal/must"

	"google.golang.org/protobuf/encoding/protowire"
)

// fold returns the constant that the nodes of a file compute of constants.
func fold(f *file) (*tensor, error) {
	m, err := parseModel(f.bytes(), nil)
	if err != nil {
		return nil, err
	}
	t := m.newTracer()
	if err := m.eachNode(m.body, nodesField, t.followNode); err != nil {
		return nil, err
	}
	return t.values["y"].constant, nil
}

// print returns the dimensions and the values of a tensor.
func print(t *tensor) string {
	if t.ints != nil {
		return fmt.Sprintf("%v%v", t.dims, t.ints)
	}
	return fmt.Sprintf("%v%v", t.dims, t.reals)
}

func TestFold(t *testing.T) {
	for line, want := range map[string]string{
		"Add a b > y":                    "[3][11 7 9]",
		"Sub a b > y":                    "[3][9 -9 -5]",
		"Mul a one > y":                  "[3][10 -1 2]",
		"Div a two > y":                  "[3][5 0 1]", // towards 0
		"Mod b a > y":                    "[3][1 0 1]",
		"Mod a three > y":                "[3][1 2 2]", // the sign of the divisor
		"Pow b two > y":                  "[3][1 64 49]",
		"Max a b one > y":                "[3][10 8 7]",
		"Min a b one > y":                "[3][1 -1 1]",
		"Equal a one > y":                "[3][0 0 0]",
		"Neg a > y":                      "[3][-10 1 -2]",
		"Shape m > y":                    "[2][2 3]",
		"Add m row > y":                  "[2 3][1 2.5 4 2.5 4 5.5]",
		"Div row two > y":                "[3][0.5 0.75 1]",
		"Floor row > y":                  "[3][1 1 2]",
		"Ceil row > y":                   "[3][1 2 2]",
		"Round row > y":                  "[3][1 2 2]",
		"Floor a > y":                    "[3][10 -1 2]",
		"Equal row row > y":              "[3][1 1 1]",
		"Sqrt two > y":                   "[1][1]",
		"Not a > y":                      "[3][0 0 0]",
		"And a two > y":                  "[3][2 -1 2]",
		"ReduceSum a > y":                "[1][11]",
		"ReduceMax m > y":                "[1 1][3.5]",
		"ReduceProd a > y":               "[1][-20]",
		"ReduceL2 row > y":               "[1][2.6925824]",
		"Clip row one > y":               "[3][1 1.5 2]",
		"LayerNormalization row row > y": "[3][-1.2247081 0 2.4494162]",
		"ScatterND a one two > y":        "[3][10 2 2]",
		"Range one three one > y":        "[2][1 2]",
		"Range a b one > y":              "of lists of numbers",
		"ConstantOfShape two > y":        "[2][0 0]",
		"Expand row m > y":               "whole numbers are expected",
		"Expand one a2 > y":              "[2 3][1 1 1 1 1 1]",
		"Where a row m > y":              "[2 3][1 1.5 2 1 1.5 2]",
		"Where zero row m > y":           "[2 3][0 1 2 1.5 2.5 3.5]",
		"Where zero row a > y":           "two types",
		"Transpose m > y":                "[3 2][0 1.5 1 2.5 2 3.5]",
		"Gather m one > y":               "[1 3][1.5 2.5 3.5]",
		"Gather m three > y":             "reaches beyond",
		"Gather m row > y":               "not whole",
		"Tile a two > y":                 "[6][10 -1 2 10 -1 2]",
		"Reshape m six > y":              "[6][0 1 2 1.5 2.5 3.5]",
		"Reshape m two > y":              "of [2 3] to [2]",
		"Squeeze one > y":                "[][1]",
		"Unsqueeze a zero > y":           "[1 3][10 -1 2]",
		"Unsqueeze a three > y":          "along axis 3 of 2",
		"Slice m one six one > y":        "[2 2][1 2 2.5 3.5]",
		"Cast m > y":                     "to type 0",
		"Div a zero > y":                 "division by 0",
		"Add a a2 > y":                   "[3] and [2]",
		"Concat a b a2 > y":              "[8][10 -1 2 1 8 7 2 3]",
		"Concat m m > y":                 "[4 3][0 1 2 1.5 2.5 3.5 0 1 2 1.5 2.5 3.5]",
		"Concat a row > y":               "several types",
		"CastLike row a > y":             "[3][1 1 2]",
		"CastLike a row > y":             "[3][10 -1 2]",
		"Relu a > y":                     "[3][10 0 2]",
		"Softmax a > y":                  "a constant in place of samples",
		"Sum a b one > y":                "[3][12 8 10]",
	} {
		f := newFile().constant(ints("a", 10, -1, 2)).constant(ints("b", 1, 8, 7)).constant(ints("a2", 2, 3)).
			constant(ints("zero", 0)).constant(ints("one", 1)).constant(ints("two", 2)).constant(ints("three", 3)).
			constant(ints("six", 6)).constant(floats("m", []int{2, 3}, 0, 1, 2, 1.5, 2.5, 3.5)).
			constant(floats("row", []int{3}, 1, 1.5, 2)).node(line)
		got, err := fold(f)
		text := fmt.Sprint(err)
		if err == nil {
			text = print(got)
		}
		if text != want && (err == nil || !strings.Contains(text, want)) {
			t.Errorf("%s: got %s, expected %s", line, text, want)
		}
	}
}

// TestEmptyConstants concatenates constants that have many rows without numbers: this takes no time.
func TestEmptyConstants(t *testing.T) {
	f := newFile().constant(rawTensor("e", typeFloat32, []int{1 << 26, 0}, nil)).
		node("Concat e e e e e e e e e e > a", attr{"axis", 1}).node("Concat a a a a a a a a a a > y", attr{"axis", 1})
	if got := must.Get(fold(f))(t); got.size() != 0 {
		t.Errorf("got %v", got.dims)
	}
}

func TestConstant(t *testing.T) {
	for _, c := range []struct {
		attribute attr
		want      string
	}{
		{attr{"value", floats("", []int{2}, 1, 2)}, "[2][1 2]"},
		{attr{"value_int", 7}, "[][7]"},
		{attr{"value_ints", []int{7, 8}}, "[2][7 8]"},
		{attr{"value_float", 0.5}, "[][0.5]"},
	} {
		if got := must.Get(fold(newFile().node("Constant > y", c.attribute)))(t); print(got) != c.want {
			t.Errorf("%v: got %s", c.attribute, print(got))
		}
	}
}

// TestTypes reads the number 1.5, or 1, and its negative in every type, as raw bytes and as lists.
func TestTypes(t *testing.T) {
	le := binary.LittleEndian
	packed := func(list ...uint64) (b []byte) {
		for _, v := range list {
			b = protowire.AppendVarint(b, v)
		}
		return b
	}
	minus := uint64(math.MaxUint64) // −1
	single := le.AppendUint32(le.AppendUint32(nil, math.Float32bits(1.5)), math.Float32bits(-1.5))
	double := le.AppendUint64(le.AppendUint64(nil, math.Float64bits(1.5)), math.Float64bits(-1.5))
	for _, c := range []struct {
		kind  uint64
		field protowire.Number
		data  []byte
		want  string
	}{
		{typeFloat32, 9, single, "[2][1.5 -1.5]"},
		{typeFloat32, 4, single, "[2][1.5 -1.5]"},
		{typeFloat32, 4, single[:4], "fewer"},
		{typeFloat64, 9, double, "[2][1.5 -1.5]"},
		{typeFloat64, 10, double, "[2][1.5 -1.5]"},
		{typeFloat16, 9, []byte{0, 0x3e, 0, 0xbe}, "[2][1.5 -1.5]"},
		{typeFloat16, 5, packed(0x3e00, 0xbe00), "[2][1.5 -1.5]"},
		{typeBfloat16, 9, []byte{0xc0, 0x3f, 0xc0, 0xbf}, "[2][1.5 -1.5]"},
		{typeInt64, 9, le.AppendUint64(le.AppendUint64(nil, 1), minus), "[2][1 -1]"},
		{typeInt64, 7, packed(1, minus), "[2][1 -1]"},
		{typeInt64, 7, packed(1, 2, 3), "has 3 numbers"},
		{typeInt32, 9, []byte{1, 0, 0, 0, 255, 255, 255, 255}, "[2][1 -1]"},
		{typeInt32, 5, packed(1, minus), "[2][1 -1]"},
		{typeInt8, 9, []byte{1, 255}, "[2][1 -1]"},
		{typeUint8, 9, []byte{1, 255}, "[2][1 255]"},
		{typeBool, 5, packed(1, 0), "[2][1 0]"},
	} {
		wholes := maxWholes
		_, got, err := (&model{}).parseTensor(message(number(number(nil, 1, 2), 2, c.kind), c.field, c.data), &wholes)
		text := fmt.Sprint(err)
		if err == nil {
			got = must.Get(got.unpacked(&wholes))(t)
			text = print(got)
		}
		if text != c.want && (err == nil || !strings.Contains(text, c.want)) {
			t.Errorf("type %d in field %d: got %s, expected %s", c.kind, c.field, text, c.want)
		}
	}
}
