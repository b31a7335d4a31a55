package graphtest

import (
	"math/rand/v2"

	"superres/superres/networks/graph"
)

// Random returns a graph of 12 random steps, nearly all on 4 channels and in the size of the picture. Each step takes
// the last result, or in one of three cases any result so far.
func Random(seed uint64) *graph.Graph {
	b := NewBuilder(3, seed)
	r := rand.New(rand.NewPCG(seed, 1))
	list := []int{b.Conv(0, 4, 3, 1)}
	for range 12 {
		x := list[len(list)-1]
		if r.IntN(3) == 0 {
			x = list[r.IntN(len(list))]
		}
		other := list[r.IntN(len(list))]
		around := func(n int) graph.Edges { return graph.Edges{Top: n, Left: n, Bottom: n, Right: n} }
		switch r.IntN(14) {
		case 0:
			x = b.Conv(x, 4, 3, 0.7)
		case 1:
			x = b.Conv(x, 4, 1, 0.7)
		case 2:
			c := graph.Conv{Out: 4, Height: 3, Width: 3, Dilation: 1, Groups: 2, Weight: b.normal(72, 1),
				Bias: b.normal(4, 1)}
			x = b.Add(graph.Clip{Min: -3, Max: 3}, b.Add(c, b.Add(graph.Pad{Edges: around(1)}, x)))
		case 3:
			x = b.Add(graph.Affine{Scale: []float32{r.Float32()}, Offset: []float32{0}}, x)
		case 4:
			x = b.Add(graph.Affine{Scale: []float32{0.5, 1, -0.5, 0.25}, Offset: []float32{1, 0, 0, 1}}, x)
		case 5:
			x = b.PReLU(x)
		case 6:
			x = b.LeakyReLU(x, 0)
		case 7:
			x = b.Add(graph.Clip{Min: -r.Float32(), Max: 1 + r.Float32()}, x)
		case 8:
			x = b.Add(graph.Clip{Min: 0, Max: 1 + r.Float32()}, x)
		case 9:
			x = b.Add(graph.Mul{}, x, b.Add(graph.Sigmoid, other))
		case 10:
			x = b.Add(graph.Add{}, x, other)
		case 11:
			x = b.Add(graph.Select{Channels: []int{r.IntN(8), 4, 5, r.IntN(8)}}, b.Add(graph.Concat{}, x, other))
		case 12:
			x = b.Add(graph.PixelShuffle{Factor: 2}, b.Add(graph.PixelUnshuffle{Factor: 2}, x))
			x = b.Add(graph.Pad{Edges: around(-1)}, b.Add(graph.Pad{Edges: around(1)}, x))
		case 13:
			x = b.ConvTranspose(x, 4, 1, 0.3)
		}
		list = append(list, x)
	}
	b.Add(graph.Select{Channels: []int{0, 1, 2}}, list[len(list)-1])
	return b.Graph()
}
