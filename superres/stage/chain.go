package stage

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"superres/internal/npz"
)

// Head is what the JSON member of a model file says of a stage.
type Head struct {
	Kind   string          `json:"kind"`
	Params json.RawMessage `json:"params"`
}

// kept is a stage, or what enlarges colour.
type kept interface {
	Kind() string
	Save(a *Arrays) any
}

// saved returns the head and the arrays of one, with a prefix.
func saved(one kept, prefix string) (Head, Arrays, error) {
	a := Arrays{prefix: prefix}
	params, err := json.Marshal(one.Save(&a))
	return Head{one.Kind(), params}, a, err
}

// Save returns what a file keeps of a chain of stages: their heads, and the members that
// hold the arrays of stage i as "stagei.name". It is for packages of this module; others
// have superres.Model.Save.
func Save(stages []Stage) (heads []Head, matrices []npz.Matrix, arrays []npz.Array, err error) {
	for i, s := range stages {
		head, a, err := saved(s, prefix(i))
		if err != nil {
			return nil, nil, nil, err
		}
		heads = append(heads, head)
		matrices, arrays = append(matrices, a.matrices...), append(arrays, a.arrays...)
	}
	return heads, matrices, arrays, nil
}

// Load makes the stages of a model of the given scale out of what Save wrote. Nothing in
// the file is trusted. It is for packages of this module; others have superres.Load.
func Load(scale int, heads []Head, f *npz.File) ([]Stage, error) {
	left := int64(Budget)
	var list []Stage
	for i, head := range heads {
		load, err := stages.Get(head.Kind)
		if err != nil {
			return nil, err
		}
		s, err := load(scale, head.Params, &Arrays{prefix: prefix(i), file: f, left: &left})
		if err != nil {
			return nil, fmt.Errorf("stage %d: %w", i, err)
		}
		list = append(list, s)
	}
	return list, nil
}

func prefix(i int) string { return fmt.Sprintf("stage%d.", i) }

// SaveColour is Save for what enlarges colour, of which a model has one for each of the names;
// nil is passed over. The members are called "name.array".
func SaveColour(byName map[string]Colour) (heads map[string]Head, arrays []npz.Array, err error) {
	heads = map[string]Head{}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		c := byName[name]
		if c == nil {
			continue
		}
		head, a, err := saved(c, name+".")
		if err != nil {
			return nil, nil, err
		}
		heads[name] = head
		arrays = append(arrays, a.arrays...)
	}
	return heads, arrays, nil
}

// LoadColour makes one of what SaveColour wrote, by its name; nil when there is none. Nothing
// in the file is trusted.
func LoadColour(scale int, name string, heads map[string]Head, f *npz.File) (Colour, error) {
	head, ok := heads[name]
	if !ok {
		return nil, nil
	}
	load, err := colours.Get(head.Kind)
	if err != nil {
		return nil, err
	}
	left := int64(Budget)
	c, err := load(scale, head.Params, &Arrays{prefix: name + ".", file: f, left: &left})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return c, nil
}

// Describe returns the kind and the parameters of a stage, or of what enlarges colour, in one
// line.
func Describe(s kept) string {
	params, err := json.Marshal(s.Save(&Arrays{}))
	if err != nil {
		params = []byte(err.Error())
	}
	return s.Kind() + " " + string(params)
}
