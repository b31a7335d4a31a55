package learning

import (
	"context"
	"image"
	"testing"

	"superres/internal/must"
	"superres/internal/testimage"
	"superres/superres/convolutional"
	"superres/superres/stage"
	"superres/superres/training"
	"superres/superres/training/trainingtest"
)

// Colour is trained with the same result twice, differently for subsampled chroma, and not at all on grey pictures.
func TestLearnsColour(t *testing.T) {
	o := newSmallTrainer()
	o.ColourSteps = 40
	var sources []training.Source
	for i := range 3 {
		sources = append(sources, training.Source{Name: "tinted", Open: func(context.Context) (image.Image,
			error) {
			return testimage.Tinted(90, 80+10*i, float64(i)), nil
		}})
	}
	first := must.Get(o.Train(t.Context(), sources, nil))(t)
	second := must.Get(o.Train(t.Context(), sources, nil))(t)
	for i, pair := range [][2]stage.Colour{{first.Colour, second.Colour}, {first.Subsampled, second.Subsampled}} {
		if pair[0].(*convolutional.Colour).Fingerprint() != pair[1].(*convolutional.Colour).Fingerprint() {
			t.Errorf("network %d is another the second time", i)
		}
	}
	if first.Colour.(*convolutional.Colour).Fingerprint() == first.Subsampled.(*convolutional.Colour).Fingerprint() {
		t.Error("colour at half the resolution is learned as that at all of it")
	}
	again := o
	again.Steps, again.From = 0, first.Stages[0].(*convolutional.Stage)
	third := must.Get(again.Train(t.Context(), sources, nil))(t)
	if third.Stages[0] != first.Stages[0] ||
		third.Colour.(*convolutional.Colour).Fingerprint() != first.Colour.(*convolutional.Colour).Fingerprint() {
		t.Error("colour alone, of the same brightness, is another")
	}
	r, err := o.Train(t.Context(), trainingtest.Drawings(3), nil)
	if err != nil || r.Colour != nil || r.Subsampled != nil {
		t.Errorf("of grey pictures: %v, %v, %v", r.Colour, r.Subsampled, err)
	}
	again.From = nil
	if _, err := again.Train(t.Context(), sources, nil); err == nil {
		t.Error("no steps, and nothing to begin with")
	}
}
