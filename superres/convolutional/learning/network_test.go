package learning

import (
	"math"
	"math/rand/v2"
	"testing"

	"superres/internal/must"
	"superres/superres/convolutional"
)

// sampleNetwork returns a network for scale 2 with 16 channels and random weights. Its residual is about a
// tenth of the picture.
func sampleNetwork(depth int, seed uint64) *convolutional.Network {
	return randomise(convolutional.NewNetwork(convolutional.Architecture{Scale: 2, Channels: 16, Depth: depth}), seed)
}

// randomise sets the weights and biases of n at random, and returns n.
func randomise(n *convolutional.Network, seed uint64) *convolutional.Network {
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

func roundNetwork(t testing.TB, n *convolutional.Network) *convolutional.Stage {
	t.Helper()
	return must.Get(convolutional.NewStage(n))(t)
}
