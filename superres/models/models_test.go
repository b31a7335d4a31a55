package models_test

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"testing"

	"superres/internal/must"
	"superres/superres"
	"superres/superres/models"
	"superres/superres/resample"
	"superres/superres/stage"
)

func open(t testing.TB, name string) *superres.Model {
	t.Helper()
	return must.Get(models.Open(name))(t)
}

func TestUnknownNames(t *testing.T) {
	if _, err := models.Open("foto"); !errors.Is(err, superres.ErrModel) {
		t.Errorf("unknown model: %v", err)
	}
}

// The fingerprint follows the settings and the dictionary, not the provenance.
func TestFingerprint(t *testing.T) {
	seen := map[string]string{}
	add := func(name string, m *superres.Model) string {
		t.Helper()
		f, err := m.Fingerprint()
		if err != nil || seen[f] != "" {
			t.Errorf("%s has the fingerprint of %s (%v)", name, seen[f], err)
		}
		seen[f] = name
		return f
	}
	for _, name := range models.Names() {
		m := open(t, name)
		first := add(name, m)
		if kept := models.Fingerprint(name); !m.IsPlain() && kept != first {
			t.Errorf("models/fingerprints: expected the line %s %s, got %q", name, first, kept)
		}
		if name != "digits" {
			continue
		}
		again := open(t, name)
		again.Provenance = superres.Provenance{Command: "another"}
		if f, err := again.Fingerprint(); err != nil || f != first {
			t.Errorf("%s has two fingerprints (%v)", name, err)
		}
		none := 1
		tuned := must.Get(m.Tune(stage.Tuning{BackProject: &none}))(t)
		add("tuned "+name, tuned)
	}
}

// paintStrokes draws upright coloured strokes, 1 to 4 pixels wide, on white.
func paintStrokes() *image.RGBA {
	inks := []color.RGBA{{0, 0, 220, 255}, {220, 0, 0, 255}, {0, 160, 0, 255}, {200, 0, 200, 255}, {255, 140, 0, 255}}
	img := image.NewRGBA(image.Rect(0, 0, 60*len(inks), 48))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	for i, ink := range inks {
		for width := 1; width <= 4; width++ {
			x := 60*i + 12*width
			draw.Draw(img, image.Rect(x, 8, x+width, 40), image.NewUniform(ink), image.Point{}, draw.Src)
		}
	}
	return img
}

// squaredError returns the sum of the squared differences of the colours of two pictures, in levels of 0..255.
func squaredError(a, b image.Image) (sum float64) {
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			r, g, bl, _ := a.At(x, y).RGBA()
			r2, g2, bl2, _ := b.At(x, y).RGBA()
			for _, d := range []int{int(r>>8) - int(r2>>8), int(g>>8) - int(g2>>8), int(bl>>8) - int(bl2>>8)} {
				sum += float64(d * d)
			}
		}
	}
	return sum
}

// All models keep thin coloured strokes, of files that have colour at half the resolution, much better than
// interpolation, where the colour is repeated and where it is smooth, as Upscale makes it.
func TestStrokesOfHalvedColour(t *testing.T) {
	strokes := paintStrokes()
	var file bytes.Buffer
	if err := jpeg.Encode(&file, strokes, &jpeg.Options{Quality: 90}); err != nil { // 4:2:0
		t.Fatal(err)
	}
	smooth := must.Get(jpeg.Decode(&file))(t)
	repeated := image.NewNRGBA(smooth.Bounds())
	draw.Draw(repeated, repeated.Rect, smooth, repeated.Rect.Min, draw.Src)
	enlarge := func(m *superres.Model, img image.Image) image.Image {
		t.Helper()
		return must.Get(m.Upscale(t.Context(), img, superres.Options{Scale: 2, Subsampled: true}))(t)
	}
	truth := enlarge(superres.Plain(resample.Nearest), strokes)
	for _, c := range []struct {
		what string
		img  image.Image
		most float64
	}{{"repeated", repeated, 0.555}, {"smooth", smooth, 0.55}} {
		bicubic := squaredError(truth, enlarge(open(t, "bicubic"), c.img))
		for _, name := range []string{"photo", "photo-real", "photo-fast", "photo-max", "photo-real-fast"} {
			if r := squaredError(truth, enlarge(open(t, name), c.img)) / bicubic; r > c.most {
				t.Errorf("%s colour: %s has %.3f times the squared error of bicubic, expected at most %.3f", c.what,
					name, r, c.most)
			}
		}
	}
}
