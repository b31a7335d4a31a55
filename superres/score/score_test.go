package score

import (
	"image"
	"image/color"
	"math"
	"testing"

	"superres/internal/must"
	"superres/internal/picture"
	"superres/internal/testimage"
	"superres/patches/plane"
)

// constant returns a picture of one level.
func constant(w, h int, v uint8) image.Image {
	return testimage.Gray(w, h, func(_, _ int) uint8 { return v })
}

func TestCompare(t *testing.T) {
	a := testimage.Gray(20, 16, func(x, y int) uint8 { return uint8(10*x + y) })
	same, err := Compare(a, a, 2, 2)
	if err != nil || !math.IsInf(same.PSNR, 1) || math.Abs(same.SSIM-1) > 1e-12 || same.NFE != 0 {
		t.Errorf("a picture against itself: %+v %v", same, err)
	}
	// A step of 51 in R, G and B is 219/255·51 = 43.8 in Y, which rounds; the border is left out.
	b := constant(20, 16, 100)
	c := testimage.Gray(20, 16, func(x, y int) uint8 {
		if x == 0 {
			return 0
		}
		return 151
	})
	got, err := Compare(b, c, 2, 2)
	step := math.Round(16+219*151/255.) - math.Round(16+219*100/255.)
	if want := 20 * math.Log10(255/step); err != nil || math.Abs(got.PSNR-want) > 1e-9 {
		t.Errorf("PSNR %g, expected %g (%v)", got.PSNR, want, err)
	}
	if want := (19*51*51 + 100*100) / (20 * 100 * 100.); math.Abs(got.NFE-want) > 1e-6 {
		t.Errorf("NFE %g, expected %g", got.NFE, want)
	}
	if alone, err := NormalisedError(b, c, 2); err != nil || alone != got.NFE {
		t.Errorf("NFE %g alone, %g among the others (%v)", alone, got.NFE, err)
	}
	black := constant(20, 16, 0)
	if alone, err := NormalisedError(black, c, 2); err != nil || !math.IsNaN(alone) {
		t.Errorf("NFE %g with a black reference (%v)", alone, err)
	}
	// SSIM of two constants is the luminance term alone.
	x, y := math.Round(16+219*100/255.), math.Round(16+219*151/255.)
	if want := (2*x*y + 6.5025) / (x*x + y*y + 6.5025); math.Abs(got.SSIM-want) > 1e-9 {
		t.Errorf("SSIM %g, expected %g", got.SSIM, want)
	}
}

func TestCompareRefusesOtherSizes(t *testing.T) {
	a := constant(21, 17, 1)
	for _, c := range []struct {
		w, h int
		ok   bool
	}{{20, 16, true}, {21, 17, true}, {19, 16, false}, {22, 17, false}, {20, 15, false}} {
		_, err := Compare(a, constant(c.w, c.h, 2), 2, 2)
		if (err == nil) != c.ok {
			t.Errorf("%d×%d: %v", c.w, c.h, err)
		}
		if _, err := NormalisedError(a, constant(c.w, c.h, 2), 2); (err == nil) != c.ok {
			t.Errorf("%d×%d: %v", c.w, c.h, err)
		}
	}
	if _, err := Compare(constant(4, 9, 1), constant(4, 9, 1), 2, 2); err == nil {
		t.Error("nothing is left within the border, and no error")
	}
}

// The colour weights of Y.
func TestLimitedY(t *testing.T) {
	for _, c := range []struct {
		c    color.NRGBA
		want float32
	}{{color.NRGBA{255, 255, 255, 255}, 235}, {color.NRGBA{0, 0, 0, 255}, 16}, {color.NRGBA{255, 0, 0, 255}, 81},
		{color.NRGBA{0, 255, 0, 255}, 145}, {color.NRGBA{0, 0, 255, 255}, 41}} {
		m := image.NewNRGBA(image.Rect(0, 0, 1, 1))
		m.SetNRGBA(0, 0, c.c)
		if got := limitedY(picture.Split(m)).Pix[0]; got != c.want {
			t.Errorf("%v: Y %g, expected %g", c.c, got, c.want)
		}
	}
}

