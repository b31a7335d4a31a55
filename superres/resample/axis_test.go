package resample

import (
	"math"
	"testing"

	"superres/internal/testimage"
	"superres/patches/plane"
)

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
