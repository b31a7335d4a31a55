package upscale

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/disintegration/imaging"

	"superres/internal/golden"
	"superres/internal/imagefile"
)

// A picture that was sharpened is enlarged by the model that knows such; with the effort fast
// nobody looks.
func TestSharpenedPictures(t *testing.T) {
	hopper := golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png"))
	img := imaging.Resize(hopper, 64, 0, imaging.CatmullRom)
	blurred := imaging.Blur(img, 1)
	for _, c := range []struct {
		amount        float64
		effort, model string
		want          string
	}{
		{0, "best", "auto", "no flaws found, by photo"},
		{0.5, "best", "auto", "sharpened or aliased, by photo-real"},
		{1, "max", "auto", "sharpened or aliased, by photo-real"},
		{1, "fast", "auto", "no flaws found, by photo"},
		{1, "best", "photo", "by photo"},
	} {
		sharp := imaging.Clone(img)
		for i, v := range img.Pix {
			sharp.Pix[i] = uint8(math.Round(min(max(float64(v)+c.amount*(float64(v)-float64(blurred.Pix[i])), 0), 255)))
		}
		e, err := newEngines(Options{Model: c.model, Effort: c.effort, Denoise: -1})
		if err != nil {
			t.Fatal(err)
		}
		by, err := e.of(t.Context(), &imagefile.Picture{Image: sharp})
		if err != nil || by.String() != c.want {
			t.Errorf("sharpened by %g, %s, %s: %v, %v; expected %q", c.amount, c.effort, c.model, by, err, c.want)
		}
	}
}
