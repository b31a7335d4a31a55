package keras

import (
	"encoding/binary"
	"io"
	"io/fs"
	"math"

	"superres/internal/elementary"
	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

// group is a group of weights, which are stored one after another in the files Paths.
type group struct {
	Paths   []string `json:"paths"`
	Weights []entry  `json:"weights"`
}

// entry describes a weight in a file. Quantised numbers are the stored integers times Scale, plus Min, or float16.
type entry struct {
	Name         string `json:"name"`
	Shape        []int  `json:"shape"`
	Type         string `json:"dtype"`
	Quantization *struct {
		Type  string  `json:"dtype"`
		Scale float64 `json:"scale"`
		Min   float64 `json:"min"`
	} `json:"quantization"`
}

// weight is an array of numbers.
type weight struct {
	shape []int
	data  []float32
}

// maxRank is the greatest number of dimensions of a weight.
const maxRank = 4

// readWeights returns the weights of all groups by name. A group's files must have as many bytes as its weights, and
// all weights together at most graph.MaxWeights numbers. It panics with a fail.Failure at the first error.
func readWeights(groups []group, folder fs.FS) map[string]weight {
	all := map[string]weight{}
	left := graph.MaxWeights
	for _, g := range groups {
		size := 0
		for _, w := range g.Weights {
			kind, isKnown := w.number()
			n := 1
			for _, side := range w.Shape {
				fail.When(side < 1 || side > graph.MaxWeights/n || len(w.Shape) > maxRank,
					"the weights %.60q have the shape %v", w.Name, w.Shape)
				n *= side
			}
			left -= n
			fail.When(!isKnown || left < 0,
				"the weights %.60q are of type %.20q, or are more than %d altogether", w.Name, w.Type, graph.MaxWeights)
			size += n * kind.bytes
		}
		data := readFiles(g.Paths, folder, size)
		for _, w := range g.Weights {
			_, twice := all[w.Name]
			fail.When(twice, "the weights %.60q are there twice", w.Name)
			n, scale, least := 1, 1., 0.
			for _, side := range w.Shape {
				n *= side
			}
			if q := w.Quantization; q != nil && q.Type != "float16" {
				scale, least = q.Scale, q.Min
			}
			list := make([]float32, n)
			kind, _ := w.number()
			for i := range list {
				list[i] = float32(float64(kind.read(data[i*kind.bytes:])*scale) + least)
			}
			data = data[n*kind.bytes:]
			all[w.Name] = weight{w.Shape, list}
		}
	}
	return all
}

// number is a type of numbers in a file: their size in bytes, and a function that reads the first number in data.
type number struct {
	bytes int
	read  func(data []byte) float64
}

// plain is the type of numbers that are not quantised, and quantised are the types of those that are, by their names.
var (
	plain = number{4, func(b []byte) float64 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}}
	quantised = map[string]number{
		"float32": plain,
		"float16": {2, func(b []byte) float64 { return float64(elementary.Float16(binary.LittleEndian.Uint16(b))) }},
		"uint16":  {2, func(b []byte) float64 { return float64(binary.LittleEndian.Uint16(b)) }},
		"uint8":   {1, func(b []byte) float64 { return float64(b[0]) }},
	}
)

// number returns the type of the numbers of a weight. isKnown is false if they cannot be read.
func (e *entry) number() (n number, isKnown bool) {
	if e.Quantization == nil {
		return plain, e.Type == "float32"
	}
	n, isKnown = quantised[e.Quantization.Type]
	return n, isKnown
}

// readFiles returns the bytes of the named files, one after another. It fails unless they have size bytes altogether.
func readFiles(names []string, folder fs.FS, size int) []byte {
	total := int64(0)
	for _, name := range names {
		info, err := fs.Stat(folder, name)
		fail.When(err != nil || !info.Mode().IsRegular(),
			"the file %.60q of the network is missing; it belongs beside the model.json", name)
		if total += info.Size(); total > int64(size) {
			break
		}
	}
	fail.When(total != int64(size), "the files of weights have %d bytes, or more, expected %d", total, size)
	data := make([]byte, 0, size)
	for _, name := range names {
		f := fail.Need(folder.Open(name))
		part, err := io.ReadAll(io.LimitReader(f, int64(size-len(data))))
		f.Close()
		fail.If(err)
		data = append(data, part...)
	}
	fail.When(len(data) != size, "the files of weights have %d bytes, expected %d", len(data), size)
	return data
}
