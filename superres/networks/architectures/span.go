package architectures

import (
	"fmt"

	"superres/superres/networks/graph"
	"superres/superres/networks/weights"
)

// span is SPAN (Wan et al.: Swift Parameter-free Attention Network, CVPRW 2024): six blocks, each of which computes
// (x+f)·(σ(f)−½) from its input x and the result f of three convolutions. If the file has no tensor no_norm, the
// network first subtracts the mean of DIV2K from samples and multiplies by 255.
var span = architecture{
	name: "SPAN", build: buildSPAN,
	has: func(tensors map[string]weights.Tensor) bool {
		_, found := tensors["upsampler.0.weight"]
		return found && hasConv3XC(tensors, "conv_1") && hasConv3XC(tensors, "block_6.c3_r")
	},
}

func hasConv3XC(tensors map[string]weights.Tensor, name string) bool {
	_, merged := tensors[name+".eval_conv.weight"]
	_, branches := tensors[name+".conv.0.weight"]
	return merged || branches
}

// meanOfDIV2K are the means of red, green and blue in the data set DIV2K, as rounded by SPAN's authors.
var meanOfDIV2K = []float32{0.4488, 0.4371, 0.4040}

// buildSPAN adds the nodes of a span. The size of the network is its channels.
func buildSPAN(b *builder) (output int, size string) {
	last := b.get("upsampler.0.weight", 4)
	channels := b.inputs("conv_1")
	x := b.add("input", graph.Input{Channels: channels})
	if b.has("no_norm") {
		b.used["no_norm"] = true // the tensor's presence says that samples are used as they are
	} else {
		offset := make([]float32, len(meanOfDIV2K))
		for i, mean := range meanOfDIV2K {
			offset[i] = -255 * mean
		}
		x = b.add("norm", graph.Affine{Scale: []float32{255}, Offset: offset}, x)
	}
	start := b.conv3XC("conv_1", x)
	var first, inner int
	x = start
	for i := 1; i <= 6; i++ {
		if x, inner = b.span(fmt.Sprintf("block_%d", i), x); i == 1 {
			first = x
		}
	}
	x = b.conv3XC("conv_2", x)
	// In the original, the SiLU after the first convolution of the last block works in place, so inner is its result.
	x = b.conv("conv_cat", b.add("", graph.Concat{}, start, x, first, inner))
	return b.shuffle(channels, b.conv("upsampler.0", x)), fmt.Sprint(last.Shape[1])
}

// spanF is SPANF (NTIRE 2025 challenge on efficient super-resolution): SPAN with five blocks, and, in place of the
// first convolution, a depthwise convolution of the input that bypasses the blocks.
var spanF = architecture{
	name: "SPANF", build: buildSPANF,
	has: func(tensors map[string]weights.Tensor) bool {
		return hasAll(tensors, "conv_near.weight") && hasConv3XC(tensors, "block_5.c3_r")
	},
}

// spanV2 is SPANV2 (NTIRE 2026 challenge on efficient super-resolution): SPANF with ReLU, with attention from a 1×1
// convolution, and with a depthwise and a 1×1 convolution at the end.
var spanV2 = architecture{
	name: "SPANV2", build: buildSPANV2,
	has: func(tensors map[string]weights.Tensor) bool {
		return hasAll(tensors, "conv_near.weight", "depthwise_conv.weight", "pointwise_conv.weight",
			"block_2.guidance_map_conv.weight") && hasConv3XC(tensors, "block_1.c1")
	},
}

