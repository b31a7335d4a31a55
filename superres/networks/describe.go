package networks

import (
	"fmt"

	"superres/superres/networks/graph"
)

// describe returns the architecture of a graph: "SRVGGNetCompact 64×32" if it is one, else the number of its
// convolutions and the largest number of output channels among them, such as "42 convolutions, 32 channels".
func describe(g *graph.Graph) string {
	if channels, layers, ok := asCompact(g); ok {
		return fmt.Sprintf("SRVGGNetCompact %d×%d", channels, layers)
	}
	count, most := 0, 0
	for _, n := range g.Nodes {
		switch op := n.Op.(type) {
		case graph.Conv:
			count, most = count+1, max(most, op.Out)
		case graph.ConvTranspose:
			count, most = count+1, max(most, op.Out)
		}
	}
	return fmt.Sprintf("%d convolutions, %d channels", count, most)
}

// asCompact reports whether g is an SRVGGNetCompact: a chain of 3×3 convolutions with a PReLU after each but the
// last, and a pixel shuffle, to which a nearest-neighbour enlargement of the picture is added; the sum may be reduced
// or clipped. channels is the number of channels of the layers, layers their number between the first and the last.
func asCompact(g *graph.Graph) (channels, layers int, ok bool) {
	at := 1 // the next node of the chain, in which each node takes the node before it alone
	chain := func(is func(graph.Op) bool) bool {
		if at >= len(g.Nodes) || len(g.Nodes[at].Inputs) != 1 || g.Nodes[at].Inputs[0] != at-1 || !is(g.Nodes[at].Op) {
			return false
		}
		at++
		return true
	}
	conv := func(op graph.Op) bool {
		c, is := op.(graph.Conv)
		return is && c.Height == 3 && c.Width == 3 && c.Groups == 1
	}
	activation := func(op graph.Op) bool { _, is := op.(graph.PReLU); return is }
	for chain(conv) && chain(activation) { // ends after the last convolution
		layers++
	}
	if layers < 2 || at >= len(g.Nodes) {
		return 0, 0, false
	}
	shuffle := func(op graph.Op) bool { _, is := op.(graph.PixelShuffle); return is }
	if !chain(shuffle) {
		return 0, 0, false
	}
	for i, n := range g.Nodes[at:] {
		switch op := n.Op.(type) {
		case graph.Resize:
			if i == 0 && (op.By != graph.Nearest || n.Inputs[0] != 0) {
				return 0, 0, false
			}
		case graph.Add, graph.Clip:
		default:
			return 0, 0, false
		}
	}
	return g.Nodes[1].Op.(graph.Conv).Out, layers - 1, true
}
