package repair

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/disintegration/imaging"

	"superres/internal/golden"
	"superres/internal/must"
	"superres/internal/synthetic"
	"superres/superres/flaws/measure"
	"superres/superres/resample"
	"superres/superres/score"
)

// blurOf returns how much of each neighbour of a sample the blur of m has, from (−r, −r) on by rows.
func blurOf(m Unsharp) (r int, taps []float64) {
	r = max(int(math.Ceil(4*m.Radius)), 1)
	sum := 0.0
	for y := -r; y <= r; y++ {
		for x := -r; x <= r; x++ {
			v := math.Exp(-float64(x*x+y*y) / (2 * m.Radius * m.Radius))
			switch far := x*x + y*y; {
			case m.Around == 4:
				v = float64(max(1-max(far-1, 1-far), 0))
			case m.Around == 8:
				v = float64(min(far, 1))
			}
			taps = append(taps, v)
			sum += v
		}
	}
	for i := range taps {
		taps[i] /= sum
	}
	return r, taps
}

// sharpen returns a picture of 8 bits sharpened by m, as 8 bits.
func sharpen(img image.Image, m Unsharp) *image.NRGBA {
	from := imaging.Clone(img)
	out := imaging.Clone(img)
	w, h := from.Rect.Dx(), from.Rect.Dy()
	r, taps := blurOf(m)
	for y := range h {
		for x := range w {
			for c := range 3 {
				blurred := 0.0
				for i, v := range taps {
					dx, dy := i%(2*r+1)-r, i/(2*r+1)-r
					blurred += v * float64(from.Pix[from.PixOffset(mirror(x+dx, w), mirror(y+dy, h))+c])
				}
				v := float64(from.Pix[from.PixOffset(x, y)+c])
				out.Pix[out.PixOffset(x, y)+c] = uint8(math.Round(min(max(v+m.Amount*(v-blurred), 0), 255)))
			}
		}
	}
	return out
}

// A mask of 8 bits is found, with its radius and its amount, in colour and in grey, wherever the bounds of a picture
// begin; and without it the picture is nearly what it was, except where it has become black or white.
func TestWithoutUnsharp(t *testing.T) {
	photo := golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png"))
	dull := imaging.AdjustFunc(photo, func(c color.NRGBA) color.NRGBA {
		return color.NRGBA{60 + c.R/2, 60 + c.G/2, 60 + c.B/2, c.A}
	})
	grey := image.NewGray(photo.Bounds())
	draw.Draw(grey, grey.Rect, photo, image.Point{}, draw.Src)
	for _, m := range []Unsharp{{Radius: 1, Amount: 0.7}, {Radius: 0.6, Amount: 1.3}, {Radius: 2, Amount: 0.5},
		{Around: 4, Amount: 1}, {Around: 8, Amount: 0.6}} {
		for name, img := range map[string]image.Image{"colour": photo, "dull": dull, "grey": grey} {
			var sharp image.Image = sharpen(img, m)
			if name == "grey" {
				out := image.NewGray(sharp.Bounds().Add(image.Pt(5, -7)))
				draw.Draw(out, out.Rect, sharp, image.Point{}, draw.Src)
				sharp = out
			}
			found := FindUnsharp(sharp, measure.Parts(sharp))
			got := found.Undo(sharp)
			if found.Around != m.Around || math.Abs(found.Radius-m.Radius) > 0.06*m.Radius ||
				math.Abs(found.Amount-m.Amount) > 0.1*m.Amount {
				t.Errorf("%s: %v is found for %v", name, found, m)
				continue
			}
			before, after := meanSquare(sharp, img), meanSquare(got, img)
			if after > before/4 || name == "dull" && after > 1 {
				t.Errorf("%s, %v: a mean square of %.2f is left of %.2f", name, m, after, before)
			}
			_, isGrey := got.(*image.Gray)
			if isGrey != (name == "grey") || got.Bounds().Size() != img.Bounds().Size() {
				t.Errorf("%s: the result is a %T of %v", name, got, got.Bounds())
			}
		}
	}
}

