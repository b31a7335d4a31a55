package upscale

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/must"
	"superres/internal/parallel"
	"superres/patches/plane"
	"superres/superres"
	"superres/superres/resample"
	"superres/superres/stage"
)

// moody is a stage that misbehaves with pictures of certain widths.
type moody struct{}

// panicking is the width of pictures with which moody panics in a worker.
const panicking = 13

func init() {
	stage.Register("moody", func(int, json.RawMessage, *stage.Arrays) (stage.Stage, error) { return moody{}, nil })
}

func (moody) Apply(ctx context.Context, low, current *plane.Plane, w *stage.Work) (*plane.Plane, error) {
	out := w.Plane(current.W, current.H)
	copy(out.Pix, current.Pix)
	if low.W == panicking {
		parallel.Rows(low.H, func(y int) { out.Pix[y-1] = 0 })
	}
	return out, ctx.Err()
}

func (moody) Memory(int, int) (fixed, working int64) { return 0, 0 }
func (moody) Reach() int                             { return 0 }
func (moody) Kind() string                           { return "moody" }
func (moody) Save(*stage.Arrays) any                 { return struct{}{} }

// putMoody writes a model with the stage moody to moody.npz in dir.
func putMoody(t *testing.T, dir string) {
	t.Helper()
	var file bytes.Buffer
	m := &superres.Model{Scale: 2, Degradation: resample.Cubic, Kernel: resample.Bicubic,
		Stages: []stage.Stage{moody{}}}
	must.Succeed(t, m.Save(&file))
	consoletest.Put(t, filepath.Join(dir, "moody.npz"), file.Bytes())
}