// slowSSIM is the definition: at every place, weighted moments of the window.
func slowSSIM(a, b *plane.Plane) float64 {
	total, count := 0.0, 0
	for y := 0; y+11 <= a.H; y++ {
		for x := 0; x+11 <= a.W; x++ {
			var sum, ma, mb, aa, bb, ab float64
			for i := range 121 {
				u, v := i%11, i/11
				g := math.Exp(-float64((u-5)*(u-5)+(v-5)*(v-5)) / 4.5)
				p, q := float64(a.Pix[(y+v)*a.W+x+u]), float64(b.Pix[(y+v)*a.W+x+u])
				sum, ma, mb, aa, bb, ab = sum+g, ma+g*p, mb+g*q, aa+g*p*p, bb+g*q*q, ab+g*p*q
			}
			ma, mb = ma/sum, mb/sum
			va, vb, cov := aa/sum-ma*ma, bb/sum-mb*mb, ab/sum-ma*mb
			total += (2*ma*mb + 6.5025) * (2*cov + 58.5225) / ((ma*ma + mb*mb + 6.5025) * (va + vb + 58.5225))
			count++
		}
	}
	return total / float64(count)
}

func TestSSIMAgainstTheDefinition(t *testing.T) {
	a, b := testimage.Noise(30, 150), testimage.Noise(31, 150).Crop(1, 0, 30, 150) // more rows than are taken together
	for i := range a.Pix {
		a.Pix[i] *= 255
		b.Pix[i] = 0.7*a.Pix[i] + 80*b.Pix[i]
	}
	if got, want := ssim(a, b), slowSSIM(a, b); math.Abs(got-want) > 1e-9 || want > 0.95 {
		t.Errorf("SSIM %g, expected %g", got, want)
	}
}

func TestUndefinedScoresDoNotCount(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	got := Mean([]Metrics{{30, 0.9, 0.1}, {inf, nan, nan}, {40, 0.7, 0.3}})
	if math.Abs(got.PSNR-35) > 1e-12 || math.Abs(got.SSIM-0.8) > 1e-12 || math.Abs(got.NFE-0.2) > 1e-12 {
		t.Errorf("%+v", got)
	}
	if black := picture.Split(constant(12, 12, 0)).Luma(); !math.IsNaN(NFE(black, testimage.Noise(12, 12))) {
		t.Error("the error against black is defined")
	}
}

// A protocol measures what it names, and nothing else.
func TestProtocols(t *testing.T) {
	ref := testimage.Gray(20, 16, func(x, y int) uint8 { return uint8(7 * x) })
	test := testimage.Gray(20, 16, func(x, y int) uint8 { return uint8(7*x + y) })
	all := must.Get(Compare(ref, test, 2, 2))(t)
	y, err1 := MatlabY.Compare(ref, test, 2)
	e, err2 := Normalised.Compare(ref, test, 2)
	if err1 != nil || err2 != nil || y.PSNR != all.PSNR || y.SSIM != all.SSIM || !math.IsNaN(y.NFE) ||
		e.NFE != all.NFE || !math.IsNaN(e.PSNR) {
		t.Errorf("%+v (%v), %+v (%v), in all %+v", y, err1, e, err2, all)
	}
	if _, err := Protocol("psnr").Compare(ref, test, 2); err == nil {
		t.Error("an unknown protocol scores")
	}
}

