package measure

import (
	"image"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"superres/internal/degrade"
	"superres/internal/golden"
	"superres/internal/must"
	"superres/internal/picture"
	"superres/internal/synthetic"
	"superres/patches/plane"
	"superres/superres/resample"
	"superres/superres/score"
)

// photograph returns the clean photograph of the repository.
func photograph(t *testing.T) image.Image {
	return golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png"))
}

// clean returns the brightness of clean pictures, in levels, by name.
func clean(t *testing.T) map[string]*degrade.Plane {
	t.Helper()
	luma := picture.Split(photograph(t)).Luma()
	out := map[string]*degrade.Plane{}
	for name, p := range map[string]*plane.Plane{
		"photograph": luma, "enlarged": resample.Resize(luma, 3*luma.W, 3*luma.H, resample.Bicubic),
	} {
		d := &degrade.Plane{W: p.W, H: p.H, Pix: make([]float32, len(p.Pix))}
		for i, v := range p.Pix {
			d.Pix[i] = float32(math.Round(255 * float64(v)))
		}
		out[name] = d
	}
	return out
}

// damaged returns p after the degradation d, and what d.Apply returns.
func damaged(p *degrade.Plane, d degrade.Degradation) (out *plane.Plane, told float64) {
	q := &degrade.Plane{W: p.W, H: p.H, Pix: slices.Clone(p.Pix)}
	told = d.Apply(rand.New(rand.NewPCG(7, 7)), q)
	out = plane.New(p.W, p.H)
	for i, v := range q.Pix {
		out.Pix[i] = v / 255
	}
	return out, told
}

// measureLuma measures a picture of brightness alone.
func measureLuma(p *plane.Plane, quality int) Flaws {
	return measureParts([]*plane.Plane{p}, quality)
}

// measureParts is measureLuma for parts of a picture.
func measureParts(luma []*plane.Plane, quality int) Flaws {
	var shown []Area
	for _, p := range luma {
		shown = append(shown, Area{picture.Picture{Channels: []*plane.Plane{p, p, p}}})
	}
	return Of(shown, SamplesOf(shown...), quality)
}

// measured returns the flaws of a whole picture.
func measured(img image.Image, quality int) Flaws {
	shown := Parts(img)
	return Of(shown, SamplesOf(shown...), quality)
}

// The parts of a side lie within it, at multiples of 8, all over it.
func TestWindows(t *testing.T) {
	for _, side := range []int{1, 8, 960, 961, 968, 5000} {
		list := windows(side)
		for i, w := range list {
			if w.lo%8 != 0 || w.lo < 0 || w.hi > side || w.hi <= w.lo || i > 0 && w.lo < list[i-1].hi {
				t.Errorf("side %d: %v", side, list)
			}
		}
		if list[0].lo != 0 || list[len(list)-1].hi < side-8 {
			t.Errorf("side %d: %v", side, list)
		}
	}
}

// Measuring parts of a picture gives about the same as measuring the whole picture.
func TestParts(t *testing.T) {
	p := clean(t)["enlarged"]
	noisy, told := damaged(p, degrade.Degradation{Noise: 4, Files: []degrade.File{{Quality: 85, X: 3, Y: 5}}})
	var parts []*plane.Plane
	for _, at := range [][2]int{{0, 0}, {160, 8}, {40, 200}, {192, 192}} {
		parts = append(parts, noisy.Crop(at[0], at[1], 160, 160))
	}
	whole, some := measureLuma(noisy, 0), measureParts(parts, 0)
	t.Logf("%+v, in parts %+v, of %.2f", whole, some, told)
	if math.Abs(whole.Noise-some.Noise) > 0.5 || whole.Quality != some.Quality || math.Abs(whole.Loss-some.Loss) > 0.5 {
		t.Errorf("%+v, in parts %+v", whole, some)
	}
}

