package superres

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"superres/superres/resample"
	"superres/superres/score"
	"superres/superres/stage"
)

// Model is a chain of stages that undoes one degradation at one scale, or a plain
// interpolation when it has no stages. It does not change once made, and
// concurrent use is safe.
type Model struct {
	// Scale is what the stages enlarge by, 2 to 4; 0: any, for a model without stages.
	Scale int
	// Degradation is what the stages undo.
	Degradation resample.Degradation
	// Kernel makes the first enlargement, and enlarges colour.
	Kernel resample.Kernel
	// Stages are applied one after the other.
	Stages []stage.Stage
	// Colour enlarges colour, of pictures that have it at the resolution of brightness, and
	// Subsampled that which their files keep at half of it; nil: Kernel does.
	Colour, Subsampled stage.Colour
	// Provenance says where the model comes from.
	Provenance Provenance

	siblings []sibling              // for other scales
	fast     func() (*Model, error) // opens a smaller model; nil: there is none
	eight    bool                   // Effort max
	loaded   int64                  // bytes that the stages of its file took, of which fewer may be left
}

// Plain returns the model that is an interpolation and nothing else.
func Plain(k resample.Kernel) *Model { return &Model{Degradation: resample.Cubic, Kernel: k} }

// Provenance says where a model comes from.
type Provenance struct {
	// Imported is the file that the dictionary came from; nil: it was learned here.
	Imported *Imported `json:"imported,omitempty"`

	// Init is where the model comes from that learning began with; nil: it began with none.
	Init *Provenance `json:"init,omitempty"`
	// Teachers is where the models come from that were learned from beside the pictures.
	Teachers []Provenance `json:"teachers,omitempty"`
	// Command makes the same bytes again from the same pictures, and the models of Init and
	// Teachers.
	Command string `json:"command"`
	// Learner is the spec of what learned.
	Learner string `json:"learner"`
	// Coder is the spec of the sparse coder, of learning and enlarging; empty: there is none.
	Coder string `json:"coder"`
	// Atoms is K, of each stage.
	Atoms int `json:"atoms"`
	// Iterations is how many were run.
	Iterations int `json:"iterations"`
	// Stop says why learning ended.
	Stop string `json:"stop"`
	// Seed is that of all random draws.
	Seed uint64 `json:"seed"`
	// Data names what was trained on.
	Data []string `json:"data"`
	// Warnings are those of the learner.
	Warnings []string `json:"warnings,omitempty"`
	// Pictures is how many were trained on.
	Pictures int `json:"pictures"`
	// Patches is how many were drawn from them.
	Patches int `json:"patches"`
	// DataSHA256 is a hash of the samples of all pictures, in order: see training.Digest.
	DataSHA256 string `json:"data_sha256"`
	// TrainRMSE is the root mean square error of what was learned from, in 0..1.
	TrainRMSE float64 `json:"train_rmse"`
	// HeldOut is how many pictures were not trained on, and scored.
	HeldOut int `json:"held_out"`
	// Score tells how well these are restored; nil: there are none.
	Score *Score `json:"score,omitempty"`
}

// Imported says what file a dictionary came from that was learned elsewhere.
type Imported struct {
	// File is its base name.
	File string `json:"file"`
	// SHA256 is that of its bytes.
	SHA256 string `json:"sha256"`
	// From is what the file said of its own origin; nil: nothing.
	From *Provenance `json:"from,omitempty"`
}

// Score tells how well held-out pictures were restored, by the model and by bicubic
// interpolation: means over the pictures of PSNR and SSIM by the protocol MatlabY, reduced
// by the model's degradation, and of the normalised error.
type Score struct {
	Model   score.Means `json:"model"`
	Bicubic score.Means `json:"bicubic"`
}

// formatVersion is the number of the form of model files: the only one that is written, and that is read.
const formatVersion = 1

// header is the member model.json of a model file.
type header struct {
	Format      int                  `json:"format"`
	Scale       int                  `json:"scale"`
	Degradation resample.Degradation `json:"degradation"`
	Kernel      resample.Kernel      `json:"kernel"`
	Stages      []stage.Head         `json:"stages"`
	// Colours are those of the model that are not nil, by their names.
	Colours    map[string]stage.Head `json:"colours,omitempty"`
	Provenance Provenance            `json:"provenance"`
}

// The names of what enlarges colour in a file.
const (
	colourName     = "colour"
	subsampledName = "subsampled"
)

// ErrModel is wrapped by errors about a model that is missing or damaged or too
// new.
var ErrModel = errors.New("model cannot be used")

// Unusable returns an error of the same text that wraps ErrModel as well.
func Unusable(err error) error { return modelError{err} }

type modelError struct{ error }

func (modelError) Is(target error) bool { return target == ErrModel }
func (e modelError) Unwrap() error      { return e.error }

