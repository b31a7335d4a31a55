package resample

import (
	"math"
	"testing"

	"superres/patches/plane"
)

// The fixed filters are the general form, to 1e-6, up to the edges and on the smallest planes.
func TestPolyphaseAgainstTheGeneralForm(t *testing.T) {
	for scale := 2; scale <= 4; scale++ {
		for _, side := range [][2]int{{1, 1}, {1, 7}, {5, 1}, {2, 3}, {33, 20}, {70, 19}} {
			small, large := side, [2]int{side[0] * scale, side[1] * scale}
			for _, c := range [][2][2]int{{small, large}, {large, small}} {
				from, to := c[0], c[1]
				p := noise(from[0], from[1])
				fixed := New(from[0], from[1], to[0], to[1], Bicubic)
				if fixed.fixed == nil {
					t.Fatalf("%v to %v: no fixed filter", from, to)
				}
				general := &Scaler{inW: from[0], inH: from[1], outW: to[0], outH: to[1], across: Bicubic.taps(from[0], to[0]), down: Bicubic.taps(from[1], to[1])}
				got, want := rows(fixed, p, 0, 0, to[1]), rows(general, p, 0, 0, to[1])
				for i, v := range want.Pix {
					if math.Abs(float64(v)-float64(got.Pix[i])) > 1e-6 {
						t.Fatalf("%v to %v, sample %d: %g, in general %g", from, to, i, got.Pix[i], v)
					}
				}
			}
		}
	}
	for _, c := range [][4]int{{8, 8, 16, 24}, {8, 8, 40, 40}, {9, 8, 4, 4}, {8, 8, 8, 8}} {
		if newPolyphase(c[0], c[1], c[2], c[3]) != nil {
			t.Errorf("a fixed filter for %v", c)
		}
	}
}

// Rows that are made from no more than the rows they need are those of the whole.
func TestRowsNeedWhatNeedsSays(t *testing.T) {
	for _, c := range []struct {
		w, h, toW, toH int
		k              Kernel
	}{
		{9, 20, 18, 40, Bicubic}, {9, 20, 27, 60, Bicubic}, {16, 80, 4, 20, Bicubic}, {9, 60, 3, 20, Bicubic},
		{9, 20, 13, 31, Bicubic}, {9, 60, 7, 23, Lanczos}, {9, 20, 18, 40, Nearest}, {3, 1, 6, 2, Bicubic},
	} {
		p := noise(c.w, c.h)
		s := New(c.w, c.h, c.toW, c.toH, c.k)
		whole := rows(s, p, 0, 0, c.toH)
		for y := range c.toH {
			for _, end := range []int{y + 1, min(y+7, c.toH)} {
				lo, hi := s.Needs(y, end)
				part := plane.New(c.w, hi-lo) // no room to read elsewhere
				copy(part.Pix, p.Pix[lo*c.w:hi*c.w])
				got := rows(s, part, lo, y, end)
				for i, v := range got.Pix {
					if v != whole.Pix[y*c.toW+i] {
						t.Fatalf("%+v: rows %d to %d differ", c, y, end)
					}
				}
			}
		}
	}
}

// rows returns the rows y0..y1-1 of a result.
func rows(s *Scaler, src *plane.Plane, top, y0, y1 int) *plane.Plane {
	out := plane.New(s.outW, y1-y0)
	s.Rows(out, src, top, y0)
	return out
}
