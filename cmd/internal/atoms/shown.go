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

// shown is what show tells: of a model, or of one dictionary.
type shown struct {
	Name paths.Name `json:"name"`
	// Model is the model in a line.
	Model        string             `json:"model,omitempty"`
	Scale        int                `json:"scale,omitempty"`
	Dictionaries []*shownDictionary `json:"dictionaries"`
	// Mosaic is the file of the drawing.
	Mosaic paths.Name `json:"mosaic,omitempty"`
}

// shownDictionary is one coupled stage, or a dictionary that is not coupled.
type shownDictionary struct {
	// Stage is the number of the stage. It is nil out of a model.
	Stage *int `json:"stage,omitempty"`
	Atoms int  `json:"atoms"`
	// Patch is the side of a low-resolution patch. It is 0 when the dictionary is not
	// coupled.
	Patch  int    `json:"patch,omitempty"`
	Mean   *bool  `json:"mean,omitempty"`
	Detail *bool  `json:"detail,omitempty"`
	Coder  string `json:"coder,omitempty"`
	// Measures are those of the halves and of both stacked, or of the atoms.
	Measures []measures   `json:"measures"`
	Usage    *usageCounts `json:"usage,omitempty"`

	// low and high are the halves. high is nil when the dictionary is not coupled, and low
	// are the atoms then.
	low, high *sparse.Dictionary
	scale     int
	// coupled codes pictures. It is nil when nobody knows how they are coded.
	coupled *coupled.Stage
}

// openShown opens what the options name.
func openShown(opt ShowOptions, stdin io.Reader) (*shown, error) {
	if strings.ContainsAny(opt.Name, `./\`) || opt.Name == "-" {
		f, err := openDictFile(stdin, opt.Name, opt.Limits.Memory)
		switch {
		case err == nil && f.isModel():
			m, err := superres.Load(bytes.NewReader(f.data), int64(len(f.data)))
			if err != nil {
				return nil, fmt.Errorf("model %s: %w", f.name, err)
			}
			return shownModel(opt, f.name, m)
		case err == nil && (f.zip != nil || !strings.HasSuffix(opt.Name, ".npz")):
			return shownMatrices(opt, f)
		case err != nil && !(errors.Is(err, safefile.ErrInput) && strings.HasSuffix(opt.Name, ".npz")):
			return nil, err
		}
		// It is missing or damaged, and was probably meant as a model.
	}
	m, err := models.Open(opt.Name)
	if err != nil {
		return nil, err
	}
	return shownModel(opt, opt.Name, m)
}

// shownModel takes a model.
func shownModel(opt ShowOptions, name string, m *superres.Model) (*shown, error) {
	if opt.ofMatrices {
		return nil, console.Usage("%s is a model; --array, --transpose and --shape are for dictionaries alone", name)
	}
	return shownStages(opt, name, m, models.Summary(m))
}

// shownStages takes the coupled stages of a model that is summed up in a line, or the only
// one that is asked for or can be drawn.
func shownStages(opt ShowOptions, name string, m *superres.Model, line string) (*shown, error) {
	stages, err := coupledStages(name, m)
	if err != nil {
		return nil, err
	}
	if opt.Stage != nil || len(stages) > 1 && opt.Drawing.Name != "" {
		one, err := coupledStage(opt.Stage, name, m)
		if err != nil {
			return nil, err
		}
		stages = []int{one}
	}
	d := &shown{Name: paths.Name(name), Model: line, Scale: m.Scale}
	for _, i := range stages {
		coded, _ := coupled.Of(m.Stages[i])
		_, atoms := coded.Low.Dims()
		d.Dictionaries = append(d.Dictionaries, &shownDictionary{Stage: &i, Atoms: atoms, Patch: coded.Patch, Mean: &coded.Mean, Detail: &coded.Detail,
			Coder: coded.Coder, low: coded.Low, high: coded.High, scale: m.Scale, coupled: coded})
	}
	return d, nil
}

// shownMatrices takes the halves, or the atoms, that a file holds.
func shownMatrices(opt ShowOptions, f *dictFile) (*shown, error) {
	if opt.Stage != nil {
		return nil, console.Usage("%s is no model; --stage is for models alone", f.name)
	}
	if opt.Array == "" && f.holds("low", "high") {
		return shownHalves(opt, f)
	}
	m, err := f.matrix(opt.Array, opt.Transpose, func(rows, k int) error {
		r, cols := float64(rows), float64(k)
		return console.EnoughMemory(opt.Limits.Memory, fmt.Sprintf("%s: measuring %d atoms of %d entries", f.name, k, rows), 8*(4*r*cols+cols*cols),
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
	return &shown{Name: paths.Name(f.name), Dictionaries: []*shownDictionary{{Atoms: k, low: atoms}}}, nil
}

// shownHalves takes the halves that a file holds, as stages where it says how they are
// applied.
func shownHalves(opt ShowOptions, f *dictFile) (*shown, error) {
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
		return shownStages(opt, f.name, m, "")
	}
	one := &shownDictionary{Patch: h.patch, scale: h.scale}
	if one.low, err = sparse.NewDictionary(h.low); err == nil {
		one.high, err = sparse.NewDictionary(h.high)
	}
	if err != nil {
		return nil, f.refuse("%s", console.Message(err))
	}
	_, one.Atoms = h.low.Dims()
	return &shown{Name: paths.Name(f.name), Scale: h.scale, Dictionaries: []*shownDictionary{one}}, nil
}