// Save writes the model as an .npz file that numpy opens: the member model.json
// and the matrices of stage i as "stagei.name". The bytes depend on the model
// alone.
func (m *Model) Save(w io.Writer) error {
	if len(m.Stages) == 0 {
		return errors.New("superres: a plain interpolation is no model to save")
	}
	var members stage.Members
	h := header{Format: formatVersion, Scale: m.Scale, Degradation: m.Degradation, Kernel: m.Kernel, Colours: map[string]stage.Head{}, Provenance: m.Provenance}
	for i, s := range m.Stages {
		head, err := members.Add(stageName(i), s)
		if err != nil {
			return err
		}
		h.Stages = append(h.Stages, head)
	}
	for _, c := range []struct {
		name string
		is   stage.Colour
	}{{colourName, m.Colour}, {subsampledName, m.Subsampled}} {
		if c.is == nil {
			continue
		}
		var err error
		if h.Colours[c.name], err = members.Add(c.name, c.is); err != nil {
			return err
		}
	}
	data, err := json.MarshalIndent(h, "", "\t")
	if err != nil {
		return err
	}
	return members.Write(w, "model.json", append(data, '\n'))
}

// stageName returns the name of stage i in a model file.
func stageName(i int) string { return fmt.Sprintf("stage%d", i) }

// Load reads a model that Save wrote. Nothing in the file is trusted. Every error
// wraps ErrModel.
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
	if h.Format > formatVersion {
		return nil, fmt.Errorf("the file has format %d, this program reads format %d; use a newer superres", h.Format, formatVersion)
	}
	if h.Format != formatVersion || h.Scale < 2 || h.Scale > 4 || len(h.Stages) == 0 || len(h.Stages) > 64 {
		return nil, fmt.Errorf("model.json: format %d, scale %d, %d stages", h.Format, h.Scale, len(h.Stages))
	}
	if slices.ContainsFunc(h.Stages, func(s stage.Head) bool { return s.Kind == "anchored" }) {
		return nil, errors.New("the model has anchored stages, which are no more; train a convolutional one, or use the superres of commit 57f912e, the last that reads it")
	}
	if err := h.Degradation.Check(); err != nil {
		return nil, err
	}
	if err := h.Kernel.Check(); err != nil {
		return nil, err
	}
	m := &Model{Scale: h.Scale, Degradation: h.Degradation, Kernel: h.Kernel, Provenance: h.Provenance}
	for i, head := range h.Stages {
		s, err := f.Stage(stageName(i), h.Scale, head)
		if err != nil {
			return nil, fmt.Errorf("stage %d: %w", i, err)
		}
		m.Stages = append(m.Stages, s)
	}
	if head, ok := h.Colours[colourName]; ok {
		if m.Colour, err = f.Colour(colourName, h.Scale, head); err != nil {
			return nil, fmt.Errorf("%s: %w", colourName, err)
		}
	}
	if head, ok := h.Colours[subsampledName]; ok {
		if m.Subsampled, err = f.Colour(subsampledName, h.Scale, head); err != nil {
			return nil, fmt.Errorf("%s: %w", subsampledName, err)
		}
	}
	m.loaded = m.fixedMemory()
	return m, nil
}

// Description is what a model file says of a model, without the arrays.
type Description struct {
	// Scale is what the stages enlarge by; 0: any.
	Scale int `json:"scale,omitempty"`
	// OtherScales are those that have models of their own.
	OtherScales []int `json:"other_scales,omitempty"`
	// Degradation is what the stages undo.
	Degradation resample.Degradation `json:"degradation"`
	// Kernel makes the first enlargement.
	Kernel resample.Kernel `json:"kernel"`
	// Stages are described in a line each.
	Stages []string `json:"stages"`
	// Colour and Subsampled describe in a line what enlarges colour; "": interpolation does.
	Colour     string `json:"colour,omitempty"`
	Subsampled string `json:"subsampled,omitempty"`
	// Provenance says where the model comes from; nil: it is a plain interpolation.
	Provenance *Provenance `json:"provenance,omitempty"`
}

// Describe returns the description of the model.
func (m *Model) Describe() Description {
	d := Description{Scale: m.Scale, Degradation: m.Degradation, Kernel: m.Kernel, Stages: []string{}}
	for _, s := range m.Stages {
		d.Stages = append(d.Stages, stage.Describe(s))
	}
	if m.Colour != nil {
		d.Colour = stage.Describe(m.Colour)
	}
	if m.Subsampled != nil {
		d.Subsampled = stage.Describe(m.Subsampled)
	}
	if len(m.Stages) > 0 {
		d.Provenance, d.OtherScales = &m.Provenance, m.scales()[1:]
	}
	return d
}
