package learning_test

import (
	"bytes"
	"testing"

	"superres/superres/convolutional/learning"
	"superres/superres/fit"
	"superres/superres/training/trainingtest"
)

// A trained stage makes a model that restores what it has not seen, and has the same bytes the second time.
func TestTrainModel(t *testing.T) {
	var files [2]bytes.Buffer
	for i := range files {
		o := learning.Defaults()
		o.Channels, o.Depth, o.Steps, o.Batch, o.Patch, o.Reductions, o.Seed = 16, 2, 150, 4, 10, nil, 1
		m, err := fit.Train(t.Context(), trainingtest.Drawings(4), o, fit.Options{HeldOut: 1, Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		if s := m.Provenance.Score; s == nil || s.Model.PSNR < s.Bicubic.PSNR+1 {
			t.Errorf("scores %+v", s)
		}
		if err := m.Save(&files[i]); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Error("other bytes the second time")
	}
}
