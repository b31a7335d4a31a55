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

// Model enlarges pictures. It is a chain of stages that undoes one degradation at one scale, or a plain
// interpolation if it has no stages. A model does not change once it is made, and may be used concurrently.
type Model struct {
	// Scale is the scale of the stages, 2 to 4; 0, for a model without stages, means any.
	Scale int
	// Degradation is what the stages undo.
	Degradation resample.Degradation
	// Kernel interpolates brightness before the stages, and colour if the model has no network for it.
	Kernel resample.Kernel
	// Stages improve the interpolated brightness, one after the other.
	Stages []stage.Stage
	// Colour enlarges the colour of pictures whose files keep it at the resolution of brightness, Subsampled the colour
	// of pictures whose files keep it at half that resolution. nil means interpolation.
	Colour, Subsampled stage.Colour
	// Provenance says where the model comes from.
	Provenance Provenance

	siblings    []sibling              // for other scales
	fast        func() (*Model, error) // opens the smaller model for the effort fast; nil: there is none
	maxEffort   bool                   // has the effort max: the mean over eight orientations
	loadedBytes int64                  // bytes that the stages took when the file was loaded; tuning may leave fewer
}

// Plain returns the model that interpolates by the kernel k and has no stages.
func Plain(k resample.Kernel) *Model { return &Model{Degradation: resample.Cubic, Kernel: k} }

// Provenance says where a model comes from. It is kept in the model file.
type Provenance struct {
	// Imported is the file from which the dictionary was imported; nil if it was learned.
	Imported *Imported `json:"imported,omitempty"`

	// Init is the provenance of the model that training started from; nil if it started from random values.
	Init *Provenance `json:"init,omitempty"`
	// Teachers are the provenances of the models that training learned from besides the pictures.
	Teachers []Provenance `json:"teachers,omitempty"`
	// Command is the command that trained the model. It gives the same bytes again from the same pictures and the
	// models of Init and Teachers.
	Command string `json:"command"`
	// Learner is the spec of the learner: its name and settings.
	Learner string `json:"learner"`
	// Coder is the spec of the sparse coder for learning and enlarging; empty if there is none.
	Coder string `json:"coder"`
	// Atoms is the number of atoms of the dictionary of each stage.
	Atoms int `json:"atoms"`
	// Iterations is the number of iterations that the learner ran.
	Iterations int `json:"iterations"`
	// Stop says why learning ended.
	Stop string `json:"stop"`
	// Seed is the seed of all random numbers.
	Seed uint64 `json:"seed"`
	// Data are the names of the training data.
	Data []string `json:"data"`
	// Warnings are the warnings that the learner gave.
	Warnings []string `json:"warnings,omitempty"`
	// Pictures is the number of training pictures.
	Pictures int `json:"pictures"`
	// Patches is the number of patches that were sampled from the training pictures.
	Patches int `json:"patches"`
	// DataSHA256 is a hash, in hexadecimal, of the samples of all training pictures in order: see training.Digest.
	DataSHA256 string `json:"data_sha256"`
	// TrainRMSE is the root mean square error on the training data, in samples of 0..1.
	TrainRMSE float64 `json:"train_rmse"`
	// HeldOut is the number of pictures that were held out from training to be scored.
	HeldOut int `json:"held_out"`
	// Score says how well the held-out pictures are restored; nil if there are none.
	Score *Score `json:"score,omitempty"`
}

// Imported says from which file a dictionary was imported that another program has learned.
type Imported struct {
	// File is the base name of the file.
	File string `json:"file"`
	// SHA256 is the hash of its bytes, in hexadecimal.
	SHA256 string `json:"sha256"`
	// From is the provenance that the file states; nil if it states none.
	From *Provenance `json:"from,omitempty"`
}

// Score says how well held-out pictures are restored, after a reduction by the model's degradation, by the model and
// by bicubic interpolation. It has means over the pictures: of PSNR and SSIM by the protocol MatlabY, and of the
// normalised squared error.
type Score struct {
	Model   score.Means `json:"model"`
	Bicubic score.Means `json:"bicubic"`
}

// formatVersion is the number of the only format of model files that Save writes and Load reads.
const formatVersion = 1

// header is the content of the member model.json of a model file.
type header struct {
	Format      int                  `json:"format"`
	Scale       int                  `json:"scale"`
	Degradation resample.Degradation `json:"degradation"`
	Kernel      resample.Kernel      `json:"kernel"`
	Stages      []stage.Head         `json:"stages"`
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
// model.json, and the arrays of stage i as "stagei.name". The same model gives the same bytes. A plain interpolation
// cannot be saved.
func (m *Model) Save(w io.Writer) error {
	if len(m.Stages) == 0 {
		return errors.New("superres: a plain interpolation is no model to save")
	}
	var members stage.Members
	h := header{
		Format: formatVersion, Scale: m.Scale, Degradation: m.Degradation, Kernel: m.Kernel,
		Colours: map[string]stage.Head{}, Provenance: m.Provenance,
	}
	h.Stages = make([]stage.Head, len(m.Stages))
	var err error
	for i, s := range m.Stages {
		if h.Stages[i], err = members.Add(stageName(i), s); err != nil {
			return err
		}
	}
	for _, c := range m.colourFields() {
		if *c.field == nil {
			continue
		}
		if h.Colours[c.name], err = members.Add(c.name, *c.field); err != nil {
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
	if h.Format > formatVersion {
		return nil, fmt.Errorf("the file has format %d, this program reads format %d; use a newer superres",
			h.Format, formatVersion)
	}
	if h.Format != formatVersion || h.Scale < 2 || h.Scale > 4 || len(h.Stages) == 0 || len(h.Stages) > 64 {
		return nil, fmt.Errorf("model.json: format %d, scale %d, %d stages", h.Format, h.Scale, len(h.Stages))
	}
	if slices.ContainsFunc(h.Stages, func(s stage.Head) bool { return s.Kind == "anchored" }) {
		return nil, errors.New("the model has anchored stages, which are no more; train a convolutional one, " +
			"or use the superres of commit 57f912e, the last that reads it")
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

// Description says what a model is, without its arrays.
type Description struct {
	// Scale is the scale of the stages; 0 means any.
	Scale int `json:"scale,omitempty"`
	// OtherScales are the scales of the siblings.
	OtherScales []int `json:"other_scales,omitempty"`
	// Degradation is what the stages undo.
	Degradation resample.Degradation `json:"degradation"`
	// Kernel interpolates before the stages.
	Kernel resample.Kernel `json:"kernel"`
	// Stages describe each stage in a line.
	Stages []string `json:"stages"`
	// Colour and Subsampled describe the networks for colour in a line each; they are empty if colour is interpolated.
	Colour     string `json:"colour,omitempty"`
	Subsampled string `json:"subsampled,omitempty"`
	// Provenance says where the model comes from; nil for a plain interpolation.
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