// Where nothing was sharpened, or not in 8 bits, or it cannot be told, no mask is found.
func TestNoUnsharp(t *testing.T) {
	photo := golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png"))
	sharp := sharpen(photo, Unsharp{Radius: 1, Amount: 0.7})
	deep := image.NewNRGBA64(sharp.Rect)
	transparent := imaging.Clone(sharp)
	transparent.Set(3, 4, color.NRGBA{200, 100, 50, 128})
	few := imaging.Clone(photo)
	noise := image.NewGray(photo.Bounds())
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range noise.Pix {
		noise.Pix[i] = uint8(rng.IntN(256))
	}
	for i, v := range sharp.Pix {
		few.Pix[i] = few.Pix[i]&^15 | 8
		deep.Pix[2*i], deep.Pix[2*i+1] = v, v
	}
	small := imaging.Crop(sharp, image.Rect(40, 40, 40+31, 100))
	reduced := must.Get(score.Reduce(photo, 2, resample.Cubic))(t)
	for name, img := range map[string]image.Image{"clean": photo, "reduced": reduced, "16 bits": deep,
		"transparent": transparent, "few levels": few, "small": small, "noise": noise,
		"a drawing": synthetic.Sample(rng, 200, 150, 2).Image} {
		if m := FindUnsharp(img, measure.Parts(img)); m != (Unsharp{}) {
			t.Errorf("%s: %v is found", name, m)
		}
	}
}

// No clean picture of these sets is taken for a sharpened one, reduced or not.
func TestNoCleanPictureIsUnsharp(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs beside anything else")
	}
	every := 1
	if !golden.InFull() {
		every = 4
	}
	for _, set := range []string{"general-dev", "open-valid", "t91"} {
		for _, file := range golden.Pictures(t, set, every) {
			whole := golden.Open(t, file)
			for _, img := range []image.Image{whole, must.Get(score.Reduce(whole, 2, resample.Cubic))(t)} {
				if m := FindUnsharp(img, measure.Parts(img)); m != (Unsharp{}) {
					t.Errorf("%s of %v: %v is found", filepath.Base(file), img.Bounds().Size(), m)
				}
			}
		}
	}
}

// The inverse of a mask is one divided by what the mask makes of each frequency.
func TestInverse(t *testing.T) {
	for _, m := range []Unsharp{{Radius: 0.5, Amount: 2}, {Radius: 1, Amount: 0.7}, {Radius: 2.2, Amount: 0.6},
		{Around: 4, Amount: 1}, {Around: 8, Amount: 2}} {
		r, blur := blurOf(m)
		taps := m.inverse()
		for _, f := range [][2]float64{{0, 0}, {0.3, 0}, {0, 1}, {1, 1}, {2, 0.5}, {3, 1.5}, {math.Pi, math.Pi}} {
			left := 0.0
			for i, v := range blur {
				left += v * math.Cos(f[0]*float64(i%(2*r+1)-r)+f[1]*float64(i/(2*r+1)-r))
			}
			got := 0.0
			for y, row := range taps {
				for x, v := range row {
					wave := math.Cos(f[0]*float64(x)) * math.Cos(f[1]*float64(y))
					got += float64(countOf(x, y)*v) / (1 << tapBits) * wave
				}
			}
			if want := 1 / (1 + m.Amount*(1-left)); math.Abs(got-want) > 0.02 {
				t.Errorf("%v: the gain at %v is %.3f, expected %.3f", m, f, got, want)
			}
		}
	}
}

// Samples to which integers were added, but for rounding, are evidence; others are not, however they are distributed.
func TestEvidenceValue(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const samples = 3000
	integer := func() float64 { return math.Round(4*rng.NormFloat64()) + 0.2*rng.NormFloat64() }
	for name, c := range map[string]struct {
		next       func() float64
		isIntegers bool
	}{
		"integers":             {integer, true},
		"integers and a shift": {func() float64 { return integer() + 0.4 }, true},
		"halves":               {func() float64 { return integer() / 2 }, false},
		"normal":               {func() float64 { return 3 * rng.NormFloat64() }, false},
		"steep":                {func() float64 { return rng.ExpFloat64() * 0.7 }, false},
		"uniform":              {func() float64 { return 20*rng.Float64() - 10 }, false},
	} {
		var e evidence
		for range samples {
			if at := int((c.next() + mostAdded) * turnSteps); at >= 0 && at < len(e) {
				e[at]++
			}
		}
		if got := e.value(); c.isIntegers != (got > certain) || !c.isIntegers && got > suspicious+10 {
			t.Errorf("%s: %.0f", name, got)
		}
	}
}
