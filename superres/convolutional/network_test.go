package convolutional

import (
	"math"
	"slices"
	"testing"

	"superres/internal/must"
	"superres/internal/picture"
	"superres/patches/plane"
)

// forward returns the residual of a network for brightness in float32, computed by the definition of Network. colour
// are the colour differences that the network sees, if it does.
func (n *Network) forward(low *plane.Plane, colour ...*plane.Plane) *plane.Plane {
	margin, inputs := n.Reach(), len(colour)+1
	w, h := low.W+2*margin, low.H+2*margin
	x := make([]float32, w*h*inputs)
	for i := range w * h {
		u, v := min(max(i%w-margin, 0), low.W-1), min(max(i/w-margin, 0), low.H-1)
		for k, c := range colour {
			x[i*inputs+k] = c.Row(v)[u] / 2
		}
		x[i*inputs+len(colour)] = low.Row(v)[u]
	}
	x = n.through(x, w, h)
	s := n.Scale
	out := plane.New(low.W*s, low.H*s)
	for i := range out.Pix {
		u, v := i%out.W, i/out.W
		out.Pix[i] = x[(v/s*low.W+u/s)*s*s+v%s*s+u%s]
	}
	return out
}

// through returns the output of the last layer for w×h samples of input.
func (n *Network) through(x []float32, w, h int) []float32 {
	var skipped []float32
	for i, l := range n.Layers {
		x, w, h = l.Apply(x, w, h)
		if i > n.Depth || i%n.Every() > 0 {
			continue
		}
		if i > 0 {
			n.addSkipped(x, skipped, w, h)
		}
		skipped = slices.Clone(x)
	}
	return x
}

// Products of some networks, as computed by hand.
func TestProducts(t *testing.T) {
	for _, c := range []struct {
		Architecture
		want int64
	}{
		{Architecture{Scale: 2, Channels: 16, Depth: 3}, 5*5*16 + 3*(9*16*16) + 9*16*4},
		{Architecture{Scale: 2, Channels: 48, Depth: 10}, 210_288}, // photo
		{Architecture{Scale: 4, Channels: 32, Depth: 18, Strength: true}, 171_296},
		{Architecture{Scale: 2, Channels: 16, Depth: 3, SeesColour: true}, 3*5*5*16 + 3*(9*16*16) + 9*16*4},
		// Colour has 2 and 9 inputs, and 2·9 outputs.
		{Architecture{Scale: 3, Channels: 16, Depth: 1, Colour: true}, 9*11*16 + 9*16*16 + 9*16*18},
	} {
		if got := c.Products(); got != c.want {
			t.Errorf("%+v: %d products, expected %d", c.Architecture, got, c.want)
		}
	}
}

// makeColour returns colour differences for a picture.
func makeColour(low *plane.Plane) []*plane.Plane {
	red, blue := plane.New(low.W, low.H), plane.New(low.W, low.H)
	for i, v := range low.Pix {
		red.Pix[i], blue.Pix[i] = 0.7*v-0.3, 0.5-v*v
	}
	return []*plane.Plane{red, blue}
}

// The mean of stages has the means of their numbers, to the rounding, and the grain of the first; of a stage alone it
// is that stage.
func TestMeanOf(t *testing.T) {
	shape := Architecture{Scale: 2, Channels: 16, Depth: 2, SeesColour: true, Strength: true, Trust: true}
	var networks []*Network
	var stages []*Stage
	for seed := range uint64(3) {
		n := randomise(NewNetwork(shape), seed)
		for i := range n.Layers {
			for k := range n.Layers[i].Levels[Trust] {
				n.Layers[i].Levels[Trust][k] = 0.1 * float32(seed)
			}
		}
		networks, stages = append(networks, n), append(stages, roundNetwork(t, n).WithGrain(float64(3+seed)))
	}
	mean := must.Get(MeanOf(stages...))(t)
	if g := mean.params.Grain; g != 3 {
		t.Errorf("a grain of %g, expected 3", g)
	}
	got := mean.Network()
	for i, l := range got.Layers {
		for j, list := range l.numbers() {
			for k, v := range list {
				want := float32(0)
				for _, n := range networks {
					want += n.Layers[i].numbers()[j][k] / float32(len(networks))
				}
				if d := v - want; d > 2e-3 || d < -2e-3 {
					t.Fatalf("layer %d, list %d, number %d: %g, expected %g", i, j, k, v, want)
				}
			}
		}
	}
	if alone := must.Get(MeanOf(stages[1]))(t); alone.Fingerprint() != stages[1].Fingerprint() {
		t.Error("the mean of one stage is another")
	}
}

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
