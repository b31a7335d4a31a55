package architectures

import (
	"fmt"

	"superres/superres/networks/graph"
	"superres/superres/networks/weights"
)

// rlfn is RLFN (Kong et al.: Residual Local Feature Network, CVPRW 2022): blocks of three convolutions and ESA,
// attention computed from a reduced picture. Samples may be 0 to 1 or 0 to 255: networks.Import finds out.
var rlfn = architecture{
	name: "RLFN", build: buildRLFN,
	has: func(tensors map[string]weights.Tensor) bool {
		return hasAll(tensors, "conv_1.weight", "block_1.c1_r.weight", "block_1.c5.weight", "block_1.esa.conv_f.weight",
			"upsampler.0.weight")
	},
}

func hasAll(tensors map[string]weights.Tensor, keys ...string) bool {
	for _, key := range keys {
		if _, found := tensors[key]; !found {
			return false
		}
	}
	return true
}

// buildRLFN adds the nodes of an rlfn. The size of the network is its channels × its blocks.
func buildRLFN(b *builder) (output int, size string) {
	first := b.get("conv_1.weight", 4)
	start := b.conv("conv_1", b.add("input", graph.Input{Channels: first.Shape[1]}))
	x, blocks := start, 0
	for ; b.has(fmt.Sprintf("block_%d.c1_r.weight", blocks+1)); blocks++ {
		name := fmt.Sprintf("block_%d.", blocks+1)
		inner := x
		for _, c := range []string{"c1_r", "c2_r", "c3_r"} {
			inner = b.leaky(0.05, b.conv(name+c, inner))
		}
		x = b.esa(name+"esa.", b.conv(name+"c5", b.add("", graph.Add{}, inner, x)))
	}
	x = b.add("", graph.Add{}, b.conv("conv_2", x), start)
	return b.shuffle(first.Shape[1], b.conv("upsampler.0", x)), fmt.Sprintf("%d×%d", first.Shape[0], blocks)
}

// esa multiplies x by a map that is computed from a reduced picture of x and enlarged again (Liu et al.: Residual
// Feature Aggregation Network, CVPR 2020). Its second convolution has stride 2 and no padding.
func (b *builder) esa(name string, x int) int {
	inner := b.conv(name+"conv1", x)
	w := b.get(name+"conv2.weight", 4)
	op := graph.Conv{Out: w.Shape[0], Height: w.Shape[2], Width: w.Shape[3], Dilation: 1, Groups: 1, Weight: w.Data,
		Bias: b.bias(name + "conv2")}
	reduced, err := graph.Strided(op, 2, w.Shape[1])
	if err != nil {
		b.fail("%q: %w", name+"conv2", err)
	}
	small := b.add(name+"conv2", reduced, b.add("", graph.PixelUnshuffle{Factor: 2}, inner))
	small = b.add("", graph.Pool{IsMax: true, Height: 7, Width: 7, Stride: 3}, small)
	small = b.conv(name+"conv3", small)
	large := b.add("", graph.Resize{By: graph.Bilinear}, small, x)
	large = b.conv(name+"conv4", b.add("", graph.Add{}, large, b.conv(name+"conv_f", inner)))
	return b.add("", graph.Mul{}, x, b.add("", graph.Sigmoid, large))
}

// safmn is SAFMN (Sun et al.: Spatially-Adaptive Feature Modulation, ICCV 2023): each block divides its channels into
// up to five parts (four as published), and convolves each part at a different size of the picture.
var safmn = architecture{
	name: "SAFMN", build: buildSAFMN,
	has: func(tensors map[string]weights.Tensor) bool {
		return hasAll(tensors, "to_feat.weight", "feats.0.safm.aggr.weight", "feats.0.norm1.weight", "to_img.0.weight")
	},
}

// buildSAFMN adds the nodes of a safmn. The size of the network is its channels × its blocks.
func buildSAFMN(b *builder) (output int, size string) {
	first := b.get("to_feat.weight", 4)
	features, channels := first.Shape[0], first.Shape[1]
	start := b.conv("to_feat", b.add("input", graph.Input{Channels: channels}))
	x, blocks := start, 0
	for ; b.has(fmt.Sprintf("feats.%d.safm.aggr.weight", blocks)); blocks++ {
		name := fmt.Sprintf("feats.%d.", blocks)
		x = b.add("", graph.Add{}, b.safm(name+"safm.", features, b.layerNorm(name+"norm1", 1e-6, x)), x)
		inner := b.conv(name+"ccm.ccm.0", b.layerNorm(name+"norm2", 1e-6, x))
		x = b.add("", graph.Add{}, b.conv(name+"ccm.ccm.2", b.add("", graph.GELU, inner)), x)
	}
	x = b.add("", graph.Add{}, x, start)
	return b.shuffle(channels, b.conv("to_img.0", x)), fmt.Sprintf("%d×%d", features, blocks)
}

