package superres

import (
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"superres/patches/plane"
	"testing"

	"superres/internal/picture"
)

// faults are what is wrong with an enlargement whatever the truth was, in levels.
type faults struct {
	ring, worst float64 // past the colours of areas and lines: on average, at most
	uneven      float64 // within areas, at most
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
		least, most := make([]float32, p.W), make([]float32, p.W)
		sum := 0.0
		for y := range out.Channels[c].H {
			areas(least, most, p, y/scale)
			for x, v := range out.Channels[c].Row(y) {
				past := 255 * float64(max(0, v-most[x/scale], least[x/scale]-v))
				f.worst, sum = max(f.worst, past), sum+past
				if area, ok := even(p, x/scale, y/scale); ok {
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

// even tells whether the 5×5 samples around a place are one value.
func even(p *plane.Plane, x, y int) (float32, bool) {
	v := p.Row(y)[x]
	for j := max(y-2, 0); j <= min(y+2, p.H-1); j++ {
		for _, s := range p.Row(j)[max(x-2, 0):min(x+3, p.W)] {
			if s != v {
				return v, false
			}
		}
	}
	return v, true
}

// The model rings less than bicubic interpolation around whatever has a colour of its own,
// on every kind of picture. Areas stay as they are, grey stays grey, and the mean nearly
// stays where nothing is cut off.
func TestKindsAreClean(t *testing.T) {
	if testing.Short() {
		t.Skip("nothing in it runs beside anything else")
	}
	for _, scale := range []int{2, 3, 4} {
		list, plain := enlargedKinds(t, "bicubic", scale)
		_, photo := enlargedKinds(t, "photo", scale)
		for i, k := range list {
			base, got := findFaults(k.img, plain[i], scale), findFaults(k.img, photo[i], scale)
			t.Logf("%s ×%d: rings of %.3f levels, %.0f at most; bicubic %.3f, %.0f; the mean moves by %.2f; %.2f", k.name, scale, got.ring, got.worst, base.ring, base.worst, got.drift, base.drift)
			if got.ring > base.ring || got.worst > base.worst || got.worst > 1 {
				t.Errorf("%s ×%d: rings of %.3f levels, %.0f at most; bicubic %.3f, %.0f", k.name, scale, got.ring, got.worst, base.ring, base.worst)
			}
			if got.uneven > 0 || got.tint > 0 {
				t.Errorf("%s ×%d: areas are off by %.0f levels, grey by %.0f", k.name, scale, got.uneven, got.tint)
			}
			// The network has learned from photographs alone: what has lines of one pixel in
			// light and dark grey becomes a little lighter or darker.
			limit := 1.0
			if k.name == "user interface" {
				limit = 2
			}
			if got.drift > max(base.drift, limit) {
				t.Errorf("%s ×%d: the mean moves by %.2f levels, with bicubic %.2f", k.name, scale, got.drift, base.drift)
			}
		}
	}
}

// A dot is no area: it may become brighter. A line, a corner and an area may not.
func TestAreas(t *testing.T) {
	p := plane.New(9, 5)
	p.Row(2)[1] = 1 // a dot
	for y := range p.H {
		p.Row(y)[5], p.Row(y)[8] = 0.5, 0.25 // a line, and one at the edge
	}
	least, most := make([]float32, p.W), make([]float32, p.W)
	areas(least, most, p, 2)
	none := float32(math.Inf(1))
	if want := []float32{none, none, none, 0, 0.5, 0.5, 0.5, 0.25, 0.25}; !slices.Equal(most, want) {
		t.Errorf("the greatest are %v, expected %v", most, want)
	}
	if want := make([]float32, p.W); !slices.Equal(least, want) {
		t.Errorf("the least are %v, expected %v", least, want)
	}
}

// areas is ties for row y of a plane, as plainly as can be.
func areas(least, most []float32, p *plane.Plane, y int) {
	for x := range p.W {
		lo, hi, los, his := float32(math.Inf(1)), float32(math.Inf(-1)), 0, 0
		for v := max(y-1, 0); v <= min(y+1, p.H-1); v++ {
			for _, s := range p.Row(v)[max(x-1, 0):min(x+2, p.W)] {
				if s < lo {
					lo, los = s, 0
				}
				if s > hi {
					hi, his = s, 0
				}
				if s == lo {
					los++
				}
				if s == hi {
					his++
				}
			}
		}
		if los < 3 {
			lo = float32(math.Inf(-1))
		}
		if his < 3 {
			hi = float32(math.Inf(1))
		}
		least[x], most[x] = lo, hi
	}
}

func TestLimits(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 0))
	for _, size := range [][2]int{{1, 1}, {1, 5}, {2, 3}, {3, 1}, {17, 6}} {
		p := plane.New(size[0], size[1])
		for i := range p.Pix {
			p.Pix[i] = float32(rng.IntN(4)) / 3
		}
		found := newFlatFinder(p.W)
		found.begin(p.Row, p.H)
		level := func(v float32) uint16 { return uint16(3*v + 0.5) }
		least, most := make([]float32, p.W), make([]float32, p.W)
		for y := range p.H {
			got := found.appendBounds(nil, y, level)
			areas(least, most, p, y)
			var want []picture.Bounds
			for x := range least {
				h := picture.Bounds{X: int32(x), Most: math.MaxUint16}
				if least[x] >= 0 {
					h.Least = level(least[x])
				}
				if most[x] <= 1 {
					h.Most = level(most[x])
				}
				if least[x] >= 0 || most[x] <= 1 {
					want = append(want, h)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d×%d, row %d: %v, expected %v", p.W, p.H, y, got, want)
			}
		}
	}
}

func meanOf(v []float32) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x)
	}
	return sum / float64(len(v))
}
