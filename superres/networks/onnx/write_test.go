package onnx

import (
	"encoding/binary"
	"math"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// file writes an ONNX file with one input, "x", and one result, "y".
type file struct {
	graph    []byte
	opset    uint64
	dims     []int // of the input; 0 where any size is accepted
	kind     uint64
	metadata [2]string
}

func newFile() *file { return &file{opset: 17, dims: []int{1, 3, 0, 0}, kind: typeFloat32} }

// message appends a field that is a message or a text.
func message[T []byte | string](b []byte, number protowire.Number, content T) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), []byte(content))
}

// number appends a field that is a number.
func number(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

// attr is an attribute: a name and a number, a text, a list or a tensor.
type attr struct {
	name  string
	value any
}

func (a attr) bytes() (b []byte) {
	b = message(b, 1, a.name)
	switch v := a.value.(type) {
	case int:
		b = number(b, 3, uint64(v))
	case float64:
		b = protowire.AppendTag(b, 2, protowire.Fixed32Type)
		b = protowire.AppendFixed32(b, math.Float32bits(float32(v)))
	case string:
		b = message(b, 4, v)
	case []int:
		for _, n := range v {
			b = number(b, 8, uint64(n))
		}
	case []byte:
		b = message(b, 5, v)
	}
	return b
}

// node adds a node of a line such as "Conv x w b > y".
func (f *file) node(line string, attributes ...attr) *file {
	var b []byte
	field := protowire.Number(1)
	for i, word := range strings.Fields(line) {
		switch {
		case i == 0:
			b = message(b, 4, word)
		case word == ">":
			field = 2
		default:
			b = message(b, field, strings.Trim(word, "_")) // _ is an input that is left out
		}
	}
	for _, a := range attributes {
		b = message(b, 5, a.bytes())
	}
	f.graph = message(f.graph, 1, b)
	return f
}

// floats returns a tensor of float32.
func floats(name string, dims []int, list ...float64) []byte {
	var raw []byte
	for _, v := range list {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(v)))
	}
	return rawTensor(name, typeFloat32, dims, raw)
}

// ints returns a tensor of one dimension of int64.
func ints(name string, list ...int) []byte {
	var raw []byte
	for _, v := range list {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return rawTensor(name, typeInt64, []int{len(list)}, raw)
}

func rawTensor(name string, kind uint64, dims []int, raw []byte) (b []byte) {
	for _, d := range dims {
		b = number(b, 1, uint64(d))
	}
	return message(message(number(b, 2, kind), 8, name), 9, raw)
}

// constant adds a constant of the file.
func (f *file) constant(tensor []byte) *file {
	f.graph = message(f.graph, 5, tensor)
	return f
}

// weights adds a constant of the given dimensions whose values are 0, 0.01, 0.02 ….
func (f *file) weights(name string, dims ...int) *file {
	list := make([]float64, product(dims))
	for i := range list {
		list[i] = float64(i) / 100
	}
	return f.constant(floats(name, dims, list...))
}

func (f *file) bytes() []byte {
	describe := func(name string, dims []int) []byte {
		var shape []byte
		for _, d := range dims {
			var dim []byte
			if d != 0 {
				dim = number(nil, 1, uint64(d))
			}
			shape = message(shape, 1, dim)
		}
		tensor := message(number(nil, 1, f.kind), 2, shape)
		return message(message(nil, 1, name), 2, message(nil, 1, tensor))
	}
	g := message(f.graph, 11, describe("x", f.dims))
	g = message(g, 12, describe("y", nil))
	b := message(number(nil, 1, 8), 7, g)
	b = message(b, 8, number(nil, 2, f.opset))
	if f.metadata[0] != "" {
		b = message(b, 14, message(message(nil, 1, f.metadata[0]), 2, f.metadata[1]))
	}
	return b
}
