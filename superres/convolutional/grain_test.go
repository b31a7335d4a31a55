package convolutional

import (
	"math"
	"testing"

	"superres/internal/must"
	"superres/internal/picture"
	"superres/patches/plane"
)

// The shares agree with those computed directly from the variance of 5×5 samples.
func TestShares(t *testing.T) {
	const grain = 12.0
	s := roundNetwork(t, sampleNetwork(2, 16, 1, 1)).WithGrain(grain)
	for _, size := range [][2]int{{1, 1}, {3, 2}, {70, 80}} {
		low := makeTexture(size[0], size[1])
		for i := range low.Pix {
			low.Pix[i] = 0.5 + (low.Pix[i]-0.5)*float32(i%low.W)/float32(low.W) // contrast falls towards the left
		}
		low = picture.Round8(low)
		got := plane.New(low.W, low.H)
		must.Succeed(t, s.shares(t.Context(), got, low))
		none, whole := 0, 0
		for y := range low.H {
			for x := range low.W {
				var sum, squares float64
				for v := y - 2; v <= y+2; v++ {
					for u := x - 2; u <= x+2; u++ {
						level := 255 * float64(low.Row(min(max(v, 0), low.H-1))[min(max(u, 0), low.W-1)])
						sum, squares = sum+level, squares+level*level
					}
				}
				variance := squares/25 - sum*sum/625
				want := min(max((variance-grain*grain)/(5.25*grain*grain), 0), 1)
				if share := float64(got.Row(y)[x]); math.Abs(share-want) > 1e-5 {
					t.Fatalf("%d×%d, (%d, %d): %g, expected %g", low.W, low.H, x, y, share, want)
				}
				if want == 0 {
					none++
				}
				if want == 1 {
					whole++
				}
			}
		}
		if low.W == 70 && (none == 0 || whole == 0) {
			t.Errorf("%d have nothing added, %d all", none, whole)
		}
	}
}

// Flat areas with grain stay as they were; elsewhere the whole residual is added.
func TestGrainIsLeft(t *testing.T) {
	low := plane.New(60, 40)
	for y := range low.H {
		for x := range low.W {
			low.Row(y)[x] = float32(100+(x*7+y*5)%3) / 255 // grain of a level
			if x > 30 {
				low.Row(y)[x] = float32(60*(x%2)+100) / 255
			}
		}
	}
	current := plane.New(120, 80)
	for i := range current.Pix {
		current.Pix[i] = 0.5
	}
	s := roundNetwork(t, sampleNetwork(2, 16, 3, 1))
	whole := must.Get(s.Apply(t.Context(), low, current, nil))(t)
	left := must.Get(s.WithGrain(2).Apply(t.Context(), low, current, nil))(t)
	for y := range left.H {
		for x, v := range left.Row(y) {
			if x/2 <= 28 && v != 0.5 || x/2 >= 33 && v != whole.Row(y)[x] {
				t.Fatalf("(%d, %d): %g, the network makes %g", x, y, v, whole.Row(y)[x])
			}
		}
	}
}
