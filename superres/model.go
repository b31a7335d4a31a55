package superres

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"superres/internal/npz"
	"superres/learners/plugin"
)

// Model is a chain of stages that undoes one degradation at one scale, or a plain
// interpolation when it has no stages. It does not change once made, and
// concurrent use is safe.
type Model struct {
	Scale       int // 2 to 4; 0: any, for a model without stages
	Degradation Degradation
	Kernel      Kernel // makes the first enlargement, and enlarges colour
	Stages      []Stage
	Provenance  Provenance
	siblings    []sibling // for other scales
	tables      int64     // bytes that the stages of its file take
}

// Provenance says where a model comes from.
type Provenance struct {
	Imported *Imported `json:"imported,omitempty"` // nil: the dictionary was learned here

	Command    string   `json:"command"` // makes the same bytes again from the same pictures
	Learner    string   `json:"learner"` // spec
	Coder      string   `json:"coder"`   // spec, of learning and upscaling
	Atoms      int      `json:"atoms"`
	Iterations int      `json:"iterations"` // that were run
	Stop       string   `json:"stop"`       // why learning ended
	Seed       uint64   `json:"seed"`
	Data       []string `json:"data"`               // what was trained on, by name
	Warnings   []string `json:"warnings,omitempty"` // of the learner
	Pictures   int      `json:"pictures"`
	Patches    int      `json:"patches"`     // pairs drawn from them
	DataSHA256 string   `json:"data_sha256"` // of the samples of all pictures, in order
	TrainRMSE  float64  `json:"train_rmse"`  // of the stacked pairs, at the end of learning
	HeldOut    int      `json:"held_out"`    // pictures not trained on
	Score      *Score   `json:"score,omitempty"`
	// Of a cascade: the means after each of its stages.
	StageScores []Means `json:"stage_scores,omitempty"`
}

// Score tells how well held-out pictures were restored: by the model, and by
// bicubic interpolation.
type Score struct {
	Model   Means `json:"model"`
	Bicubic Means `json:"bicubic"`
}

// Means are means over the pictures whose score is defined: PSNR and SSIM by the
// protocol MatlabY, reduced by the model's degradation, and NFE. 0 stands for no
// such picture.
type Means struct {
	PSNR float64 `json:"psnr,omitempty"`
	SSIM float64 `json:"ssim,omitempty"`
	NFE  float64 `json:"nfe,omitempty"`
}

// formatVersion is the version of the model file that is written, and the newest
// that is read.
const formatVersion = 1

// header is the member model.json of a model file.
type header struct {
	Format      int           `json:"format"`
	Scale       int           `json:"scale"`
	Degradation Degradation   `json:"degradation"`
	Kernel      Kernel        `json:"kernel"`
	Stages      []stageHeader `json:"stages"`
	Provenance  Provenance    `json:"provenance"`
}

type stageHeader struct {
	Kind   string          `json:"kind"`
	Params json.RawMessage `json:"params"`
}

// ErrModel is wrapped by errors about a model that is missing or damaged or too
// new.
var ErrModel = errors.New("model cannot be used")

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
	text, matrices, arrays, err := m.members()
	if err != nil {
		return err
	}
	return npz.Write(w, []npz.Text{text}, matrices, arrays...)
}

// members returns what a model file holds.
func (m *Model) members() (text npz.Text, matrices []npz.Matrix, arrays []npz.Array, err error) {
	h := header{formatVersion, m.Scale, m.Degradation, m.Kernel, nil, m.Provenance}
	for i, s := range m.Stages {
		a := StageArrays{prefix: stagePrefix(i)}
		params, err := json.Marshal(s.Save(&a))
		if err != nil {
			return text, nil, nil, err
		}
		h.Stages = append(h.Stages, stageHeader{s.Kind(), params})
		matrices, arrays = append(matrices, a.put...), append(arrays, a.arrays...)
	}
	data, err := json.MarshalIndent(h, "", "\t")
	return npz.Text{Name: "model.json", Data: append(data, '\n')}, matrices, arrays, err
}

func stagePrefix(i int) string { return fmt.Sprintf("stage%d.", i) }

// Load reads a model that Save wrote. Nothing in the file is trusted. Every error
// wraps ErrModel.
func Load(r io.ReaderAt, size int64) (*Model, error) {
	m, err := load(r, size)
	if err != nil {
		return nil, modelError{err}
	}
	return m, nil
}

func load(r io.ReaderAt, size int64) (*Model, error) {
	f, err := npz.Open(r, size)
	if err != nil {
		return nil, err
	}
	return read(f)
}

