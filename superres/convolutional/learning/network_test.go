package learning

import (
	"math"
	"math/rand/v2"
	"testing"

	"superres/patches/plane"
	"superres/superres/convolutional"
)

// random returns a network for scale 2, of 16 channels and random weights, whose chain changes
// what passes it a little. Its residual is about a tenth of the picture.
func random(depth int, seed uint64) *convolutional.Network {
	n := convolutional.NewNetwork(convolutional.Architecture{Scale: 2, Channels: 16, Depth: depth})
	rng := rand.New(rand.NewPCG(seed, 9))
	for i, l := range n.Layers {
		size := 1.0
		if i == len(n.Layers)-1 {
			size = 0.1
		}
		for k := range l.Weight {
			l.Weight[k] = float32(size / math.Sqrt(float64(l.Side*l.Side*l.In)) * rng.NormFloat64())
		}
		for o := range l.Bias {
			l.Bias[o] = float32(0.02 * rng.NormFloat64())
		}
	}
	return n
}

func rounded(t testing.TB, n *convolutional.Network) *convolutional.Stage {
	t.Helper()
	s, err := convolutional.NewStage(n)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// defined returns the residual of a network as its definition says, layer by layer, with which the
// loops of training are compared.
func defined(n *convolutional.Network, low *plane.Plane) *plane.Plane {
	margin, last := n.Reach(), len(n.Layers)-1
	w, h := low.W+2*margin, low.H+2*margin
	x := make([]float32, 0, w*h)
	for v := range h {
		for u := range w {
			x = append(x, low.Row(min(max(v-margin, 0), low.H-1))[min(max(u-margin, 0), low.W-1)])
		}
	}
	var first []float32
	for i, l := range n.Layers {
		if i == last { // h_M + f, where both are
			for v := range h {
				for u := range w {
					for c := range n.Channels {
						x[(v*w+u)*n.Channels+c] += first[((v+n.Depth)*(w+2*n.Depth)+u+n.Depth)*n.Channels+c]
					}
				}
			}
		}
		if x, w, h = l.Apply(x, w, h); i == 0 {
			first = x
		}
	}
	s := n.Scale
	out := plane.New(low.W*s, low.H*s)
	for i := range out.Pix {
		u, v := i%out.W, i/out.W
		out.Pix[i] = x[(v/s*low.W+u/s)*s*s+v%s*s+u%s]
	}
	return out
}
