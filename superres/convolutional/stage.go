package convolutional

import (
	"context"
	"encoding/json"
	"image"

	"superres/internal/kernel"
	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres/stage"
)

// Stage adds the residual that a network computes to enlarged brightness. It is a stage.Tunable and stage.AreaKeeper.
type Stage struct{ net }

// NewStage rounds a network for brightness to integers and returns it as a stage. It fails if a number of the network
// has no integer in range, or if the size of the network is not allowed.
func NewStage(n *Network) (*Stage, error) {
	made, err := newNet(n)
	if err != nil {
		return nil, err
	}
	return &Stage{made}, nil
}

const kind = "convolutional"

func init() { stage.Register(kind, load) }

// load reads a network for brightness from a model file.
func load(scale int, text json.RawMessage, a *stage.Arrays) (stage.Stage, error) {
	n, err := loadNet(scale, text, a, false)
	if err != nil {
		return nil, err
	}
	return &Stage{n}, nil
}

// Of returns s as a *Stage and true, or false if s is a stage of another kind.
func Of(s stage.Stage) (*Stage, bool) {
	c, ok := s.(*Stage)
	return c, ok
}

// SeesColour implements stage.ColourViewer.
func (s *Stage) SeesColour() bool { return s.params.SeesColour }

// Tune implements stage.Tunable. It returns s itself if the settings change nothing.
func (s *Stage) Tune(t stage.Tuning) (stage.Stage, error) {
	tuned, changed, err := s.tune(t)
	if err != nil {
		return nil, err
	}
	if !changed {
		return s, nil
	}
	return &Stage{tuned}, nil
}

// Memory implements stage.Stage.
func (s *Stage) Memory(width, rows int) (fixed, working int64) {
	fixed, working = s.net.Memory(width, rows)
	if s.params.Grain > 0 {
		working += 4 * int64(width) * int64(rows) // of ApplyWithin's shares
	}
	return fixed, working
}

// KeepsAreas implements stage.AreaKeeper. It returns true: a network trained on photographs may ring beside flat areas.
func (s *Stage) KeepsAreas() bool { return true }

// Apply implements stage.Stage.
func (s *Stage) Apply(ctx context.Context, low, current *plane.Plane, w *stage.Work) (*plane.Plane, error) {
	return s.ApplyWithin(ctx, low, image.Rect(0, 0, low.W, low.H), current, w)
}

// ApplyWithin is Apply for a window of low: current and the result have only its pixels. The window leaves out at most
// the reach of the network on each side. With a grain, the residual is less where brightness varies little: see shares.
func (s *Stage) ApplyWithin(ctx context.Context, low *plane.Plane, window image.Rectangle, current *plane.Plane,
	w *stage.Work) (*plane.Plane, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	shareOf := func(int) kernel.Row { return kernel.Row{V: one[:]} } // all of the residual
	if s.params.Grain > 0 {
		shares := w.Plane(low.W, low.H)
		defer w.Give(shares.Pix)
		if err := s.shares(ctx, shares, low); err != nil {
			return nil, err
		}
		shareOf = func(y int) kernel.Row { return kernel.Row{V: shares.Row(window.Min.Y + y)[window.Min.X:], Step: 1} }
	}
	out := w.Result(current)
	read := func(y int, to []int16) {
		for x, v := range low.Row(y) {
			to[x] = quantiseLuma(v)
		}
	}
	if s.params.SeesColour {
		read = readColour(low, w.Colour())
	}
	add := func(y int, sums []float32, step int) {
		for k := range s.scale {
			row := y*s.scale + k
			kernel.AddPixels(out.Row(row), current.Row(row), sums[k*s.scale:], s.scale, step, s.scale*s.scale,
				shareOf(y), kernel.Row{V: zero[:]}, kernel.Row{V: one[:]}) // bounds: black and white
		}
	}
	if err := s.run(ctx, image.Pt(low.W, low.H), window, func(int, int) {}, read, add, w.Report); err != nil {
		w.Give(out.Pix)
		return nil, err
	}
	return out, nil
}

// readColour returns a function that writes row y of low and colour into to, as inputs of a network that sees colour. A
// plane of colour that is nil counts as 0.
func readColour(low *plane.Plane, colour [colours]*plane.Plane) func(y int, to []int16) {
	const inputs = colours + 1
	return func(y int, to []int16) {
		for i, p := range colour {
			for x := range low.W {
				to[x*inputs+i] = 0
			}
			if p == nil {
				continue
			}
			for x, v := range p.Row(y) {
				to[x*inputs+i] = quantiseColour(v)
			}
		}
		for x, v := range low.Row(y) {
			to[x*inputs+colours] = quantiseLuma(v)
		}
	}
}

// zero and one are the bounds of brightness; one is also the share of the residual that is added without grain.
var zero, one = [1]float32{0}, [1]float32{1}

// quantiseLuma returns the integer for a brightness v, which is clamped to 0..1.
func quantiseLuma(v float32) int16 { return int16(int32(float32(picture.Clamp(v)*white)+0.5) - grey) }
