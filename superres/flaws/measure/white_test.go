package measure

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/disintegration/imaging"

	"superres/internal/degrade"
	"superres/internal/golden"
	"superres/internal/must"
	"superres/superres/resample"
	"superres/superres/score"
)

// fineTexture draws a picture of a kind of fine texture, of a pitch and a contrast of its own.
func fineTexture(kind string, seed uint64, w, h int) *image.NRGBA {
	rng := rand.New(rand.NewPCG(seed, 77))
	across, down := 0.15+0.35*rng.Float64(), 0.15+0.35*rng.Float64() // periods a pixel
	contrast, base := 4+20*rng.Float64(), 60+100*rng.Float64()
	dither := [16]float64{0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5}
	at := func(x, y float64, i int) float64 {
		switch kind {
		case "weave":
			return math.Sin(2*math.Pi*across*x) * math.Sin(2*math.Pi*down*y)
		case "twill":
			return math.Sin(2*math.Pi*(across*x+down*y) + 3*math.Sin(x/40))
		case "hatching":
			if math.Mod(across*x+down*y+0.3*math.Sin(y/9), 1) < 0.3 {
				return 1
			}
		case "lattice":
			if math.Mod(across*x, 1) < 0.25 || math.Mod(down*y, 1) < 0.25 {
				return 1
			}
		case "dither":
			if (x+y)/float64(w+h) > (dither[i]+0.5)/16 {
				return 1
			}
		case "halftone":
			r := math.Hypot(math.Mod(x*across, 1)-0.5, math.Mod(y*across, 1)-0.5)
			return math.Tanh(6 * (0.3 + 0.1*math.Sin(x/50) - r))
		}
		return -1
	}
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			u, v := float64(x), float64(y)
			g := base + 25*math.Sin(u/60+v/90) + contrast*at(u, v, x%4+4*(y%4))
			c := uint8(min(max(math.Round(g), 20), 255))
			img.SetNRGBA(x, y, color.NRGBA{c, c - 10, c - 20, 255})
		}
	}
	return img
}

// Weaves, hatching, lattices, dithers and print are not taken for noise, in brightness, in colour or in parts, at full
// size and reduced.
func TestTextures(t *testing.T) {
	if testing.Short() {
		t.Skip("computes for long")
	}
	for _, kind := range []string{"weave", "twill", "hatching", "lattice", "dither", "halftone"} {
		seeds := uint64(2)
		if golden.InFull() {
			seeds = 6
		}
		for seed := range seeds {
			img := fineTexture(kind, seed, 360, 300)
			small := must.Get(score.Reduce(img, 2, resample.Cubic))(t)
			for name, img := range map[string]image.Image{"as it is": img, "reduced": small} {
				f := measured(img, 0)
				if f.ColourStrength() >= 0.1 || f.Varying(img) != nil {
					t.Errorf("%s %d, %s: %+v", kind, seed, name, f)
				}
			}
		}
	}
}

// inColour is a picture with normal noise of a deviation in Y, and of one in Cb and Cr.
func inColour(img image.Image, luma, chroma float64) *image.NRGBA {
	rng := rand.New(rand.NewPCG(8, 9))
	out := imaging.Clone(img)
	for i := 0; i < len(out.Pix); i += 4 {
		y, cb, cr := luma*rng.NormFloat64(), chroma*rng.NormFloat64(), chroma*rng.NormFloat64()
		for k, v := range [3]float64{y + 1.402*cr, y - 0.344136*cb - 0.714136*cr, y + 1.772*cb} {
			out.Pix[i+k] = uint8(math.Round(min(max(float64(out.Pix[i+k])+v, 0), 255)))
		}
	}
	return out
}

// Noise in colour is found where brightness has next to none, as much as was added; noise in all
// colours is found in brightness too, also where a texture hides it there.
func TestColourNoise(t *testing.T) {
	hopper := photograph(t)
	for _, c := range []struct {
		name  string
		img   image.Image
		drawn bool
	}{
		{"photograph", hopper, false}, {"enlarged", imaging.Resize(hopper, 300, 0, imaging.CatmullRom), false},
		{"weave", fineTexture("weave", 3, 300, 300), true}, {"hatching", fineTexture("hatching", 4, 300, 300), true},
	} {
		if f := measured(c.img, 0); f.ColourNoise != 0 {
			t.Errorf("%s: %+v", c.name, f)
		}
		for _, sigma := range []float64{4, 6, 12, 20} {
			f := measured(inColour(c.img, 1, sigma), 0)
			if math.Abs(f.ColourNoise-sigma) > 0.2*sigma {
				t.Errorf("%s, noise of %g in colour: %+v", c.name, sigma, f)
			}
			if f.Noise > max(3, 0.2*sigma) && !c.drawn {
				t.Errorf("%s, noise of %g in colour: %+v, expected none in brightness", c.name, sigma, f)
			}
		}
		for _, sigma := range []float64{10, 20} {
			f := measured(degrade.WithNoise(c.img, sigma, 1), 0)
			if want := 0.67 * sigma; f.Noise < 0.8*want || f.Noise > 1.2*want && !c.drawn {
				t.Errorf("%s, noise of %g in each colour: %+v, expected %.1f in brightness", c.name, sigma, f, want)
			}
			if shade, level := f.ColourStrength(), f.Strength(); shade > 1.25*level {
				t.Errorf("%s, noise of %g in each colour: level %g, of colour %g", c.name, sigma, level, shade)
			}
		}
	}
	if f := measured(imaging.Grayscale(hopper), 0); f.ColourNoise != 0 {
		t.Errorf("grey: %+v", f)
	}
}

// White noise is found in blocks, and no other: neither what is finer than white, nor coarser,
// nor what only some blocks have.
func TestWhite(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const side = 240
	type samplesAround = func(dx, dy int) float64
	for name, c := range map[string]struct {
		value func(x, y int, v samplesAround) float64
		want  bool
	}{
		"white": {func(_, _ int, v samplesAround) float64 { return v(0, 0) }, true},
		"coarser": {func(_, _ int, v samplesAround) float64 { return (v(0, 0) + v(1, 0) + v(0, 1) + v(1, 1)) / 2 },
			false},
		"finer": {func(_, _ int, v samplesAround) float64 { return (v(0, 0) - v(1, 0) - v(0, 1) + v(1, 1)) / 2 },
			false},
		"in rows":      {func(_, _ int, v samplesAround) float64 { return (v(0, 0) + v(1, 0)) / 1.4 }, false},
		"in the right": {func(x, _ int, v samplesAround) float64 { return v(0, 0) * float64(x/(side/2)) }, false},
		"less dark": {func(x, _ int, v samplesAround) float64 { return v(0, 0) * (0.6 + 0.8*float64(x)/side) },
			true},
	} {
		noise := make([]float64, (side+1)*(side+1))
		for i := range noise {
			noise[i] = 6 * rng.NormFloat64()
		}
		p := &Samples{side, side, make([]int32, side*side), 1, true}
		for i := range p.Pix {
			x, y := i%side, i/side
			v := c.value(x, y, func(dx, dy int) float64 { return noise[(y+dy)*(side+1)+x+dx] })
			p.Pix[i] = int32(math.Round(Unit * (60 + 120*float64(x)/side + v)))
		}
		co := newCoefficients([]*Samples{p}, 4, 4, 8)
		got := co.white(co[0])
		if (got > 0) != c.want || c.want && math.Abs(got-6) > 0.8 {
			t.Errorf("%s: %.2f, expected noise: %v", name, got, c.want)
		}
	}
}
