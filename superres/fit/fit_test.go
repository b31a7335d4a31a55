package fit

import (
	"context"
	"errors"
	"image"
	"testing"

	"superres/internal/testimage"
	"superres/superres/coupled/learning"
	"superres/superres/training"
	"superres/superres/training/trainingtest"
)

func TestModelRefuses(t *testing.T) {
	flat := []training.Source{{Name: "flat", Open: func(context.Context) (image.Image, error) {
		return testimage.Gray(40, 40, func(x, y int) uint8 { return 9 }), nil
	}}}
	for name, c := range map[string]struct {
		sources []training.Source
		spoil   func(o *learning.Trainer)
		heldOut int
	}{
		"nothing":     {},
		"flat":        {sources: flat},
		"held out":    {sources: trainingtest.Drawings(2), heldOut: 2},
		"scale":       {sources: trainingtest.Drawings(1), spoil: func(o *learning.Trainer) { o.Scale = 5 }},
		"learner":     {sources: trainingtest.Drawings(1), spoil: func(o *learning.Trainer) { o.Learner = "ksdv" }},
		"coder":       {sources: trainingtest.Drawings(1), spoil: func(o *learning.Trainer) { o.Coder = "opm" }},
		"reduction":   {sources: trainingtest.Drawings(1), spoil: func(o *learning.Trainer) { o.Reductions = []float64{2} }},
		"degradation": {sources: trainingtest.Drawings(1), spoil: func(o *learning.Trainer) { o.Degradation = "blur" }},
	} {
		o := learning.Defaults()
		if c.spoil != nil {
			c.spoil(&o)
		}
		if m, err := Model(t.Context(), c.sources, o, Options{HeldOut: c.heldOut}); err == nil || m != nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// The model records what it was learned from, and how well it restores what it was not.
func TestModelRecords(t *testing.T) {
	o := learning.Defaults()
	o.Atoms, o.Patches, o.Iterations, o.Flat, o.Seed, o.Reductions = 40, 1500, 4, 0.01, 5, nil
	m, err := Model(t.Context(), trainingtest.Drawings(4), o, Options{HeldOut: 1, Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	p := m.Provenance
	if p.HeldOut != 1 || p.Pictures != 3 || p.Patches < 300 || p.Patches > 1500 || p.Score == nil || p.Score.Model.PSNR < p.Score.Bicubic.PSNR+1 {
		t.Errorf("provenance %+v", p)
	}
}

func TestCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Model(ctx, trainingtest.Drawings(2), learning.Defaults(), Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
