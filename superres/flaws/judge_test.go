package flaws

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/disintegration/imaging"

	"superres/internal/degrade"
	"superres/internal/must"
	"superres/internal/testimage"
)

// The shares are the powers of two of a judge's outputs, in their proportion.
func TestSharesFollowOutputs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	j := NewPerceptron(1, 1, scores)
	for range 200 {
		var score [scores]float64
		total := 0.0
		for i := range score {
			j.SecondBias[i] = int32(rng.IntN(1<<26) - 1<<25)
			score[i] = math.Exp2(float64(j.SecondBias[i]) / (1 << 24))
			total += score[i]
		}
		clean, robust := score[0]/total, score[1]/total
		got := j.Shares([]int32{0})
		if got.Clean == 0 || got.Robust == 0 { // what was too little is given to the other
			if min(clean, robust) > (leastShare+1.)/shareSteps {
				t.Errorf("shares %v, expected %g and %g", got, clean, robust)
			}
			continue
		}
		within := 1./shareSteps + 0.01
		if plain := 1 - clean - robust; plain < (leastPlain+1.)/shareSteps { // it may be given to one of them
			within += plain
		}
		if math.Abs(got.Clean-clean) > within || math.Abs(got.Robust-robust) > within {
			t.Errorf("shares %v, expected %g and %g", got, clean, robust)
		}
	}
}

// A strength is the square of the output, from 0 to 1.
func TestStrengthFollowsOutput(t *testing.T) {
	p := NewPerceptron(1, 1, 1)
	for _, root := range []float64{-0.5, 0, 0.1, 0.4, 0.7, 1, 1.7} {
		p.SecondBias[0] = int32(root * (1 << 24))
		want := min(max(root, 0), 1)
		if got := p.Strength([]int32{0}); math.Abs(got-want*want) > 0.5/strengthSteps+0.002 {
			t.Errorf("strength %g of an output of %g", got, root)
		}
	}
}

func TestLogarithm(t *testing.T) {
	for v := int64(1); v > 0 && v < 1<<62; v = v*3/2 + 1 {
		if got := float64(logarithm(v)) / traitOne; math.Abs(got-math.Log2(float64(v))) > 0.09 {
			t.Errorf("the logarithm of %d is %g, expected %g", v, got, math.Log2(float64(v)))
		}
	}
}

// The transform of a block keeps its energy, and divides it among the frequencies.
func TestTransformIsOrthonormal(t *testing.T) {
	for u, a := range transform8 {
		for v, b := range transform8 {
			sum := int64(0)
			for i := range a {
				sum += a[i] * b[i]
			}
			want := 0.
			if u == v {
				want = 1
			}
			if got := float64(sum) / (1 << 20); math.Abs(got-want) > 0.002 {
				t.Errorf("the product of frequencies %d and %d is %g, expected %g", u, v, got, want)
			}
		}
	}
}

// There are traits of every picture that is large enough, whatever is in it; small ones have none.
func TestTraits(t *testing.T) {
	flat := image.NewGray(image.Rect(0, 0, 80, 72))
	for name, img := range map[string]image.Image{
		"flat": flat, "drawing": testimage.Drawing(90, 80, 1), "large": testimage.Drawing(1100, 75, 1),
	} {
		x := Examination{Picture: img, AsClean: true}
		must.Succeed(t, x.Run(t.Context(), StepMeasure, StepSharpening))
		list := x.AllTraits()
		if len(list) != traitCount {
			t.Errorf("%s: %d traits, expected %d", name, len(list), traitCount)
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
		if got := j.Shares == (Shares{Robust: 1}); got != c.unjudged {
			t.Errorf("%s: shares %v", name, j.Shares)
		}
		if c.unjudged && j.Correction.IsNone() == c.isBlurred {
			t.Errorf("%s: corrected by %v", name, j.Correction)
		}
	}
}

// Trust falls from 1 to 0 as a picture seems sharper than it came, and is 0 for one that was blurred.
func TestTrustFalls(t *testing.T) {
	var blur Correction
	for i := range blur {
		blur[i] = traitOne / 2
	}
	for factor, want := range map[float64]float64{0: 1, 1: 1, leastSharpening: 1, 1.175: 0.5, 1.25: 0, 4: 0} {
		if got := trustIn(Correction{}, factor); math.Abs(got-want) > 1e-9 {
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
		if want := j.Correction.StrengthAfter(found.Strength()); j.Strength != want || want < LeastStrength {
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
		if !c.isSoftened && j.Shares.Clean+j.Shares.Robust < 1-1./shareSteps {
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
		if j.Shares != (Shares{Clean: 1}) || !j.Correction.IsNone() {
			t.Errorf("%d samples a side: corrected by %v, shares %v", side, j.Correction, j.Shares)
		}
	}
}

// Small shares are left out: the greatest share has them.
func TestWithoutDoubts(t *testing.T) {
	for s, want := range map[Shares]Shares{
		{Clean: 1}:                   {Clean: 1},
		{Clean: 0.75, Robust: 0.25}:  {Clean: 0.75, Robust: 0.25},
		{Clean: 0.875}:               {Clean: 1},
		{Clean: 0.5, Robust: 0.375}:  {Clean: 0.625, Robust: 0.375},
		{Clean: 0.125, Robust: 0.75}: {Clean: 0.125, Robust: 0.875},
		{Clean: 0.25}:                {Clean: 0.25},
		{Robust: 0.25}:               {Robust: 0.25},
	} {
		if got := s.withoutDoubts(); got != want {
			t.Errorf("%v: %v, expected %v", s, got, want)
		}
	}
}
