package atoms

import (
	"bytes"
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

// description is the report of superres dict show on a model or a dictionary.
type description struct {
	Name paths.Name `json:"name"`
	// Model describes the model in a line. It is empty for the file of a dictionary.
	Model        string        `json:"model,omitempty"`
	Scale        int           `json:"scale,omitempty"`
	Dictionaries []*dictionary `json:"dictionaries"`
	// Mosaic is the file that the atoms were drawn to. It is empty where they were not.
	Mosaic paths.Name `json:"mosaic,omitempty"`
}

// dictionary is the report of one coupled stage of a model, or of a dictionary from a file.
type dictionary struct {
	// Stage is the number of the stage in its model, from 0. It is nil for a dictionary that is no stage.
	Stage *int `json:"stage,omitempty"`
	Atoms int  `json:"atoms"`
	// Patch is the side of a low-resolution patch in pixels. It is 0 for a dictionary that is not coupled.
	Patch  int    `json:"patch,omitempty"`
	Mean   *bool  `json:"mean,omitempty"`
	Detail *bool  `json:"detail,omitempty"`
	Coder  string `json:"coder,omitempty"`
	// Measures are the figures of the low half, of the high half and of both stacked, or of the atoms of a dictionary
	// that is not coupled.
	Measures []measures   `json:"measures"`
	Usage    *usageCounts `json:"usage,omitempty"`

	// low and high are the halves of a coupled dictionary. One that is not coupled has its atoms in low, and no high.
	low, high *sparse.Dictionary
	scale     int
	// coupled is the stage that codes pictures over the dictionary. It is nil where the file does not say how they
	// are coded.
	coupled *coupled.Stage
}

// describe opens the model or the file of a dictionary that the options name, and describes it without its figures.
func describe(opt ShowOptions, stdin io.Reader) (*description, error) {
	if strings.ContainsAny(opt.Name, `./\`) || paths.IsStandard(opt.Name) {
		f, err := openDictFile(stdin, opt.Name, opt.Limits.Memory)
		switch {
		case err == nil && f.isModel():
			m, err := superres.Load(bytes.NewReader(f.data), int64(len(f.data)))
			if err != nil {
				return nil, fmt.Errorf("model %s: %w", f.name, err)
			}
			return describeStages(opt, f.name, m, models.Summary(m))
		case err == nil && (f.zip != nil || !strings.HasSuffix(opt.Name, ".npz")):
			return describeMatrices(opt, f)
		case err != nil && !(errors.Is(err, safefile.ErrInput) && strings.HasSuffix(opt.Name, ".npz")):
			return nil, err
		}
		// The file is missing or damaged, and its name is that of a model: models.Open says what is wrong with it.
	}
	m, err := models.Open(opt.Name)
	if err != nil {
		return nil, err
	}
	return describeStages(opt, opt.Name, m, models.Summary(m))
}

// describeStages describes the coupled stages of a model: the one of --stage, or all. A drawing has room for the
// atoms of one stage. line describes the model; it is empty for the file of a dictionary.
func describeStages(opt ShowOptions, name string, m *superres.Model, line string) (*description, error) {
	if opt.ofMatrices && line != "" {
		return nil, console.Usage("%s is a model; --array, --transpose and --shape are for dictionaries alone", name)
	}
	stages, err := coupledStages(name, m)
	if err != nil {
		return nil, err
	}
	if opt.Stage != nil || len(stages) > 1 && opt.Drawing.Name != "" {
		stage, err := coupledStage(opt.Stage, name, m)
		if err != nil {
			return nil, err
		}
		stages = []int{stage}
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

// describeMatrices describes the halves, or the atoms, in a file of matrices.
func describeMatrices(opt ShowOptions, f *dictFile) (*description, error) {
	if opt.Stage != nil {
		return nil, console.Usage("%s is no model; --stage is for models alone", f.name)
	}
	if opt.Array == "" && f.holds("low", "high") {
		return describeHalves(opt, f)
	}
	m, err := f.matrix(opt.Array, opt.Transpose, func(rows, k int) error {
		r, cols := float64(rows), float64(k)
		return console.EnoughMemory(opt.Limits.Memory, fmt.Sprintf("%s: measuring %d atoms of %d entries", f.name, k,
			rows), 8*(4*r*cols+cols*cols),
			" or fewer atoms, or --transpose when one atom is a row")
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

// describeHalves describes the halves of a coupled dictionary in a file: as a stage of a model where the file says
// how they are applied, else without.
func describeHalves(opt ShowOptions, f *dictFile) (*description, error) {
	h, err := f.pair("low", "high", opt.Transpose)
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
		return describeStages(opt, f.name, m, "")
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
