package graphtest

import "superres/superres/networks/graph"

// Compact returns an SRVGGNetCompact: layers + 2 convolutions of 3×3 taps, with a PReLU after each except the last,
// then a pixel shuffle and the addition of the enlarged picture.
func Compact(features, layers, scale int, seed uint64) *graph.Graph {
	b := NewBuilder(3, seed)
	x := b.PReLU(b.Conv(0, features, 3, 1))
	for range layers {
		x = b.PReLU(b.Conv(x, features, 3, 1))
	}
	x = b.Add(graph.PixelShuffle{Factor: scale}, b.Conv(x, 3*scale*scale, 3, 0.05))
	b.Add(graph.Add{}, x, b.Enlarge(scale))
	return b.Graph()
}

// RRDB returns an RRDBNet with the given numbers of features, blocks and growth channels, for scale 4, 2 or 1. For
// scales 2 and 1 it begins with a pixel unshuffle by 4/scale.
func RRDB(features, blocks, growth, scale int, seed uint64) *graph.Graph {
	b := NewBuilder(3, seed)
	x := 0
	if scale < 4 {
		x = b.Add(graph.PixelUnshuffle{Factor: 4 / scale}, x)
		// Output o < 3 carries the first of the n channels into which colour o is unshuffled: a reduced picture.
		n := 16 / scale / scale
		x = b.conv(x, features, 3, 1, 0.3, func(o int) int {
			if o < 3 {
				return o * n
			}
			return -1
		})
	} else {
		x = b.Carry(x, features, 3, 1, 0.3)
	}
	first := x
	for range blocks {
		x = b.residualBlock(x, growth)
	}
	x = b.Add(graph.Add{}, first, b.Conv(x, features, 3, 0.05))
	for range 2 {
		x = b.Add(graph.Resize{By: graph.Nearest, Up: 2, Down: 1}, x)
		x = b.LeakyReLU(b.Carry(x, features, 3, 1, 0.05), 0.2)
	}
	x = b.LeakyReLU(b.Carry(x, features, 3, 1, 0.05), 0.2)
	b.Carry(x, 3, 3, 1, 0.05)
	return b.Graph()
}

// residualBlock adds three dense blocks: four convolutions each, which take the input and all results before, and a
// fifth that joins them. Times 0.2, each block's result is added to its input, and the last sum to the first input.
func (b *Builder) residualBlock(x, growth int) int {
	first, features := x, b.channels[x]
	for range 3 {
		start, all := x, x
		list := []int{x}
		for range 4 {
			list = append(list, b.LeakyReLU(b.Conv(all, growth, 3, 0.5), 0.2))
			all = b.Add(graph.Concat{}, list...)
		}
		x = b.Add(graph.Add{}, b.Scale(b.Conv(all, features, 3, 0.5), 0.2), start)
	}
	return b.Add(graph.Add{}, b.Scale(x, 0.2), first)
}

// SPAN returns a network of swift parameter-free attention blocks: (x + f)·(σ(f) − ½); f is x after 3 convolutions.
func SPAN(features, blocks, scale int, seed uint64) *graph.Graph {
	b := NewBuilder(3, seed)
	x := b.Add(graph.Affine{Scale: []float32{1}, Offset: []float32{-0.4488, -0.4371, -0.404}}, 0)
	first := b.Carry(x, features, 3, 1, 0.3)
	x = first
	var ends []int
	var inner int // the result of the first convolution in the last block
	for range blocks {
		inner = b.Conv(x, features, 3, 1)
		f := b.Add(graph.SiLU, b.Conv(b.Add(graph.SiLU, inner), features, 3, 2))
		f = b.Conv(f, features, 3, 2)
		attention := b.Add(graph.Affine{Scale: []float32{1}, Offset: []float32{-0.5}}, b.Add(graph.Sigmoid, f))
		x = b.Add(graph.Mul{}, b.Add(graph.Add{}, f, x), attention)
		ends = append(ends, x)
	}
	all := b.Add(graph.Concat{}, first, b.Conv(x, features, 3, 1), ends[0], inner)
	x = b.Carry(b.Carry(all, features, 1, 1, 0.1), 3*scale*scale, 3, scale*scale, 0.1)
	x = b.Add(graph.PixelShuffle{Factor: scale}, x)
	b.Add(graph.Affine{Scale: []float32{1}, Offset: []float32{0.4488, 0.4371, 0.404}}, x)
	return b.Graph()
}

