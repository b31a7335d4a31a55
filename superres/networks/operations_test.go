package networks

import (
	"math/rand/v2"

	"superres/superres/networks/graph"
)

// random returns n values of the normal distribution.
func random(r *rand.Rand, n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(r.NormFloat64())
	}
	return list
}

func conv(r *rand.Rand, in, out, height, width, dilation, groups int, pad graph.Edges) graph.Conv {
	return graph.Conv{Out: out, Height: height, Width: width, Dilation: dilation, Groups: groups, Pad: pad,
		Weight: random(r, out*in/groups*height*width), Bias: random(r, out)}
}

func convTranspose(r *rand.Rand, in, out, kernel, stride, pad, extra, groups int) graph.ConvTranspose {
	return graph.ConvTranspose{Out: out, Kernel: kernel, Stride: stride, Pad: pad, Extra: extra, Groups: groups,
		Weight: random(r, in*out/groups*kernel*kernel), Bias: random(r, out)}
}

// cases returns operations with the channels of their inputs.
func cases() []struct {
	op graph.Op
	in []int
} {
	type op = struct {
		op graph.Op
		in []int
	}
	r := rand.New(rand.NewPCG(1, 2))
	all := graph.Edges{Top: 1, Left: 1, Bottom: 1, Right: 1}
	noBias := conv(r, 3, 32, 3, 3, 1, 1, all)
	noBias.Bias = nil
	list := []op{
		{noBias, []int{3}}, {conv(r, 16, 16, 1, 1, 1, 1, graph.Edges{}), []int{16}},
		{conv(r, 5, 7, 5, 3, 1, 1, graph.Edges{Top: 2, Left: 3, Right: 1}), []int{5}},
		{conv(r, 4, 20, 3, 3, 2, 1, graph.Edges{Top: 2, Left: 2, Bottom: 2, Right: 2}), []int{4}},
		{conv(r, 12, 6, 3, 1, 2, 3, all), []int{12}}, {conv(r, 6, 18, 1, 3, 3, 2, all), []int{6}},
		{conv(r, 9, 9, 3, 5, 1, 9, all), []int{9}}, {conv(r, 4, 8, 3, 3, 1, 4, all), []int{4}},
		{convTranspose(r, 3, 5, 4, 2, 1, 0, 1), []int{3}}, {convTranspose(r, 4, 6, 3, 2, 1, 1, 2), []int{4}},
		{convTranspose(r, 2, 2, 2, 2, 0, 1, 1), []int{2}}, {convTranspose(r, 2, 1, 9, 3, 4, 2, 1), []int{2}},
		{convTranspose(r, 3, 3, 1, 1, 0, 0, 3), []int{3}}, {convTranspose(r, 1, 2, 1, 3, 0, 2, 1), []int{1}},
		{graph.PReLU{Slope: random(r, 5)}, []int{5}}, {graph.PReLU{Slope: []float32{0}}, []int{5}},
		{graph.Clip{Min: -0.5, Max: 1}, []int{3}},
		{graph.Affine{Scale: random(r, 3), Offset: random(r, 1)}, []int{3}},
		{graph.Affine{Scale: random(r, 1), Offset: random(r, 3)}, []int{3}},
		{graph.Add{}, []int{3, 3}}, {graph.Sub{}, []int{1, 3}}, {graph.Sub{}, []int{3, 1}}, {graph.Mul{}, []int{4, 1}},
		{graph.Concat{}, []int{3, 1, 2}}, {graph.Select{Channels: []int{2, 0, 2}}, []int{3}},
		{graph.PixelShuffle{Factor: 3}, []int{18}}, {graph.PixelUnshuffle{Factor: 2}, []int{3}},
		{graph.Pad{Edges: graph.Edges{Top: 2, Left: -1, Bottom: -3, Right: 1}}, []int{2}},
		{graph.Pad{Edges: graph.Edges{Top: 2, Left: 3, Bottom: -3, Right: 1}, Mode: graph.PadEdge}, []int{2}},
		{graph.Pad{Edges: graph.Edges{Top: 5, Left: 7, Bottom: 4, Right: -2}, Mode: graph.PadReflect}, []int{2}},
	}
	for f := graph.Sigmoid; f <= graph.Positive; f++ {
		if f != graph.Sqrt { // of numbers below 0, which are no numbers
			list = append(list, op{f, []int{2}})
		}
	}
	for by := graph.Nearest; by <= graph.Bicubic; by++ {
		for _, aligned := range []bool{false, true} {
			for _, f := range [][2]int{{1, 1}, {2, 1}, {3, 1}, {4, 1}, {1, 2}, {1, 4}} {
				r := graph.Resize{By: by, Up: f[0], Down: f[1], A: -0.75, AlignCorners: aligned}
				list = append(list, op{r, []int{2}})
			}
			list = append(list, op{graph.Resize{By: by, A: -0.5, AlignCorners: aligned}, []int{2, 3}})
		}
	}
	pixels, channels := graph.Windows{Height: 4, Width: 8, Heads: 2}, graph.Windows{Heads: 3}
	return append(list, []op{
		{graph.Div{}, []int{3, 1}}, {graph.Max{}, []int{1, 3}}, {graph.Min{}, []int{3, 3}},
		{graph.Where{}, []int{3, 1, 3}}, {graph.Where{}, []int{1, 3, 3}},
		{graph.Pool{IsMax: true, Height: 3, Width: 2, Stride: 2, Pad: graph.Edges{Top: 1, Right: 1}}, []int{3}},
		{graph.Pool{Height: 2, Width: 3, Stride: 1, Pad: graph.Edges{Left: 2, Bottom: 1}}, []int{18}},
		{graph.Pool{Height: 3, Width: 3, Stride: 3, Pad: all, CountPad: true}, []int{3}},
		{graph.Reduce{OfPicture: true}, []int{3}}, {graph.Reduce{By: graph.Sum, OfChannels: true}, []int{20}},
		{graph.Reduce{By: graph.Norm, OfPicture: true, OfChannels: true}, []int{3}},
		{graph.Reduce{By: graph.Norm, OfChannels: true}, []int{3}},
		{graph.Reduce{By: graph.Maximum, OfPicture: true}, []int{3}},
		{graph.ReduceEach{By: graph.Norm, Size: 3}, []int{6}}, {graph.ReduceEach{By: graph.Sum, Size: 2}, []int{4}},
		{graph.ReduceEach{By: graph.Maximum, Size: 10}, []int{20}}, {graph.ReduceEach{Size: 1}, []int{3}},
		{graph.Normalize{Groups: 2, Epsilon: 1e-5}, []int{6}}, {graph.Normalize{Groups: 1, Epsilon: 1e-6}, []int{5}},
		{graph.Normalize{Groups: 3, OfPicture: true, Epsilon: 1e-5}, []int{6}}, {graph.Softmax{Size: 3}, []int{6}},
		{graph.Roll{Rows: 3, Columns: -5}, []int{3}}, {graph.Roll{Rows: -20, Columns: 30}, []int{2}},
		{graph.Interleave{Rows: 2, Columns: 8}, []int{3}},
		{graph.Interleave{Rows: 8, Columns: 3, Undo: true}, []int{3}},
		{graph.Scores{Windows: pixels}, []int{6, 6}}, {graph.ChannelScores{Windows: pixels}, []int{6, 6}},
		{graph.ChannelScores{Windows: channels}, []int{6, 6}},
	}...)
}
