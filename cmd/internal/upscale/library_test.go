package upscale

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/disintegration/imaging"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/degrade"
	"superres/internal/golden"
	"superres/internal/must"
	"superres/internal/picture"
	"superres/superres"
	"superres/superres/flaws"
	"superres/superres/models"
)

// A Go program that opens the model auto gives the same samples as the command, whatever is wrong with the picture.
func TestLibraryChoosesAsTheCommand(t *testing.T) {
	hopper := golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png"))
	half := halfNoisy(imaging.Resize(imaging.Resize(hopper, 640, 480, imaging.CatmullRom), 320, 240, imaging.Box))
	drawn := image.NewNRGBA(image.Rect(0, 0, 96, 64))
	draw.Draw(drawn, drawn.Rect, image.White, image.Point{}, draw.Src)
	for i := range 12 {
		ink := color.NRGBA{uint8(20 * i), 90, uint8(240 - 20*i), 255}
		draw.Draw(drawn, image.Rect(8*i, 5, 8*i+1+i/3, 40+i), image.NewUniform(ink), image.Point{}, draw.Src)
	}
	dir := t.TempDir()
	for name, img := range map[string]image.Image{
		"clean.png": hopper, "noisy.png": degrade.WithNoise(hopper, 10, 1), "half.png": half, "drawn.png": drawn,
	} {
		consoletest.WritePicture(t, filepath.Join(dir, name), img)
	}
	var file bytes.Buffer
	must.Succeed(t, jpeg.Encode(&file, hopper, &jpeg.Options{Quality: 50}))
	consoletest.Put(t, filepath.Join(dir, "compressed.jpg"), file.Bytes())
	models := map[string]*superres.Model{"best": must.Get(models.Open(models.Auto))(t)}
	models["fast"] = must.Get(models["best"].Effort("fast"))(t)
	for effort, names := range map[string][]string{ // best takes three times as long
		"fast": {"clean.png", "noisy.png", "half.png", "drawn.png", "compressed.jpg"},
		"best": {"clean.png", "noisy.png"},
	} {
		m := models[effort]
		for _, name := range names {
			succeeds(t, dir, fmt.Sprintf("-q --effort %s -s 1.7 --on-exist overwrite %s -o out.png", effort, name))
			f := must.Get(os.Open(filepath.Join(dir, name)))(t)
			defer f.Close()
			img, opt, err := superres.Decode(t.Context(), f)
			must.Succeed(t, err)
			x := &flaws.Examination{Picture: img, Quality: opt.Quality}
			by := must.Get(m.Choose(t.Context(), x, flaws.StepMeasure, flaws.StepSoftening))(t)
			if flawed, varies := name != "clean.png" && name != "drawn.png", name == "half.png"; flawed !=
				(by.Strength > 0) || varies != (by.LeastNoise > 0) {
				t.Errorf("%s, %s: strength %g, least noise %g", name, effort, by.Strength, by.LeastNoise)
			}
			opt.Scale = 1.7
			got := must.Get(m.Upscale(t.Context(), img, opt))(t)
			want := golden.Open(t, filepath.Join(dir, "out.png"))
			if !slices.Equal(samples(got), samples(want)) {
				t.Errorf("%s, %s: the library gives another picture than the command", name, effort)
			}
		}
	}
}

// samples returns the samples of all channels of a picture.
func samples(img image.Image) (list []float32) {
	for _, c := range picture.Split(img).Channels {
		list = append(list, c.Pix...)
	}
	return list
}
