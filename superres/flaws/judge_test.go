package flaws

import (
	"fmt"
	"image"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/disintegration/imaging"

	"superres/internal/degrade"
	"superres/internal/must"
	"superres/internal/testimage"
	_ "superres/superres/convolutional" // the network of the softener
	"superres/superres/flaws/learned"
	"superres/superres/flaws/measure"
	"superres/superres/flaws/repair"
)

// There are traits of every picture that is large enough, whatever is in it; small ones have none.
func TestTraits(t *testing.T) {
	flat := image.NewGray(image.Rect(0, 0, 80, 72))
	for name, img := range map[string]image.Image{
		"flat": flat, "drawing": testimage.Drawing(90, 80, 1), "large": testimage.Drawing(1100, 75, 1),
	} {
		x := Examination{Picture: img, AsClean: true}
		must.Succeed(t, x.Run(t.Context(), StepMeasure, StepSharpening))
		list := x.AllTraits()
		if len(list) != learned.TraitCount {
			t.Errorf("%s: %d traits, expected %d", name, len(list), learned.TraitCount)
		}
		for i, v := range list {
			if v < -1<<14 || v > 1<<14 {
				t.Errorf("%s: trait %d is %d", name, i, v)
			}
		}
	}
	for _, size := range [][2]int{{1, 1}, {45, 400}, {400, 45}, {28, 28}} {
		img := testimage.Drawing(size[0], size[1], 1)
		if list := (&Examination{Picture: img}).Traits(); list != nil {
			t.Errorf("%v: %d traits of a small picture", size, len(list))
		}
	}
}

// What was lost much of in a WebP file is not judged, but its blur is undone.
func TestWebPIsNotJudged(t *testing.T) {
	clean := must.Get(imaging.Open("../../testdata/hopper.png"))(t)
	for name, c := range map[string]struct {
		img       image.Image
		index     float64
		unjudged  bool
		isBlurred bool
	}{
		"much lost":   {clean, 45, true, false},
		"blurred":     {imaging.Blur(clean, 1.5), 45, true, true},
		"little lost": {clean, 4, false, false},
	} {
		j := judged(t, c.img, Measure(c.img, 0).outOfWebP(c.index))
		if got := j.Shares == (learned.Shares{Robust: 1}); got != c.unjudged {
			t.Errorf("%s: shares %v", name, j.Shares)
		}
		if c.unjudged && j.Correction.IsNone() == c.isBlurred {
			t.Errorf("%s: corrected by %v", name, j.Correction)
		}
	}
}

// Trust falls from 1 to 0 as a picture seems sharper than it came, and is 0 for one that was blurred.
func TestTrustFalls(t *testing.T) {
	var blur repair.Correction
	for i := range blur {
		blur[i] = repair.Octave / 2
	}
	for factor, want := range map[float64]float64{0: 1, 1: 1, leastSharpening: 1, 1.175: 0.5, 1.25: 0, 4: 0} {
		if got := trustIn(repair.Correction{}, factor); math.Abs(got-want) > 1e-9 {
			t.Errorf("a trust of %g in detail of %g, expected %g", got, factor, want)
		}
		if got := trustIn(blur, factor); got != 0 {
			t.Errorf("a trust of %g in what is blurred by %.2f", got, blur.Blur())
		}
	}
}

// Noise and compression of LeastStrength and more are for no model but the robust one, at the strength that was
// measured. It trusts the reduction where nothing seems sharpened; else it trusts it less, and some of the sharpening
// is undone.
func TestFlawedAreForTheRobustModel(t *testing.T) {
	// Sharpening shows after a reduction.
	clean := imaging.Resize(must.Get(imaging.Open("../../testdata/hopper.png"))(t), 96, 96, imaging.CatmullRom)
	for name, c := range map[string]struct {
		img         image.Image
		isSharpened bool
	}{
		"noise":                 {degrade.WithNoise(clean, 8, 1), false},
		"sharpened, then noise": {degrade.WithNoise(imaging.Sharpen(clean, 1.5), 8, 1), true},
	} {
		found := Measure(c.img, 0)
		j := judged(t, c.img, found)
		least := 1.0
		if c.isSharpened {
			least = 0.75 // some of the rest is interpolated
		}
		if j.Shares.Clean > 0 || j.Shares.Robust < least || j.Trust < 0.5 != c.isSharpened ||
			j.Correction.Sharpening() > 0 != c.isSharpened {
			t.Errorf("%s: shares %v, trust %g, sharpening of %g", name, j.Shares, j.Trust, j.Correction.Sharpening())
		}
		want := measure.RoundStrength(found.Strength() * j.Correction.NoiseGain())
		if j.Strength != want || want < LeastStrength {
			t.Errorf("%s: a strength of %g, expected %g", name, j.Strength, want)
		}
	}
}

