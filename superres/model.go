package superres

import (
	"errors"
	"fmt"
	"image"
	"slices"
	"sync"

	"superres/patches/plane"
	"superres/superres/resample"
	"superres/superres/stage"
)

// Model enlarges pictures. It is a chain of stages that undoes one degradation at one scale, or a network of another
// program, or a plain interpolation if it has neither. A model never changes, and may be used concurrently.
type Model struct {
	// Scale is the scale of the stages, 2 to 4, or of the network, 1 to 16; 0, for a plain interpolation, means any.
	Scale int
	// Degradation is what the stages undo.
	Degradation resample.Degradation
	// Kernel interpolates brightness before the stages, and colour if the model has no network for it.
	Kernel resample.Kernel
	// Network enlarges in place of Kernel. It is nil if the model has none.
	Network stage.Network
	// Stages improve the enlarged brightness, or red, green and blue if Network takes them, one after the other.
	Stages []stage.Stage
	// Colour enlarges colour that a file keeps at the resolution of brightness, Subsampled colour that it keeps at half
	// of it. If Subsampled is nil, Colour enlarges both; if Colour is nil, too, colour is interpolated.
	Colour, Subsampled stage.Colour
	// Provenance says where the model comes from.
	Provenance Provenance

	siblings      []sibling         // models for other scales
	efforts       map[string]opener // open the models for other efforts, by their names
	robust        *robust           // the model for pictures with flaws; nil: this model enlarges all
	maxEffort     bool              // the effort is max: results are means over orientations
	pixels        bool              // this is the model PixelArt
	squares       bool              // with pixels: keeps squares of equal pixels, unless Options.Blend is set
	large         bool              // see Large
	foreignColour bool              // the networks for colour come from another model
	loadedBytes   int64             // memory of the model when its file was loaded; tuning may reduce it
}

// MinScale and MaxScale are the range of scales, of a model and of an enlargement.
const MinScale, MaxScale = 1, 16

// Plain returns the model that interpolates by the kernel k and has no stages.
func Plain(k resample.Kernel) *Model { return &Model{Degradation: resample.Cubic, Kernel: k} }

// PixelArt returns the model that enlarges pixel art by the rule of package pixelart, which makes no new colours.
func PixelArt() *Model {
	m := Plain(resample.Nearest)
	m.pixels = true
	return m
}

// ErrModel is wrapped by errors about a model that is missing, damaged, or of an unknown format.
var ErrModel = errors.New("model cannot be used")

// Unusable returns an error with the text of err that wraps both err and ErrModel.
func Unusable(err error) error { return modelError{err} }

type modelError struct{ error }

func (modelError) Is(target error) bool { return target == ErrModel }
func (e modelError) Unwrap() error      { return e.error }

// Description describes a model without its arrays.
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
		d.Provenance, d.OtherScales = &m.Provenance, m.scales()[1:] // the first is m.Scale
	}
	return d
}

// IsPlain reports whether the model is a plain interpolation: it has neither a network nor stages.
func (m *Model) IsPlain() bool { return m.Network == nil && len(m.Stages) == 0 }

// takesRGB reports whether the model enlarges red, green and blue together, rather than brightness and colour.
func (m *Model) takesRGB() bool { return m.Network != nil && m.Network.Channels() == 3 }

// IsTrusting reports whether Tune can set how likely a picture was reduced cleanly, its trust: see stage.Tuning.
func (m *Model) IsTrusting() bool { return m.has(stage.Trusting) }

// IsGraded reports whether the model can be tuned to the strength of a picture's degradation, such as noise.
func (m *Model) IsGraded() bool { return m.has(stage.Graded) }

// has reports whether setting concerns at least one stage of the model.
func (m *Model) has(setting stage.Settings) bool {
	return slices.ContainsFunc(m.Stages, func(s stage.Stage) bool { return stage.SettingsOf(s)&setting != 0 })
}

// opener opens a model.
type opener = func() (*Model, error)

// robust opens the robust model of a model, and keeps each tuned copy of it that was asked for.
type robust struct {
	open  opener
	lock  sync.Mutex
	known map[tuned]*Model

	isJudged bool // see WithJudge
}