// Skipping returns a network of `layers` convolutions with SiLU, in groups of four. Each group adds its input.
func Skipping(features, layers, scale int, seed uint64) *graph.Graph {
	b := NewBuilder(3, seed)
	x := b.Carry(0, features, 3, 1, 0.3)
	first, skip := x, x
	for i := range layers {
		x = b.Add(graph.SiLU, b.Conv(x, features, 3, 1))
		if i%4 == 3 {
			x = b.Add(graph.Add{}, x, skip)
			skip = x
		}
	}
	x = b.Add(graph.Add{}, b.Conv(x, features, 3, 0.1), first)
	b.Add(graph.PixelShuffle{Factor: scale}, b.Carry(x, 3*scale*scale, 3, scale*scale, 0.05))
	return b.Graph()
}

// Transposed returns a convolution, a PReLU and an enlarging transposed convolution, plus a bilinear enlargement.
func Transposed(features, scale int, seed uint64) *graph.Graph {
	b := NewBuilder(3, seed)
	x := b.ConvTranspose(b.PReLU(b.Conv(0, features, 5, 1)), 3, scale, 0.05)
	b.Add(graph.Add{}, x, b.Add(graph.Resize{By: graph.Bilinear, Up: scale, Down: 1}, 0))
	return b.Graph()
}

// Separable returns a network of depthwise, grouped and 1×1 convolutions with GELU, tanh, HardSwish and Mish, scale 2.
func Separable(features int, seed uint64) *graph.Graph {
	b := NewBuilder(3, seed)
	x := b.Conv(0, features, 3, 1)
	for _, f := range []graph.Function{graph.GELU, graph.Tanh, graph.HardSwish, graph.Mish} {
		y := b.GroupedConv(x, features, 7, features, 1)
		y = b.Add(f, b.Conv(y, 2*features, 1, 1))
		x = b.Add(graph.Add{}, x, b.GroupedConv(y, features, 3, 4, 0.5))
	}
	x = b.Add(graph.PixelShuffle{Factor: 2}, b.Conv(x, 12, 3, 0.05))
	b.Add(graph.Add{}, x, b.Enlarge(2))
	return b.Graph()
}

// Gated returns a network for scale 2 that multiplies its features by a map of one channel, multiplies one half of the
// features by the other half, pads with zeros and crops.
func Gated(features int, seed uint64) *graph.Graph {
	b := NewBuilder(3, seed)
	x := b.LeakyReLU(b.Conv(0, features, 3, 1), 0.1)
	gate := b.Add(graph.Sigmoid, b.Conv(x, 1, 1, 1))
	x = b.Add(graph.Mul{}, x, gate)
	var low, high []int
	for i := range features / 2 {
		low, high = append(low, i), append(high, features/2+i)
	}
	x = b.Add(graph.Mul{}, b.Add(graph.Select{Channels: low}, x), b.Add(graph.Select{Channels: high}, x))
	x = b.Add(graph.Pad{Edges: graph.Edges{Top: 2, Left: 2, Bottom: 2, Right: 2}}, x)
	x = b.Conv(b.Add(graph.Clip{Min: 0, Max: 6}, x), features, 3, 1)
	x = b.Add(graph.Pad{Edges: graph.Edges{Top: -2, Left: -2, Bottom: -2, Right: -2}}, x)
	x = b.Add(graph.PixelShuffle{Factor: 2}, b.Conv(x, 12, 3, 0.05))
	b.Add(graph.Sub{}, b.Enlarge(2), x)
	return b.Graph()
}

