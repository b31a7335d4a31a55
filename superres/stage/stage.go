package stage

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"superres/internal/registry"
	"superres/patches/plane"
)

// Stage is one step of a model: it makes a better enlargement out of the one before it. A
// stage does not change once made, and concurrent use is safe.
type Stage interface {
	// Apply returns the improved enlargement of low; current is what the stages before it made of low, scale times
	// as wide and as high. Samples are 0..1. Neither plane is changed, and neither may be kept: their memory is
	// used again. The result is in memory of its own, from w.Plane or new. Apply calls w.Report with the share
	// done, 0..1, now and then, at last with 1, from the goroutine it was called in. It gives the same bits
	// whatever the number of workers. It fails only with ctx.Err().
	Apply(ctx context.Context, low, current *plane.Plane, w *Work) (*plane.Plane, error)

	// Reach is how many rows of low, above and below a row, Apply looks at to make what that row becomes. A picture
	// is enlarged in bands of rows: to have rows a..b-1 of low enlarged, a model gives Apply the rows from a−Reach,
	// rounded down to a multiple of Alignment, to b+Reach, cut off at the edges of the picture, with the same part
	// of current, and keeps the rows of the result that belong to a..b-1. They must be the same bits as when Apply
	// is given the whole picture.
	Reach() int

	// Memory estimates bytes: fixed is what the stage itself takes as long as it exists,
	// working what one Apply takes beside low, current and the result, for planes of low
	// of the given width and number of rows, with as many workers as there are processors.
	Memory(width, rows int) (fixed, working int64)

	// Kind returns the name that the stage is registered under.
	Kind() string

	// Save returns the parameters of the stage, to be written as JSON, and puts its arrays in a.
	Save(a *Arrays) any
}

// Alignment is what the first row of low of every band is a multiple of, so that a stage which works in cells of 1
// to 4 rows, or of 6 or 12, has them where they are in the whole picture.
const Alignment = 12

// Tuning changes how a trained model is applied. Zero fields change nothing.
type Tuning struct {
	// Coder is the spec of another sparse coder.
	Coder string
	// Sparsity is another number of atoms in a code; 0: as the coder says.
	Sparsity int
	// BackProject is another number of back-projections, after the other stages; 0: none; nil:
	// as the model has them.
	BackProject *int
	// Strength is the estimated strength of the picture's degradation, 0 to 1, for graded stages;
	// 0: as the stage has it.
	Strength float64
}

// Settings are the parts of a Tuning that concern a stage.
type Settings uint8

// The settings.
const (
	Coding         Settings = 1 << iota // Coder and Sparsity
	BackProjecting                      // BackProject: the stage is one of those that are replaced
	Graded                              // Strength
)

// Tunable is a stage with settings that can be changed without learning anew.
type Tunable interface {
	Stage
	// Settings tells which settings concern the stage.
	Settings() Settings
	// Tune returns the stage with other settings: itself when nothing is asked of it, nil when it is to be left
	// out. It fails when a setting is wrong, or means nothing to a model that has such a stage.
	Tune(t Tuning) (Stage, error)
}

// AreaKeeper is a stage that tells whether it rings beside flat areas and lines of one colour, such as
// those of drawings. A model with such a stage clamps its result to the limits of these areas.
type AreaKeeper interface {
	Stage
	KeepsAreas() bool
}

// SettingsOf returns the settings that concern a stage: none when it is not Tunable.
func SettingsOf(s Stage) Settings {
	if t, ok := s.(Tunable); ok {
		return t.Settings()
	}
	return 0
}

// KeepsAreas tells whether a stage asks for the clamp of flat areas.
func KeepsAreas(s Stage) bool {
	k, ok := s.(AreaKeeper)
	return ok && k.KeepsAreas()
}

// Colour is what a model enlarges colour with, after the stages have enlarged brightness. It
// does not change once made, and concurrent use is safe.
type Colour interface {
	// Apply improves an enlargement of colour in place: low has the differences R−Y and B−Y, −1..1, of the picture,
	// current their interpolation, luma the enlarged brightness, 0..1. low and luma are not changed, and no plane
	// is kept. Otherwise it makes the promises of Stage.Apply; when it fails, current has any values.
	Apply(ctx context.Context, low [2]*plane.Plane, luma *plane.Plane, current [2]*plane.Plane, w *Work) error
	// Reach is that of Stage.Reach.
	Reach() int
	// Memory is that of Stage.Memory.
	Memory(width, rows int) (fixed, working int64)
	// Kind returns the name that it is registered under.
	Kind() string
	// Save is that of Stage.Save.
	Save(a *Arrays) any
	// Tune is that of Tunable, but ignores settings that do not concern it.
	Tune(t Tuning) (Colour, error)
}

// Loader makes a stage for a model of the given scale out of what Save wrote: its
// parameters and its arrays. It must check every size.
type Loader func(scale int, params json.RawMessage, a *Arrays) (Stage, error)

// ColourLoader is a Loader of what enlarges colour.
type ColourLoader func(scale int, params json.RawMessage, a *Arrays) (Colour, error)

var (
	stages  = registry.Registry[Loader]{Kind: "stage"}
	colours = registry.Registry[ColourLoader]{Kind: "colour"}
)

// Register adds a kind of stage. It panics when the name is taken. Call it in init.
func Register(kind string, load Loader) { stages.Add(kind, load) }

// RegisterColour adds a kind of what enlarges colour. It panics when the name is taken. Call it in init.
func RegisterColour(kind string, load ColourLoader) { colours.Add(kind, load) }

// Names returns the kinds of stage that are registered, sorted.
func Names() []string { return stages.Names() }

// Unmarshal reads the parameters of a stage into a struct and refuses those it does not know.
func Unmarshal(params json.RawMessage, into any) error {
	dec := json.NewDecoder(strings.NewReader(string(params)))
	dec.DisallowUnknownFields()
	if dec.Decode(into) != nil {
		return errors.New("its parameters are damaged, or of a newer superres")
	}
	return nil
}
