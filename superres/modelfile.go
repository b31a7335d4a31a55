package superres

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"superres/superres/resample"
	"superres/superres/score"
	"superres/superres/stage"
)

// The format numbers in model files, which Save writes and Load reads. A model with a network has a number of its own,
// so that an older program, which knows no networks, says that a newer one is needed.
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
	// Colours holds the networks for colour, except nil ones, by their names in colourFields.
	Colours    map[string]stage.Head `json:"colours,omitempty"`
	Provenance Provenance            `json:"provenance"`
}

// Save writes the model, without its siblings, as an .npz file that numpy opens: its description as model.json, and the
// arrays as "network.name", "stagei.name" for stage i, "colour.name" and "subsampled.name", where name is what the part
// calls the array. The same model gives the same bytes. A plain interpolation cannot be saved.
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

// load does what Load does; its errors do not wrap ErrModel.
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
		return fmt.Errorf("model.json: stages, or networks for colour, at scale %d, expected 2 to 4", h.Scale)
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

// Provenance says where a model comes from. It is kept in the model file.
type Provenance struct {
	// Imported is the file from which the network was imported; nil if superres or PyTorch learned the model.
	Imported *Imported `json:"imported,omitempty"`

	// Init is the provenance of the model that training started from; nil if it started from random values.
	Init *Provenance `json:"init,omitempty"`
	// InitOthers are the provenances of the other models, if training started from the mean of several.
	InitOthers []Provenance `json:"init_others,omitempty"`
	// Teachers are the provenances of the models that training learned from besides the pictures.
	Teachers []Provenance `json:"teachers,omitempty"`
	// Command is the command that trained the model. It gives the same bytes again from the same pictures and the
	// models of Init, InitOthers and Teachers.
	Command string `json:"command"`
	// Trainer names the programs that ran the steps of the training, such as "PyTorch 2.5 on cuda"; empty: superres.
	Trainer string `json:"trainer,omitempty"`
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
	// Pixels is the number of low-resolution pixels of all patches that a network was trained on, each counted as often
	// as it was used; 0 if they were not counted.
	Pixels int64 `json:"pixels,omitempty"`
	// DataSHA256 is a hash, in hexadecimal, of the samples of all training pictures in order: see training.Digest.
	DataSHA256 string `json:"data_sha256"`
	// TrainRMSE is the root mean square error on the training data, in samples of 0..1.
	TrainRMSE float64 `json:"train_rmse"`
	// HeldOut is the number of pictures that were held out from training to be scored.
	HeldOut int `json:"held_out"`
	// Score says how well the held-out pictures are restored; nil if there are none.
	Score *Score `json:"score,omitempty"`
}

// Imported describes the file from which a network of another program was imported.
type Imported struct {
	// File is the base name of the file.
	File string `json:"file"`
	// SHA256 is the hash of the bytes of the file, in hexadecimal; of two files, the hash of both, one after the other.
	SHA256 string `json:"sha256"`
	// Format is ncnn, onnx, keras, safetensors or pth.
	Format string `json:"format,omitempty"`
	// Architecture is the name of the architecture, such as "SRVGGNetCompact 64×32", or the size of an unknown one,
	// such as "42 convolutions, 32 channels".
	Architecture string `json:"architecture,omitempty"`
	// Parameters is the number of weights, biases and slopes of a network.
	Parameters int `json:"parameters,omitempty"`
	// MACs is the number of products for one pixel of the picture that a network enlarges.
	MACs float64 `json:"macs_per_pixel,omitempty"`
	// Range is the range of a network's samples, such as "0..1", or "0..255 in and 0..1 out".
	Range string `json:"range,omitempty"`
	// Terms are the terms of use that the file of a network states; empty if it states none.
	Terms string `json:"terms,omitempty"`
}

// Score says how well the model and bicubic interpolation restore held-out pictures after a reduction by the model's
// degradation. It holds means over the pictures: PSNR and SSIM by MatlabY, and the normalised squared error.
type Score struct {
	Model   score.Means `json:"model"`
	Bicubic score.Means `json:"bicubic"`
}

// Fingerprint returns a SHA-256, in hexadecimal, of what determines the pixels of a result: the model's interpolation,
// its stages with their settings, its siblings and its models for other efforts. Its provenance and its robust model do
// not count. It fails if a sibling or a model for another effort cannot be opened.
func (m *Model) Fingerprint() (string, error) {
	h := sha256.New()
	if m.IsPlain() {
		fmt.Fprintf(h, "%s\n", m.Kernel)
		if m.pixels {
			fmt.Fprintln(h, "pixel art")
		}
		return hex.EncodeToString(h.Sum(nil)), nil
	}
	if m.maxEffort {
		fmt.Fprintln(h, "max, colours apart") // any text that other efforts do not have
	}
	for _, scale := range m.scales() {
		model, err := m.modelFor(scale)
		if err != nil {
			return "", err
		}
		bare := *model
		bare.Provenance = Provenance{}
		if err := bare.digest(h); err != nil {
			return "", err
		}
	}
	for _, name := range Efforts() {
		open := m.efforts[name]
		if open == nil {
			continue
		}
		other, err := open()
		if err != nil {
			return "", err
		}
		sum, err := other.Fingerprint()
		if err != nil {
			return "", err
		}
		fmt.Fprintln(h, sum)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// digest writes the model to h: the bytes of its file or, if it has a network, the content of the file without
// compression, since compressing would take longer than enlarging a small picture.
func (m *Model) digest(h io.Writer) error {
	if m.Network == nil {
		return m.Save(h)
	}
	text, members, err := m.members()
	if err != nil {
		return err
	}
	return members.WriteContent(h, text)
}
