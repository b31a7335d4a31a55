package networks

import (
	"testing"

	"superres/superres/networks/graph"
	"superres/superres/networks/graph/graphtest"
)

// further returns small networks of means, norms and attention, as published ones have them.
func further() []graphtest.Network {
	start := func() (b *graphtest.Builder, x int) {
		b = graphtest.NewBuilder(3, 5)
		return b, b.Carry(0, 12, 3, 1, 0.5)
	}
	var list []graphtest.Network
	end := func(name string, b *graphtest.Builder, x int) {
		b.Add(graph.PixelShuffle{Factor: 2}, b.Carry(x, 12, 3, 4, 0.1))
		list = append(list, graphtest.Network{Name: name, Graph: b.Graph()})
	}

	b, x := start()
	small := b.Conv(b.Add(graph.PixelUnshuffle{Factor: 2, Extend: true}, x), 8, 3, 1)
	small = b.Add(graph.Pool{IsMax: true, Height: 3, Width: 3, Stride: 2}, small)
	back := b.Add(graph.Resize{By: graph.Bilinear}, b.Conv(small, 12, 3, 1), x)
	end("ESA", b, b.Add(graph.Mul{}, x, b.Add(graph.Sigmoid, back)))

	b, x = start()
	mean := b.Conv(b.Add(graph.Reduce{OfPicture: true}, x), 12, 1, 1)
	x = b.Add(graph.Mul{}, b.Add(graph.Sigmoid, mean), x) // the pixel first
	x = b.Add(graph.Sub{}, mean, x)
	x = b.Add(graph.Add{}, x, b.Add(graph.Div{}, x, b.Add(graph.Exp, mean)))
	end("means", b, b.Add(graph.Where{}, b.Add(graph.Positive, x), x, mean))

	b, x = start()
	centred := b.Add(graph.Sub{}, x, b.Add(graph.Reduce{OfChannels: true}, x))
	deviation := b.Add(graph.Affine{Scale: []float32{1}, Offset: []float32{0.1}}, b.Add(graph.Sqrt,
		b.Add(graph.Reduce{OfChannels: true}, b.Add(graph.Square, centred))))
	x = b.Add(graph.Add{}, b.Add(graph.Div{}, centred, deviation), b.Add(graph.Normalize{Groups: 1, Epsilon: 1e-5}, x))
	end("norms", b, b.Add(graph.Add{}, x, b.Add(graph.Normalize{Groups: 4, OfPicture: true, Epsilon: 1e-5}, x)))

	b, x = start()
	windows := graph.Windows{Height: 4, Width: 4, Heads: 3}
	moved := b.Add(graph.Roll{Rows: 2, Columns: 2}, x)
	scores := b.Add(graph.Scores{Windows: windows}, b.Conv(moved, 12, 1, 1), b.Conv(moved, 12, 1, 1))
	scores = b.Add(graph.ShiftMask{Height: 4, Width: 4, Heads: 3, Rows: 2, Columns: 2, Value: -100}, scores)
	scores = b.Add(graph.Softmax{Size: 16}, scores)
	sum := b.Add(graph.WeightedSum{Windows: windows}, scores, moved)
	end("windows", b, b.Add(graph.Add{}, x, b.Add(graph.Roll{Rows: -2, Columns: -2}, sum)))

	b, x = start()
	keys := graph.Keys{Height: 6, Width: 8, Down: 4, Across: 4}
	around := b.Add(graph.Pad{Edges: graph.Edges{Top: 1, Left: 2, Bottom: 1, Right: 2}}, x)
	scores = b.Add(graph.Scores{Windows: windows, Keys: keys}, b.Conv(x, 12, 1, 1), b.Conv(around, 12, 1, 1))
	scores = b.Add(graph.Softmax{Size: 48}, scores)
	end("overlapping windows", b, b.Add(graph.Add{}, x, b.Add(graph.WeightedSum{Windows: windows, Keys: keys}, scores,
		around)))

	for _, height := range []int{0, 2} {
		b, x = start()
		windows = graph.Windows{Height: height, Width: height, Heads: 2}
		unit := b.Add(graph.Affine{Scale: []float32{0.1}, Offset: []float32{0}}, x)
		scores = b.Add(graph.Softmax{Size: 6}, b.Add(graph.ChannelScores{Windows: windows}, unit, unit))
		end("channels", b, b.Add(graph.ChannelSum{Windows: windows}, scores, x))
	}
	return list
}

// Networks of means, norms and attention agree with their definitions, and give the same bits everywhere.
func TestFurtherNetworks(t *testing.T) {
	for _, n := range further() {
		t.Run(n.Name, func(t *testing.T) {
			s := stageOf(t, n.Graph)
			picture := graphtest.Picture(20, 28, s.Channels(), 3)
			if got := agreement(t, s, n.Graph, picture); got < 110 {
				t.Errorf("it agrees with its definition to %.1f dB", got)
			}
			alike(t, s, picture)
			if n.Name == "ESA" { // takes sides that are no multiple of its stride
				if got := agreement(t, s, n.Graph, graphtest.Picture(21, 35, 3, 3)); got < 110 {
					t.Errorf("it agrees with its definition to %.1f dB in a picture of 21×35", got)
				}
			}
			for side := 1; side < 6; side++ { // smaller than any window
				enlarge(t, s, graphtest.Picture(side, 3*side, 3, 1), 2)
			}
		})
	}
}
