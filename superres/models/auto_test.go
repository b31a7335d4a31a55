package models_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"os"
	"testing"

	"github.com/disintegration/imaging"

	"superres/internal/degrade"
	"superres/internal/must"
	"superres/superres"
	"superres/superres/flaws"
	"superres/superres/models"
	"superres/superres/stage"
)

// The program's default, in Go: noise and compression are measured in the picture and taken away as far as they are
// there.
func Example() {
	file, _ := os.Open("../../testdata/hopper.png")
	img, opt, _ := superres.Decode(context.Background(), file)
	m, _ := models.Open(models.Auto)
	large, _ := m.Upscale(context.Background(), img, opt)
	png.Encode(new(bytes.Buffer), large)
	fmt.Println(img.Bounds().Size(), large.Bounds().Size())
	// Output: (128,128) (256,256)
}

// choose returns the choice of m for img by the steps from flaws.StepMeasure to last.
func choose(t *testing.T, m *superres.Model, img image.Image, last flaws.Step) superres.Choice {
	t.Helper()
	return must.Get(m.Choose(t.Context(), &flaws.Examination{Picture: img}, flaws.StepMeasure, last))(t)
}

// The model auto chooses by the picture, at each effort; its parts alone do not choose.
func TestAuto(t *testing.T) {
	file := must.Get(os.ReadFile("../../testdata/hopper.png"))(t)
	clean, _, err := superres.Decode(t.Context(), bytes.NewReader(file))
	must.Succeed(t, err)
	noisy := degrade.WithNoise(clean, 12, 1)
	for _, effort := range superres.Efforts() {
		auto := must.Get(open(t, models.Auto).Effort(effort))(t)
		for name, choice := range map[string]superres.Choice{
			"photo":      choose(t, auto, clean, flaws.StepSoftening),
			"photo-real": choose(t, auto, noisy, flaws.StepMeasure),
		} {
			if flawed := name == "photo-real"; flawed != (choice.Strength > 0.3) || flawed != choice.Model.IsGraded() {
				t.Errorf("%s: strength %g where %s is expected", effort, choice.Strength, name)
			}
			if again := choose(t, choice.Model, noisy, flaws.StepMeasure); again.Strength > 0 {
				t.Errorf("%s: %s chooses once more", effort, name)
			}
		}
	}
	if _, err := open(t, "photo").Robust(0.5); err == nil {
		t.Error("photo alone has a robust model")
	}
	if _, err := open(t, models.Auto).Robust(2); err == nil {
		t.Error("a strength of 2 is accepted")
	}
}

// In a mixture, the network with the smaller share is the fast one, unless the effort is max.
func TestMixtureIsFast(t *testing.T) {
	clean := must.Get(imaging.Open("../../testdata/hopper.png"))(t)
	auto := open(t, models.Auto)
	largest := must.Get(auto.Effort("max"))(t)
	large, small := open(t, "photo").Stages[0], open(t, "photo-fast").Stages[0]
	mixtures := 0
	for sigma := 0.45; sigma < 1; sigma += 0.025 {
		img := imaging.Blur(clean, sigma)
		c := choose(t, auto, img, flaws.StepSoftening)
		if c.Mix == nil {
			continue
		}
		mixtures++
		if want := map[bool]stage.Stage{true: small, false: large}[c.Robust >= 0.5]; c.Model.Stages[0] != want {
			t.Errorf("blurred by %.3f: another network than expected for a share of %g", sigma, 1-c.Robust)
		}
		c = choose(t, largest, img, flaws.StepSoftening)
		if c.Model.Stages[0] != open(t, "photo-max").Stages[0] || c.Mix.Model.Orientations() == 1 {
			t.Errorf("blurred by %.3f: another effort than max", sigma)
		}
	}
	if mixtures < 3 {
		t.Errorf("%d mixtures", mixtures)
	}
	tuned := must.Get(open(t, "photo-real").Tune(stage.Tuning{Strength: 0.4}))(t)
	if small := must.Get(tuned.Effort("fast"))(t); small.Stages[0] == open(t, "photo-real-fast").Stages[0] {
		t.Error("the fast network of a tuned model is not tuned")
	}
}
