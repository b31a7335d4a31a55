package architectures

import (
	"fmt"

	"superres/superres/networks/graph"
	"superres/superres/networks/weights"
)

// swinIR is SwinIR (Liang et al.: Image Restoration Using Swin Transformer, ICCVW 2021): the pixels of a window attend
// to each other; every other layer first moves the picture by half a window. hat is HAT (Chen et al.: Activating More
// Pixels in Image Super-Resolution Transformer, CVPR 2023). HAT adds convolutions with channel attention to each layer,
// and to each group of layers one in which windows attend to larger windows.
var swinIR, hat = architecture{name: "SwinIR", has: isSwin(false), build: buildSwin},
	architecture{name: "HAT", has: isSwin(true), build: buildSwin}

func isSwin(isHAT bool) func(map[string]weights.Tensor) bool {
	return func(tensors map[string]weights.Tensor) bool {
		const group = "layers.0.residual_group."
		return hasAll(tensors, "conv_first.weight", "patch_embed.norm.weight", group+"blocks.0.attn.proj.weight",
			group+"blocks.0.attn.relative_position_bias_table", group+"blocks.0.mlp.fc1.weight") &&
			isHAT == hasAll(tensors, group+"overlap_attn.qkv.weight", group+"blocks.0.conv_block.cab.0.weight")
	}
}

// buildSwin adds the nodes of a swinIR or hat. The size of the network is its channels and its layers.
func buildSwin(b *builder) (output int, size string) {
	for _, key := range []string{"relative_position_index_SA", "relative_position_index_OCA"} { // computed from sizes
		b.used[key] = true
	}
	return b.transformer("patch_embed.norm", "layers.%d.residual_group.blocks.%d.", b.swin)
}

// transformer adds the steps that SwinIR, HAT and DAT share: a convolution, a normalisation called embedding, groups of
// layers, and the end that enlarges. With 3 channels, it subtracts the mean of DIV2K first and adds it last. layer adds
// one layer. layers is the format for the name of a layer, made of the numbers of the group and the layer.
func (b *builder) transformer(embedding, layers string, layer func(name string, group, i, in int) int) (output int,
	size string) {
	first := b.get("conv_first.weight", 4)
	features, channels := first.Shape[0], first.Shape[1]
	in := b.add("input", graph.Input{Channels: channels})
	var mean []float32
	if channels == len(meanOfDIV2K) {
		for _, v := range meanOfDIV2K {
			mean = append(mean, -v)
		}
		in = b.add("norm", graph.Affine{Scale: []float32{1}, Offset: mean}, in)
	}
	start := b.conv("conv_first", in)
	x, groups, count := b.layerNorm(embedding, 1e-5, start), 0, 0
	for ; b.has(fmt.Sprintf(layers, groups, 0) + "norm1.weight"); groups++ {
		inner, i := x, 0
		for ; b.has(fmt.Sprintf(layers, groups, i) + "norm1.weight"); i++ {
			inner = layer(fmt.Sprintf(layers, groups, i), groups, i, inner)
		}
		count += i
		name := fmt.Sprintf("layers.%d.", groups)
		if overlapping := name + "residual_group.overlap_attn."; b.has(overlapping + "qkv.weight") {
			inner = b.attendOverlapping(overlapping, fmt.Sprintf(layers, groups, 0), inner)
		}
		x = b.add("", graph.Add{}, b.trunk(name+"conv", inner), x)
	}
	x = b.trunk("conv_after_body", b.layerNorm("norm", 1e-5, x))
	x = b.enlargeSwinIR(channels, b.add("", graph.Add{}, x, start))
	if mean != nil {
		x = b.add("denorm", graph.Affine{Scale: []float32{1}, Offset: meanOfDIV2K}, x)
	}
	return x, fmt.Sprintf("%d, %d layers", features, count)
}

// trunk adds a convolution of x, or three with LeakyReLU between them; the names of the weights tell which.
func (b *builder) trunk(name string, x int) int {
	if b.has(name + ".weight") {
		return b.conv(name, x)
	}
	x = b.leaky(0.2, b.conv(name+".0", x))
	x = b.leaky(0.2, b.conv(name+".2", x))
	return b.conv(name+".4", x)
}

// enlargeSwinIR adds the enlarging end of a SwinIR to x. There are three kinds of end: a light one, one of convolutions
// with a pixel shuffle each, and one of nearest-neighbour steps ×2 with a convolution each.
func (b *builder) enlargeSwinIR(channels, x int) int {
	if !b.has("conv_before_upsample.0.weight") { // light: one convolution, or none at scale 1
		if b.has("upsample.0.weight") {
			return b.shuffle(channels, b.conv("upsample.0", x))
		}
		return b.conv("conv_last", x)
	}
	x = b.leaky(0.01, b.conv("conv_before_upsample.0", x))
	features := b.get("conv_before_upsample.0.weight", 4).Shape[0]
	for i := 0; b.has(fmt.Sprintf("upsample.%d.weight", i)); i += 2 { // odd numbers are shuffles
		x = b.shuffle(features, b.conv(fmt.Sprintf("upsample.%d", i), x))
	}
	for i := 1; b.has(fmt.Sprintf("conv_up%d.weight", i)); i++ {
		x = b.add("nearest", graph.Resize{By: graph.Nearest, Up: 2, Down: 1}, x)
		x = b.leaky(0.2, b.conv(fmt.Sprintf("conv_up%d", i), x))
	}
	if b.has("conv_hr.weight") {
		x = b.leaky(0.2, b.conv("conv_hr", x))
	}
	return b.conv("conv_last", x)
}