// tuned says how a robust model is tuned: to a strength and a trust, and, if isFast is true, with the effort fast.
type tuned struct {
	strength, trust float64
	isFast          bool
}

// A model may have siblings: models of the same kind that were trained for other scales. A picture is then enlarged in
// a chain of passes, at the scales that fit the result best, each pass by the model that was trained for its scale.

// sibling is a model for another scale, which is opened when it is first needed.
type sibling struct {
	scale int
	open  func() (*Model, error)
}

// sizes are the sides of a picture and of its enlargement, in pixels.
type sizes struct{ inW, inH, w, h int }

// Mix says that parts of a picture are enlarged by a second model, such as one for strong noise where noise is strong.
type Mix struct {
	// Model is the second model, of the same scale and effort; it has a network for colour if the first model does.
	Model *Model
	// Share is the share of the second model's result, 0 to 1. The picture is divided into Share.W × Share.H equal
	// cells; a sample of Share counts in the middle of its cell, and shares are linear between the middles and
	// constant beyond the outermost. Upscale does not change it.
	Share *plane.Plane
	// Area is the rectangle that is divided into cells, in pixels from the upper left corner of the picture. It may be
	// larger than the picture, if the picture is a part of a larger one; the zero rectangle means the whole picture.
	Area image.Rectangle
}

// Efforts returns the names of the efforts, fastest first: fast uses a smaller model, best the model itself, and max
// averages the model, or a larger one, over orientations of the picture, which takes three to five times as long.
func Efforts() []string { return []string{"fast", "best", "max"} }

// newSibling returns a sibling whose model the function open returns; open is called at most once. Opening the sibling
// fails if the model has another scale.
func newSibling(scale int, open func() (*Model, error)) sibling {
	return sibling{scale, sync.OnceValues(func() (*Model, error) {
		m, err := open()
		if err == nil && m.Scale != scale {
			err = fmt.Errorf("superres: a model of scale %d where %d is expected", m.Scale, scale)
		}
		return m, err
	})}
}

// WithSibling returns m with one more sibling, a model for another scale that is used if its scale fits a result
// better. The sibling must have stages and the degradation of m. open is called at most once, when an enlargement first
// needs the sibling. The enlargement fails if open fails, or if its model has another scale.
func (m *Model) WithSibling(scale int, open func() (*Model, error)) *Model {
	out := *m
	out.siblings = append(slices.Clip(m.siblings), newSibling(scale, open))
	return &out
}

// WithColour returns m with other's networks for colour, at each scale that both models were trained for; at other
// scales, or if it has a network for red, green and blue, m keeps its own. The stages for brightness no longer look at
// colour: only other's networks may know its flaws. The result has no other efforts, so choose the effort first.
func (m *Model) WithColour(other *Model) *Model {
	out := m.colouredBy(other)
	out.efforts, out.foreignColour = nil, true
	out.siblings = m.changedSiblings(func(model *Model) (*Model, error) {
		if !slices.Contains(other.scales(), model.Scale) {
			return model, nil
		}
		colour, err := other.modelFor(model.Scale)
		if err != nil {
			return nil, err
		}
		return model.colouredBy(colour), nil
	})
	return out
}

// changedSiblings returns the siblings of m, each changed by the function change when it is first needed.
func (m *Model) changedSiblings(change func(*Model) (*Model, error)) (list []sibling) {
	for _, s := range m.siblings {
		list = append(list, newSibling(s.scale, changed(s.open, change)))
	}
	return list
}

// changed returns a function that opens a model with the function open, and returns it changed by the function change.
func changed(open opener, change func(*Model) (*Model, error)) opener {
	return func() (*Model, error) {
		m, err := open()
		if err != nil {
			return nil, err
		}
		return change(m)
	}
}

// colouredBy returns a copy of m with other's networks for colour, if other has the same scale and m does not take
// red, green and blue; otherwise an unchanged copy. The siblings of m, its models for other scales, stay as they are.
func (m *Model) colouredBy(other *Model) *Model {
	out := *m
	if other.Scale == m.Scale && !m.takesRGB() {
		out.Colour, out.Subsampled, out.foreignColour = other.Colour, other.Subsampled, true
	}
	return &out
}

