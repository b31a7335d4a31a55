package resample

import (
	"testing"

	"superres/internal/testimage"
	"superres/patches/plane"
)

// Enlargements and reductions of both sides by 2, 3 or 4 have a fixed filter, and no others.
func TestPolyphase(t *testing.T) {
	for scale := 2; scale <= 4; scale++ {
		if newPolyphase(8, 5, 8*scale, 5*scale) == nil || newPolyphase(8*scale, 5*scale, 8, 5) == nil {
			t.Errorf("no fixed filter for %d", scale)
		}
	}
	for _, c := range [][4]int{{8, 8, 16, 24}, {8, 8, 40, 40}, {9, 8, 4, 4}, {8, 8, 8, 8}} {
		if newPolyphase(c[0], c[1], c[2], c[3]) != nil {
			t.Errorf("a fixed filter for %v", c)
		}
	}
}

// Rows that are made only from the rows they need equal the rows of the whole.
func TestRowsNeedWhatNeedsSays(t *testing.T) {
	for _, c := range []struct {
		w, h, toW, toH int
		k              Kernel
	}{
		{9, 20, 18, 40, Bicubic}, {9, 20, 27, 60, Bicubic}, {16, 80, 4, 20, Bicubic}, {9, 60, 3, 20, Bicubic},
		{9, 20, 13, 31, Bicubic}, {9, 60, 7, 23, Lanczos}, {9, 20, 18, 40, Nearest}, {3, 1, 6, 2, Bicubic},
	} {
		p := testimage.Noise(c.w, c.h)
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
