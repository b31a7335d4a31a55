package convolutional_test

import (
	"bytes"
	"testing"

	"superres/internal/testimage"
	"superres/superres"
	"superres/superres/convolutional"
)

// A trained stage makes a model that restores what it has not seen, and has the same bytes
// the second time.
func TestTrainModel(t *testing.T) {
	var files [2]bytes.Buffer
	for i := range files {
		o := convolutional.Trainer{Channels: 16, Depth: 2, Steps: 150, Batch: 4, Patch: 10, Reductions: []float64{}, Seed: 1}
		m, err := superres.Train(t.Context(), testimage.Drawings(4), o, superres.TrainOptions{HeldOut: 1, Seed: 2})
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