// buildSPANV2 adds the nodes of a spanV2. The size of the network is its channels.
func buildSPANV2(b *builder) (output int, size string) {
	channels := b.inputs("block_1.c1")
	in := b.add("input", graph.Input{Channels: channels})
	skip := b.depthwise("conv_near", channels, in)
	x := in
	for i := 1; hasConv3XC(b.tensors, fmt.Sprintf("block_%d.c1", i)); i++ {
		name := fmt.Sprintf("block_%d.", i)
		before := x
		x = b.leaky(0, b.conv3XC(name+"c1", x))
		x = b.leaky(0, b.conv3XC(name+"c2", x))
		if x = b.conv3XC(name+"c3", x); !b.has(name + "guidance_map_conv.weight") {
			x = b.leaky(0, x) // no attention, as the input has another number of channels
			continue
		}
		x = b.add("", graph.Mul{}, b.add("", graph.Add{}, before, x), b.conv(name+"guidance_map_conv", x))
	}
	count := b.get("depthwise_conv.weight", 4).Shape[0]
	x = b.depthwise("depthwise_conv", count, b.add("", graph.Concat{}, skip, x))
	size = fmt.Sprint(b.get("block_2.guidance_map_conv.weight", 4).Shape[0])
	return b.shuffle(channels, b.conv("pointwise_conv", x)), size
}

// depthwise adds a depthwise convolution of node in: each channel is a group of its own.
func (b *builder) depthwise(name string, channels, in int) int {
	w := b.get(name+".weight", 4)
	return b.add(name, graph.Conv{Out: w.Shape[0], Height: w.Shape[2], Width: w.Shape[3], Dilation: 1, Groups: channels,
		Pad: samePadding(w), Weight: w.Data, Bias: b.bias(name)}, in)
}

// buildSPANF adds the nodes of a spanF. The size of the network is its channels.
func buildSPANF(b *builder) (output int, size string) {
	channels := b.inputs("block_1.c1_r")
	in := b.add("input", graph.Input{Channels: channels})
	skip := b.depthwise("conv_near", channels, in)
	x := in
	for _, c := range []string{"c1_r", "c2_r"} {
		x = b.add("", graph.SiLU, b.conv3XC("block_1."+c, x))
	}
	first := b.conv3XC("block_1.c3_r", x) // no attention, as the input has another number of channels
	x = first
	for i := 2; i <= 5; i++ {
		x, _ = b.span(fmt.Sprintf("block_%d", i), x)
	}
	suffix := ""
	if b.has("conv_cat_1.weight") { // PDS (NTIRE 2026): other names and numbers of channels
		suffix = "_1"
	}
	x = b.conv("conv_cat"+suffix, b.add("", graph.Concat{}, skip, x, first))
	size = fmt.Sprint(b.get("conv_cat"+suffix+".weight", 4).Shape[0])
	return b.shuffle(channels, b.conv3XC("conv_2"+suffix, x)), size
}

// inputs returns the number of input channels of the convolution that conv3XC adds for name; 0 if it has no weights.
func (b *builder) inputs(name string) int {
	for _, key := range []string{name + ".conv.0.weight", name + ".eval_conv.weight"} {
		if b.has(key) {
			return b.get(key, 4).Shape[1]
		}
	}
	return 0
}

// span adds a block of SPAN: (x + in)·(σ(x) − ½), where x is in after three convolutions. It returns the result, and
// inner, which is in after the first convolution and its SiLU.
func (b *builder) span(name string, in int) (out, inner int) {
	inner = b.add("", graph.SiLU, b.conv3XC(name+".c1_r", in))
	x := b.add("", graph.SiLU, b.conv3XC(name+".c2_r", inner))
	x = b.conv3XC(name+".c3_r", x)
	attention := b.add("", graph.Affine{Scale: []float32{1}, Offset: []float32{-0.5}}, b.add("", graph.Sigmoid, x))
	return b.add("", graph.Mul{}, b.add("", graph.Add{}, x, in), attention), inner
}

