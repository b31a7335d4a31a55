package models_test

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"os"
	"testing"

	"superres/internal/degrade"
	"superres/internal/must"
	"superres/superres"
	"superres/superres/flaws"
	"superres/superres/models"
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

// The model auto chooses by the picture, at each effort; its parts alone do not choose.
func TestAuto(t *testing.T) {
	file := must.Get(os.ReadFile("../../testdata/hopper.png"))(t)
	clean, _, err := superres.Decode(t.Context(), bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	noisy := degrade.WithNoise(clean, 12, 1)
	for _, effort := range superres.Efforts() {
		auto := must.Get(open(t, models.Auto).Effort(effort))(t)
		for name, choice := range map[string]superres.Choice{
			"photo":      must.Get(auto.Choose(clean, flaws.Measure(clean, 0)))(t),
			"photo-real": must.Get(auto.Choose(nil, flaws.Measure(noisy, 0)))(t),
		} {
			if flawed := name == "photo-real"; flawed != (choice.Strength > 0.3) || flawed != choice.Model.IsGraded() {
				t.Errorf("%s: strength %g where %s is expected", effort, choice.Strength, name)
			}
			if again := must.Get(choice.Model.Choose(nil, choice.Found))(t); again.Strength > 0 {
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