// safm multiplies x, of the given number of features, by a map. It divides the channels of x into up to five parts,
// as many as have weights, reduces part i to maxima of blocks of side 2ⁱ, convolves and enlarges it, and joins all.
func (b *builder) safm(name string, features, x int) int {
	levels := 0
	for b.has(fmt.Sprintf("%smfr.%d.weight", name, levels)) && levels < 5 {
		levels++
	}
	if levels == 0 || features%levels != 0 {
		b.fail("%q has %d channels in %d parts", name, features, levels)
		return x
	}
	perPart := features / levels
	var parts []int
	for i := range levels {
		part, factor := b.channelsOf(x, i*perPart, perPart), 1<<i
		if i > 0 {
			part = b.add("", graph.Pool{IsMax: true, Height: factor, Width: factor, Stride: factor}, part)
		}
		part = b.depthwise(fmt.Sprintf("%smfr.%d", name, i), perPart, part)
		if i > 0 {
			part = b.add("", graph.Resize{By: graph.Nearest, Up: factor, Down: 1}, part)
		}
		parts = append(parts, part)
	}
	all := b.conv(name+"aggr", b.add("", graph.Concat{}, parts...))
	return b.add("", graph.Mul{}, b.add("", graph.GELU, all), x)
}

// layerNorm adds a normalisation over the channels of each pixel, with epsilon added to the variance, then the
// weights and biases of the given name.
func (b *builder) layerNorm(name string, epsilon float32, x int) int {
	x = b.add(name, graph.Normalize{Groups: 1, Epsilon: epsilon}, x)
	return b.add(name, graph.Affine{Scale: b.get(name+".weight", 1).Data, Offset: b.get(name+".bias", 1).Data}, x)
}

// plksr is PLKSR (Lee, Yun, Ro: Partial Large Kernel CNNs for Efficient Super-Resolution, 2024). The picture is added,
// enlarged by nearest neighbour. RealPLKSR also normalises groups of channels, and has Mish in place of GELU.
var plksr, realPLKSR = architecture{name: "PLKSR", has: isPLKSR(false), build: buildPLKSR},
	architecture{name: "RealPLKSR", has: isPLKSR(true), build: buildPLKSR}

func isPLKSR(isReal bool) func(map[string]weights.Tensor) bool {
	return func(tensors map[string]weights.Tensor) bool {
		return hasAll(tensors, "feats.0.weight", "feats.1.lk.conv.weight", "feats.1.refine.weight") &&
			mixerOf(tensors, 1) != "" && hasAll(tensors, "feats.1.norm.weight") == isReal
	}
}

// mixerOf returns the name of the channel mixer of a block, which files spell in two ways; empty if there is none.
func mixerOf(tensors map[string]weights.Tensor, block int) string {
	for _, word := range []string{"channe_mixer", "channel_mixer"} {
		name := fmt.Sprintf("feats.%d.%s.", block, word)
		if hasAll(tensors, name+"0.weight", name+"2.weight") {
			return name
		}
	}
	return ""
}

// buildPLKSR adds the nodes of a plksr or realPLKSR. The size of the network is its channels × its blocks.
func buildPLKSR(b *builder) (output int, size string) {
	first := b.get("feats.0.weight", 4)
	features, channels := first.Shape[0], first.Shape[1]
	in := b.add("input", graph.Input{Channels: channels})
	x, blocks := b.conv("feats.0", in), 0
	for ; mixerOf(b.tensors, blocks+1) != ""; blocks++ {
		name := fmt.Sprintf("feats.%d.", blocks+1)
		curve := graph.GELU
		if b.has(name + "norm.weight") {
			curve = graph.Mish
		}
		mixer := mixerOf(b.tensors, blocks+1)
		inner := b.conv(mixer+"2", b.add("", curve, b.conv(mixer+"0", x)))
		inner = b.convolvePart(name+"lk.conv", features, inner)
		if b.has(name + "attn.f.0.weight") {
			inner = b.add("", graph.Mul{}, inner, b.add("", graph.Sigmoid, b.conv(name+"attn.f.0", inner)))
		}
		inner = b.conv(name+"refine", inner)
		if curve == graph.Mish {
			const groups = 4 // as published
			inner = b.add("", graph.Normalize{Groups: groups, OfPicture: true, Epsilon: 1e-5}, inner)
			inner = b.add("", graph.Affine{Scale: b.get(name+"norm.weight", 1).Data,
				Offset: b.get(name+"norm.bias", 1).Data}, inner)
		}
		x = b.add("", graph.Add{}, inner, x)
	}
	last := fmt.Sprintf("feats.%d", blocks+1)
	if !b.has(last + ".weight") { // a dropout before the last convolution has a number too
		last = fmt.Sprintf("feats.%d", blocks+2)
	}
	x = b.shuffle(channels, b.conv(last, x))
	if shuffled, isShuffled := b.nodes[x].Op.(graph.PixelShuffle); isShuffled && shuffled.Factor > 1 {
		in = b.add("nearest", graph.Resize{By: graph.Nearest, Up: shuffled.Factor, Down: 1}, in)
	}
	return b.add("sum", graph.Add{}, x, in), fmt.Sprintf("%d×%d", features, blocks)
}

// convolvePart convolves the first n channels of x, where n is the number of outputs of the named convolution. The
// other channels stay as they are. features is the number of all channels of x.
func (b *builder) convolvePart(name string, features, x int) int {
	n := b.get(name+".weight", 4).Shape[0]
	if n > features {
		b.fail("%q has %d channels, expected at most %d", name, n, features)
		return x
	}
	changed := b.conv(name, b.channelsOf(x, 0, n))
	if n == features {
		return changed
	}
	return b.add("", graph.Concat{}, changed, b.channelsOf(x, n, features-n))
}
