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
