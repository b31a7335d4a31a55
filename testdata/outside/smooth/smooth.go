// Package smooth is a stage that mixes every row of an enlargement with the rows around it. It improves no picture,
// and shows all that a stage in another module must have.
package smooth

import (
	"context"
	"encoding/json"
	"fmt"
	"superres/patches/plane"

	"superres/superres/stage"
)

// Stage replaces each row of an enlargement by a weighted sum of the rows around it.
type Stage struct {
	weights []float32 // of the rows from len(weights)/2 above to as many below
}

// New returns a stage with the given weights, of which there must be an odd number, at most 31.
func New(weights []float32) (*Stage, error) {
	if len(weights)%2 == 0 || len(weights) > 31 {
		return nil, fmt.Errorf("%d weights, expected an odd number up to 31", len(weights))
	}
	return &Stage{weights}, nil
}

const kind = "smooth"

type params struct {
	Weights int `json:"weights"`
}

func init() { stage.Register(kind, load) }

// load is the stage.Loader of this kind: it returns the Stage that Save has stored in text and a.
func load(_ int, text json.RawMessage, a *stage.Arrays) (stage.Stage, error) {
	var p params
	if err := stage.Unmarshal(text, &p); err != nil {
		return nil, err
	}
	if p.Weights < 1 || p.Weights > 31 {
		return nil, fmt.Errorf("%d weights, expected 1 to 31", p.Weights)
	}
	weights, err := stage.Get[float32](a, "weights", 1, p.Weights)
	if err != nil {
		return nil, err
	}
	return New(weights)
}

// Apply implements stage.Stage. It reads only current, and repeats the rows at the edges beyond them.
func (s *Stage) Apply(ctx context.Context, _, current *plane.Plane, w *stage.Work) (*plane.Plane, error) {
	out := w.Plane(current.W, current.H)
	far := len(s.weights) / 2
	for y := range current.H {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		row := out.Row(y)
		clear(row)
		for i, weight := range s.weights {
			for x, v := range current.Row(min(max(y+i-far, 0), current.H-1)) {
				row[x] += weight * v
			}
		}
	}
	w.Report(1)
	return out, nil
}

// Reach implements stage.Stage. It counts rows of low; the enlargement has two rows for each.
func (s *Stage) Reach() int { return (len(s.weights)/2 + 1) / 2 }

// Memory implements stage.Stage: the weights. Apply needs no memory besides its result.
func (s *Stage) Memory(_, _ int) (fixed, working int64) { return int64(4 * len(s.weights)), 0 }

// Kind implements stage.Stage: the name under which init registers load.
func (s *Stage) Kind() string { return kind }

// Save implements stage.Stage: it stores the weights as an array, and their number as the parameter.
func (s *Stage) Save(a *stage.Arrays) any {
	stage.Put(a, "weights", 1, s.weights)
	return params{len(s.weights)}
}
