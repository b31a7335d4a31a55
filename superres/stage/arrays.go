package stage

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"superres/internal/npz"
)

// Element is a type that the elements of an array in a model file may have.
type Element interface {
	int8 | uint8 | int16 | uint16 | int32 | float32 | float64
}

// Arrays carries the arrays of one stage to and from a model file. In the file, the name of an array is a prefix,
// different for each stage, and the name that the stage gave the array.
type Arrays struct {
	prefix   string
	file     *npz.File    // when loading
	matrices []npz.Matrix // when saving
	arrays   []npz.Array  // when saving
	left     *int64       // when loading: the bytes that all stages together may still reserve
}

// Budget is the most bytes that the stages of one model may Reserve together. It limits the memory that a damaged or
// malicious file can make a program allocate.
const Budget = 128 << 20

// NetworkBudget is the most bytes that the Network of a model may Reserve: enough for 50 million weights in float32, in
// plain form and transformed for Winograd's tiles.
const NetworkBudget = 1 << 30

// Reserve announces that the stage will allocate bytes beside its arrays, as for tables computed from arrays. It fails
// if the stages of the file together reserve more than Budget, or the Network of the file more than NetworkBudget.
// Without a file there is no limit.
func (a *Arrays) Reserve(bytes int64) error {
	if a.left == nil {
		return nil
	}
	if bytes < 0 || bytes > *a.left {
		return fmt.Errorf("it asks for %d more bytes of memory, and %d are left of what a model may take", bytes,
			*a.left)
	}
	*a.left -= bytes
	return nil
}

// Put adds data to the file as an array of the given number of rows, with elements of type T. data is read when the
// file is written, and must not change until then.
func Put[T Element](a *Arrays, name string, rows int, data []T) {
	a.arrays = append(a.arrays, npz.NewArray(a.prefix+name, rows, data))
}

// Get returns the array of the given name in new memory. It fails unless the array has rows×cols finite elements.
func Get[T Element](a *Arrays, name string, rows, cols int) ([]T, error) {
	return npz.Read[T](a.file, a.prefix+name, rows, cols)
}

// PutMatrix adds x to the file. Entries that are exact in float32 take less space.
func (a *Arrays) PutMatrix(name string, x *mat.Dense) {
	a.matrices = append(a.matrices, npz.Matrix{Name: a.prefix + name, Data: x})
}

// GetMatrix returns the matrix of the given name. It fails unless the matrix has rows×cols finite entries; a negative
// value -n of rows or cols allows any number up to n.
func (a *Arrays) GetMatrix(name string, rows, cols int) (*mat.Dense, error) {
	return a.file.Matrix(a.prefix+name, rows, cols)
}
