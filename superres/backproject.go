package superres

import (
	"context"
	"encoding/json"

	"superres/learners/plugin"
	"superres/patches"
)

// BackProject is iterative back-projection: what the enlargement x, reduced
// again, lacks of the low-resolution picture l is enlarged and added,
//
//	x ← clip(x + E(l − R x)),
//
// R the degradation of the model, E bicubic enlargement, clip to 0..1. After it the
// enlargement says what the picture said, and no more noise than that.
//
// M. Irani, S. Peleg: Improving resolution by image registration, CVGIP 53
// (1991), doi:10.1016/1049-9652(91)90045-L.
type BackProject struct {
	Iterations  int
	Degradation Degradation
	scale       int
}

// NewBackProject makes the stage for a scale. It fails when a value is out of range.
func NewBackProject(scale, iterations int, d Degradation) (*BackProject, error) {
	if iterations < 1 || iterations > 1000 || scale < 2 || scale > 4 {
		return nil, plugin.Errorf("superres: %d back-projections at scale %d, expected 1 to 1000 and 2 to 4", iterations, scale)
	}
	if err := d.Check(); err != nil {
		return nil, err
	}
	return &BackProject{Iterations: iterations, Degradation: d, scale: scale}, nil
}

type backProjectParams struct {
	Iterations  int         `json:"iterations"`
	Degradation Degradation `json:"degradation"`
}

func init() {
	RegisterStage("backproject", func(scale int, params json.RawMessage, _ *StageArrays) (Stage, error) {
		var p backProjectParams
		if err := unmarshal(params, &p); err != nil {
			return nil, err
		}
		return NewBackProject(scale, p.Iterations, p.Degradation)
	})
}

// Kind implements Stage.
func (b *BackProject) Kind() string { return "backproject" }

// Save implements Stage.
func (b *BackProject) Save(*StageArrays) any {
	return backProjectParams{b.Iterations, b.Degradation}
}

// Apply implements Stage.
func (b *BackProject) Apply(ctx context.Context, low, current *patches.Plane, report func(float64)) (*patches.Plane, error) {
	mem := sparesOf(ctx)
	enlarge, out := enlarging(b.scale), mem.plane(current.W, current.H)
	for i := range b.Iterations {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		miss := b.Degradation.reduce(mem, current, b.scale)
		eachRow(low.H, func(y int) {
			row := miss.Row(y)
			for x, v := range low.Row(y) {
				row[x] = v - row[x]
			}
		})
		enlarge.enlargeRows(out, current, miss, 0, low.H, 0)
		mem.give(miss.Pix)
		current = out
		report(float64(i+1) / float64(b.Iterations))
	}
	return current, nil
}

// Reach implements Stage.
func (b *BackProject) Reach() int {
	enlarged, reduced := 2, 0
	if b.Degradation == Cubic {
		reduced = 2
	}
	return b.Iterations * (enlarged + reduced)
}