func TestNothing(t *testing.T) {
	for name, p := range clean(t) {
		plane, _ := damaged(p, degrade.Degradation{})
		if f := measureLuma(plane, 0); f.Noise > 2 || f.Quality != 0 || f.Loss != 0 {
			t.Errorf("%s: %+v of a clean picture", name, f)
		}
	}
	for _, size := range [][2]int{{1, 1}, {1, 300}, {7, 9}, {13, 13}, {40, 8}} {
		if f := measureLuma(plane.New(size[0], size[1]), 0); f != (Flaws{}) {
			t.Errorf("%v: %+v of black", size, f)
		}
		if f := measureLuma(plane.New(size[0], size[1]), 70); !(f.Loss >= 0 && f.Loss < 5) {
			t.Errorf("%v: %+v of a black JPEG", size, f)
		}
	}
}

func TestNoise(t *testing.T) {
	for name, p := range clean(t) {
		for _, d := range []degrade.Degradation{{Noise: 3}, {Noise: 5}, {Noise: 10}, {Noise: 20},
			{Noise: 10, Shot: 1}} {
			plane, told := damaged(p, d)
			f := measureLuma(plane, 0)
			t.Logf("%s, %+v: %.2f of %.2f", name, d, f.Noise, told)
			if name == "photograph" && d.Noise == 3 {
				continue // it is small, and of detail that could be as much
			}
			if f.Noise < 0.75*told || f.Noise > 1.25*told || f.Quality != 0 {
				t.Errorf("%s, %+v: %+v, want %.2f", name, d, f, told)
			}
		}
	}
}

// The quality of a file, or a neighbouring quality, is found wherever its blocks lie, even after another file.
func TestFile(t *testing.T) {
	type file = degrade.File
	for name, p := range clean(t) {
		for _, files := range [][]file{{{Quality: 30}}, {{Quality: 60}}, {{Quality: 75, X: 5, Y: 2}}, {{Quality: 90}},
			{{Quality: 60, X: 3, Y: 6}, {Quality: 95}}} {
			plane, told := damaged(p, degrade.Degradation{Files: files})
			f := measureLuma(plane, 0)
			t.Logf("%s, %+v: %+v of %.2f", name, files, f, told)
			if d := f.Quality - files[0].Quality; d < -1 || d > 1 || f.Loss < 0.5*told || f.Loss > 1.6*told {
				t.Errorf("%s, %+v: %+v, want %.2f", name, files, f, told)
			}
			if known := measureLuma(plane, files[len(files)-1].Quality); known.Loss < f.Loss ||
				known.Loss > 1.2*f.Loss {
				t.Errorf("%s, %+v: a loss of %.2f where the quality is known, else %.2f", name, files, known.Loss,
					f.Loss)
			}
		}
		plane, told := damaged(p, degrade.Degradation{Files: []file{{Quality: 97}}})
		if f := measureLuma(plane, 97); f.Quality != 97 || f.Loss > 1.6*told+0.3 {
			t.Errorf("%s: %+v of a file known to be of quality 97, which took %.2f", name, f, told)
		}
	}
}

// A file is found in the fine texture and in the few blocks of a small picture as well, where the edges of blocks do
// not show, and also if the picture was sharpened before.
func TestFileInFewBlocks(t *testing.T) {
	p := clean(t)["photograph"]
	for _, size := range [][2]int{{104, 96}, {128, 64}} {
		for _, quality := range []int{70, 80, 85, 90} {
			for _, sharpen := range []float64{0, 0.7} {
				d := degrade.Degradation{Sharpen: sharpen, Files: []degrade.File{{Quality: quality}}}
				part := &degrade.Plane{W: size[0], H: size[1]}
				for y := range part.H {
					part.Pix = append(part.Pix, p.Pix[(y+20)*p.W:][:part.W]...)
				}
				out, _ := damaged(part, d)
				if f := measureLuma(out, 0); f.Quality < quality-3 || f.Quality > quality+3 {
					t.Errorf("%v, sharpened by %g: quality %d is found for %d", size, sharpen, f.Quality, quality)
				}
			}
		}
	}
}

