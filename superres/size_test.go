package superres

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"testing"

	"superres/internal/golden"
	"superres/internal/must"
	"superres/superres/stage/stagetest"
)

// Every small picture gets the size that is asked for: by a scale, by one side, by both, or within a box; and Upscale
// makes what ResultSize says.
func TestSizesAreRight(t *testing.T) {
	golden.NotShort(t, "nothing in it runs beside anything else")
	m := builtin(t, "nearest")
	check := func(w, h int, opt Options, wantW, wantH int) {
		t.Helper()
		gotW, gotH, err := m.ResultSize(w, h, opt)
		if err != nil || gotW != wantW || gotH != wantH {
			t.Errorf("%d×%d, %+v: %d×%d (%v), expected %d×%d", w, h, opt, gotW, gotH, err, wantW, wantH)
			return
		}
		if (w+h)%5 == 0 { // the pixels of some
			got := upscaleWith(t, m, image.NewGray(image.Rect(0, 0, w, h)), opt).Bounds()
			if got != image.Rect(0, 0, wantW, wantH) {
				t.Errorf("%d×%d, %+v: %v", w, h, opt, got)
			}
		}
	}
	// In thousandths, by integers alone.
	scaled := func(n, thousandths int) int { return max(1, (2*n*thousandths+1000)/2000) }
	for w := 1; w <= 12; w++ {
		for h := 1; h <= 12; h++ {
			for thousandths := 1000; thousandths <= 16000; thousandths += 125 + 5*(w+h) {
				check(w, h, Options{Scale: float64(thousandths) / 1000}, scaled(w, thousandths), scaled(h, thousandths))
			}
			for to := w; to <= 16*w; to += 1 + w/3 {
				check(w, h, Options{Width: to}, to, (2*h*to+w)/(2*w))
				check(w, h, Options{Width: to, Height: h + to%(15*h)}, to, h+to%(15*h))
			}
			for to := h; to <= 16*h; to += 1 + h/3 {
				check(w, h, Options{Height: to}, (2*w*to+h)/(2*h), to)
			}
			for boxW := w; boxW <= 5*w; boxW += 1 + w/3 {
				for boxH := h; boxH <= 5*h; boxH += 1 + h/3 {
					gotW, gotH, err := m.ResultSize(w, h, Options{Width: boxW, Height: boxH, Fit: true})
					wide, high := max(1, (2*w*boxH+h)/(2*h)), max(1, (2*h*boxW+w)/(2*w))
					// One side is as long as the side of the box, the other in proportion, and not outside.
					met := gotW == boxW && gotH == high || gotH == boxH && gotW == wide
					if err != nil || gotW > boxW || gotH > boxH || !met {
						t.Errorf("%d×%d in %d×%d: %d×%d, %v", w, h, boxW, boxH, gotW, gotH, err)
					}
				}
			}
		}
	}
	// 804.5 is rounded up, though the float64 of 8.045 is just below it.
	check(100, 1000, Options{Scale: 8.045}, 805, 8045)
	check(100, 1000, Options{Scale: 1.005}, 101, 1005)
}

func TestSizesThatAreRefused(t *testing.T) {
	m := builtin(t, "nearest")
	for _, opt := range []Options{
		{Width: 9}, {Height: 19}, {Width: 161}, {Height: 321}, {Width: -1}, {Height: -1}, {Width: 20, Scale: 2},
		{Width: 10, Height: 19}, {Width: 9, Height: 20}, {Width: 100, Height: 19, Fit: true},
		{Width: 161, Height: 400, Fit: true}, {Width: 1 << 40}, {Width: 1 << 62, Height: 1 << 62, Fit: true},
	} {
		if w, h, err := m.ResultSize(10, 20, opt); err == nil {
			t.Errorf("%+v: %d×%d, expected an error", opt, w, h)
		}
	}
}

// checkResult fails the test unless out is w×h and no sample is black or white: samples of grain are far from both, and
// one that is not a number would have become 0.
func checkResult(t testing.TB, what string, out image.Image, w, h int) {
	t.Helper()
	if out.Bounds() != image.Rect(0, 0, w, h) {
		t.Errorf("%s: bounds %v, expected %d×%d", what, out.Bounds(), w, h)
		return
	}
	within := func(v uint16) bool { return v > 0 && v < 65535 }
	for i := range w * h {
		c := color.NRGBA64Model.Convert(out.At(i%w, i/w)).(color.NRGBA64)
		if !within(c.R) || !within(c.G) || !within(c.B) || c.A != 0xffff && !within(c.A) {
			t.Fatalf("%s: pixel %d,%d is %v", what, i%w, i/w, c)
		}
	}
}

// Upscale makes the right size and sound values of any picture by every model at any scale, or refuses it. The seeds
// are pictures of one pixel, of one row or column, of prime sides, and smaller than a patch; and scales at the ends
// of the range and beyond.
func FuzzUpscale(f *testing.F) {
	names := namesOfBuiltins()
	models := map[string]*Model{}
	for i, name := range names {
		models[name] = builtin(f, name)
		sides := [][2]uint8{{1, 1}, {2, 2}, {1, 23}, {23, 1}, {2, 13}, {3, 3}, {5, 4}, {11, 7}}
		if testing.Short() {
			sides = [][2]uint8{{1, 1}, {3, 11}}
		}
		for j, side := range sides {
			for _, scale := range []float64{1, 1.5, 2, 3, 4, 7.3} {
				f.Add(side[0], side[1], scale, uint8(i), uint8(j))
			}
		}
	}
	for _, factor := range []int{1, 3} {
		name := fmt.Sprintf("blur ×%d", factor)
		names = append(names, name)
		models[name] = blurModel(f, stagetest.Blur{Factor: factor, Planes: 3, Radius: 0}, 0)
		f.Add(uint8(5), uint8(4), 7.3, uint8(len(names)-1), uint8(factor))
	}
	limits := []float64{16, 15.999999999, 1.0000000001, 16.5, 0.5, -3, 5e-324, 20. / 7, math.NaN(), math.Inf(1)}
	for i, scale := range limits {
		f.Add(uint8(4), uint8(3), scale, uint8(i), uint8(i))
	}
	f.Add(uint8(0), uint8(5), 2., uint8(0), uint8(0))
	f.Fuzz(func(t *testing.T, w, h uint8, scale float64, model, channels uint8) {
		name := names[int(model)%len(names)]
		wide, high := int(w%64), int(h%64)
		if scale > 4 { // so that no run takes minutes
			wide, high = wide%24, high%24
		}
		img := grain(wide, high, []int{1, 3, 4}[channels%3])
		out, err := models[name].Upscale(t.Context(), img, Options{Scale: scale})
		refused := wide == 0 || high == 0 || scale != 0 && !(scale >= MinScale && scale <= MaxScale)
		if (err != nil) != refused {
			t.Fatalf("%s: %d×%d by %g: %v", name, wide, high, scale, err)
		}
		if err != nil {
			return
		}
		toW, toH, err := models[name].Size(wide, high, scale)
		must.Succeed(t, err)
		if off := math.Abs(float64(toW) - scale*float64(wide)); scale > 0 && off > 0.5+1e-9 {
			t.Errorf("%d by %g is %d", wide, scale, toW)
		}
		if name == "digits" && scale > 2 {
			return // it knows black and white, and drives grey towards them pass by pass
		}
		checkResult(t, name, out, toW, toH)
	})
}
