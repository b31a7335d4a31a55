package fit

import (
	"bytes"
	"context"
	"errors"
	"image"
	"runtime"
	"testing"

	"superres/internal/must"
	"superres/internal/testimage"
	"superres/superres/coupled/learning"
	"superres/superres/training"
	"superres/superres/training/trainingtest"
)

func TestTrainRefuses(t *testing.T) {
	flat := []training.Source{{Name: "flat", Open: func(context.Context) (image.Image, error) {
		return testimage.Gray(40, 40, func(x, y int) uint8 { return 9 }), nil
	}}}
	drawing := trainingtest.Drawings(1)
	for name, c := range map[string]struct {
		sources []training.Source
		spoil   func(o *learning.Trainer)
		heldOut int
	}{
		"nothing":     {},
		"flat":        {sources: flat},
		"held out":    {sources: trainingtest.Drawings(2), heldOut: 2},
		"scale":       {sources: drawing, spoil: func(o *learning.Trainer) { o.Scale = 5 }},
		"learner":     {sources: drawing, spoil: func(o *learning.Trainer) { o.Learner = "ksdv" }},
		"coder":       {sources: drawing, spoil: func(o *learning.Trainer) { o.Coder = "opm" }},
		"reduction":   {sources: drawing, spoil: func(o *learning.Trainer) { o.Reductions = []float64{2} }},
		"degradation": {sources: drawing, spoil: func(o *learning.Trainer) { o.Degradation = "blur" }},
	} {
		o := learning.Defaults()
		if c.spoil != nil {
			c.spoil(&o)
		}
		if m, err := Train(t.Context(), c.sources, o, Options{HeldOut: c.heldOut}); err == nil || m != nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// At every scale the model records what it was learned from, and restores what it was not learned from better than
// bicubic interpolation. It has the same bytes with any number of workers.
func TestTrain(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	o := learning.Defaults()
	o.Atoms, o.Patches, o.Iterations, o.Flat, o.Seed, o.Reductions = 40, 1500, 4, 0.01, 5, nil
	for scale := 2; scale <= 4; scale++ {
		o.Scale = scale
		var files [2]bytes.Buffer
		for i, workers := range []int{1, 4} {
			runtime.GOMAXPROCS(workers)
			m := must.Get(Train(t.Context(), trainingtest.Drawings(4), o, Options{HeldOut: 1, Seed: 5}))(t)
			p := m.Provenance
			if p.HeldOut != 1 || p.Pictures != 3 || p.Patches < 300 || p.Patches > 1500 || p.Score == nil ||
				p.Score.Model.PSNR < p.Score.Bicubic.PSNR+1 {
				t.Errorf("×%d: provenance %+v", scale, p)
			}
			must.Succeed(t, m.Save(&files[i]))
		}
		if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
			t.Errorf("×%d: four workers give other bytes than one", scale)
		}
	}
}

func TestCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Train(ctx, trainingtest.Drawings(2), learning.Defaults(), Options{})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