// Reducing returns a network like Compact with scale 4, and a bicubic reduction of its result to the given scale.
func Reducing(features, layers, scale int, seed uint64) *graph.Graph {
	b := NewBuilder(3, seed)
	x := b.PReLU(b.Conv(0, features, 3, 1))
	for range layers {
		x = b.PReLU(b.Conv(x, features, 3, 1))
	}
	x = b.Add(graph.PixelShuffle{Factor: 4}, b.Conv(x, 48, 3, 0.05))
	x = b.Add(graph.Add{}, x, b.Enlarge(4))
	b.Add(graph.Resize{By: graph.Bicubic, Up: 1, Down: 4 / scale, A: -0.75}, x)
	return b.Graph()
}

// Brightness returns a network of one channel, for scale 1 to 4.
func Brightness(features, layers, scale int, seed uint64) *graph.Graph {
	b := NewBuilder(1, seed)
	x := b.LeakyReLU(b.Conv(0, features, 5, 1), 0)
	for range layers {
		x = b.LeakyReLU(b.Conv(x, features, 3, 1), 0)
	}
	x = b.Conv(x, scale*scale, 3, 0.05)
	if scale > 1 {
		x = b.Add(graph.PixelShuffle{Factor: scale}, x)
		b.Add(graph.Add{}, x, b.Enlarge(scale))
	} else {
		b.Add(graph.Add{}, x, 0)
	}
	return b.Graph()
}

// Ranged returns a graph that converts samples from r.In to 0..1, computes g, and converts the result into r.Out.
func Ranged(g *graph.Graph, r graph.Ranges) *graph.Graph {
	size := r.In.White - r.In.Black
	affine := func(scale, offset float32) graph.Op {
		return graph.Affine{Scale: []float32{scale}, Offset: []float32{offset}}
	}
	out := &graph.Graph{Range: 1, Nodes: []graph.Node{g.Nodes[0],
		{Op: affine(1/size, -r.In.Black/size), Inputs: []int{0}}}}
	for _, node := range g.Nodes[1:] {
		moved := graph.Node{Name: node.Name, Op: node.Op}
		for _, from := range node.Inputs {
			moved.Inputs = append(moved.Inputs, from+1)
		}
		out.Nodes = append(out.Nodes, moved)
	}
	out.Output = len(out.Nodes)
	out.Nodes = append(out.Nodes, graph.Node{Op: affine(r.Out.White-r.Out.Black, r.Out.Black),
		Inputs: []int{g.Output + 1}})
	return out
}

// Network is one of the networks that All returns.
type Network struct {
	Name  string
	Graph *graph.Graph
}

// All returns a small network of each kind.
func All() []Network {
	return []Network{
		{"Compact", Compact(16, 3, 4, 1)}, {"Compact ×2", Compact(24, 2, 2, 2)}, {"RRDB", RRDB(16, 1, 8, 4, 3)},
		{"RRDB ×2", RRDB(16, 1, 8, 2, 4)}, {"RRDB ×1", RRDB(16, 1, 8, 1, 5)}, {"SPAN", SPAN(16, 2, 4, 6)},
		{"Skipping", Skipping(16, 4, 4, 7)}, {"Transposed ×3", Transposed(16, 3, 8)},
		{"Transposed ×2", Transposed(8, 2, 9)}, {"Separable", Separable(16, 10)}, {"Gated", Gated(16, 11)},
		{"Reducing ×2", Reducing(16, 1, 2, 12)}, {"Reducing ×1", Reducing(16, 1, 1, 13)},
		{"Brightness ×3", Brightness(16, 2, 3, 14)}, {"Brightness ×1", Brightness(16, 2, 1, 15)},
	}
}
