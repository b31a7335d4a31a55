// Package weights reads files of weights: tensors with names, without a description of the network to which they
// belong. The formats are safetensors and the two forms of PyTorch's .pth. Files may come from strangers: every size is
// checked before memory is taken, and nothing in a file is ever called.
package weights

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"superres/superres/networks/fail"
	"superres/superres/networks/graph"
)

// The limits of a file bound the memory that a forged file can make a program allocate.
const (
	MaxTensors  = 20_000
	MaxElements = graph.MaxWeights // in all tensors together
	maxRank     = 8
)

// Tensor is an array of numbers.
type Tensor struct {
	Shape []int     // the number of elements along each dimension; empty for a single number
	Data  []float32 // the elements in row-major order, as many as the product of Shape
}

// File holds the contents of a file of weights.
type File struct {
	Format  string            // safetensors or pth
	Tensors map[string]Tensor // by their names
	Terms   string            // the terms of use that the file states; empty if it states none
}

// Read returns the tensors of a file of size bytes. It recognises the format by the contents. If a PyTorch checkpoint
// holds several dictionaries of tensors, Read returns the averaged weights of the generator, or else its other weights.
// Numbers of 16 and 64 bits and integers become float32. Read keeps no reference to r.
func Read(r io.ReaderAt, size int64) (*File, error) {
	head := make([]byte, min(size, 512))
	if _, err := r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	f := &File{Format: "pth", Tensors: map[string]Tensor{}}
	var read func(f *File, r io.ReaderAt, size int64) // panics with a fail.Failure at the first error
	switch {
	case len(head) > 8 && head[8] == '{' && binary.LittleEndian.Uint64(head) <= uint64(size-8):
		f.Format, read = "safetensors", readSafetensors
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		read = readZip
	case len(head) > 1 && head[0] == 0x80 && head[1] <= 5: // a pickle of protocol 2 or later
		read = readOld
	case len(head) > 262 && string(head[257:262]) == "ustar":
		return nil, errors.New("pth: is a tar archive, as of PyTorch before 0.2; load and save it with a newer one")
	default:
		return nil, errors.New("neither a safetensors file nor one of PyTorch")
	}
	if err := fail.Catch(func() { read(f, r, size) }); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Format, err)
	}
	return f, nil
}

// budget says how many more tensors and elements a file may have, and how many more bytes of storages may be read.
type budget struct{ tensors, elements, bytes int64 }

// newBudget returns the budget of a file of size bytes: one element per byte, and storages of 8 bytes per element. Only
// compressed zip archives, or views that repeat elements, could hold more, and weights need neither.
func newBudget(size int64) *budget {
	most := min(size, MaxElements)
	return &budget{tensors: MaxTensors, elements: most, bytes: 8 * most}
}

// take subtracts a tensor of the given shape from the budget and returns its number of elements. It fails for a shape
// that no tensor has, and if the budget has too little left.
func (b *budget) take(shape []int64) (int, error) {
	if len(shape) > maxRank {
		return 0, fmt.Errorf("has %d dimensions, expected at most %d", len(shape), maxRank)
	}
	elements := int64(1)
	for _, n := range shape {
		if n < 0 || n > MaxElements {
			return 0, fmt.Errorf("has a side of %d elements, expected at most %d", n, MaxElements)
		}
		if elements *= n; elements > MaxElements { // both factors are less than 2³¹
			return 0, fmt.Errorf("has more than %d elements", MaxElements)
		}
	}
	if b.tensors--; b.tensors < 0 {
		return 0, fmt.Errorf("is one of more than %d tensors", MaxTensors)
	}
	if b.elements -= elements; b.elements < 0 {
		return 0, fmt.Errorf("is one of those that have more elements than the file has bytes, or than %d", MaxElements)
	}
	return int(elements), nil
}

// ints converts a shape that budget.take has accepted.
func ints(shape []int64) []int {
	list := make([]int, len(shape))
	for i, n := range shape {
		list[i] = int(n)
	}
	return list
}
