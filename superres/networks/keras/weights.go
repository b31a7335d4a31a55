package keras

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"

	"superres/internal/elementary"
	"superres/superres/networks/graph"
)

// group is a group of weights, which are stored one after another in the files Paths.
type group struct {
	Paths   []string `json:"paths"`
	Weights []struct {
		Name         string `json:"name"`
		Shape        []int  `json:"shape"`
		Type         string `json:"dtype"`
		Quantization *struct {
			Type  string  `json:"dtype"`
			Scale float64 `json:"scale"`
			Min   float64 `json:"min"`
		} `json:"quantization"`
	} `json:"weights"`
}

// weight is an array of numbers.
type weight struct {
	shape []int
	data  []float32
}

// maxRank is the greatest number of dimensions of a weight.
const maxRank = 4

// readWeights returns the weights of all groups by name. A group's files must have as many bytes as its weights.
func readWeights(groups []group, folder fs.FS) (map[string]weight, error) {
	all := map[string]weight{}
	left := graph.MaxWeights
	for _, g := range groups {
		size := 0
		for _, w := range g.Weights {
			bytes, err := sizeOf(w.Type, w.Quantization != nil)
			if w.Quantization != nil {
				bytes, err = sizeOf(w.Quantization.Type, true)
			}
			n := 1
			for _, side := range w.Shape {
				if side < 1 || side > graph.MaxWeights/n || len(w.Shape) > maxRank {
					return nil, fmt.Errorf("the weights %.60q have the shape %v", w.Name, w.Shape)
				}
				n *= side
			}
			if left -= n; err != nil || left < 0 {
				return nil, fmt.Errorf("the weights %.60q are of type %.20q, or are more than %d altogether", w.Name,
					w.Type, graph.MaxWeights)
			}
			size += n * bytes
		}
		data, err := readFiles(g.Paths, folder, size)
		if err != nil {
			return nil, err
		}
		for _, w := range g.Weights {
			if _, twice := all[w.Name]; twice {
				return nil, fmt.Errorf("the weights %.60q are there twice", w.Name)
			}
			n, kind, scale, least := 1, w.Type, 1., 0.
			for _, side := range w.Shape {
				n *= side
			}
			if q := w.Quantization; q != nil {
				kind = q.Type
				if kind != "float16" {
					scale, least = q.Scale, q.Min
				}
			}
			list := make([]float32, n)
			bytes, _ := sizeOf(kind, true)
			for i := range list {
				list[i] = float32(float64(number(kind, data[i*bytes:])*scale) + least)
			}
			data = data[n*bytes:]
			all[w.Name] = weight{w.Shape, list}
		}
	}
	return all, nil
}

// sizeOf returns the number of bytes of a number of the given type, which may be a type of quantised numbers.
func sizeOf(kind string, isQuantised bool) (int, error) {
	switch {
	case kind == "float32":
		return 4, nil
	case isQuantised && (kind == "float16" || kind == "uint16"):
		return 2, nil
	case isQuantised && kind == "uint8":
		return 1, nil
	}
	return 0, errors.New("numbers of an unknown type")
}

// number returns the first number in data, which is of the given type.
func number(kind string, data []byte) float64 {
	switch kind {
	case "float32":
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(data)))
	case "float16":
		return float64(elementary.Float16(binary.LittleEndian.Uint16(data)))
	case "uint16":
		return float64(binary.LittleEndian.Uint16(data))
	}
	return float64(data[0])
}

// readFiles returns the bytes of the named files, one after another. It fails unless they have size bytes altogether.
func readFiles(names []string, folder fs.FS, size int) ([]byte, error) {
	total := int64(0)
	for _, name := range names {
		info, err := fs.Stat(folder, name)
		if err != nil || !info.Mode().IsRegular() {
			return nil, fmt.Errorf("the file %.60q of the network is missing; it belongs beside the model.json", name)
		}
		if total += info.Size(); total > int64(size) {
			break
		}
	}
	if total != int64(size) {
		return nil, fmt.Errorf("the files of weights have %d bytes, or more, expected %d", total, size)
	}
	data := make([]byte, 0, size)
	for _, name := range names {
		f, err := folder.Open(name)
		if err != nil {
			return nil, err
		}
		part, err := io.ReadAll(io.LimitReader(f, int64(size-len(data))))
		f.Close()
		if err != nil {
			return nil, err
		}
		data = append(data, part...)
	}
	if len(data) != size {
		return nil, fmt.Errorf("the files of weights have %d bytes, expected %d", len(data), size)
	}
	return data, nil
}
