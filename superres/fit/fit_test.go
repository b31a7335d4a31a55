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
		s []training.Source
		o learning.Trainer
		h int
	}{
		"nothing":     {},
		"flat":        {s: flat},
		"scale":       {s: trainingtest.Drawings(1), o: learning.Trainer{Scale: 5}},
		"learner":     {s: trainingtest.Drawings(1), o: learning.Trainer{Learner: "ksdv"}},
		"coder":       {s: trainingtest.Drawings(1), o: learning.Trainer{Coder: "opm"}},
		"held out":    {s: trainingtest.Drawings(2), h: 2},
		"reduction":   {s: trainingtest.Drawings(1), o: learning.Trainer{Reductions: []float64{2}}},
		"degradation": {s: trainingtest.Drawings(1), o: learning.Trainer{Degradation: "blur"}},
	} {
		if m, err := Model(t.Context(), c.s, c.o, Options{HeldOut: c.h}); err == nil || m != nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// The model records what it was learned from, and how well it restores what it was not.
func TestModelRecords(t *testing.T) {
	o := learning.Trainer{Atoms: 40, Patches: 1500, Iterations: 4, Flat: 0.01, Seed: 5, Reductions: []float64{}}
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
	if _, err := Model(ctx, trainingtest.Drawings(2), learning.Trainer{Atoms: 10, Patches: 100}, Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
