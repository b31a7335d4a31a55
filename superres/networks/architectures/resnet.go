package architectures

import (
	"fmt"

	"superres/superres/networks/graph"
	"superres/superres/networks/weights"
)

// edsr is EDSR (Lim et al.: Enhanced Deep Residual Networks, CVPRW 2017) with the names of BasicSR. It first subtracts
// the mean of DIV2K and multiplies by 255, and at the end undoes the two steps.
var edsr = architecture{
	name: "EDSR", build: buildEDSR,
	has: func(tensors map[string]weights.Tensor) bool {
		return hasAll(tensors, "conv_first.weight", "body.0.conv1.weight", "body.0.conv2.weight",
			"conv_after_body.weight")
	},
}

// buildEDSR adds the nodes of an edsr. The size of the network is its channels × its residual blocks.
func buildEDSR(b *builder) (output int, size string) {
	features := b.get("conv_first.weight", 4).Shape[0]
	down, up := make([]float32, len(meanOfDIV2K)), make([]float32, len(meanOfDIV2K))
	for i, mean := range meanOfDIV2K {
		down[i], up[i] = -255*mean, mean
	}
	x := b.add("input", graph.Input{Channels: 3})
	x = b.add("norm", graph.Affine{Scale: []float32{255}, Offset: down}, x)
	start := b.conv("conv_first", x)
	x, blocks := b.residual("body.%d.conv1", "body.%d.conv2", residualScale(features), start)
	x = b.add("", graph.Add{}, b.conv("conv_after_body", x), start)
	for i := 0; b.has(fmt.Sprintf("upsample.%d.weight", i)); i += 2 { // odd numbers are shuffles, without weights
		x = b.shuffle(features, b.conv(fmt.Sprintf("upsample.%d", i), x))
	}
	x = b.conv("conv_last", x)
	return b.add("denorm", graph.Affine{Scale: []float32{1.0 / 255}, Offset: up}, x),
		fmt.Sprintf("%d×%d", features, blocks)
}

// originalEDSR is EDSR with the names of its authors. It takes and returns samples from 0 to 255.
var originalEDSR = architecture{
	name: "EDSR", build: buildOriginalEDSR,
	has: func(tensors map[string]weights.Tensor) bool {
		_, found := tensors["sub_mean.weight"]
		_, tail := tensors["tail.0.0.weight"]
		return found && tail
	},
}

// buildOriginalEDSR adds the nodes of an originalEDSR, in which the file has the subtraction and the addition of the
// mean as convolutions. The size of the network is its channels × its residual blocks.
func buildOriginalEDSR(b *builder) (output int, size string) {
	b.white = 255
	features := b.get("head.0.weight", 4).Shape[0]
	x := b.conv("sub_mean", b.add("input", graph.Input{Channels: 3}))
	start := b.conv("head.0", x)
	x, blocks := b.residual("body.%d.body.0", "body.%d.body.2", residualScale(features), start)
	x = b.add("", graph.Add{}, b.conv(fmt.Sprintf("body.%d", blocks), x), start)
	for i := 0; b.has(fmt.Sprintf("tail.0.%d.weight", i)); i += 2 { // odd numbers are shuffles, without weights
		x = b.shuffle(features, b.conv(fmt.Sprintf("tail.0.%d", i), x))
	}
	return b.conv("add_mean", b.conv("tail.1", x)), fmt.Sprintf("%d×%d", features, blocks)
}

// residualScale returns EDSR's factor for residual blocks, as its authors chose: 0.1 for 256 channels or more, else 1.
func residualScale(features int) float32 {
	if features >= 256 {
		return 0.1
	}
	return 1
}

// srResNet is BasicSR's MSRResNet: SRResNet without batch normalisation, plus the bilinearly enlarged input.
var srResNet = architecture{
	name: "MSRResNet", build: buildSRResNet,
	has: func(tensors map[string]weights.Tensor) bool {
		_, found := tensors["upconv1.weight"]
		_, block := tensors["body.0.conv1.weight"]
		return found && block
	},
}

// buildSRResNet adds the nodes of an srResNet. The size of the network is its channels × its residual blocks.
func buildSRResNet(b *builder) (output int, size string) {
	first := b.get("conv_first.weight", 4)
	features := first.Shape[0]
	in := b.add("input", graph.Input{Channels: first.Shape[1]})
	x := b.leaky(0.1, b.conv("conv_first", in))
	x, blocks := b.residual("body.%d.conv1", "body.%d.conv2", 1, x) // 1: each block is added as it is
	scale := 1
	for i := 1; b.has(fmt.Sprintf("upconv%d.weight", i)); i++ {
		x = b.shuffle(features, b.conv(fmt.Sprintf("upconv%d", i), x))
		if shuffled, isShuffled := b.nodes[x].Op.(graph.PixelShuffle); isShuffled {
			scale *= shuffled.Factor
		}
		x = b.leaky(0.1, x)
	}
	x = b.conv("conv_last", b.leaky(0.1, b.conv("conv_hr", x)))
	in = b.add("bilinear", graph.Resize{By: graph.Bilinear, Up: scale, Down: 1}, in)
	return b.add("sum", graph.Add{}, x, in), fmt.Sprintf("%d×%d", features, blocks)
}

// residual adds residual blocks as long as the file has weights for them. A block is two convolutions with a ReLU
// between them, times scale, plus the input of the block. residual returns the result of the last block and the number
// of blocks. first and second are formats that make the names of a block's convolutions from its number.
func (b *builder) residual(first, second string, scale float32, in int) (out, blocks int) {
	out = in
	for ; b.has(fmt.Sprintf(first, blocks) + ".weight"); blocks++ {
		x := b.leaky(0, b.conv(fmt.Sprintf(first, blocks), out))
		x = b.conv(fmt.Sprintf(second, blocks), x)
		if scale != 1 {
			x = b.scale(scale, x)
		}
		out = b.add("", graph.Add{}, x, out)
	}
	return out, blocks
}
