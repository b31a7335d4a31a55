package superres

import (
	"superres/superres/resample"
	"superres/superres/score"
	"superres/superres/stage"
)

// Model enlarges pictures. It is a chain of stages that undoes one degradation at one scale, or a network of another
// program, or a plain interpolation if it has neither. A model does not change once it is made, and may be used
// concurrently.
type Model struct {
	// Scale is the scale of the stages, 2 to 4, or of the network, 1 to 16; 0, for a plain interpolation, means any.
	Scale int
	// Degradation is what the stages undo.
	Degradation resample.Degradation
	// Kernel interpolates brightness before the stages, and colour if the model has no network for it.
	Kernel resample.Kernel
	// Network enlarges instead of Kernel; nil: there is none.
	Network stage.Network
	// Stages improve the enlarged brightness, one after the other; if Network takes red, green and blue, each of these.
	Stages []stage.Stage
	// Colour enlarges the colour of pictures whose files keep it at the resolution of brightness, Subsampled the colour
	// of pictures whose files keep it at half that resolution. nil means interpolation.
	Colour, Subsampled stage.Colour
	// Provenance says where the model comes from.
	Provenance Provenance

	siblings      []sibling         // for other scales
	efforts       map[string]opener // open the models for other efforts, by their names
	robust        *robust           // chooses a model for each picture; nil: this one enlarges all
	maxEffort     bool              // has the effort max: a mean over orientations
	large         bool              // see Large
	foreignColour bool              // has the networks for colour of another model
	loadedBytes   int64             // bytes that the stages took when the file was loaded; tuning may leave fewer
}

// Plain returns the model that interpolates by the kernel k and has no stages.
func Plain(k resample.Kernel) *Model { return &Model{Degradation: resample.Cubic, Kernel: k} }

// Provenance says where a model comes from. It is kept in the model file.
type Provenance struct {
	// Imported is the file from which the dictionary or the network was imported; nil if it was learned.
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
	// Pixels is the number of low-resolution pixels that a network was shown in these patches, each as often as it was
	// shown; 0 if it was not counted.
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

// Imported says from which file a dictionary or a network was imported that another program has learned.
type Imported struct {
	// File is the base name of the file.
	File string `json:"file"`
	// SHA256 is the hash of its bytes, in hexadecimal; of a network in two files, of both, one after the other.
	SHA256 string `json:"sha256"`
	// Format is the format of a network: ncnn, onnx, safetensors or pth; empty for a dictionary.
	Format string `json:"format,omitempty"`
	// Architecture is the architecture of a network by name, such as "SRVGGNetCompact 64×32", or the
	// size of an unknown one, such as "42 convolutions, 32 channels".
	Architecture string `json:"architecture,omitempty"`
	// Parameters is the number of weights, biases and slopes of a network.
	Parameters int `json:"parameters,omitempty"`
	// MACs is the number of products for one pixel of the picture that a network enlarges.
	MACs float64 `json:"macs_per_pixel,omitempty"`
	// Range is the range of a network's samples, such as "0..1", or "0..255 in and 0..1 out".
	Range string `json:"range,omitempty"`
	// Terms are the terms of use that the file of a network states; empty if it states none.
	Terms string `json:"terms,omitempty"`
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

// Description says what a model is, without its arrays.
type Description struct {
	// Scale is the scale of the stages or the network; 0 means any.
	Scale int `json:"scale,omitempty"`
	// OtherScales are the scales of the siblings.
	OtherScales []int `json:"other_scales,omitempty"`
	// Degradation is what the stages undo.
	Degradation resample.Degradation `json:"degradation"`
	// Kernel interpolates before the stages.
	Kernel resample.Kernel `json:"kernel"`
	// Network describes the network in a line; it is empty if there is none.
	Network string `json:"network,omitempty"`
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
	if m.Network != nil {
		d.Network = stage.Describe(m.Network)
	}
	for _, s := range m.Stages {
		d.Stages = append(d.Stages, stage.Describe(s))
	}
	if m.Colour != nil {
		d.Colour = stage.Describe(m.Colour)
	}
	if m.Subsampled != nil {
		d.Subsampled = stage.Describe(m.Subsampled)
	}
	if !m.IsPlain() {
		d.Provenance, d.OtherScales = &m.Provenance, m.scales()[1:]
	}
	return d
}