// Pictures that are too small to be judged are softened, but for tiny ones, those with transparency, and those of which
// a WebP file lost much.
func TestSmallAreSoftened(t *testing.T) {
	clean := imaging.Resize(must.Get(imaging.Open("../../testdata/hopper.png"))(t), 40, 40, imaging.CatmullRom)
	sharp := imaging.Sharpen(clean, 1.5)
	transparent := imaging.Clone(sharp)
	for i := 3; i < len(transparent.Pix)/2; i += 4 {
		transparent.Pix[i] = 100
	}
	for name, c := range map[string]struct {
		img        image.Image
		found      Flaws
		isSoftened bool
	}{
		"clean":                        {clean, Measure(clean, 0), false},
		"sharpened":                    {sharp, Measure(sharp, 0), true},
		"sharpened, of 12×12":          {imaging.CropCenter(sharp, 12, 12), Flaws{}, false},
		"sharpened, with transparency": {transparent, Flaws{}, false},
		"sharpened, a WebP file":       {sharp, Measure(sharp, 0).outOfWebP(45), false},
	} {
		j := judged(t, c.img, c.found)
		if got := !j.Correction.IsNone(); got != c.isSoftened {
			t.Errorf("%s: corrected by %v, shares %v", name, j.Correction, j.Shares)
		}
		if !c.isSoftened && j.Shares.Clean+j.Shares.Robust < 1-1./learned.ShareSteps {
			t.Errorf("%s: shares %v, expected no interpolation", name, j.Shares)
		}
	}
}

// The hard edges of drawings are not taken for sharpening or damage, in small ones and large ones.
func TestDrawingsAreForTheCleanModel(t *testing.T) {
	for _, side := range []int{30, 120} {
		img := testimage.Gray(side, side, func(x, y int) uint8 { // boxes with thin lines across
			switch {
			case x%30 == 7 || (2*x+y)%23 == 0:
				return 20
			case x/10%3 == 1 && y/12%2 == 1:
				return 150
			default:
				return 250
			}
		})
		j := judged(t, img, Measure(img, 0))
		if j.Shares != (learned.Shares{Clean: 1}) || !j.Correction.IsNone() {
			t.Errorf("%d samples a side: corrected by %v, shares %v", side, j.Correction, j.Shares)
		}
	}
}

// The loss by a WebP file follows from its quantiser index, unless the samples show a greater loss.
func TestOutOfWebP(t *testing.T) {
	for _, c := range []struct {
		f           measure.Flaws
		index, want float64
	}{{measure.Flaws{}, 9, 1.94}, {measure.Flaws{}, 28.6, 4.19}, {measure.Flaws{}, 127, 15.5},
		{measure.Flaws{Loss: 7, Quality: 30}, 28.6, 7}} {
		if got := (Flaws{Flaws: c.f}).outOfWebP(c.index); math.Abs(got.Loss-c.want) > 0.01 || got.WebP != c.index ||
			got.Quality != c.f.Quality {
			t.Errorf("%+v, index %g: %+v, want a loss of %g", c.f, c.index, got, c.want)
		}
	}
}

// judged returns the examination of img that takes it to have the flaws f.
func judged(t *testing.T, img image.Image, f Flaws) *Examination {
	t.Helper()
	x := &Examination{Picture: img}
	x.judgeBy(f)
	must.Succeed(t, x.Run(t.Context(), StepBlur, StepSoftening))
	return x
}

// The table of the page of the architecture is the list of steps.
func TestPageHasTheSteps(t *testing.T) {
	page := string(must.Get(os.ReadFile("../ARCHITECTURE.md"))(t))
	var want strings.Builder
	for _, s := range steps {
		line := fmt.Sprintf("| %s | %s | %s | %s |\n", s.name, s.proves, s.estimates, s.changes)
		want.WriteString(strings.ReplaceAll(line, "|  |", "| |"))
	}
	if table := strings.ReplaceAll(want.String(), "|  |", "| |"); !strings.Contains(page, table) {
		t.Errorf("ARCHITECTURE.md has another table than:\n%s", table)
	}
}
