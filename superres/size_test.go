package superres

import (
	"context"
	"image"
	"testing"
)

// Every small picture gets the size that is asked for: by the scale, by one side, by
// both, within a box, and Upscale makes what ResultSize says.
func TestSizesAreRight(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs beside anything else")
	}
	m := builtin(t, "nearest")
	check := func(w, h int, opt Options, wantW, wantH int) {
		t.Helper()
		gotW, gotH, err := m.ResultSize(w, h, opt)
		if err != nil || gotW != wantW || gotH != wantH {
			t.Errorf("%d×%d, %+v: %d×%d (%v), expected %d×%d", w, h, opt, gotW, gotH, err, wantW, wantH)
			return
		}
		if (w+h)%5 == 0 { // the pixels as well, now and then
			img, err := m.Upscale(context.Background(), image.NewGray(image.Rect(0, 0, w, h)), opt)
			if err != nil || img.Bounds() != image.Rect(0, 0, wantW, wantH) {
				t.Errorf("%d×%d, %+v: %v, %v", w, h, opt, err, img.Bounds())
			}
		}
	}
	// In thousandths, by integers alone.
	by := func(n, thousandths int) int { return max(1, (2*n*thousandths+1000)/2000) }
	for w := 1; w <= 12; w++ {
		for h := 1; h <= 12; h++ {
			for thousandths := 1000; thousandths <= 16000; thousandths += 125 + 5*(w+h) {
				check(w, h, Options{Scale: float64(thousandths) / 1000}, by(w, thousandths), by(h, thousandths))
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
					// One side is that of the box, the other in proportion, and not outside.
					if err != nil || gotW > boxW || gotH > boxH || !(gotW == boxW && gotH == high || gotH == boxH && gotW == wide) {
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
		{Width: 10, Height: 19}, {Width: 9, Height: 20}, {Width: 100, Height: 19, Fit: true}, {Width: 161, Height: 400, Fit: true},
		{Width: 1 << 40}, {Width: 1 << 62, Height: 1 << 62, Fit: true},
	} {
		if w, h, err := m.ResultSize(10, 20, opt); err == nil {
			t.Errorf("%+v: %d×%d, expected an error", opt, w, h)
		}
	}
}
