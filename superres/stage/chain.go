package stage

import (
	"encoding/json"
	"errors"
	"fmt"

	"superres/internal/npz"
	"superres/learners/plugin"
)

// Head is what the JSON member of a model file says of a stage.
type Head struct {
	Kind   string          `json:"kind"`
	Params json.RawMessage `json:"params"`
}

// Save returns what a file keeps of a chain of stages: their heads, and the members that
// hold the arrays of stage i as "stagei.name". It is for packages of this module; others
// have superres.Model.Save.
func Save(stages []Stage) (heads []Head, matrices []npz.Matrix, arrays []npz.Array, err error) {
	for i, s := range stages {
		a := Arrays{prefix: prefix(i)}
		params, err := json.Marshal(s.Save(&a))
		if err != nil {
			return nil, nil, nil, err
		}
		heads = append(heads, Head{s.Kind(), params})
		matrices, arrays = append(matrices, a.matrices...), append(arrays, a.arrays...)
	}
	return heads, matrices, arrays, nil
}

// Load makes the stages of a model of the given scale out of what Save wrote. Nothing in
// the file is trusted. It is for packages of this module; others have superres.Load.
func Load(scale int, heads []Head, f *npz.File) ([]Stage, error) {
	left := int64(Budget)
	var stages []Stage
	for i, head := range heads {
		load := loader(head.Kind)
		if load == nil {
			return nil, errors.New(plugin.Unknown("stage", head.Kind, Names()))
		}
		s, err := load(scale, head.Params, &Arrays{prefix: prefix(i), file: f, left: &left})
		if err != nil {
			return nil, fmt.Errorf("stage %d: %w", i, err)
		}
		stages = append(stages, s)
	}
	return stages, nil
}

func prefix(i int) string { return fmt.Sprintf("stage%d.", i) }

// Describe returns the kind and the parameters of a stage in one line.
func Describe(s Stage) string {
	params, err := json.Marshal(s.Save(&Arrays{}))
	if err != nil {
		params = []byte(err.Error())
	}
	return s.Kind() + " " + string(params)
}
