package repair

import (
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/disintegration/imaging"

	"superres/internal/golden"
	"superres/superres/flaws/measure"
)

// addSalt makes a share of the samples of each channel black or white at random, or of the pixels if whole is true. It
// returns how many samples it has changed.
func addSalt(img *image.NRGBA, share float64, whole bool) (changed int) {
	rng := rand.New(rand.NewPCG(7, 8))
	for i := 0; i < len(img.Pix); i += 4 {
		for c := range 3 {
			if v := uint8(255 * rng.IntN(2)); rng.Float64() < share {
				if whole {
					img.Pix[i], img.Pix[i+1], img.Pix[i+2] = v, v, v
					changed += 3
					break
				}
				img.Pix[i+c] = v
				changed++
			}
		}
	}
	return changed
}

// Nearly all salt and pepper is taken out, of pixels and of single channels, of pictures of all kinds, and what is
// neither black nor white stays as it is.
func TestWithoutSalt(t *testing.T) {
	photo := imaging.Clone(golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png")))
	for _, whole := range []bool{false, true} {
		for _, share := range []float64{0.005, 0.02} {
			img := imaging.Clone(photo)
			changed := addSalt(img, share, whole)
			got, removed := WithoutSalt(img, measure.Parts(img))
			if before, after := meanSquare(photo, img), meanSquare(photo, got); after > 0.1*before {
				t.Errorf("salt %g, of whole pixels %t: a mean square of %.2f is left of %.2f", share, whole, after,
					before)
			}
			all := float64(len(img.Pix) / 4 * 3)
			if want := float64(changed) / all; removed < 0.8*want || removed > 1.5*want {
				t.Errorf("salt %g, of whole pixels %t: %g removed, expected %g", share, whole, removed, want)
			}
			for i, v := range imaging.Clone(got).Pix {
				if was := img.Pix[i]; v != was && was != 0 && was != 255 && (!whole || img.Pix[i&^3] == was) {
					t.Fatalf("value %d is %d, was %d", i, v, was)
				}
			}
		}
	}
	img := imaging.Clone(photo)
	addSalt(img, 0.005, true)
	want, _ := WithoutSalt(img, measure.Parts(img))
	b := img.Bounds()
	for _, other := range []draw.Image{image.NewRGBA(b), image.NewNRGBA64(b), image.NewNRGBA(b.Add(image.Pt(-3, 5))),
		image.NewGray(b), image.NewGray16(b)} {
		draw.Draw(other, other.Bounds(), img, b.Min, draw.Src)
		got, removed := WithoutSalt(other, measure.Parts(other))
		if of := other.ColorModel(); of == color.GrayModel || of == color.Gray16Model {
			before, after := meanSquare(imaging.Grayscale(photo), other), meanSquare(imaging.Grayscale(photo), got)
			if removed == 0 || after > 0.1*before {
				t.Errorf("%T: a mean square of %.2f is left of %.2f", other, after, before)
			}
		} else if d := meanSquare(want, got); removed == 0 || d > 4./3 {
			t.Errorf("%T: %g removed, a mean square of %.2f off", other, removed, d)
		}
	}
}

// A picture without salt and pepper stays as it is, also where it has lone samples, as stars and
// dithering in black and white are. So it does one with transparency.
func TestNoSalt(t *testing.T) {
	photo := imaging.Clone(golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png")))
	rng := rand.New(rand.NewPCG(7, 8))
	sky := imaging.Clone(photo)
	for i := 0; i < len(sky.Pix); i += 4 {
		at := sky.Pix[i:]
		at[0], at[1], at[2] = at[0]/4, at[1]/4, at[2]/3
		if rng.IntN(500) == 0 {
			at[0], at[1], at[2] = 255, 255, 255
		}
	}
	dithered := image.NewPaletted(photo.Rect, color.Palette{color.Black, color.White})
	draw.FloydSteinberg.Draw(dithered, photo.Rect, photo, image.Point{})
	clear := imaging.Clone(photo)
	addSalt(clear, 0.005, true)
	clear.Pix[3] = 254
	tiny := imaging.New(1, 2, color.White)
	for name, img := range map[string]image.Image{
		"a photograph": photo, "its half": imaging.Resize(photo, 64, 0, imaging.CatmullRom), "stars": sky,
		"dithering": dithered, "transparency": clear, "two pixels": tiny,
	} {
		if got, removed := WithoutSalt(img, measure.Parts(img)); got != img || removed != 0 {
			t.Errorf("%s: %g removed", name, removed)
		}
	}
}

// Lines of one pixel in black and white, and their ends, stay as they are beside salt.
func TestSaltBesideLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	clean := imaging.New(120, 120, color.White)
	for i := 0; i < len(clean.Pix); i += 4 {
		v := uint8(90 + rng.IntN(8))
		clean.Pix[i], clean.Pix[i+1], clean.Pix[i+2] = v+30, v+50, v
	}
	for i := 10; i < 110; i++ {
		for _, at := range []image.Point{{i, 30}, {30, i}, {i, 60}, {80, i}} {
			v := uint8(255 * ((at.X + at.Y) / 100 % 2))
			clean.SetNRGBA(at.X, at.Y, color.NRGBA{v, v, v, 255})
		}
	}
	for k := range 90 {
		clean.SetNRGBA(15+k, 15+k, color.NRGBA{0, 0, 0, 255})
	}
	img := imaging.Clone(clean)
	addSalt(img, 0.005, true)
	got, removed := WithoutSalt(img, measure.Parts(img))
	if before, after := meanSquare(clean, img), meanSquare(clean, got); removed == 0 || after > 0.2*before {
		t.Errorf("%g removed, a mean square of %.2f is left of %.2f", removed, after, before)
	}
	lost := 0
	for i, v := range imaging.Clone(got).Pix {
		if was := clean.Pix[i]; (was == 0 || was == 255) && v != was {
			lost++
		}
	}
	if lost > 3*12 {
		t.Errorf("%d samples of the lines are lost", lost)
	}
}
