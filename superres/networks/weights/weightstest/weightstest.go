// Package weightstest writes files of weights for tests, in each format that package weights reads.
package weightstest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"slices"

	"superres/superres/networks/weights"
)

// Sorted returns the names of the tensors in alphabetical order, which is their order in the files.
func Sorted(tensors map[string]weights.Tensor) []string { return slices.Sorted(maps.Keys(tensors)) }

// Safetensors returns a safetensors file that holds the tensors in float32, and the metadata unless that is nil.
func Safetensors(tensors map[string]weights.Tensor, metadata map[string]string) []byte {
	type entry struct {
		Type    string `json:"dtype"`
		Shape   []int  `json:"shape"`
		Offsets [2]int `json:"data_offsets"`
	}
	header := map[string]any{}
	if metadata != nil {
		header["__metadata__"] = metadata
	}
	var body []byte
	for _, name := range Sorted(tensors) {
		start := len(body)
		body = appendFloats(body, tensors[name].Data)
		header[name] = entry{"F32", append([]int{}, tensors[name].Shape...), [2]int{start, len(body)}}
	}
	text, err := json.Marshal(header)
	if err != nil {
		panic(err) // never, for strings and numbers
	}
	return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text, body)
}

func appendFloats(b []byte, list []float32) []byte {
	for _, v := range list {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

// Reader returns the arguments of weights.Read for a file that holds b.
func Reader(b []byte) (*bytes.Reader, int64) { return bytes.NewReader(b), int64(len(b)) }
