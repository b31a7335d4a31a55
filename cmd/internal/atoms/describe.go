package atoms

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/cmd/internal/paths"
	"superres/internal/safefile"
	"superres/learners/sparse"
	"superres/superres"
	"superres/superres/coupled"
)

// description is the output of superres dict show for a model or a dictionary.
type description struct {
	Name paths.Name `json:"name"`
	// Model describes the model in a line. It is empty for a file that has a dictionary only.
	Model        string        `json:"model,omitempty"`
	Scale        int           `json:"scale,omitempty"`
	Dictionaries []*dictionary `json:"dictionaries"`
	// Mosaic is the file of the drawing of the atoms. It is empty if there is no drawing.
	Mosaic paths.Name `json:"mosaic,omitempty"`
}

// dictionary is the part of a description about one coupled stage of a model, or about a dictionary from a file.
type dictionary struct {
	// Stage is the index of the stage in its model, from 0. It is nil for a dictionary from a file.
	Stage *int `json:"stage,omitempty"`
	Atoms int  `json:"atoms"`
	// Patch is the side of a low-resolution patch in pixels. It is 0 for a dictionary without two halves.
	Patch  int    `json:"patch,omitempty"`
	Mean   *bool  `json:"mean,omitempty"`
	Detail *bool  `json:"detail,omitempty"`
	Coder  string `json:"coder,omitempty"`
	// Measures are the figures of the low half, the high half and both stacked, or of the atoms of a dictionary without
	// halves.
	Measures []measures   `json:"measures"`
	Usage    *usageCounts `json:"usage,omitempty"`

	// low and high are the halves of a coupled dictionary. Without halves, the atoms are in low, and high is nil.
	low, high *sparse.Dictionary
	scale     int
	// coupled is the stage that codes pictures over the dictionary. It is nil if the file does not say how to code
	// them.
	coupled *coupled.Stage
}

// describe returns the description, without figures, of the model or the dictionary that opt.Name names.
func describe(ctx context.Context, opt ShowOptions, stdin io.Reader) (*description, error) {
	if strings.ContainsAny(opt.Name, `./\`) || paths.IsStandard(opt.Name) {
		f, err := openDictFile(stdin, opt.Name, opt.Limits.Memory)
		switch {
		case err == nil && f.isModel():
			m, err := superres.Load(bytes.NewReader(f.data), int64(len(f.data)))
			if err != nil {
				return nil, fmt.Errorf("model %s: %w", f.name, err)
			}
			return describeStages(f.name, m, models.Summary(m))
		case err == nil && (f.zip != nil || !strings.HasSuffix(opt.Name, ".npz")):
			return describeMatrices(opt, f)
		case err != nil && !(errors.Is(err, safefile.ErrInput) && strings.HasSuffix(opt.Name, ".npz")):
			return nil, err
		}
		// The file is missing or damaged: models.Open reports the error.
	}
	m, err := models.Open(ctx, opt.Name)
	if err != nil {
		return nil, err
	}
	return describeStages(opt.Name, m, models.Summary(m))
}

// describeStages describes the coupled stages of m, called name. line describes the model; it is empty for a file that
// has a dictionary only.
func describeStages(name string, m *superres.Model, line string) (*description, error) {
	stages, err := coupledStages(name, m)
	if err != nil {
		return nil, err
	}
	d := &description{Name: paths.Name(name), Model: line, Scale: m.Scale}
	for _, i := range stages {
		coded, _ := coupled.Of(m.Stages[i])
		_, atoms := coded.Low.Dims()
		d.Dictionaries = append(d.Dictionaries, &dictionary{Stage: &i, Atoms: atoms, Patch: coded.Patch,
			Mean: &coded.Mean, Detail: &coded.Detail,
			Coder: coded.Coder, low: coded.Low, high: coded.High, scale: m.Scale, coupled: coded})
	}
	return d, nil
}

// describeMatrices describes the halves, or the single matrix of atoms, in f.
func describeMatrices(opt ShowOptions, f *dictFile) (*description, error) {
	if f.holds("low", "high") {
		return describeHalves(f)
	}
	m, err := f.matrix("", func(rows, k int) error {
		r, cols := float64(rows), float64(k)
		return console.EnoughMemory(opt.Limits.Memory, fmt.Sprintf("%s: measuring %d atoms of %d entries", f.name, k,
			rows), 8*(4*r*cols+cols*cols), " or fewer atoms; one atom is a column")
	})
	if err != nil {
		return nil, err
	}
	atoms, err := sparse.NewDictionary(m)
	if err != nil {
		return nil, f.refuse("%s", console.Message(err))
	}
	_, k := m.Dims()
	return &description{Name: paths.Name(f.name), Dictionaries: []*dictionary{{Atoms: k, low: atoms}}}, nil
}

// describeHalves describes the halves of the coupled dictionary in f, as a stage of a model if f also says how they are
// applied.
func describeHalves(f *dictFile) (*description, error) {
	h, err := f.pair()
	if err != nil {
		return nil, err
	}
	if f.holds(parametersArray) {
		p, err := f.parameters(parameters{})
		if err != nil {
			return nil, err
		}
		m, err := modelOf(p.Recipe, h.low, h.high)
		if err != nil {
			return nil, f.refuse("%s", console.Message(err))
		}
		return describeStages(f.name, m, "")
	}
	d := &dictionary{Patch: h.patch, scale: h.scale}
	if d.low, err = sparse.NewDictionary(h.low); err == nil {
		d.high, err = sparse.NewDictionary(h.high)
	}
	if err != nil {
		return nil, f.refuse("%s", console.Message(err))
	}
	_, d.Atoms = h.low.Dims()
	return &description{Name: paths.Name(f.name), Scale: h.scale, Dictionaries: []*dictionary{d}}, nil
}
