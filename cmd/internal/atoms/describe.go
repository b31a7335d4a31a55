package atoms

import (
	"context"
	"fmt"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/cmd/internal/paths"
	"superres/internal/matfile"
	"superres/internal/safefile"
	"superres/learners/sparse"
	"superres/superres/coupled"
)

// description is the output of superres dict for a model or a dictionary.
type description struct {
	Name paths.Name `json:"name"`
	// Model is a line about the model; empty for a file that contains only a dictionary.
	Model        string        `json:"model,omitempty"`
	Scale        int           `json:"scale,omitempty"`
	Dictionaries []*dictionary `json:"dictionaries"`
	// Mosaic is the file with the drawing of the atoms; empty if there is none.
	Mosaic paths.Name `json:"mosaic,omitempty"`
}

// dictionary describes one coupled stage of a model, or a dictionary from a file.
type dictionary struct {
	// Stage is the index of the stage in its model, from 0; nil for a dictionary from a file.
	Stage *int `json:"stage,omitempty"`
	Atoms int  `json:"atoms"`
	// Patch is the side of a low-resolution patch in pixels; 0 for a dictionary from a file.
	Patch int `json:"patch,omitempty"`
	// Mean, Detail and Coder are the fields of coupled.Stage; nil and empty for a dictionary from a file.
	Mean   *bool  `json:"mean,omitempty"`
	Detail *bool  `json:"detail,omitempty"`
	Coder  string `json:"coder,omitempty"`
	// Measures are the figures for the low half, the high half and both stacked, or for the atoms from a file.
	Measures []measures `json:"measures"`

	// low and high are the halves of a coupled dictionary. A dictionary from a file is in low, and high is nil.
	low, high *sparse.Dictionary
	scale     int
}

// describeModel describes the model opt.Name, with its coupled stages but without Measures. It fails without stages.
func describeModel(ctx context.Context, opt Options) (*description, error) {
	name := opt.Name
	m, err := models.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	if m.IsPlain() {
		return nil, console.Usage("%s is a plain interpolation and has no atoms; name a trained model (superres "+
			"models lists them)", name)
	}
	d := &description{Name: paths.Name(name), Model: models.Summary(m), Scale: m.Scale}
	var kinds []string
	for i, s := range m.Stages {
		kinds = append(kinds, s.Kind())
		coded, ok := s.(*coupled.Stage)
		if !ok {
			continue
		}
		_, atoms := coded.Low.Dims()
		d.Dictionaries = append(d.Dictionaries, &dictionary{Stage: &i, Atoms: atoms, Patch: coded.Patch,
			Mean: &coded.Mean, Detail: &coded.Detail, Coder: coded.Coder, low: coded.Low, high: coded.High,
			scale: m.Scale})
	}
	if len(d.Dictionaries) == 0 {
		return nil, console.Usage("%s has no coupled dictionary to show, its stages are %s; superres models %s tells "+
			"the rest", name, strings.Join(kinds, " + "), name)
	}
	return d, nil
}

// describeMatrix describes the dictionary in the file opt.Name, with one atom per column. It leaves out Measures.
func describeMatrix(_ context.Context, opt Options) (*description, error) {
	m, err := matfile.Open(opt.Name, matfile.Options{Column: "atom", Accept: func(rows, k int) error {
		r, cols := float64(rows), float64(k) // in memory are four copies of the matrix, and k² cosines
		return console.EnoughMemory(opt.Limits.Memory, fmt.Sprintf("%s: measuring %d atoms of %d entries", opt.Name, k,
			rows), 8*(4*r*cols+cols*cols), " or fewer atoms; one atom is a column")
	}})
	if err != nil {
		return nil, err
	}
	atoms, err := sparse.NewDictionary(m)
	if err != nil {
		return nil, safefile.Refuse(safefile.ErrInput, opt.Name, "%s", console.Message(err))
	}
	_, k := m.Dims()
	return &description{Name: paths.Name(opt.Name), Dictionaries: []*dictionary{{Atoms: k, low: atoms}}}, nil
}
