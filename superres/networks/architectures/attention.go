package architectures

import (
	"math"

	"superres/superres/networks/graph"
	"superres/superres/networks/weights"
)

// attention describes attention of the pixels of windows to each other, or, with keys, to the pixels of larger windows.
type attention struct {
	windows graph.Windows
	keys    graph.Keys
	// bias has one number to add to each score of a window.
	bias []float32
	// rows and columns say how far the picture was moved. Pixels that became neighbours by this do not attend to each
	// other.
	rows, columns int
}

// attend adds attention with the given queries, keys and values. Scores are divided by √n for n channels per head.
func (b *builder) attend(a attention, query, key, value int) int {
	features, heads := b.channels(query), a.windows.Heads
	if features%heads != 0 {
		b.fail("%d channels for %d heads of attention", features, heads)
		return query
	}
	query = b.scale(float32(1/math.Sqrt(float64(features/heads))), query)
	x := b.add("", graph.Scores{Windows: a.windows, Keys: a.keys}, query, key)
	x = b.add("", graph.Affine{Scale: []float32{1}, Offset: a.bias}, x)
	height, width := a.windows.Height, a.windows.Width
	if a.rows > 0 || a.columns > 0 {
		x = b.add("", graph.ShiftMask{Height: height, Width: width, Heads: heads, Rows: a.rows, Columns: a.columns,
			Value: -100}, x)
	}
	x = b.add("", graph.Softmax{Size: len(a.bias) / heads / height / width}, x)
	return b.add("", graph.WeightedSum{Windows: a.windows, Keys: a.keys}, x, value)
}

// biases returns what spread returns for the bias table of the given name, which must have the given number of rows.
func (b *builder) biases(name string, heads, n, m, rows int, index func(i, k int) int) []float32 {
	table := b.get(name+"relative_position_bias_table", 2)
	if table.Shape[0] != rows || table.Shape[1] != heads || heads > graph.MaxScores/n/m {
		b.fail("%q has a table of the shape %v, expected [%d %d], and at most %d scores", name, table.Shape, rows,
			heads, graph.MaxScores)
		return make([]float32, heads)
	}
	return b.spread(table.Data, heads, n, m, index)
}

// spread returns a bias for each head, each of n pixels i and each of m pixels k, from row index(i, k) of a table. It
// fails if the network would have more biases than a graph may have weights.
func (b *builder) spread(table []float32, heads, n, m int, index func(i, k int) int) []float32 {
	if b.biased += heads * n * m; b.biased > graph.MaxWeights {
		b.fail("more than %d biases of scores", graph.MaxWeights)
		return make([]float32, heads)
	}
	list := make([]float32, 0, heads*n*m)
	for h := range heads {
		for i := range n {
			for k := range m {
				list = append(list, table[index(i, k)*heads+h])
			}
		}
	}
	return list
}

// apart returns a function of pixels i and k of a window of h×w pixels. It returns the row that their distance has in a
// table of all distances, which is sorted by the distance down and then across.
func apart(h, w int) func(i, k int) int {
	return func(i, k int) int { return (i/w-k/w+h-1)*(2*w-1) + i%w - k%w + w - 1 }
}

// channels returns the number of channels of a node: what a Conv, Select or Input states, else its first input's.
func (b *builder) channels(node int) int {
	switch op := b.nodes[node].Op.(type) {
	case graph.Conv:
		return op.Out
	case graph.Select:
		return len(op.Channels)
	case graph.Input:
		return op.Channels
	}
	return b.channels(b.nodes[node].Inputs[0])
}

// split adds n nodes, each with an equal part of the channels of a node.
func (b *builder) split(in, n int) []int {
	size, parts := b.channels(in)/n, make([]int, n)
	for k := range parts {
		parts[k] = b.channelsOf(in, k*size, size)
	}
	return parts
}

// channelsOf adds the choice of size neighbouring channels of a node, from channel first on.
func (b *builder) channelsOf(in, first, size int) int {
	list := make([]int, size)
	for i := range list {
		list[i] = first + i
	}
	return b.add("", graph.Select{Channels: list}, in)
}

// roll moves a picture up by rows and to the left by columns. It adds no node if both are 0.
func (b *builder) roll(rows, columns, in int) int {
	if rows == 0 && columns == 0 {
		return in
	}
	return b.add("", graph.Roll{Rows: rows, Columns: columns}, in)
}

// linear adds a product of each pixel's channels with a matrix of outputs×inputs, plus biases if there are any.
func (b *builder) linear(name string, x int) int {
	w := b.get(name+".weight", 2)
	return b.convolve(name, weights.Tensor{Shape: []int{w.Shape[0], w.Shape[1], 1, 1}, Data: w.Data}, b.bias(name), x)
}