// swin adds layer i of a group: attention in windows of the picture, which is moved by half a window if i is odd. In
// HAT, two convolutions are added beside it, with each channel weighted by a function of its mean, times 0.01.
func (b *builder) swin(name string, _, i, in int) int {
	for _, key := range []string{"attn.relative_position_index", "attn_mask"} { // computed from sizes
		b.used[name+key] = true
	}
	w, heads := b.window(name + "attn.")
	x := b.layerNorm(name+"norm1", 1e-5, in)
	sum := in
	if b.has(name + "conv_block.cab.0.weight") {
		inner := b.conv(name+"conv_block.cab.2", b.add("", graph.GELU, b.conv(name+"conv_block.cab.0", x)))
		means := b.conv(name+"conv_block.cab.3.attention.1", b.add("", graph.Reduce{OfPicture: true}, inner))
		means = b.add("", graph.Sigmoid, b.conv(name+"conv_block.cab.3.attention.3", b.leaky(0, means)))
		sum = b.add("", graph.Add{}, in, b.scale(0.01, b.add("", graph.Mul{}, inner, means)))
	}
	a := attention{windows: graph.Windows{Height: w, Width: w, Heads: heads}}
	if i%2 == 1 {
		a.rows, a.columns = w/2, w/2
	}
	a.bias = b.biases(name+"attn.", heads, w*w, w*w, (2*w-1)*(2*w-1), distanceRow(w, w))
	parts := b.split(b.linear(name+"attn.qkv", b.roll(a.rows, a.columns, x)), 3)
	x = b.roll(-a.rows, -a.columns, b.linear(name+"attn.proj", b.attend(a, parts[0], parts[1], parts[2])))
	return b.perceptron(name, b.add("", graph.Add{}, x, sum))
}

// window returns the side of the windows and the number of heads of the attention that the weights under name describe:
// the table of biases has a row for each of the (2·side − 1)² distances, and a column for each head. It fails for other
// tables and too large windows, and then returns 1 and 1.
func (b *builder) window(name string) (side, heads int) {
	table := b.get(name+"relative_position_bias_table", 2)
	distances := squareRoot(table.Shape[0])
	side, heads = (distances+1)/2, table.Shape[1]
	if distances%2 == 0 || side < 1 || side > graph.MaxWindow || heads > graph.MaxScores/side/side/side/side {
		b.fail("%q has the shape %v, expected (2·n − 1)² rows for windows of n×n pixels", name, table.Shape)
		return 1, 1
	}
	return side, heads
}

// attendOverlapping adds attention of windows, as large as in layer, to overlapping windows with 1.5 times the side.
func (b *builder) attendOverlapping(name, layer string, in int) int {
	w, heads := b.window(layer + "attn.")
	large := w + w/2
	a := attention{windows: graph.Windows{Height: w, Width: w, Heads: heads},
		keys: graph.Keys{Height: large, Width: large, Down: w, Across: w}}
	distances := w + large - 1
	a.bias = b.biases(name, heads, w*w, large*large, distances*distances, func(i, k int) int {
		down, across := k/large-i/w+w-large+1, k%large-i%w+w-large+1 // from i (small) to k (large), plus w−large+1
		at := down*distances + across
		if at < 0 { // counts from the end of the table, as in the original
			at += distances * distances
		}
		return at
	})
	parts := b.split(b.linear(name+"qkv", b.layerNorm(name+"norm1", 1e-5, in)), 3)
	for i, part := range parts[1:] {
		edge := (large - w) / 2 // zeros, so that each large window has its small one in the middle
		parts[1+i] = b.add("", graph.Pad{Edges: graph.Edges{Top: edge, Left: edge, Bottom: edge, Right: edge}}, part)
	}
	x := b.linear(name+"proj", b.attend(a, parts[0], parts[1], parts[2]))
	return b.perceptron(name, b.add("", graph.Add{}, x, in))
}

// perceptron adds the second half of a layer: normalisation, two matrices with GELU between them, and x, which it adds.
func (b *builder) perceptron(name string, x int) int {
	inner := b.add("", graph.GELU, b.linear(name+"mlp.fc1", b.layerNorm(name+"norm2", 1e-5, x)))
	return b.add("", graph.Add{}, b.linear(name+"mlp.fc2", inner), x)
}
