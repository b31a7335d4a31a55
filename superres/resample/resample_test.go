package resample

import (
	"math"
	"testing"

	"superres/internal/testimage"
	"superres/patches/plane"
)

// slowCubic resamples one sample by the definition of MATLAB's imresize: a double
// sum over all of the plane, mirrored endlessly.
func slowCubic(p *plane.Plane, w, h, x, y int) float64 {
	keys := func(v float64) float64 { // a = −½
		v = math.Abs(v)
		switch {
		case v <= 1:
			return 1.5*v*v*v - 2.5*v*v + 1
		case v <= 2:
			return -0.5*v*v*v + 2.5*v*v - 4*v + 2
		}
		return 0
	}
	weights := func(in, out, at int) map[int]float64 {
		scale := float64(out) / float64(in)
		shrink := min(1, scale)
		u := (float64(at)+0.5)/scale - 0.5
		sum := 0.0
		for i := -20; i < in+20; i++ {
			sum += keys(shrink * (u - float64(i)))
		}
		list := map[int]float64{}
		for i := -20; i < in+20; i++ {
			q := i
			for q < 0 || q >= in {
				if q < 0 {
					q = -1 - q
				} else {
					q = 2*in - 1 - q
				}
			}
			list[q] += keys(shrink*(u-float64(i))) / sum
		}
		return list
	}
	total := 0.0
	for i, a := range weights(p.H, h, y) {
		for j, b := range weights(p.W, w, x) {
			total += a * b * float64(p.Pix[i*p.W+j])
		}
	}
	return total
}

// Bicubic is as defined, to 1e-6, up to the edges and on the smallest planes.
func TestBicubicAgainstTheDefinition(t *testing.T) {
	type sizes struct{ w, h, toW, toH int }
	list := []sizes{{7, 5, 11, 6}, {11, 13, 7, 20}, {1, 9, 2, 18}, {2, 2, 1, 1}}
	for scale := 2; scale <= 4; scale++ { // by fixed filters
		for _, side := range [][2]int{{1, 1}, {1, 7}, {5, 1}, {2, 3}, {9, 7}} {
			w, h := side[0], side[1]
			list = append(list, sizes{w, h, w * scale, h * scale}, sizes{w * scale, h * scale, w, h})
		}
	}
	for _, c := range list {
		p := testimage.Noise(c.w, c.h)
		got := Resize(p, c.toW, c.toH, Bicubic)
		for y := range c.toH {
			for x := range c.toW {
				if want := slowCubic(p, c.toW, c.toH, x, y); math.Abs(want-float64(got.Pix[y*c.toW+x])) > 1e-6 {
					t.Fatalf("%+v at (%d,%d): %g, expected %g", c, x, y, got.Pix[y*c.toW+x], want)
				}
			}
		}
	}
}

// Every kernel leaves a constant alone, and nearest repeats samples.
func TestKernels(t *testing.T) {
	flat := plane.New(9, 9)
	for i := range flat.Pix {
		flat.Pix[i] = 0.37
	}
	for _, k := range []Kernel{Nearest, Bicubic, Lanczos} {
		for _, side := range []int{3, 9, 14, 27} {
			for _, v := range Resize(flat, side, side, k).Pix {
				if math.Abs(float64(v)-0.37) > 1e-6 {
					t.Fatalf("%s to %d: a constant 0.37 became %g", k, side, v)
				}
			}
		}
	}
	p := testimage.Noise(5, 4)
	near := Resize(p, 15, 12, Nearest)
	for i, v := range near.Pix {
		if v != p.Pix[i/15/3*5+i%15/3] {
			t.Fatalf("nearest: sample %d", i)
		}
	}
}

// Box reduction is the mean of each block, and undoes nearest enlargement.
func TestBox(t *testing.T) {
	p := testimage.Noise(6, 4)
	for scale := 2; scale <= 4; scale++ {
		back := Box.Reduce(Resize(p, 6*scale, 4*scale, Nearest), scale)
		for i, v := range back.Pix {
			if math.Abs(float64(v-p.Pix[i])) > 1e-7 {
				t.Fatalf("scale %d: sample %d is %g, expected %g", scale, i, v, p.Pix[i])
			}
		}
	}
	if q := Box.Reduce(testimage.Noise(7, 5), 2); q.W != 3 || q.H != 2 {
		t.Errorf("7×5 reduced to %d×%d", q.W, q.H)
	}
}

// Where the edges meet, NewAt is New; elsewhere a slope comes out where its samples lie.
func TestNewAt(t *testing.T) {
	src := testimage.Noise(13, 9)
	for _, k := range []Kernel{Nearest, Bicubic, Lanczos} {
		for _, size := range [][2]int{{13, 9}, {20, 18}, {39, 27}, {7, 5}} {
			axis := func(in, out int) Axis {
				step := float64(in) / float64(out)
				return Axis{(step - 1) / 2, step}
			}
			got, want := plane.New(size[0], size[1]), Resize(src, size[0], size[1], k)
			NewAt(13, 9, size[0], size[1], k, axis(13, size[0]), axis(9, size[1])).Rows(got, src, 0, 0)
			for i, v := range got.Pix {
				if math.Abs(float64(v-want.Pix[i])) > 2e-6 {
					t.Fatalf("%s to %v: sample %d is %g, expected %g", k, size, i, v, want.Pix[i])
				}
			}
		}
	}
	slope := plane.New(40, 40)
	for i := range slope.Pix {
		slope.Pix[i] = float32(i%40) + 100*float32(i/40)
	}
	got := plane.New(60, 60)
	NewAt(40, 40, 60, 60, Bicubic, Axis{0, 2. / 3}, Axis{-0.25, 2. / 3}).Rows(got, slope, 0, 0)
	for y := 6; y < 54; y++ {
		for x := 6; x < 54; x++ {
			if want := 2./3*float64(x) + 100*(2./3*float64(y)-0.25); math.Abs(float64(got.Pix[y*60+x])-want) > 1e-2 {
				t.Fatalf("(%d, %d) is %g, expected %g", x, y, got.Pix[y*60+x], want)
			}
		}
	}
}

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
