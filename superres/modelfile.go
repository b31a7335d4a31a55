package superres

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"superres/superres/resample"
	"superres/superres/stage"
)

// The numbers of the formats of model files that Save writes and Load reads. A model with a network has one of its own,
// so that a program which knows no networks says that a newer one is needed.
const (
	formatVersion = 1
	networkFormat = 2
)

// header is the content of the member model.json of a model file.
type header struct {
	Format      int                  `json:"format"`
	Scale       int                  `json:"scale"`
	Degradation resample.Degradation `json:"degradation"`
	Kernel      resample.Kernel      `json:"kernel"`
	// Network is nil if the model has none.
	Network *stage.Head  `json:"network,omitempty"`
	Stages  []stage.Head `json:"stages"`
	// Colours has the networks for colour by the names of colourFields, without those that are nil.
	Colours    map[string]stage.Head `json:"colours,omitempty"`
	Provenance Provenance            `json:"provenance"`
}

// ErrModel is wrapped by errors about a model that is missing, damaged, or of an unknown format.
var ErrModel = errors.New("model cannot be used")

// Unusable returns an error with the text of err that wraps both err and ErrModel.
func Unusable(err error) error { return modelError{err} }

type modelError struct{ error }

func (modelError) Is(target error) bool { return target == ErrModel }
func (e modelError) Unwrap() error      { return e.error }

// Save writes the model, without its siblings, as an .npz file that numpy opens: its description as the member
// model.json, the arrays of the network as "network.name", and those of stage i as "stagei.name". The same
// model gives the same bytes. A plain interpolation cannot be saved.
func (m *Model) Save(w io.Writer) error {
	if m.IsPlain() {
		return errors.New("superres: a plain interpolation is no model to save")
	}
	text, members, err := m.members()
	if err != nil {
		return err
	}
	return members.Write(w, "model.json", text)
}

// members returns the content of the model's file: the member model.json, and the arrays.
func (m *Model) members() (text []byte, members stage.Members, err error) {
	h := header{
		Format: formatVersion, Scale: m.Scale, Degradation: m.Degradation, Kernel: m.Kernel,
		Colours: map[string]stage.Head{}, Provenance: m.Provenance,
	}
	if m.Network != nil {
		head, err := members.Add(networkName, m.Network)
		if err != nil {
			return nil, members, err
		}
		h.Format, h.Network = networkFormat, &head
	}
	h.Stages = make([]stage.Head, len(m.Stages))
	for i, s := range m.Stages {
		if h.Stages[i], err = members.Add(stageName(i), s); err != nil {
			return nil, members, err
		}
	}
	for _, c := range m.colourFields() {
		if *c.field == nil {
			continue
		}
		if h.Colours[c.name], err = members.Add(c.name, *c.field); err != nil {
			return nil, members, err
		}
	}
	text, err = json.MarshalIndent(h, "", "\t")
	return append(text, '\n'), members, err
}

// networkName is the name of the network in a model file.
const networkName = "network"

// stageName returns the name of stage i in a model file.
func stageName(i int) string { return fmt.Sprintf("stage%d", i) }

// Load returns the model that Save wrote to a file; r reads the file, which has size bytes. It trusts nothing in the
// file: sizes are checked before memory is allocated. Every error wraps ErrModel.
func Load(r io.ReaderAt, size int64) (*Model, error) {
	m, err := load(r, size)
	if err != nil {
		return nil, Unusable(err)
	}
	return m, nil
}

func load(r io.ReaderAt, size int64) (*Model, error) {
	f, err := stage.Open(r, size)
	if err != nil {
		return nil, err
	}
	text, err := f.Text("model.json", 1<<20)
	if err != nil {
		return nil, fmt.Errorf("not a superres model: %w", err)
	}
	var h header
	if err := json.Unmarshal(text, &h); err != nil {
		return nil, errors.New("model.json is damaged")
	}
	if err := h.check(); err != nil {
		return nil, err
	}
	m := &Model{Scale: h.Scale, Degradation: h.Degradation, Kernel: h.Kernel, Provenance: h.Provenance}
	if h.Network != nil {
		if m.Network, err = f.Network(networkName, h.Scale, *h.Network); err != nil {
			return nil, fmt.Errorf("network: %w", err)
		}
	}
	for i, head := range h.Stages {
		s, err := f.Stage(stageName(i), h.Scale, head)
		if err != nil {
			return nil, fmt.Errorf("stage %d: %w", i, err)
		}
		m.Stages = append(m.Stages, s)
	}
	for _, c := range m.colourFields() {
		if head, ok := h.Colours[c.name]; ok {
			if *c.field, err = f.Colour(c.name, h.Scale, head); err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
		}
	}
	m.loadedBytes = m.fixedMemory()
	return m, nil
}

// check returns an error if this program cannot read a model with the header.
func (h header) check() error {
	if h.Format > networkFormat {
		return fmt.Errorf("the file has format %d, this program reads formats up to %d; use a newer superres", h.Format,
			networkFormat)
	}
	least, most, fewest, format := 2, 4, 1, formatVersion
	if h.Network != nil {
		least, most, fewest, format = 1, MaxScale, 0, networkFormat
	}
	if h.Format != format || h.Scale < least || h.Scale > most || len(h.Stages) < fewest || len(h.Stages) > 64 {
		return fmt.Errorf("model.json: format %d, scale %d, %d stages", h.Format, h.Scale, len(h.Stages))
	}
	if (h.Scale < 2 || h.Scale > 4) && len(h.Stages)+len(h.Colours) > 0 {
		return fmt.Errorf("model.json: stages at scale %d, expected 2 to 4", h.Scale)
	}
	if slices.ContainsFunc(h.Stages, func(s stage.Head) bool { return s.Kind == "anchored" }) {
		return errors.New("the model has anchored stages, which are no more; train a convolutional one, " +
			"or use the superres of commit 57f912e, the last that reads it")
	}
	if err := h.Degradation.Check(); err != nil {
		return err
	}
	return h.Kernel.Check()
}
