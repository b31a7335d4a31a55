package stage

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"superres/internal/npz"
)

// Element is what arrays of a model file may consist of.
type Element interface {
	int8 | uint8 | int16 | uint16 | int32 | float32 | float64
}

// Arrays carries the arrays of one stage to and from a model file. In the file they have
// the names that the stage gave them, behind a prefix of its own.
type Arrays struct {
	prefix   string
	file     *npz.File    // when loading
	matrices []npz.Matrix // when saving
	arrays   []npz.Array  // when saving
	left     *int64       // when loading: what all stages together may still reserve
}

// Budget is the most bytes that the stages of one model may Reserve together. It bounds what a file
// that is not trusted makes a program allocate.
const Budget = 128 << 20

// Reserve announces that the stage will allocate bytes beside its arrays, such as tables computed from
// them. It fails when the stages of the file reserve more than Budget together.
func (a *Arrays) Reserve(bytes int64) error {
	if a.left == nil {
		return nil
	}
	if bytes < 0 || bytes > *a.left {
		return fmt.Errorf("the stages take more than %d MiB together", Budget>>20)
	}
	*a.left -= bytes
	return nil
}

// Put adds an array of whole rows to the file, in its own type. data is read when the file
// is written, and must not change until then.
func Put[T Element](a *Arrays, name string, rows int, data []T) {
	a.arrays = append(a.arrays, npz.NewArray(a.prefix+name, rows, data))
}

// Get reads an array of exactly rows×cols finite elements, which is the caller's.
func Get[T Element](a *Arrays, name string, rows, cols int) ([]T, error) {
	return npz.Read[T](a.file, a.prefix+name, rows, cols)
}

// PutMatrix adds a matrix, which packs well where its entries fit float32.
func (a *Arrays) PutMatrix(name string, x *mat.Dense) {
	a.matrices = append(a.matrices, npz.Matrix{Name: a.prefix + name, Data: x})
}

// GetMatrix reads a matrix of rows×cols finite entries; −n stands for any number up to n.
func (a *Arrays) GetMatrix(name string, rows, cols int) (*mat.Dense, error) {
	return a.file.Matrix(a.prefix+name, rows, cols)
}
