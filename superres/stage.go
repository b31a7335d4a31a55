package superres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"superres/internal/npz"
	"superres/patches"
)

// Stage is one step of a model: it makes a better enlargement out of the one
// before it. A stage does not change once made, and concurrent use is safe.
//
// To add a kind of stage: write one file with the type, call RegisterStage in
// its init, and add one to the table of TestStages, which checks what every stage
// must do.
type Stage interface {
	// Apply returns the improved enlargement of low; current is what the stages
	// before it made of low. Neither is changed, and neither may be kept: their memory is
	// used again. The result is in memory of its own. Apply calls report with the share
	// done, 0..1, now and then, from one goroutine. It fails only with ctx.Err().
	Apply(ctx context.Context, low, current *patches.Plane, report func(float64)) (*patches.Plane, error)
	// Reach is how many rows of low around a row count for what Apply makes of it: the
	// parts of a result that are as far from the edges of low are the same bits when low
	// and current are cut, at a multiple of bandStep rows, to a part that reaches as far.
	Reach() int
	// Kind is the name the stage is registered under.
	Kind() string
	// Save returns the parameters of the stage, to be written as JSON, and puts
	// its matrices in a.
	Save(a *StageArrays) any
}

// StageLoader makes a stage of a model with the given scale out of what Save
// wrote. It must check every size.
type StageLoader func(scale int, params json.RawMessage, a *StageArrays) (Stage, error)

var stageLoaders = map[string]StageLoader{}

// RegisterStage adds a kind of stage. It panics when the name is taken. Call it
// in init.
func RegisterStage(kind string, load StageLoader) {
	if stageLoaders[kind] != nil {
		panic(fmt.Sprintf("superres: stage %q is registered twice", kind))
	}
	stageLoaders[kind] = load
}

func stageKinds() []string {
	var kinds []string
	for kind := range stageLoaders {
		kinds = append(kinds, kind)
	}
	slices.Sort(kinds)
	return kinds
}

// StageArrays carries the matrices of one stage to and from a model file.
type StageArrays struct {
	prefix string
	file   *npz.File    // when loading
	put    []npz.Matrix // when saving
	arrays []npz.Array  // when saving
	atoms  int          // when loading: atoms that the stages may still have
	coefs  int          // when loading: coefficients of regressors that they may still have
}

// Put adds a matrix to the file.
func (a *StageArrays) Put(name string, x *mat.Dense) {
	a.put = append(a.put, npz.Matrix{Name: a.prefix + name, Data: x})
}

// Get reads a matrix of rows×cols finite entries from the file; −n stands for any
// number up to n.
func (a *StageArrays) Get(name string, rows, cols int) (*mat.Dense, error) {
	return a.file.Matrix(a.prefix+name, rows, cols)
}

// putArray adds an array of whole rows to the file, in its own type.
func putArray[T npz.Small](a *StageArrays, name string, rows int, data []T) {
	a.arrays = append(a.arrays, npz.NewArray(a.prefix+name, rows, data))
}

// has tells whether there is an array of a name in the file.
func (a *StageArrays) has(name string) bool { return a.file.Has(a.prefix + name + ".npy") }

// getArray reads an array of exactly rows×cols finite elements from the file.
func getArray[T npz.Small](a *StageArrays, name string, rows, cols int) ([]T, error) {
	return npz.Read[T](a.file, a.prefix+name, rows, cols)
}

// unmarshal reads the parameters of a stage and refuses those it does not know.
func unmarshal(params json.RawMessage, into any) error {
	dec := json.NewDecoder(strings.NewReader(string(params)))
	dec.DisallowUnknownFields()
	if dec.Decode(into) != nil {
		return errors.New("its parameters are damaged, or of a newer superres")
	}
	return nil
}
