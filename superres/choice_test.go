package superres

import (
	"bytes"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"

	"github.com/disintegration/imaging"

	"superres/internal/degrade"
	"superres/internal/must"
	"superres/superres/convolutional"
	"superres/superres/flaws"
	"superres/superres/resample"
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

// A robust model does all of a noisy picture; one that knows trust is tuned to what package flaws says of the picture,
// and to flaws.UnknownTrust where that says nothing.
func TestTrust(t *testing.T) {
	clean, robust := builtin(t, "photo-fast"), builtin(t, "photo-real-fast")
	auto := func(robust *Model) *Model {
		return clean.WithRobust(func() (*Model, error) { return robust, nil }).WithJudge()
	}
	knows := trusting(t, robust)
	img := must.Get(png.Decode(bytes.NewReader(must.Get(os.ReadFile("../testdata/hopper.png"))(t))))(t)
	trusts := 0
	for _, deviation := range []float64{0, 2, 3, 4, 6, 15} {
		noisy := degrade.WithNoise(img, deviation, 1)
		choose := func(m *Model, last flaws.Step) (Choice, *flaws.Examination) {
			x := &flaws.Examination{Picture: noisy}
			return must.Get(m.Choose(t.Context(), x, flaws.StepMeasure, last))(t), x
		}
		does, _ := choose(auto(robust), flaws.StepSoftening)
		all, x := choose(auto(knows), flaws.StepSoftening)
		if does.Trust != 0 {
			t.Errorf("noise of %g: a trust of %g of a model that knows none", deviation, does.Trust)
		}
		if all.Strength != does.Strength || all.Robust != does.Robust {
			t.Errorf("noise of %g: trust changes the choice", deviation)
		}
		if x.Left.Strength() < flaws.LeastStrength {
			if all.Trust != 0 {
				t.Errorf("noise of %g: a trust of %g at a strength of %g", deviation, all.Trust, all.Strength)
			}
			continue
		}
		if all.Trust != x.Trust || all.Mix != nil || all.Robust != 1 || !all.Model.IsTrusting() {
			t.Errorf("noise of %g: trust %g, share %g, mixture %v, expected trust %g and no mixture", deviation,
				all.Trust, all.Robust, all.Mix != nil, x.Trust)
		}
		if all.Trust > 0 {
			trusts++
		}
		if c, _ := choose(auto(knows), flaws.StepMeasure); c.Trust != flaws.UnknownTrust {
			t.Errorf("noise of %g: a trust of %g of no picture, expected %g", deviation, c.Trust, flaws.UnknownTrust)
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

// A drawing of squares of equal pixels is pixel art and stays in squares, and restoring it changes nothing. A
// photograph is enlarged from one pixel of each square.
func TestSquares(t *testing.T) {
	const k = 3
	clean := builtin(t, "photo-fast")
	auto := clean.WithRobust(func() (*Model, error) { return builtin(t, "photo-real-fast"), nil }).WithJudge()
	rng := rand.New(rand.NewPCG(1, 2))
	code := image.NewNRGBA(image.Rect(0, 0, 33, 33)) // eight colours at random
	for i := range code.Pix {
		if code.Pix[i] = uint8(rng.IntN(2) * 255); i%4 == 3 {
			code.Pix[i] = 255
		}
	}
	hopper := must.Get(png.Decode(bytes.NewReader(must.Get(os.ReadFile("../testdata/hopper.png"))(t))))(t)
	photo := imaging.Resize(hopper, 40, 0, imaging.CatmullRom)
	repeated := func(img image.Image) *image.NRGBA {
		return imaging.Resize(img, k*img.Bounds().Dx(), 0, imaging.NearestNeighbor)
	}
	drawn := repeated(code)
	found := func(img image.Image) flaws.Flaws {
		x := &flaws.Examination{Picture: img, MostCopies: MaxScale / 2}
		must.Succeed(t, x.Run(t.Context(), flaws.StepCopies, flaws.StepCopies))
		return x.Found
	}
	if f := found(drawn); !f.IsDrawn || f.Repeated != 0 {
		t.Errorf("a drawing: %+v", f)
	}
	if f := found(repeated(photo)); f.IsDrawn || f.Repeated != k {
		t.Errorf("a photograph: %+v", f)
	}
	for _, scale := range []float64{2, 1.5, 16} {
		opt := Options{Scale: scale}
		got := upscaleWith(t, auto, drawn, opt)
		if !reflect.DeepEqual(got, upscaleWith(t, Plain(resample.Nearest), drawn, opt)) {
			t.Errorf("a scale of %g: not in squares", scale)
		}
		if reflect.DeepEqual(got, upscaleWith(t, PixelArt(), drawn, opt)) {
			t.Errorf("a scale of %g: the model for pixel art, where it was asked for, leaves squares", scale)
		}
		opt.Blend = true
		if !reflect.DeepEqual(upscaleWith(t, auto, drawn, opt), upscaleWith(t, PixelArt(), drawn, opt)) {
			t.Errorf("a scale of %g: not blended as by the model for pixel art", scale)
		}
	}
	if got := upscaleWith(t, auto, drawn, Options{Scale: 1}); !reflect.DeepEqual(got, image.Image(drawn)) {
		t.Error("a scale of 1 changes a drawing")
	}
}
