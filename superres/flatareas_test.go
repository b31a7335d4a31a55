package superres

import (
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"superres/internal/golden"
	"superres/internal/picture"
	"superres/patches/plane"
)

// faults are errors of an enlargement that can be seen without knowing the original, in levels.
type faults struct {
	ring, worst float64 // beyond the colours of flat areas and lines: on average, and at most
	uneven      float64 // within flat areas, at most
	tint        float64 // of a picture without colour, at most
	drift       float64 // of the mean of a channel
}

func findFaults(low, high image.Image, scale int) (f faults) {
	in, out := picture.Split(low), picture.Split(high)
	isGrey := true
	for _, p := range in.Channels {
		isGrey = isGrey && slices.Equal(p.Pix, in.Channels[0].Pix)
	}
	for c, p := range in.Channels {
		sum := 0.0
		for y := range out.Channels[c].H {
			least, greatest := flatBounds(p, y/scale)
			for x, v := range out.Channels[c].Row(y) {
				beyond := 255 * float64(max(0, v-greatest[x/scale], least[x/scale]-v))
				f.worst, sum = max(f.worst, beyond), sum+beyond
				if area := p.Row(y / scale)[x/scale]; isFlat(p, x/scale, y/scale) {
					f.uneven = max(f.uneven, 255*math.Abs(float64(v-area)))
				}
				if isGrey {
					f.tint = max(f.tint, 255*math.Abs(float64(v-out.Channels[0].Row(y)[x])))
				}
			}
		}
		f.ring = max(f.ring, sum/float64(len(out.Channels[c].Pix)))
		f.drift = max(f.drift, 255*math.Abs(meanOf(out.Channels[c].Pix)-meanOf(p.Pix)))
	}
	return f
}

// isFlat reports whether all 5×5 samples around a place have the same value.
func isFlat(p *plane.Plane, x, y int) bool {
	for j := max(y-2, 0); j <= min(y+2, p.H-1); j++ {
		for _, s := range p.Row(j)[max(x-2, 0):min(x+3, p.W)] {
			if s != p.Row(y)[x] {
				return false
			}
		}
	}
	return true
}

func meanOf(v []float32) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x)
	}
	return sum / float64(len(v))
}

// The model rings less than bicubic interpolation beside all that has a colour of its own, on every kind of picture.
// Flat areas stay as they are, grey stays grey, and the mean nearly stays where nothing is cut off.
func TestKindsAreClean(t *testing.T) {
	golden.NotShort(t, "nothing in it runs beside anything else")
	for _, scale := range []int{2, 3, 4} {
		list, plain := enlargedKinds(t, "bicubic", scale)
		_, photo := enlargedKinds(t, "photo", scale)
		for i, k := range list {
			base, got := findFaults(k.img, plain[i], scale), findFaults(k.img, photo[i], scale)
			if got.ring > base.ring || got.worst > base.worst || got.worst > 1 || got.uneven > 0 || got.tint > 0 ||
				got.drift > max(base.drift, 1) {
				t.Errorf("%s ×%d: %+v; bicubic %+v", k.name, scale, got, base)
			}
		}
	}
}

// flatBounds is flatFinder for a row of a plane, written as plainly as can be: infinite where there is no bound.
func flatBounds(p *plane.Plane, y int) (least, greatest []float32) {
	for x := range p.W {
		var near []float32
		for v := max(y-1, 0); v <= min(y+1, p.H-1); v++ {
			near = append(near, p.Row(v)[max(x-1, 0):min(x+2, p.W)]...)
		}
		slices.Sort(near)
		lo, hi := float32(math.Inf(-1)), float32(math.Inf(1))
		if n := len(near); n >= 3 {
			if near[0] == near[2] {
				lo = near[0]
			}
			if near[n-1] == near[n-3] {
				hi = near[n-1]
			}
		}
		least, greatest = append(least, lo), append(greatest, hi)
	}
	return least, greatest
}

func TestFlatFinder(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 0))
	for _, size := range [][2]int{{1, 1}, {1, 5}, {2, 3}, {3, 1}, {17, 6}} {
		p := plane.New(size[0], size[1])
		for i := range p.Pix {
			p.Pix[i] = float32(rng.IntN(4)) / 3
		}
		finder := newFlatFinder(p.W)
		finder.begin(p.Row, p.H)
		level := func(v float32) uint16 { return uint16(3*v + 0.5) }
		for y := range p.H {
			var want []picture.Bounds
			least, greatest := flatBounds(p, y)
			for x, lo := range least {
				b := picture.Bounds{X: int32(x), Most: math.MaxUint16}
				if lo >= 0 {
					b.Least = level(lo)
				}
				if greatest[x] <= 1 {
					b.Most = level(greatest[x])
				}
				if lo >= 0 || greatest[x] <= 1 {
					want = append(want, b)
				}
			}
			if got := finder.appendBounds(nil, y, level); !slices.Equal(got, want) {
				t.Errorf("%d×%d, row %d: %v, expected %v", p.W, p.H, y, got, want)
			}
		}
	}
}
