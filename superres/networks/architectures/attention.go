package architectures

import (
	"math"

	"superres/superres/networks/graph"
	"superres/superres/networks/weights"
)

// attention describes attention of the pixels of a window to each other, or, with keys, to pixels of a larger window.
type attention struct {
	windows graph.Windows
	keys    graph.Keys
	// bias holds a number for each score of a window, which is added to the score.
	bias []float32
	// rows and columns are how far the picture was moved up and left; pixels from opposite sides ignore each other.
	rows, columns int
}

// attend adds attention of the kind a, with the nodes query, key and value, and returns the node of the result. It
// divides scores by √n, where n is the number of channels of a head. The score of two pixels from opposite sides of the
// picture is lowered by 100, so its weight is nearly 0. attend fails unless the heads divide the channels of query.
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
	perPixel := len(a.bias) / heads / height / width // scores of one pixel and head, one for each pixel that it sees
	x = b.add("", graph.Softmax{Size: perPixel}, x)
	return b.add("", graph.WeightedSum{Windows: a.windows, Keys: a.keys}, x, value)
}

// biases reads the table of biases of the attention called name, which has the given number of rows and a column for
// each head. It returns a bias for each score: see spread, which gets n, m and index. It fails for other tables.
func (b *builder) biases(name string, heads, n, m, rows int, index func(i, k int) int) []float32 {
	table := b.get(name+"relative_position_bias_table", 2)
	if table.Shape[0] != rows || table.Shape[1] != heads || heads > graph.MaxScores/n/m {
		b.fail("%q has a table of the shape %v, expected [%d %d], and at most %d scores", name, table.Shape, rows,
			heads, graph.MaxScores)
		return make([]float32, heads)
	}
	return b.spread(table.Data, heads, n, m, index)
}

// spread returns the biases of all scores: for head h, pixel i of n and pixel k of m, number h in row index(i, k) of
// table. It fails if the network would have more biases than a graph may have weights, and then returns zeros.
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

// distanceRow returns a function that takes two pixels i and k of an h×w window and returns the row of a table for the
// distance from k to i. The table lists all distances, sorted by the distance down and then by the distance across.
func distanceRow(h, w int) func(i, k int) int {
	return func(i, k int) int { return (i/w-k/w+h-1)*(2*w-1) + i%w - k%w + w - 1 }
}

// channels returns the number of channels of a node, from its Conv, Select or Input, or else from its first input.
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

// split divides the channels of node in into n equal parts, and returns a node for each part.
func (b *builder) split(in, n int) []int {
	size, parts := b.channels(in)/n, make([]int, n)
	for k := range parts {
		parts[k] = b.channelsOf(in, k*size, size)
	}
	return parts
}

// channelsOf adds a node that selects the channels first to first+size−1 of node in.
func (b *builder) channelsOf(in, first, size int) int {
	list := make([]int, size)
	for i := range list {
		list[i] = first + i
	}
	return b.add("", graph.Select{Channels: list}, in)
}

// roll adds a node that moves the picture up by rows and left by columns. If both numbers are 0, it just returns in.
func (b *builder) roll(rows, columns, in int) int {
	if rows == 0 && columns == 0 {
		return in
	}
	return b.add("", graph.Roll{Rows: rows, Columns: columns}, in)
}

// linear adds the product of each pixel's channels with the named matrix of outputs×inputs, plus biases, if any.
func (b *builder) linear(name string, x int) int {
	w := b.get(name+".weight", 2)
	return b.convolve(name, weights.Tensor{Shape: []int{w.Shape[0], w.Shape[1], 1, 1}, Data: w.Data}, b.bias(name), x)
}
