package superres

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"
)

// everyModel opens all models that the program has, plain interpolations too.
func everyModel(t testing.TB) map[string]*Model {
	t.Helper()
	all := map[string]*Model{}
	for _, name := range builtins(t) {
		m := builtin(t, name)
		all[name] = m
	}
	return all
}

// grain is a deep picture of values from 0.47 to 0.53: of Y alone, of colour, or of
// colour with alpha.
func grain(w, h, channels int) image.Image {
	rng := rand.New(rand.NewPCG(uint64(w), uint64(h)))
	v := func() uint16 { return uint16(30801 + rng.IntN(3932)) }
	if channels == 1 {
		m := image.NewGray16(image.Rect(0, 0, w, h))
		for i := range w * h {
			m.SetGray16(i%w, i/w, color.Gray16{Y: v()})
		}
		return m
	}
	m := image.NewNRGBA64(image.Rect(0, 0, w, h))
	for i := range w * h {
		c := color.NRGBA64{R: v(), G: v(), B: v(), A: 0xffff}
		if channels == 4 {
			c.A = v()
		}
		m.SetNRGBA64(i%w, i/w, c)
	}
	return m
}

// checkShape fails the test unless out is w×h and all its values are within the range,
// as those of grain are by far. What is not a number would have become 0.
func checkShape(t testing.TB, what string, out image.Image, w, h int) {
	t.Helper()
	if out.Bounds() != image.Rect(0, 0, w, h) {
		t.Errorf("%s: bounds %v, expected %d×%d", what, out.Bounds(), w, h)
		return
	}
	within := func(v uint16) bool { return v > 0 && v < 65535 }
	for y := range h {
		for x := range w {
			c := color.NRGBA64Model.Convert(out.At(x, y)).(color.NRGBA64)
			if !within(c.R) || !within(c.G) || !within(c.B) || c.A != 0xffff && !within(c.A) {
				t.Fatalf("%s: pixel %d,%d is %v", what, x, y, c)
			}
		}
	}
}

// Every model at every scale has the right size and only numbers for pictures of one
// pixel, of one row or column, of primes, and smaller than a patch.
func TestEverySize(t *testing.T) {
	sizes := [][2]int{{1, 1}, {2, 2}, {1, 23}, {23, 1}, {2, 13}, {3, 3}, {5, 4}, {11, 7}}
	if testing.Short() {
		sizes = [][2]int{{1, 1}, {3, 11}}
	}
	for name, m := range everyModel(t) {
		for _, scale := range []float64{1, 1.5, 2, 3, 4, 7.3} {
			for i, size := range sizes {
				w, h := size[0], size[1]
				img := grain(w, h, []int{1, 3, 4}[i%3])
				wide, high := int(math.Floor(scale*float64(w)+0.5)), int(math.Floor(scale*float64(h)+0.5))
				out := upscale(t, m, img, scale)
				if name == "digits" && scale > 4 {
					// It knows black and white, and drives grey towards them pass by pass.
					if out.Bounds() != image.Rect(0, 0, wide, high) {
						t.Errorf("digits: bounds %v, expected %d×%d", out.Bounds(), wide, high)
					}
					continue
				}
				checkShape(t, name, out, wide, high)
			}
		}
	}
}

// Whatever is asked for is made in the right size, or refused.
func FuzzUpscale(f *testing.F) {
	f.Add(uint8(1), uint8(1), 2.0, uint8(0))
	f.Add(uint8(7), uint8(5), 7.3, uint8(1))
	f.Add(uint8(1), uint8(200), 1.0, uint8(2))
	f.Add(uint8(3), uint8(2), 15.999999999, uint8(3))
	f.Add(uint8(9), uint8(9), 1.0000000001, uint8(4))
	f.Add(uint8(2), uint8(2), 16.5, uint8(5))
	f.Add(uint8(4), uint8(4), math.NaN(), uint8(6))
	f.Add(uint8(4), uint8(4), math.Inf(1), uint8(0))
	f.Add(uint8(4), uint8(4), -3.0, uint8(1))
	f.Add(uint8(4), uint8(4), 5e-324, uint8(2))
	f.Add(uint8(59), uint8(254), 20./7, uint8(97))
	models := everyModel(f)
	names := builtins(f)
	f.Fuzz(func(t *testing.T, w, h uint8, scale float64, kind uint8) {
		name := names[int(kind)%len(names)]
		wide, high := int(w%64), int(h%64)
		if scale > 4 { // no work of minutes
			wide, high = wide%16, high%16
		}
		img := grain(wide, high, []int{1, 3, 4}[int(kind/16)%3])
		out, err := models[name].Upscale(t.Context(), img, Options{Scale: scale})
		refused := wide == 0 || high == 0 || scale != 0 && !(scale >= MinScale && scale <= MaxScale)
		if (err != nil) != refused {
			t.Fatalf("%s: %d×%d by %g: %v", name, wide, high, scale, err)
		}
		if err != nil {
			return
		}
		toW, toH, err := models[name].Size(wide, high, scale)
		if err != nil {
			t.Fatal(err)
		}
		if off := math.Abs(float64(toW) - scale*float64(wide)); scale > 0 && off > 0.5+1e-9 {
			t.Errorf("%d by %g is %d", wide, scale, toW)
		}
		if name == "digits" && scale > 2 {
			return // in two passes already, see TestEverySize
		}
		checkShape(t, name, out, toW, toH)
	})
}