// The scores are those of scikit-image 0.19.3, on the same samples without a border of 2:
//
//	peak_signal_noise_ratio(a, b, data_range=255)
//	structural_similarity(a, b, data_range=255, gaussian_weights=True, sigma=1.5, use_sample_covariance=False)
//
// Its defaults (a window of 7×7 with equal weights, moments of a sample) have an SSIM of 0.9421 for grey as it is and
// 0.9442 for its Y, and MATLAB's formula, which repeats the samples of the border, 0.8993 and 0.9042.
func TestScoresOfScikitImage(t *testing.T) {
	sample := func(x, y, k int) uint8 { return uint8(7*x + 3*y + x*y%(11+k)) }
	grey := func(k int) image.Image {
		return testimage.Gray(32, 24, func(x, y int) uint8 { return sample(x, y, k) })
	}
	colour := func(r, g, b int) image.Image {
		m := image.NewNRGBA(image.Rect(0, 0, 32, 24))
		for i := range 32 * 24 {
			x, y := i%32, i/32
			m.SetNRGBA(x, y, color.NRGBA{sample(x, y, r), sample(x, y, g), sample(x, y, b), 255})
		}
		return m
	}
	for name, c := range map[string]struct {
		p          Protocol
		ref, test  image.Image
		psnr, ssim float64
	}{
		"grey as it is":       {MatlabGrey, grey(0), grey(2), 24.1569287793156, 0.921351559808886},
		"R=G=B as it is":      {MatlabGrey, colour(0, 0, 0), grey(2), 24.1569287793156, 0.921351559808886},
		"Y of grey":           {MatlabY, grey(0), grey(2), 25.4702514686866, 0.926644620471125},
		"Y of colour":         {MatlabY, colour(0, 1, 3), colour(2, 1, 4), 34.5104916418471, 0.991115808839334},
		"Y of colour by grey": {MatlabGrey, colour(0, 1, 3), colour(2, 1, 4), 34.5104916418471, 0.991115808839334},
	} {
		got, err := c.p.Compare(c.ref, c.test, 2)
		if err != nil || math.Abs(got.PSNR-c.psnr) > 1e-12 || math.Abs(got.SSIM-c.ssim) > 1e-13 {
			t.Errorf("%s: PSNR %.15g, SSIM %.15g, expected %.15g and %.15g (%v)", name, got.PSNR, got.SSIM, c.psnr,
				c.ssim, err)
		}
	}
}

// The differences of pictures in which they are known: of one channel, of grey against
// colour, of 16 bits, of what a transparent pixel hides.
func TestDiffer(t *testing.T) {
	nrgba := func(colours ...color.NRGBA) image.Image {
		m := image.NewNRGBA(image.Rect(0, 0, len(colours), 1))
		for x, c := range colours {
			m.SetNRGBA(x, 0, c)
		}
		return m
	}
	grey16 := func(v uint16) image.Image {
		m := image.NewGray16(image.Rect(0, 0, 1, 1))
		m.SetGray16(0, 0, color.Gray16{Y: v})
		return m
	}
	red := color.NRGBA{200, 100, 100, 255}
	for name, c := range map[string]struct {
		ref, test image.Image
		want      Difference
	}{
		"equal":       {nrgba(red, red), nrgba(red, red), Difference{0, 0}},
		"one channel": {nrgba(red, red), nrgba(red, color.NRGBA{200, 100, 112, 255}), Difference{2, 12}},
		"grey":        {nrgba(red, red), constant(2, 1, 100), Difference{100. / 3, 100}},
		"16 bits":     {grey16(257), grey16(257 + 514), Difference{2, 2}},
		"hidden colour": {nrgba(red, color.NRGBA{0, 0, 0, 0}), nrgba(red, color.NRGBA{255, 255, 255, 0}),
			Difference{0, 0}},
	} {
		got, err := Differ(c.ref, c.test, 1)
		if err != nil || math.Abs(got.Mean-c.want.Mean) > 1e-4 || math.Abs(got.Max-c.want.Max) > 1e-4 ||
			name != "16 bits" && got.Max != c.want.Max {
			t.Errorf("%s: got %+v, %v, expected %+v", name, got, err, c.want)
		}
	}
	if _, err := Differ(grey16(1), constant(2, 1, 1), 1); err == nil {
		t.Error("a larger test picture, and no error")
	}
}