// Ordered dithers repeat every four samples, so that there are steps in the coefficients of their blocks, too.
func TestOrderedDithersAreNoFiles(t *testing.T) {
	for seed := range uint64(10) {
		if f := measured(fineTexture("dither", seed, 200, 160), 0); f.Quality != 0 {
			t.Errorf("dither %d: %+v", seed, f)
		}
	}
}

// Dithers, checkerboards and text are not taken for noise.
func TestDrawings(t *testing.T) {
	if testing.Short() {
		t.Skip("computes for long")
	}
	noisy, drawings := 0, uint64(25)
	if golden.InFull() {
		drawings = 100
	}
	for i := range drawings {
		img := synthetic.Sample(rand.New(rand.NewPCG(5, i)), 400, 300, 2).Image
		luma := picture.Split(img).Luma()
		for _, p := range []*plane.Plane{luma, picture.Round8(resample.Box.Reduce(luma, 2))} {
			if f := measureLuma(p, 0); f.Strength() > 2./Worst {
				noisy++
				t.Logf("drawing %d: %+v", i, f)
			}
		}
	}
	if noisy > 4 {
		t.Errorf("%d of %d drawings have flaws", noisy, 2*drawings)
	}
}

func TestLevel(t *testing.T) {
	for _, c := range []struct {
		f    Flaws
		want float64
	}{{Flaws{}, 0}, {Flaws{Noise: 25}, 1}, {Flaws{Noise: 15, Loss: 20}, 1}, {Flaws{Noise: 7.5, Loss: 10}, 0.5},
		{Flaws{Noise: 90}, 1}} {
		if got := c.f.Strength(); got != c.want {
			t.Errorf("%+v: level %g, want %g", c.f, got, c.want)
		}
	}
}

// Pictures that are clean, small ones and those nothing was tuned on among them, are taken for nothing else,
// reduced by 2 and by 4, and as they are; of these some are noisy, and some come out of JPEG files. Without
// SUPERRES_FULL it looks at a third of them.
func TestCleanPictures(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs beside anything else")
	}
	for set, every := range map[string]int{"general-dev": 1, "open-valid": 1, "t91": 2} {
		if !golden.InFull() {
			every *= 3
		}
		files := golden.Pictures(t, set, every)
		for _, scale := range []int{1, 2, 4} {
			wrong := 0
			for _, file := range files {
				img := golden.Open(t, file)
				if scale > 1 {
					img = must.Get(score.Reduce(img, scale, resample.Cubic))(t)
				}
				f := measured(img, 0)
				if f.Varying(img) != nil || f.ColourStrength() >= 0.1 && (scale > 1 || f.Quality == 0) {
					wrong++
					t.Logf("%s by %d: %+v", filepath.Base(file), scale, f)
				}
			}
			most := 1
			if set == "t91" && scale == 1 {
				most = 3 // they have grain
			}
			if wrong > most {
				t.Errorf("%s reduced by %d: %d of %d have flaws, expected at most %d", set, scale, wrong, len(files),
					most)
			}
		}
	}
}

// TestCoefficients compares the coefficients of blocks with sums of products as the transform is defined.
func TestCoefficients(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var c coefficients
		var block [64]int64
		b := new(blocks)
		for i := range block {
			block[i] = rng.Int64N(1 << 16)
			b.samples[(i%8*8+i/8)*together] = float64(block[i])
		}
		b.count++
		c.add(b)
		for i := range 64 {
			sum := int64(0)
			for k := range 64 {
				sum += int64(cosines[i/8+k/8*8]*cosines[i%8+k%8*8]) * block[k]
			}
			if want := int32((sum + 1<<17) >> 18); c[i][0] != want {
				t.Fatalf("coefficient %d is %d, expected %d", i, c[i][0], want)
			}
		}
	}
}
