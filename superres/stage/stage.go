package stage

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"superres/internal/picture"
	"superres/internal/registry"
	"superres/patches/plane"
)

// Stage is one step of a model: it improves the enlargement that the steps before it computed. A stage does not change
// after it has been created, and concurrent use is safe.
type Stage interface {
	// Apply returns an improved enlargement of low. current is the enlargement by the stages before it, scale times as
	// wide and as high as low. Samples are from 0 to 1. Apply must not change or keep either plane, because their
	// memory is reused. The result is from w.Result, which may share the memory of current, or from w.Plane, or new.
	// Now and then, and with 1 at the end, Apply calls w.Report with the share of the work that is complete, from the
	// goroutine that called Apply. The number of workers changes no bit of the result. Apply fails only with ctx.Err().
	Apply(ctx context.Context, low, current *plane.Plane, w *Work) (*plane.Plane, error)

	// Reach returns how many rows of low Apply reads above and below a row to enlarge that row. A picture is enlarged
	// in bands of rows: to enlarge the rows [a, b) of low, a model gives Apply the rows [a−Reach, b+Reach), the first
	// rounded down to a multiple of Alignment and both limited to the picture, with the same part of current, and keeps
	// the rows of the result that belong to [a, b). Their bits must be the same as without bands.
	Reach() int

	// Memory estimates bytes. fixed is for the stage as long as it exists; working is for one call of Apply with a low
	// of the given width and rows, with one worker for each processor. low, current and the result are not counted.
	Memory(width, rows int) (fixed, working int64)

	// Kind returns the name under which the stage is registered.
	Kind() string

	// Save returns the parameters of the stage, to be written as JSON, and puts its arrays in a.
	Save(a *Arrays) any
}

// Alignment divides the index of the first row of every band of low, so that a stage that divides rows into cells of 1
// to 4, 6, 8, 12 or 16 rows has the same cells in a band as in the whole picture.
const Alignment = 48

