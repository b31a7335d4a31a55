package architectures

import (
	"fmt"
	"math"
	"slices"

	"superres/superres/networks/graph"
	"superres/superres/networks/weights"
)

// dat is DAT (Chen et al.: Dual Aggregation Transformer for Image Super-Resolution, ICCV 2023). Layers in which the
// pixels of oblong windows attend to each other alternate with layers in which channels attend to each other. A
// depthwise convolution of the values runs in parallel; each of the two results weights the other.
var dat = architecture{
	name: "DAT",
	has: func(tensors map[string]weights.Tensor) bool {
		return hasAll(tensors, "conv_first.weight", "before_RG.1.weight", "layers.0.blocks.0.attn.attns.0.rpe_biases",
			"layers.0.blocks.0.attn.dwconv.0.weight", "layers.0.blocks.0.ffn.sg.conv.weight") &&
			!hasAll(tensors, "layers.0.blocks.0.gamma") // RGT has it
	},
	build: func(b *builder) (output int, size string) {
		return b.transformer("before_RG.1", "layers.%d.blocks.%d.", b.datLayer)
	},
}

// datLayer adds layer i of a group: attention of channels or in windows, a depthwise convolution of the values beside
// it, and a gated MLP. After attention in windows, the convolution gives weights of channels for the attention, which
// gives weights of pixels for the convolution. After attention of channels it is the other way round.
func (b *builder) datLayer(name string, group, i, in int) int {
	attn := name + "attn."
	parts := b.split(b.linear(attn+"qkv", b.layerNorm(name+"norm1", 1e-5, in)), 3)
	beside := b.depthwise(attn+"dwconv.0", b.channels(in), parts[2])
	beside = b.add("", graph.GELU, b.batchNorm(attn+"dwconv.1", beside))
	ofChannels := func(x int) int {
		return b.weighting(attn+"channel_interaction.%d", 1, b.add("", graph.Reduce{OfPicture: true}, x))
	}
	ofPixels := func(x int) int { return b.weighting(attn+"spatial_interaction.%d", 0, x) }
	attended := 0
	if b.has(attn + "temperature") {
		attended = b.attendChannels(b.get(attn+"temperature", 3).Data, parts)
		ofChannels, ofPixels = ofPixels, ofChannels
	} else {
		// Every second layer with windows is moved, the second in even groups and the first in odd ones.
		isMoved := group%2 == 0 && i%4 == 2 || group%2 == 1 && i%4 == 0
		attended = b.add("", graph.Concat{}, b.attendHalf(attn, 0, isMoved, parts),
			b.attendHalf(attn, 1, isMoved, parts))
	}
	x := b.add("", graph.Add{}, b.add("", graph.Mul{}, attended, ofChannels(beside)),
		b.add("", graph.Mul{}, beside, ofPixels(attended)))
	x = b.add("", graph.Add{}, b.linear(attn+"proj", x), in)

	inner := b.add("", graph.GELU, b.linear(name+"ffn.fc1", b.layerNorm(name+"norm2", 1e-5, x)))
	gate := b.split(inner, 2)
	changed := b.depthwise(name+"ffn.sg.conv", b.channels(gate[1]), b.layerNorm(name+"ffn.sg.norm", 1e-5, gate[1]))
	inner = b.linear(name+"ffn.fc2", b.add("", graph.Mul{}, gate[0], changed))
	return b.add("", graph.Add{}, inner, x)
}

// weighting adds the nodes that make weights from 0 to 1 of x: two convolutions with a normalisation and GELU between
// them, and a sigmoid. format makes the name of a layer from its number. first is the number of the first convolution.
func (b *builder) weighting(format string, first, x int) int {
	x = b.batchNorm(fmt.Sprintf(format, first+1), b.conv(fmt.Sprintf(format, first), x))
	return b.add("", graph.Sigmoid, b.conv(fmt.Sprintf(format, first+3), b.add("", graph.GELU, x)))
}

// batchNorm adds the batch normalisation of the given name.
func (b *builder) batchNorm(name string, x int) int {
	b.used[name+".num_batches_tracked"] = true // of training, not needed
	var lists [4][]float32
	for i, key := range []string{".weight", ".bias", ".running_mean", ".running_var"} {
		lists[i] = b.get(name+key, 1).Data
	}
	op, err := graph.BatchNorm(lists[0], lists[1], lists[2], lists[3], 1e-5)
	if err != nil {
		b.fail("%q %w", name, err)
	}
	return b.add(name, op, x)
}

// attendChannels adds attention of the channels of a head to each other. parts are the nodes of queries, keys and
// values. Each channel of queries and keys is divided by its norm over the picture, at least 1e-12. The scores of a
// head are multiplied by its number in temperatures.
func (b *builder) attendChannels(temperatures []float32, parts []int) int {
	features, heads := b.channels(parts[0]), len(temperatures)
	n := features / heads
	if features%heads != 0 || heads > graph.MaxScores/max(n*n, 1) {
		b.fail("%d channels for %d heads of attention", features, heads)
		return parts[0]
	}
	var factors [2]int
	for k := range factors {
		norm := b.add("", graph.Reduce{By: graph.Norm, OfPicture: true}, parts[k])
		norm = b.add("", graph.Clip{Min: 1e-12, Max: math.MaxFloat32}, norm)
		factors[k] = b.add("", graph.Div{}, parts[k], norm)
	}
	scale := make([]float32, 0, heads*n*n)
	for _, t := range temperatures {
		scale = append(scale, slices.Repeat([]float32{t}, n*n)...)
	}
	windows := graph.Windows{Heads: heads}
	x := b.add("", graph.ChannelScores{Windows: windows}, factors[0], factors[1])
	x = b.add("", graph.Softmax{Size: n}, b.add("", graph.Affine{Scale: scale, Offset: []float32{0}}, x))
	return b.add("", graph.ChannelSum{Windows: windows}, x, parts[2])
}

