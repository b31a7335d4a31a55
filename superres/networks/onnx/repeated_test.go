package onnx

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"superres/internal/heap"
)

// repeated are the fields of ONNX's messages that may repeat (onnx.proto3 of ONNX 1.17), and some that should not:
// the numbers of the fields that contain one, from that of the model on, and its own last.
var repeated = map[string][]protowire.Number{
	"description": {6}, "opset imports": {8}, "metadata": {14}, "training infos": {20}, "functions": {25},
	"graphs": {7}, "nodes": {7, 1}, "initializers": {7, 5}, "inputs": {7, 11}, "outputs": {7, 12},
	"value infos": {7, 13}, "quantization annotations": {7, 14}, "sparse initializers": {7, 15},
	"metadata of the graph": {7, 16},
	"inputs of a node":      {7, 1, 1}, "outputs of a node": {7, 1, 2}, "attributes": {7, 1, 5},
	"metadata of a node": {7, 1, 9}, "floats": {7, 1, 5, 7}, "ints": {7, 1, 5, 8}, "strings": {7, 1, 5, 9},
	"tensors": {7, 1, 5, 10}, "graphs of a node": {7, 1, 5, 11}, "types": {7, 1, 5, 15},
	"sparse tensors": {7, 1, 5, 23}, "values of a node": {7, 1, 5, 5},
	"dims": {7, 5, 1}, "float data": {7, 5, 4}, "int32 data": {7, 5, 5}, "string data": {7, 5, 6},
	"int64 data": {7, 5, 7}, "double data": {7, 5, 10}, "uint64 data": {7, 5, 11}, "external data": {7, 5, 13},
	"metadata of a constant": {7, 5, 16}, "dims of a constant of a node": {7, 1, 5, 5, 1},
	"int64 data of a node": {7, 1, 5, 5, 7},
	"types of an input":    {7, 11, 2}, "shapes": {7, 11, 2, 1, 2}, "dims of an input": {7, 11, 2, 1, 2, 1},
	"dims of an output": {7, 12, 2, 1, 2, 1}, "metadata of an input": {7, 11, 4},
}

// TestManyFields reads 200,000 fields of each kind that may repeat, empty ones and small numbers: beside the
// file, no more than three times its size is in memory, whether the network is refused or not.
func TestManyFields(t *testing.T) {
	const count = 200_000
	for what, path := range repeated {
		for kind, content := range map[protowire.Type][]byte{
			protowire.BytesType: {0}, protowire.VarintType: {1}, protowire.Fixed32Type: {0, 0, 0, 0},
		} {
			data := bytes.Repeat(append(protowire.AppendTag(nil, path[len(path)-1], kind), content...), count)
			f := newFile().node("Relu x > y")
			if len(path) > 1 {
				for _, number := range slices.Backward(path[1 : len(path)-1]) {
					data = message(nil, number, data)
				}
				f.graph = append(f.graph, data...)
			}
			file := f.bytes()
			if len(path) == 1 {
				file = append(file, data...)
			}
			most := 3 * int64(len(file))
			if took := heap.Within(most, func() { _, _ = Read(file, nil) }); took > most {
				t.Errorf("%s of kind %d: %d KB for %d KB", what, kind, took>>10, len(file)>>10)
			}
		}
	}
}

// TestManySmall reads as many nodes and constants as are taken, and more, of a few bytes each: what is made of them is
// bounded.
func TestManySmall(t *testing.T) {
	const most = 48 << 20 // bytes
	for what, f := range map[string]func(*file, int){
		"nodes":     func(f *file, i int) { f.node(fmt.Sprintf("Relu x > w%x", i)) },
		"chain":     func(f *file, i int) { f.node(fmt.Sprintf("Relu v%x > v%x", i, i+1)) },
		"constants": func(f *file, i int) { f.constant(ints(fmt.Sprintf("%x", i))) },
		"splits":    func(f *file, i int) { f.node(fmt.Sprintf("Split x > a%x b%x c%x", i, i, i), attr{"axis", 1}) },
	} {
		for _, count := range []int{10_000, maxNodes - 3} {
			file := newFile().node("Identity x > v0")
			for i := range count {
				f(file, i)
			}
			data := file.node("Identity x > y").bytes()
			took := heap.Within(most, func() { _, _ = Read(data, nil) })
			t.Logf("%d %s: %d MB for %d KB", count, what, took>>20, len(data)>>10)
			if took > most {
				t.Errorf("%d %s: %d MB for %d KB", count, what, took>>20, len(data)>>10)
			}
		}
	}
}