func read(f *npz.File) (*Model, error) {
	text, err := f.Text("model.json", 1<<20)
	if err != nil {
		return nil, fmt.Errorf("not a superres model: %w", err)
	}
	var h header
	if err := json.Unmarshal(text, &h); err != nil {
		return nil, errors.New("model.json is damaged")
	}
	if h.Format > formatVersion {
		return nil, fmt.Errorf("the file has format %d, this program knows up to %d; use a newer superres", h.Format, formatVersion)
	}
	if h.Format < 1 || h.Scale < 2 || h.Scale > 4 || len(h.Stages) == 0 || len(h.Stages) > 64 {
		return nil, fmt.Errorf("model.json: format %d, scale %d, %d stages", h.Format, h.Scale, len(h.Stages))
	}
	if err := h.Degradation.Check(); err != nil {
		return nil, err
	}
	if _, err := h.Kernel.filter(); err != nil {
		return nil, err
	}
	m := &Model{Scale: h.Scale, Degradation: h.Degradation, Kernel: h.Kernel, Provenance: h.Provenance}
	arrays := &StageArrays{file: f, atoms: maxAtoms, coefs: maxCoefs}
	for i, s := range h.Stages {
		loader := stageLoaders[s.Kind]
		if loader == nil {
			return nil, errors.New(plugin.Unknown("stage", s.Kind, stageKinds()))
		}
		arrays.prefix = stagePrefix(i)
		stage, err := loader(h.Scale, s.Params, arrays)
		if err != nil {
			return nil, fmt.Errorf("stage %d: %w", i, err)
		}
		m.Stages = append(m.Stages, stage)
		if a, ok := stage.(*Anchored); ok {
			m.tables += a.tableBytes()
		}
	}
	return m, nil
}

//go:embed models
var embedded embed.FS

// baselines are the plain interpolations, which stand wherever a model may.
var baselines = []Kernel{Bicubic, Lanczos, Nearest}

// Names lists the models that need no file: the trained ones, then the plain
// interpolations.
func Names() []string {
	var names []string
	files, err := embedded.ReadDir("models")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), ".npz"); ok && !strings.Contains(name, ".") {
			names = append(names, name)
		}
	}
	for _, k := range baselines {
		names = append(names, string(k))
	}
	return names
}

// Builtin returns the model of that name that needs no file. The error for an
// unknown name lists the known ones and wraps ErrModel.
func Builtin(name string) (*Model, error) {
	if k := Kernel(name); slices.Contains(baselines, k) {
		return &Model{Degradation: Cubic, Kernel: k}, nil
	}
	if !slices.Contains(Names(), name) {
		return nil, modelError{errors.New(plugin.Unknown("model", name, Names()))}
	}
	m, err := openEmbedded(name)
	if err != nil {
		return nil, err
	}
	// photo.x3.npz is photo for scale 3.
	file := func(scale int) string { return fmt.Sprintf("%s.x%d", name, scale) }
	for scale := 2; scale <= 4; scale++ {
		if _, err := fs.Stat(embedded, "models/"+file(scale)+".npz"); err == nil {
			m.siblings = append(m.siblings, newSibling(scale, func() (*Model, error) { return openEmbedded(file(scale)) }))
		}
	}
	return m, nil
}

func openEmbedded(name string) (*Model, error) {
	file, err := embedded.Open("models/" + name + ".npz")
	if err != nil {
		return nil, modelError{err}
	}
	info, err := file.Stat()
	if err != nil {
		return nil, modelError{err}
	}
	return Load(file.(io.ReaderAt), info.Size()) // as package embed says
}

// Description is what a model file says of a model, without the matrices.
type Description struct {
	Scale       int         `json:"scale,omitempty"`
	OtherScales []int       `json:"other_scales,omitempty"` // that have models of their own
	Degradation Degradation `json:"degradation"`
	Kernel      Kernel      `json:"kernel"`
	Stages      []string    `json:"stages"`
	Provenance  *Provenance `json:"provenance,omitempty"`
}

// Describe returns the description of the model.
func (m *Model) Describe() Description {
	d := Description{Scale: m.Scale, Degradation: m.Degradation, Kernel: m.Kernel, Stages: []string{}}
	for _, s := range m.Stages {
		params, err := json.Marshal(s.Save(&StageArrays{}))
		if err != nil {
			params = []byte(err.Error())
		}
		d.Stages = append(d.Stages, s.Kind()+" "+string(params))
	}
	if len(m.Stages) > 0 {
		d.Provenance, d.OtherScales = &m.Provenance, m.scales()[1:]
	}
	return d
}