// attendHalf adds attention in windows for one half of the channels, half 0 or 1. The list of distances that the file
// has for the half tells the h×w pixels of its windows. parts are the nodes of queries, keys and values. If isMoved is
// true, the picture is moved by half a window before, and back after.
func (b *builder) attendHalf(name string, half int, isMoved bool, parts []int) int {
	b.used[fmt.Sprintf("%sattn_mask_%d", name, half)] = true // computed from sizes
	name = fmt.Sprintf("%sattns.%d.", name, half)
	b.used[name+"relative_position_index"] = true
	distances := b.get(name+"rpe_biases", 2) // distances down and across, the least first
	rows, heads := distances.Shape[0], b.get(name+"pos.pos3.2.bias", 1).Shape[0]
	first := slices.Concat(distances.Data, []float32{0})[:2] // 1−h and 1−w, or 0 after an error
	h, w := int(1-max(first[0], -graph.MaxWindow)), int(1-max(first[1], -graph.MaxWindow))
	if n := h * w; min(h, w) < 1 || max(h, w) > graph.MaxWindow || rows != (2*h-1)*(2*w-1) || distances.Shape[1] != 2 ||
		heads > graph.MaxScores/n/n {
		b.fail("%q has the shape %v and begins with %g, which is no window of at most %d×%d pixels", name+"rpe_biases",
			distances.Shape, first, graph.MaxWindow, graph.MaxWindow)
		return parts[0]
	}
	table := b.positions(name+"pos.", distances.Data, heads)
	if b.err != nil {
		return parts[0]
	}
	a := attention{windows: graph.Windows{Height: h, Width: w, Heads: heads}}
	a.bias = b.spread(table, heads, h*w, h*w, distanceRow(h, w))
	if isMoved {
		a.rows, a.columns = h/2, w/2
	}
	var halves [3]int
	for k, part := range parts {
		size := b.channels(part) / 2
		halves[k] = b.roll(a.rows, a.columns, b.channelsOf(part, half*size, size))
	}
	return b.roll(-a.rows, -a.columns, b.attend(a, halves[0], halves[1], halves[2]))
}

// maxPositions bounds the time of positions: the numbers in distances, times the weights of the largest layer.
const maxPositions = 1 << 22

// positions runs the small network with which DAT computes biases from distances. distances has two numbers for each
// distance, down and across. The result has, distance after distance, a number for each head. Sums are in float64.
func (b *builder) positions(name string, distances []float32, heads int) []float32 {
	first := b.get(name+"pos_proj.weight", 2)
	n := first.Shape[0]
	if n > maxPositions/len(distances)/max(n, heads) {
		b.fail("%q has %d numbers for each of %d positions", name+"pos_proj", n, len(distances)/2)
		return nil
	}
	x := b.product(name+"pos_proj", distances, 2, n)
	for i, out := range []int{n, n, heads} {
		part := fmt.Sprintf("%spos%d.", name, i+1)
		scale, offset := b.get(part+"0.weight", 1).Data, b.get(part+"0.bias", 1).Data
		if len(scale) != n || len(offset) != n {
			b.fail("%q has %d weights and %d biases, expected %d", part+"0", len(scale), len(offset), n)
		}
		if b.err != nil {
			return nil
		}
		for k := 0; k < len(x); k += n {
			normalize(x[k:k+n], scale, offset)
		}
		x = b.product(part+"2", x, n, out)
	}
	return x
}

// normalize shifts and scales x to mean 0 and variance 1, multiplies by scale, adds offset and replaces negatives by 0.
func normalize(x, scale, offset []float32) {
	mean, variance := 0., 0.
	for _, v := range x {
		mean += float64(v) / float64(len(x))
	}
	for _, v := range x {
		variance += float64((float64(v) - mean) * (float64(v) - mean) / float64(len(x)))
	}
	factor := 1 / math.Sqrt(variance+1e-5)
	for i, v := range x {
		v := float64((float64(v)-mean)*factor) * float64(scale[i])
		x[i] = max(0, float32(float64(v)+float64(offset[i])))
	}
}

// product multiplies each vector of n numbers by the named matrix and adds biases. It returns out numbers per vector.
func (b *builder) product(name string, vectors []float32, n, out int) []float32 {
	w, bias := b.get(name+".weight", 2), b.get(name+".bias", 1).Data
	if b.err == nil && (w.Shape[0] != out || w.Shape[1] != n || len(bias) != out) {
		b.fail("%q has the shape %v and %d biases, expected [%d %d]", name, w.Shape, len(bias), out, n)
	}
	if b.err != nil {
		return nil
	}
	list := make([]float32, 0, len(vectors)/n*out)
	for ; len(vectors) > 0; vectors = vectors[n:] {
		for o, sum := range bias {
			sum := float64(sum)
			for i, v := range vectors[:n] {
				sum += float64(v) * float64(w.Data[o*n+i])
			}
			list = append(list, float32(sum))
		}
	}
	return list
}
