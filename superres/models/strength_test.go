package models

import (
	"testing"

	"superres/internal/must"
	"superres/superres/convolutional"
	"superres/superres/stage"
)

// photo-real takes the network for subsampled colour from photo for weak degradation, its own for strong, however
// often the model is tuned.
func TestSubsampledColourFollowsStrength(t *testing.T) {
	var colour stage.Colour = must.Get(Open(PhotoReal))(t).Subsampled
	weak := must.Get(Open(Photo))(t).Subsampled.(*convolutional.Colour).Fingerprint()
	for _, strength := range []float64{0, leastStrong - 1./64, leastStrong, 0.5, 0.1, 1, 0} {
		var err error
		if colour, err = colour.Tune(stage.Tuning{Strength: strength}); err != nil {
			t.Fatal(err)
		}
		got := colour.(byStrength).Colour.(*convolutional.Colour).Fingerprint()
		if isWeak := got == weak; isWeak != (strength < leastStrong) {
			t.Errorf("at strength %g, the network of photo: %v", strength, isWeak)
		}
	}
}
