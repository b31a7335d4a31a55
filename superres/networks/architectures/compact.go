package architectures

import (
	"fmt"
	"strconv"
	"strings"

	"superres/superres/networks/graph"
	"superres/superres/networks/weights"
)

// compact is SRVGGNetCompact (Wang, Xie, Dong, Shan: Real-ESRGAN, ICCVW 2021): a chain of 3×3 convolutions with PReLU
// between them, and a pixel shuffle; the input, enlarged by nearest neighbour, is added. Layers have numbers; odd
// numbers are activations, which have no weights if they are ReLU.
var compact = architecture{
	name: "SRVGGNetCompact", build: buildCompact,
	has: func(tensors map[string]weights.Tensor) bool {
		first, found := tensors["body.0.weight"]
		_, another := tensors["body.2.weight"]
		return found && another && len(first.Shape) == 4
	},
}

// buildCompact adds the nodes of a compact. The size of the network is its channels × its inner convolutions, and the
// word ReLU if there are no slopes. It fails if the numbers of layers have gaps or do not end with a convolution.
func buildCompact(b *builder) (output int, size string) {
	first := b.get("body.0.weight", 4)
	channels, features := first.Shape[1], first.Shape[0]
	last := 0 // number of the last layer
	for key := range b.tensors {
		number, isWeight := strings.CutSuffix(strings.TrimPrefix(key, "body."), ".weight")
		if n, err := strconv.Atoi(number); isWeight && err == nil {
			last = max(last, n)
		}
	}
	if last%2 != 0 || last > 2*len(b.tensors) { // at least every second layer has a tensor
		b.fail("the number of the last layer is %d, expected an even one and no gaps", last)
		return 0, ""
	}
	size = fmt.Sprintf("%d×%d", features, last/2-1)
	hasSlopes := b.has("body.1.weight")
	if !hasSlopes {
		size += " ReLU"
	}
	in := b.add("input", graph.Input{Channels: channels})
	x := in
	for i := 0; i < last; i += 2 {
		x = b.conv(fmt.Sprintf("body.%d", i), x)
		name := fmt.Sprintf("body.%d", i+1)
		if hasSlopes {
			x = b.add(name, graph.PReLU{Slope: b.get(name+".weight", 1).Data}, x)
		} else {
			x = b.leaky(0, x)
		}
	}
	x = b.shuffle(channels, b.conv(fmt.Sprintf("body.%d", last), x))
	if shuffled, isShuffled := b.nodes[x].Op.(graph.PixelShuffle); isShuffled && shuffled.Factor > 1 {
		in = b.add("nearest", graph.Resize{By: graph.Nearest, Up: shuffled.Factor, Down: 1}, in)
	}
	return b.add("sum", graph.Add{}, x, in), size
}
