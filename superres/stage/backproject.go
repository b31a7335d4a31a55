package stage

import (
	"context"
	"encoding/json"
	"runtime"

	"superres/internal/parallel"
	"superres/internal/usage"
	"superres/patches/plane"
	"superres/superres/resample"
)

// BackProject is iterative back-projection. The enlargement x is reduced again, and its difference from the
// low-resolution picture l is enlarged and added to x,
//
//	x ← clip(x + E(l − R x)),
//
// with R the degradation of the model, E bicubic enlargement, and clip to 0..1. Afterwards the enlargement, reduced
// again, is close to the picture.
//
// M. Irani, S. Peleg: Improving resolution by image registration, CVGIP 53 (1991), doi:10.1016/1049-9652(91)90045-L.
type BackProject struct {
	// Iterations is the number of repetitions, 1 to 1000.
	Iterations int
	// Degradation is R.
	Degradation resample.Degradation
	scale       int
}

// NewBackProject returns the stage for a model of the given scale. It fails if an argument is out of range.
func NewBackProject(scale, iterations int, d resample.Degradation) (*BackProject, error) {
	if iterations < 1 || iterations > 1000 || scale < 2 || scale > 4 {
		return nil, usage.Errorf("stage: %d back-projections at scale %d, expected 1 to 1000 and 2 to 4", iterations,
			scale)
	}
	if err := d.Check(); err != nil {
		return nil, err
	}
	return &BackProject{Iterations: iterations, Degradation: d, scale: scale}, nil
}

type backProjectParams struct {
	Iterations  int                  `json:"iterations"`
	Degradation resample.Degradation `json:"degradation"`
}

func init() {
	Register("backproject", func(scale int, params json.RawMessage, _ *Arrays) (Stage, error) {
		var p backProjectParams
		if err := Unmarshal(params, &p); err != nil {
			return nil, err
		}
		return NewBackProject(scale, p.Iterations, p.Degradation)
	})
}

func (b *BackProject) Kind() string { return "backproject" }

func (b *BackProject) Save(*Arrays) any {
	return backProjectParams{b.Iterations, b.Degradation}
}

// Apply implements Stage. Each iteration adds the enlargement of low less the reduced current, and limits it to 0..1.
func (b *BackProject) Apply(ctx context.Context, low, current *plane.Plane, w *Work) (*plane.Plane, error) {
	enlarge := resample.New(low.W, low.H, current.W, current.H, resample.Bicubic)
	out := w.Result(current)
	for i := range b.Iterations {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		miss := w.Plane(low.W, low.H)
		b.Degradation.ReduceTo(miss, current, b.scale)
		parallel.Rows(low.H, func(y int) {
			row := miss.Row(y)
			for x, v := range low.Row(y) {
				row[x] = v - row[x]
			}
		})
		enlarge.AddTo(out, current, miss)
		w.Give(miss.Pix)
		current = out
		w.Report(float64(i+1) / float64(b.Iterations))
	}
	return current, nil
}

// Reach implements Stage. Each iteration adds the reach of the reduction and of the enlargement.
func (b *BackProject) Reach() int {
	const enlarged = 2 // reach of the bicubic kernel, in rows of low
	return b.Iterations * (enlarged + b.Degradation.Reach())
}

// Memory implements Stage. It counts the difference l − R x, and each processor's buffer of rows enlarged across.
func (b *BackProject) Memory(width, rows int) (fixed, working int64) {
	const bufferRows = 32 // at least as many as resample keeps enlarged: 16 and the reach of the filter
	return 0, 4*int64(width)*int64(rows) + int64(runtime.GOMAXPROCS(0))*4*bufferRows*int64(width)*int64(b.scale)
}

func (b *BackProject) Settings() Settings { return BackProjecting }

// Tune implements Tunable. If t.BackProject is given it returns nil, which removes the stage: the model adds a new one.
func (b *BackProject) Tune(t Tuning) (Stage, error) {
	if t.BackProject != nil {
		return nil, nil
	}
	return b, nil
}
