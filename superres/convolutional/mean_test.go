package convolutional

import (
	"testing"

	"superres/internal/must"
)

// The mean of stages has the means of their numbers, to the rounding, and the grain of the first; of a stage alone it
// is that stage.
func TestMeanOf(t *testing.T) {
	shape := Architecture{Scale: 2, Channels: 16, Depth: 2, SeesColour: true, Strength: true, Trust: true}
	var networks []*Network
	var stages []*Stage
	for seed := range uint64(3) {
		n := randomise(NewNetwork(shape), seed)
		for i := range n.Layers {
			for k := range n.Layers[i].Levels[Trust] {
				n.Layers[i].Levels[Trust][k] = 0.1 * float32(seed)
			}
		}
		networks, stages = append(networks, n), append(stages, roundNetwork(t, n).WithGrain(float64(3+seed)))
	}
	mean := must.Get(MeanOf(stages...))(t)
	if g := mean.params.Grain; g != 3 {
		t.Errorf("a grain of %g, expected 3", g)
	}
	got := mean.Network()
	for i, l := range got.Layers {
		for j, list := range l.numbers() {
			for k, v := range list {
				want := float32(0)
				for _, n := range networks {
					want += n.Layers[i].numbers()[j][k] / float32(len(networks))
				}
				if d := v - want; d > 2e-3 || d < -2e-3 {
					t.Fatalf("layer %d, list %d, number %d: %g, expected %g", i, j, k, v, want)
				}
			}
		}
	}
	if alone := must.Get(MeanOf(stages[1]))(t); alone.Fingerprint() != stages[1].Fingerprint() {
		t.Error("the mean of one stage is another")
	}
}
