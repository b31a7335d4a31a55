package graphtest_test

import (
	"math"
	"testing"

	"superres/superres/networks/graph"
	"superres/superres/networks/graph/graphtest"
)

// TestNetworksLookLikeNetworks checks that activations are of order 1 and results are near the enlarged picture.
func TestNetworksLookLikeNetworks(t *testing.T) {
	for _, n := range graphtest.All() {
		g := n.Graph
		m := g.Measure()
		picture := graphtest.Picture(48, 32, g.Nodes[0].Op.(graph.Input).Channels, 1)
		largest := 0.0
		result := graphtest.EvalEach(g, picture, func(s graph.Samples) {
			for _, v := range s.Values {
				largest = max(largest, math.Abs(float64(v)))
			}
		})
		sum := 0.0
		for y := range result.H {
			for x := range result.W {
				for c, v := range result.At(x, y) {
					d := float64(v - picture.At(x/m.Scale, y/m.Scale)[c])
					sum += d * d
				}
			}
		}
		rms := math.Sqrt(sum / float64(len(result.Values)))
		t.Logf("%-14s ×%d, %.0f MACs, %d nodes, activations to %.1f, %.3f from the picture", n.Name, m.Scale, m.MACs,
			len(g.Nodes), largest, rms)
		if largest > 30 || !(rms < 0.2) {
			t.Errorf("%s: activations to %g, %g from the picture", n.Name, largest, rms)
		}
	}
}