// Step returns the least multiple of Alignment, in samples, that becomes a whole number of samples when a side of
// oldSize samples is enlarged to newSize samples.
func Step(oldSize, newSize int) int {
	whole := oldSize / gcd(oldSize, newSize)
	return whole / gcd(whole, Alignment) * Alignment
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Tuning changes how a trained model is applied. Fields that are zero change nothing.
type Tuning struct {
	// Coder is the spec of another sparse coder.
	Coder string
	// Sparsity is another number of atoms in a code; 0: the number that the coder has.
	Sparsity int
	// BackProject is another number of back-projections, after the other stages; 0: none; nil: no change.
	BackProject *int
	// Strength is the estimated strength of the picture's degradation, 0 to 1, for graded stages; 0: no change.
	Strength float64
	// Trust is how likely it is, 0 to 1, that the picture was reduced as in training and neither blurred nor sharpened,
	// for trusting stages; 0: no change.
	Trust float64
}

// Settings says which fields of a Tuning a stage uses.
type Settings uint8

// The settings.
const (
	Coding         Settings = 1 << iota // Coder and Sparsity
	BackProjecting                      // BackProject: if it is given, the stage is removed
	Graded                              // Strength
	Trusting                            // Trust
)

// Tunable is a stage with settings that can be changed without learning again.
type Tunable interface {
	Stage
	// Settings returns which fields of a Tuning the stage uses.
	Settings() Settings
	// Tune returns the stage with the settings of t. It returns the stage itself if t changes nothing, and nil if the
	// stage is to be removed. It fails if a setting is out of range, or useless for a model with such a stage.
	Tune(t Tuning) (Stage, error)
}

// AreaKeeper is a stage that may ring beside flat areas and lines of one colour, as in drawings. If so, KeepsAreas
// returns true, and the model clamps its result to the range of these areas.
type AreaKeeper interface {
	Stage
	KeepsAreas() bool
}

// ColourViewer is a stage that reports whether it looks at the colour of a picture. If it does, a model passes the
// colour by Work.WithColour, unless the picture is grey or has subsampled chroma.
type ColourViewer interface {
	Stage
	SeesColour() bool
}

// SettingsOf returns the settings that s uses: none if s is not Tunable.
func SettingsOf(s Stage) Settings {
	if t, ok := s.(Tunable); ok {
		return t.Settings()
	}
	return 0
}

// KeepsAreas reports whether s asks for the clamp of flat areas (see AreaKeeper); false if s is not an AreaKeeper.
func KeepsAreas(s Stage) bool {
	k, ok := s.(AreaKeeper)
	return ok && k.KeepsAreas()
}

// SeesColour reports whether s looks at colour (see ColourViewer); false if s is not a ColourViewer.
func SeesColour(s Stage) bool {
	v, ok := s.(ColourViewer)
	return ok && v.SeesColour()
}

// Colour enlarges the colour of a picture for a model, after the stages have enlarged brightness. A Colour does not
// change after it has been created, and concurrent use is safe.
type Colour interface {
	// Apply improves an enlargement of colour. low holds the differences R−Y and B−Y, -1 to 1, of the picture, and luma
	// is the enlarged brightness, 0 to 1. Apply takes the enlargement strip by strip, from the top down, until it has
	// improved all rows: strip returns the interpolation of the rows [from, to) of low, which may be none, and Apply
	// improves it in place before it calls strip again or returns. Apply must not change low and luma, nor keep any
	// plane. The other rules of Stage.Apply hold, too.
	Apply(ctx context.Context, low [2]*plane.Plane, luma *plane.Plane, strip func(from, to int) [2]*plane.Plane,
		w *Work) error
	// Reach is like Stage.Reach.
	Reach() int
	// Memory is like Stage.Memory.
	Memory(width, rows int) (fixed, working int64)
	// Kind returns the name under which the Colour is registered.
	Kind() string
	// Save is like Stage.Save.
	Save(a *Arrays) any
	// Tune is like Tunable.Tune, but ignores settings that the Colour does not use.
	Tune(t Tuning) (Colour, error)
}

// Loader returns a stage for a model of the given scale from Save's params and the arrays. It must check all sizes.
type Loader func(scale int, params json.RawMessage, a *Arrays) (Stage, error)

// ColourLoader is a Loader for a Colour.
type ColourLoader func(scale int, params json.RawMessage, a *Arrays) (Colour, error)

var (
	stages  = registry.Registry[Loader]{Kind: "stage"}
	colours = registry.Registry[ColourLoader]{Kind: "colour"}
)

// Register adds a kind of stage. It panics if the kind is already registered. Call it in init.
func Register(kind string, load Loader) { stages.Add(kind, load) }

// RegisterColour adds a kind of Colour. It panics if the kind is already registered. Call it in init.
func RegisterColour(kind string, load ColourLoader) { colours.Add(kind, load) }

// Unmarshal decodes the parameters of a stage into a struct. It fails if they do not fit, or a parameter has no field.
func Unmarshal(params json.RawMessage, into any) error {
	dec := json.NewDecoder(strings.NewReader(string(params)))
	dec.DisallowUnknownFields()
	if dec.Decode(into) != nil {
		return errors.New("its parameters are damaged, or of a newer superres")
	}
	return nil
}

// Network enlarges the red, green and blue of a picture together, or only the brightness. It replaces the interpolation
// with which other models begin. A Network is immutable, and concurrent use is safe.
type Network interface {
	Part
	// Scale returns the factor by which the network enlarges each side, 1 to 16. 1 restores without enlarging.
	Scale() int
	// Channels returns the number of planes that the network takes and returns: 3 (red, green, blue) or 1 (brightness).
	Channels() int
	// Reach returns how many rows above and below a row of the picture, and how many columns to each side, the result
	// for that row depends on. The result for a part that is cut from a picture at multiples of Alignment equals the
	// result for the whole picture there, except within Reach of the cuts.
	Reach() int
	// Memory estimates bytes. fixed is for the network as long as it exists; working is for a NetworkRun for a picture
	// of w×h samples, with one worker a processor. The planes that Push takes and returns are not counted.
	Memory(w, h int) (fixed, working int64)
	// Start returns a run for a picture of w×h samples. Both sides are at least 1.
	Start(w, h int) NetworkRun
}

// NetworkRun takes one picture through a Network, from the top down. It belongs to one goroutine.
type NetworkRun interface {
	// Push takes the next rows of the picture, 0 to 1, in as many planes as the network has channels, and returns the
	// next rows of the result in as many planes, or nil if too few rows have arrived for any. The rows of the result
	// for a row of the picture are returned at the latest when the Reach rows below it have arrived. With the last row
	// of the picture the result is complete. The number of rows need not be a multiple of the scale.
	//
	// The result does not depend on how the rows are divided between calls, nor on the number of workers. It may exceed
	// 0 to 1, but is finite. Push does not change or keep the planes that it takes, several of which may be the same
	// plane; the planes that it returns are from w.Plane, or new, and belong to the caller. It calls w.Report with the
	// share of the whole picture that is complete, 0 to 1, and with 1 at the end of the last call, from the goroutine
	// that called Push. Push fails only with ctx.Err(), and must not be called again then.
	Push(ctx context.Context, rows []*plane.Plane, w *Work) ([]*plane.Plane, error)
}

// PushLuma takes rows, the next rows of a picture's brightness, through a run of a network with the given number of
// channels. Each channel gets the brightness. It returns the next rows of the brightness of the result, or nil if too
// few rows have arrived. The rules of NetworkRun.Push hold.
func PushLuma(ctx context.Context, run NetworkRun, channels int, rows *plane.Plane, w *Work) (*plane.Plane, error) {
	in := []*plane.Plane{rows, rows, rows}[:channels]
	out, err := run.Push(ctx, in, w)
	if out == nil || err != nil {
		return nil, err
	}
	if channels > 1 {
		picture.LumaOf(out[0], out)
		for _, p := range out[1:] {
			w.Give(p.Pix)
		}
	}
	return out[0], nil
}

// NetworkLoader is a Loader for a Network. The result must have the given scale.
type NetworkLoader func(scale int, params json.RawMessage, a *Arrays) (Network, error)

var networks = registry.Registry[NetworkLoader]{Kind: "network"}

// RegisterNetwork adds a kind of Network. It panics if the kind is already registered. Call it in init.
func RegisterNetwork(kind string, load NetworkLoader) { networks.Add(kind, load) }
