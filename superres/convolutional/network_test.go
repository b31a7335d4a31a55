package convolutional

import (
	"slices"
	"testing"

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
