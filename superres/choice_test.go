package superres

import (
	"bytes"
	"image/png"
	"os"
	"testing"

	"superres/internal/degrade"
	"superres/internal/must"
	"superres/superres/convolutional"
	"superres/superres/flaws"
	"superres/superres/stage"
)

// trusting returns a copy of a graded model that knows trust, too.
func trusting(t *testing.T, m *Model) *Model {
	t.Helper()
	s, ok := convolutional.Of(m.Stages[0])
	if !ok {
		t.Fatal("the model has no network")
	}
	n := s.Network()
	n.Trust = true
	for i := range n.Layers[:len(n.Layers)-1] {
		l := &n.Layers[i]
		for o := range l.Out {
			l.Levels[convolutional.Trust] = append(l.Levels[convolutional.Trust], 0.01*float32(o%3-1))
		}
	}
	out := *m
	out.Stages = []stage.Stage{must.Get(convolutional.NewStage(n))(t)}
	return &out
}

// A robust model that knows trust does all of a noisy picture, and the share of the clean one is its trust; one that
// does not know it makes a mixture of the same shares.
func TestTrust(t *testing.T) {
	clean, robust := builtin(t, "photo-fast"), builtin(t, "photo-real-fast")
	auto := func(robust *Model) *Model {
		return clean.WithRobust(func() (*Model, error) { return robust, nil }).
			WithDoubles(func() (flaws.Doubles, error) { return NewDoubles(clean, builtin(t, "photo-real-fast")), nil })
	}
	knows := trusting(t, robust)
	img := must.Get(png.Decode(bytes.NewReader(must.Get(os.ReadFile("../testdata/hopper.png"))(t))))(t)
	trusts := 0
	for _, deviation := range []float64{0, 2, 3, 4, 6, 15} {
		noisy := degrade.WithNoise(img, deviation, 1)
		found := flaws.Measure(noisy, 0)
		mixed, alone := must.Get(auto(robust).Choose(noisy, found))(t), must.Get(auto(knows).Choose(noisy, found))(t)
		if mixed.Trust != 0 {
			t.Errorf("noise of %g: a trust of %g of a model that knows none", deviation, mixed.Trust)
		}
		if alone.Strength < leastStrength {
			if alone.Trust != 0 || alone.Robust != mixed.Robust {
				t.Errorf("noise of %g: a trust of %g at a strength of %g", deviation, alone.Trust, alone.Strength)
			}
			continue
		}
		if alone.Mix != nil || alone.Robust != 1 || !alone.Model.IsTrusting() || alone.Trust != 1-mixed.Robust {
			t.Errorf("noise of %g: trust %g, share %g, mixture %v, expected trust %g and no mixture", deviation,
				alone.Trust, alone.Robust, alone.Mix != nil, 1-mixed.Robust)
		}
		if alone.Trust > 0 {
			trusts++
		}
	}
	if trusts == 0 {
		t.Error("no picture is trusted to have been reduced cleanly")
	}
	a, b := deepUpscale(t, knows, img, Options{Scale: 2}), deepUpscale(t,
		must.Get(knows.Tune(stage.Tuning{Trust: 0.5}))(t), img, Options{Scale: 2})
	if bytes.Equal(a.Pix, b.Pix) {
		t.Error("trust changes nothing")
	}
	for _, m := range []*Model{clean, robust} {
		if _, err := m.Tune(stage.Tuning{Trust: 0.5}); err == nil {
			t.Error("a trust is accepted by a model that knows none")
		}
	}
	if _, err := knows.Tune(stage.Tuning{Trust: 1.5}); err == nil {
		t.Error("a trust of 1.5 is accepted")
	}
}
