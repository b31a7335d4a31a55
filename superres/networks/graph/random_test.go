package graph_test

import (
	"math/rand/v2"

	"superres/superres/networks/graph"
	"superres/superres/networks/graph/graphtest"
)

// random returns n values of the normal distribution.
func random(r *rand.Rand, n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(r.NormFloat64())
	}
	return list
}

func randomSamples(r *rand.Rand, w, h, channels int) graph.Samples {
	s := graph.NewSamples(graph.Shape{W: w, H: h, Channels: channels})
	copy(s.Values, random(r, len(s.Values)))
	return s
}

func conv(r *rand.Rand, in, out, height, width, dilation, groups int, pad graph.Edges) graph.Conv {
	return graph.Conv{Out: out, Height: height, Width: width, Dilation: dilation, Groups: groups, Pad: pad,
		Weight: random(r, out*in/groups*height*width), Bias: random(r, out)}
}

func convTranspose(r *rand.Rand, in, out, kernel, stride, pad, extra, groups int) graph.ConvTranspose {
	return graph.ConvTranspose{Out: out, Kernel: kernel, Stride: stride, Pad: pad, Extra: extra, Groups: groups,
		Weight: random(r, in*out/groups*kernel*kernel), Bias: random(r, out)}
}

// oneOperation returns networks that have little beside one operation each, some of which reach up and down unequally.
func oneOperation(r *rand.Rand) (list []graphtest.Network) {
	add := func(name string, scale int, ops ...graph.Op) {
		b := graphtest.NewBuilder(3, 1)
		x := 0
		for _, op := range ops {
			x = b.Add(op, x)
		}
		if scale > 1 {
			b.Add(graph.Affine{Scale: []float32{2}, Offset: []float32{1}}, x)
		}
		list = append(list, graphtest.Network{Name: name, Graph: b.Graph()})
	}
	resize := func(by graph.Interpolation, up, down int) graph.Op {
		return graph.Resize{By: by, Up: up, Down: down, A: -0.75}
	}
	add("bicubic by 3/4", 3, resize(graph.Nearest, 4, 1), resize(graph.Bicubic, 3, 4))
	for up := 2; up <= 4; up++ {
		add("bilinear", up, resize(graph.Bilinear, up, 1))
		add("bicubic", up, resize(graph.Bicubic, up, 1))
		add("bilinear, down", 1, resize(graph.Nearest, up, 1), resize(graph.Bilinear, 1, up))
		add("bicubic, down", 1, resize(graph.Nearest, up, 1), resize(graph.Bicubic, 1, up))
		add("reduced first", 1, resize(graph.Bicubic, 1, 2), resize(graph.Bilinear, 2, 1))
		for pad := range 3 {
			add("transposed", up, graph.ConvTranspose{Out: 3, Kernel: up + 2*pad, Stride: up, Pad: pad, Groups: 1,
				Weight: random(r, 9*(up+2*pad)*(up+2*pad))})
		}
	}
	add("upwards", 1, conv(r, 3, 3, 5, 1, 2, 1, graph.Edges{Top: 8}))
	add("downwards", 1, conv(r, 3, 3, 5, 3, 1, 1, graph.Edges{Bottom: 4, Left: 1, Right: 1}))
	add("unshuffle", 1, graph.PixelUnshuffle{Factor: 4}, conv(r, 48, 48, 3, 3, 1, 1,
		graph.Edges{Top: 1, Left: 1, Bottom: 1, Right: 1}), graph.PixelShuffle{Factor: 4})
	add("shift", 1, graph.Pad{Edges: graph.Edges{Top: 3, Bottom: -3}})
	for _, mode := range []graph.PadMode{graph.PadEdge, graph.PadReflect} {
		add("padding", 1, graph.Pad{Edges: graph.Edges{Top: 4, Bottom: 1}, Mode: mode},
			conv(r, 3, 3, 6, 1, 1, 1, graph.Edges{}))
	}
	return list
}