// scales returns the scales of the model and its siblings, its own first.
func (m *Model) scales() []int {
	list := []int{m.Scale}
	for _, s := range m.siblings {
		list = append(list, s.scale)
	}
	return list
}

// modelFor returns the sibling of the given scale, or m if there is none. It fails if the sibling cannot be opened.
func (m *Model) modelFor(scale int) (*Model, error) {
	for _, s := range m.siblings {
		if s.scale == scale {
			return s.open()
		}
	}
	return m, nil
}

// restores reports whether the model changes a picture even if the result is no larger: it has the network of another
// program, or removes noise and compression. The enlarged picture is then reduced again.
func (m *Model) restores() bool { return m.Network != nil || m.IsGraded() }

// scaleChain returns the scales of the passes that enlarge a picture to the size of a result or just beyond it: the
// scales with the least product that suffices, and as few scales as possible. The largest comes first, because the
// first pass has the fewest samples to work on. The chain is nil when the result is not larger, unless the model
// restores pictures: then it has at least one pass. A network of scale 1 makes one pass only.
func (m *Model) scaleChain(s sizes) []int {
	if m.Scale == 1 {
		return []int{1}
	}
	scales := m.scales()
	slices.SortFunc(scales, func(a, b int) int { return b - a })
	var best []int
	bestProduct := 0
	var extend func(taken []int, product, from int)
	extend = func(taken []int, product, from int) { // adds scales from index from on to taken
		switch {
		case bestProduct > 0 && (product > bestProduct || product == bestProduct && len(taken) >= len(best)):
			return
		case s.inW*product >= s.w && s.inH*product >= s.h && (len(taken) > 0 || !m.restores()):
			best, bestProduct = slices.Clone(taken), product
			return
		}
		for i := from; i < len(scales); i++ {
			extend(append(taken, scales[i]), product*scales[i], i)
		}
	}
	extend(nil, 1, 0)
	return best
}

// colourStage returns the network that enlarges colour; nil means that colour is interpolated. subsampled says that the
// file of the picture keeps colour at half the resolution of brightness, not at the same.
func (m *Model) colourStage(subsampled bool) stage.Colour {
	if subsampled && m.Subsampled != nil {
		return m.Subsampled
	}
	return m.Colour
}

// colourField points to a field of a model with a network for colour, and holds its name in a model file.
type colourField struct {
	name  string
	field *stage.Colour
}

// colourFields returns the fields of the model with networks for colour.
func (m *Model) colourFields() []colourField {
	return []colourField{{"colour", &m.Colour}, {"subsampled", &m.Subsampled}}
}

// colourStages returns the networks for colour of the model.
func (m *Model) colourStages() (list []stage.Colour) {
	for _, c := range m.colourFields() {
		if *c.field != nil {
			list = append(list, *c.field)
		}
	}
	return list
}

// enlargesColour reports whether colour goes through the passes with brightness: whether a pass has a network for
// colour or for red, green and blue, or a stage that looks at colour.
func (m *Model) enlargesColour(s sizes) bool {
	return m.takesRGB() || slices.ContainsFunc(m.chainModels(s), func(model *Model) bool {
		return len(model.colourStages()) > 0 || slices.ContainsFunc(model.Stages, stage.SeesColour)
	})
}

// chainModels returns the models of the passes, in order, except models that cannot be opened, which Upscale reports.
func (m *Model) chainModels(s sizes) (list []*Model) {
	if m.IsPlain() {
		return nil
	}
	for _, scale := range m.scaleChain(s) {
		if model, err := m.modelFor(scale); err == nil {
			list = append(list, model)
		}
	}
	return list
}

// fixedMemory returns the bytes that the network, the stages and the networks for colour keep, for any size of picture.
func (m *Model) fixedMemory() (bytes int64) {
	if m.Network != nil {
		bytes, _ = m.Network.Memory(1, 1)
	}
	for _, s := range m.Stages {
		fixed, _ := s.Memory(1, 1)
		bytes += fixed
	}
	for _, c := range m.colourStages() {
		fixed, _ := c.Memory(1, 1)
		bytes += fixed
	}
	return bytes
}
