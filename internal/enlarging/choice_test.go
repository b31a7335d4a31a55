package enlarging

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"sync"
	"testing"

	"github.com/disintegration/imaging"

	"superres/internal/golden"
	"superres/internal/imagefile"
	"superres/internal/must"
	"superres/superres"
	"superres/superres/models"
)

// With Diagnose, a picture that was sharpened is reported as such at every effort, but enlarged by the same model as
// without this check; without Diagnose, the models that detect it are not opened.
func TestSharpenedPictures(t *testing.T) {
	hopper := golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png"))
	img := imaging.Resize(hopper, 64, 0, imaging.CatmullRom)
	blurred := imaging.Blur(img, 1)
	const told = "looks sharpened or aliased (photo-real may do better), by photo"
	for _, c := range []struct {
		amount        float64
		effort, model string
		verbose       bool
		want          string
	}{
		{0, "best", "auto", true, "no flaws found, by photo"},
		{0.5, "best", "auto", true, told},
		{1, "max", "auto", true, told},
		{1, "fast", "auto", true, told},
		{1, "best", "auto", false, "no flaws found, by photo"},
		{1, "best", "photo", true, "by photo"},
	} {
		sharp := imaging.Clone(img)
		for i, v := range img.Pix {
			sharp.Pix[i] = uint8(math.Round(min(max(float64(v)+c.amount*(float64(v)-float64(blurred.Pix[i])), 0), 255)))
		}
		opened := 0
		opt := Settings{Model: c.model, Effort: c.effort, Denoise: -1, Diagnose: c.verbose}
		var lock sync.Mutex
		opt.Open = func(name string) (*superres.Model, error) {
			lock.Lock()
			defer lock.Unlock()
			opened++
			return models.Open(name)
		}
		e := must.Get(New(opt))(t)
		by, err := e.choose(t.Context(), &Frame{Image: sharp, About: &imagefile.Picture{}}, false)
		if err != nil || by.String() != c.want {
			t.Errorf("sharpened by %g, %s, %s: %v, %v; expected %q", c.amount, c.effort, c.model, by, err, c.want)
		}
		if !c.verbose && opened != 1 {
			t.Errorf("%d models are opened where nobody asks, expected 1", opened)
		}
	}
}

// If only colour is noisy, the model that removes noise enlarges colour, and the model for clean pictures brightness,
// which is better than either model alone and than interpolation.
func TestNoiseInColour(t *testing.T) {
	truth := imaging.Clone(golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png")))
	img := imaging.Resize(truth, truth.Rect.Dx()/2, 0, imaging.Box)
	rng := rand.New(rand.NewPCG(4, 5))
	for i := 0; i < len(img.Pix); i += 4 {
		red, blue := 12*rng.NormFloat64(), 12*rng.NormFloat64()
		for k, v := range [3]float64{1.402 * red, -0.344*blue - 0.714*red, 1.772 * blue} {
			img.Pix[i+k] = uint8(math.Round(min(max(float64(img.Pix[i+k])+v, 0), 255)))
		}
	}
	for _, effort := range []string{"fast", "best", "max"} {
		off := func(model string) (sum float64, by Choice) {
			t.Helper()
			e, err := New(Settings{Model: model, Effort: effort, Denoise: -1})
			if err != nil {
				t.Fatal(err)
			}
			if by, err = e.choose(t.Context(), &Frame{Image: img, About: &imagefile.Picture{}}, false); err != nil {
				t.Fatal(err)
			}
			got := must.Get(by.Model.Upscale(t.Context(), img, superres.Options{Scale: 2}))(t)
			for i, v := range imaging.Clone(got).Pix {
				d := float64(v) - float64(truth.Pix[i])
				sum += d * d
			}
			return sum, by
		}
		auto, by := off("auto")
		if !regexp.MustCompile(`^noise of 1\d\.\d levels in colour, by photo(-fast)?, with the colour of photo-real at level 0\.[45]\d?$`).MatchString(by.String()) {
			t.Errorf("effort %s: told %q", effort, by)
		}
		if plain, _ := off("photo"); auto > 0.5*plain {
			t.Errorf("effort %s: an error of %.0f, by photo %.0f", effort, auto, plain)
		}
	}
}
