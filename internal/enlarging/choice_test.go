package enlarging

import (
	"bytes"
	"image"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/disintegration/imaging"

	"superres/internal/golden"
	"superres/internal/imagefile"
	"superres/internal/must"
	"superres/superres"
	"superres/superres/models"
)

// A picture that was sharpened or blurred, or has salt in it, is not enlarged as a clean one is, at every effort, and
// is nearer to the truth for it.
func TestUncleanPictures(t *testing.T) {
	truth := imaging.Clone(golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png")))
	clean := imaging.Resize(truth, 80, 0, imaging.CatmullRom)
	sharp, salt := imaging.Sharpen(clean, 1.5), imaging.Clone(clean)
	paler := imaging.AdjustContrast(sharp, -5) // so that no integers show what was added
	rng := rand.New(rand.NewPCG(4, 5))
	for range len(salt.Pix) / 400 {
		copy(salt.Pix[4*rng.IntN(len(salt.Pix)/4):], []uint8{255, 255, 255})
	}
	for _, effort := range []string{"fast", "best", "max"} {
		auto := must.Get(New(Settings{Model: "auto", Effort: effort, Denoise: -1}))(t)
		photo := must.Get(New(Settings{Model: "photo", Effort: effort, Denoise: -1}))(t)
		off := func(e *Enlarger, img image.Image) (sum float64, by Choice) {
			t.Helper()
			f := &Frame{Image: img, About: &imagefile.Picture{}}
			by = must.Get(e.choose(t.Context(), f, 1))(t)
			came := img
			if by.Picture != nil {
				img = by.Picture
			}
			opt := by.Apply(superres.Options{Width: truth.Rect.Dx()}, truth.Rect.Max)
			result := imaging.Clone(must.Get(by.Model.Upscale(t.Context(), img, opt))(t))
			for i, v := range result.Pix {
				d := float64(v) - float64(truth.Pix[i])
				sum += d * d
			}
			if e == auto && effort == "best" {
				alone := must.Get(must.Get(models.Open(models.Auto))(t).Upscale(t.Context(), came,
					superres.Options{Width: truth.Rect.Dx()}))(t)
				if !bytes.Equal(imaging.Clone(alone).Pix, result.Pix) {
					t.Error("package superres makes another result")
				}
			}
			return sum, by
		}
		for name, of := range map[string]struct {
			img  image.Image
			told string
			most float64 // of the error by photo
		}{
			"sharpening": {paler, "detail ", 0.95},
			"a mask":     {sharp, "an unsharp mask of radius 1.", 0.5},
			"salt":       {salt, "not as clean ", 0.98},
			"blur":       {imaging.Blur(clean, 0.8), "blur of 0.", 0.95},
		} {
			got, by := off(auto, of.img)
			plain, _ := off(photo, of.img)
			if !strings.Contains(by.String(), of.told) || got > of.most*plain {
				t.Errorf("effort %s: a picture with %s has the error %.0f, by photo %.0f; told %q", effort, name, got,
					plain, by)
			}
		}
		got, by := off(auto, clean)
		if plain, _ := off(photo, clean); got > 1.1*plain { // 80×80 pixels leave the judge in doubt
			t.Errorf("effort %s: a clean picture has the error %.0f, by photo %.0f; told %q", effort, got, plain, by)
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
			must.Succeed(t, err)
			f := &Frame{Image: img, About: &imagefile.Picture{}}
			if by, err = e.choose(t.Context(), f, 0); err != nil {
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
