package architectures

import (
	"fmt"
	"math"

	"superres/superres/networks/graph"
	"superres/superres/networks/weights"
)

// swinIR is SwinIR (Liang et al.: Image Restoration Using Swin Transformer, ICCVW 2021): the pixels of windows attend
// to each other, in every other layer of a picture that is moved by half a window.
var swinIR = architecture{
	name: "SwinIR",
	has: func(tensors map[string]weights.Tensor) bool {
		return hasAll(tensors, "conv_first.weight", "patch_embed.norm.weight", "conv_after_body.weight",
			"layers.0.residual_group.blocks.0.attn.relative_position_bias_table",
			"layers.0.residual_group.blocks.0.mlp.fc1.weight", "layers.0.residual_group.blocks.0.attn.proj.weight") &&
			!hasAll(tensors, "layers.0.residual_group.overlap_attn.qkv.weight")
	},
	build: buildSwinIR,
}

func buildSwinIR(b *builder) (output int, size string) {
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
	x, groups, layers := b.layerNorm("patch_embed.norm", 1e-5, start), 0, 0
	for ; b.has(fmt.Sprintf("layers.%d.residual_group.blocks.0.norm1.weight", groups)); groups++ {
		name := fmt.Sprintf("layers.%d.", groups)
		inner := x
		for i := 0; b.has(fmt.Sprintf("%sresidual_group.blocks.%d.norm1.weight", name, i)); i++ {
			inner = b.swin(fmt.Sprintf("%sresidual_group.blocks.%d.", name, i), i%2 == 1, inner)
			layers++
		}
		x = b.add("", graph.Add{}, b.trunk(name+"conv", inner), x)
	}
	x = b.trunk("conv_after_body", b.layerNorm("norm", 1e-5, x))
	x = b.enlargeSwinIR(channels, b.add("", graph.Add{}, x, start))
	if mean != nil {
		x = b.add("denorm", graph.Affine{Scale: []float32{1}, Offset: meanOfDIV2K}, x)
	}
	return x, fmt.Sprintf("%d, %d layers", features, layers)
}

// trunk adds a convolution, or three with LeakyReLU between them.
func (b *builder) trunk(name string, x int) int {
	if b.has(name + ".weight") {
		return b.conv(name, x)
	}
	x = b.leaky(0.2, b.conv(name+".0", x))
	x = b.leaky(0.2, b.conv(name+".2", x))
	return b.conv(name+".4", x)
}

// enlargeSwinIR adds the end of a SwinIR, of which there are three.
func (b *builder) enlargeSwinIR(channels, x int) int {
	if !b.has("conv_before_upsample.0.weight") { // light: one convolution, or none for the scale 1
		if b.has("upsample.0.weight") {
			return b.shuffle(channels, b.conv("upsample.0", x))
		}
		return b.conv("conv_last", x)
	}
	x = b.leaky(0.01, b.conv("conv_before_upsample.0", x))
	features := b.get("conv_before_upsample.0.weight", 4).Shape[0]
	for i := 0; b.has(fmt.Sprintf("upsample.%d.weight", i)); i += 2 {
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

// linear adds a product of the channels of each pixel with a matrix of outputs×inputs.
func (b *builder) linear(name string, x int) int {
	w := b.get(name+".weight", 2)
	return b.convolve(name, weights.Tensor{Shape: []int{w.Shape[0], w.Shape[1], 1, 1}, Data: w.Data}, b.bias(name), x)
}

// swin adds a layer of attention in windows, of a picture that is moved by half a window or not.
func (b *builder) swin(name string, isMoved bool, in int) int {
	table := b.get(name+"attn.relative_position_bias_table", 2)
	for _, key := range []string{"attn.relative_position_index", "attn_mask"} { // what follows from the sizes
		b.used[name+key] = true
	}
	heads, side := table.Shape[1], squareRoot(table.Shape[0])
	w := (side + 1) / 2
	features := b.get(name+"attn.proj.weight", 2).Shape[0]
	if side%2 == 0 || w < 1 || w > graph.MaxWindow || heads > graph.MaxScores/w/w/w/w || features%max(heads, 1) != 0 ||
		len(table.Data) != side*side*heads {
		b.fail("%q has the shape %v, expected those of a window of an odd number of distances", name+"attn",
			table.Shape)
		return in
	}
	n, shift := w*w, 0
	x := b.layerNorm(name+"norm1", 1e-5, in)
	if isMoved {
		shift = w / 2
		x = b.add("", graph.Roll{Rows: shift, Columns: shift}, x)
	}
	all := b.linear(name+"attn.qkv", x)
	var parts [3]int
	for k := range parts {
		order := make([]int, features)
		for i := range order {
			order[i] = k*features + i
		}
		parts[k] = b.add("", graph.Select{Channels: order}, all)
	}
	// The bias of pixels i and k of a window is that of their distance.
	bias := make([]float32, heads*n*n)
	for h := range heads {
		for i := range n {
			for k := range n {
				down, across := i/w-k/w+w-1, i%w-k%w+w-1
				bias[(h*n+i)*n+k] = table.Data[(down*side+across)*heads+h]
			}
		}
	}
	windows := graph.Windows{Height: w, Width: w, Heads: heads}
	query := b.scale(float32(1/math.Sqrt(float64(features/heads))), parts[0])
	scores := b.add("", graph.Scores{Windows: windows}, query, parts[1])
	scores = b.add("", graph.Affine{Scale: []float32{1}, Offset: bias}, scores)
	if shift > 0 {
		scores = b.add("", graph.ShiftMask{Height: w, Width: w, Heads: heads, Rows: shift, Columns: shift, Value: -100},
			scores)
	}
	x = b.add("", graph.WeightedSum{Windows: windows}, b.add("", graph.Softmax{Size: n}, scores), parts[2])
	x = b.linear(name+"attn.proj", x)
	if shift > 0 {
		x = b.add("", graph.Roll{Rows: -shift, Columns: -shift}, x)
	}
	x = b.add("", graph.Add{}, x, in)
	inner := b.add("", graph.GELU, b.linear(name+"mlp.fc1", b.layerNorm(name+"norm2", 1e-5, x)))
	return b.add("", graph.Add{}, b.linear(name+"mlp.fc2", inner), x)
}