// conv3XC adds a convolution of 3×3 taps that was trained as the sum of two branches: a 1×1 convolution, called sk, and
// a chain of 1×1, 3×3 and 1×1 convolutions without activations, called conv. Files hold the branches, or their sum
// eval_conv, or all three. In the last case the sum may be out of date, so the branches are used.
func (b *builder) conv3XC(name string, in int) int {
	if !b.has(name + ".conv.0.weight") {
		return b.conv(name+".eval_conv", in)
	}
	for _, key := range []string{name + ".eval_conv.weight", name + ".eval_conv.bias"} {
		b.used[key] = true
	}
	w, bias := b.merge(name)
	return b.convolve(name, w, bias, in)
}

// maxMerged is the greatest number of channels that merge accepts. It bounds the time that merge takes.
const maxMerged = 512

// merge returns the weights and biases of the sum of two branches: conv, three convolutions one after another, and sk.
// conv pads only its input, not the results between its convolutions, so the merged bias is the same everywhere. Sums
// are in float64. If shapes do not fit each other, merge makes b fail, and returns weights of 0.
func (b *builder) merge(name string) (weights.Tensor, []float32) {
	var w [3]weights.Tensor
	var bias [3][]float32
	for i := range w {
		w[i] = b.get(fmt.Sprintf("%s.conv.%d.weight", name, i), 4)
		bias[i] = b.get(fmt.Sprintf("%s.conv.%d.bias", name, i), 1).Data
	}
	skip, skipBias := b.get(name+".sk.weight", 4), b.get(name+".sk.bias", 1).Data
	in, mid1, mid2, out := w[0].Shape[1], w[0].Shape[0], w[1].Shape[0], w[2].Shape[0]
	fits := hasShape(w[0], mid1, in, 1) && hasShape(w[1], mid2, mid1, 3) && hasShape(w[2], out, mid2, 1) &&
		hasShape(skip, out, in, 1) && len(bias[0]) == mid1 && len(bias[1]) == mid2 && len(bias[2]) == out &&
		len(skipBias) == out && max(in, mid1, mid2, out) <= maxMerged
	if !fits {
		b.fail("the branches of %q have the shapes %v, %v, %v and %v, expected 1×1, 3×3 and 1×1 taps, and 1×1, of "+
			"at most %d channels", name, w[0].Shape, w[1].Shape, w[2].Shape, skip.Shape, maxMerged)
		return weights.Tensor{Shape: []int{1, 1, 3, 3}, Data: make([]float32, 9)}, nil
	}
	// front[m, tap, i] is the weight of input i for channel m of the 3×3 convolution. Tap 9 of input 0 holds the bias.
	front := make([]float64, mid2*10*in)
	for m := range mid2 {
		for c := range mid1 {
			for tap := range 9 {
				v := float64(w[1].Data[(m*mid1+c)*9+tap])
				row := front[(m*10+tap)*in:][:in]
				for i := range row {
					row[i] += float64(v * float64(w[0].Data[c*in+i]))
				}
				front[(m*10+9)*in] += float64(v * float64(bias[0][c]))
			}
		}
		front[(m*10+9)*in] += float64(bias[1][m])
	}
	merged := weights.Tensor{Shape: []int{out, in, 3, 3}, Data: make([]float32, out*in*9)}
	sums := make([]float32, out)
	for o := range out {
		row := make([]float64, 10*in)
		for m := range mid2 {
			v := float64(w[2].Data[o*mid2+m])
			for j := range row {
				row[j] += float64(v * front[m*10*in+j])
			}
		}
		for i := range in {
			row[4*in+i] += float64(skip.Data[o*in+i]) // tap 4 is the centre
			for tap := range 9 {
				merged.Data[(o*in+i)*9+tap] = float32(row[tap*in+i])
			}
		}
		sums[o] = float32(row[9*in] + float64(bias[2][o]) + float64(skipBias[o]))
	}
	return merged, sums
}

// hasShape reports whether t is the weights of a convolution of k×k taps from `in` channels to `out` channels.
func hasShape(t weights.Tensor, out, in, k int) bool {
	return t.Shape[0] == out && t.Shape[1] == in && t.Shape[2] == k && t.Shape[3] == k
}
