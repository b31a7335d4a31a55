// Package graphtest makes small networks with random weights, of the kinds that are in use, for tests. The same seed
// makes the same network on every machine.
package graphtest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"superres/superres/networks/graph"
)

// Builder makes a graph node by node. Its methods take and return the indexes of nodes; the picture is node 0.
type Builder struct {
	graph    *graph.Graph
	channels []int // of each node
	random   *rand.Rand
}

// NewBuilder returns a Builder of a graph for pictures with 1 or 3 channels. seed determines the random weights.
func NewBuilder(channels int, seed uint64) *Builder {
	b := &Builder{graph: &graph.Graph{Range: 1}, random: rand.New(rand.NewPCG(seed, 0))}
	b.Add(graph.Input{Channels: channels})
	return b
}

// Graph returns the graph, with the last node as its output. It panics if Check does not accept the graph.
func (b *Builder) Graph() *graph.Graph {
	b.graph.Output = len(b.graph.Nodes) - 1
	if err := b.graph.Check(); err != nil {
		panic("graphtest: " + err.Error())
	}
	return b.graph
}

// Add adds a node with the given operation and inputs, notes its number of channels, and returns its index.
func (b *Builder) Add(op graph.Op, inputs ...int) int {
	i := len(b.graph.Nodes)
	name := fmt.Sprintf("%s_%d", graph.NameOf(op), i)
	b.graph.Nodes = append(b.graph.Nodes, graph.Node{Name: name, Op: op, Inputs: inputs})
	channels := 0
	for _, from := range inputs {
		channels = max(channels, b.channels[from])
	}
	switch op := op.(type) {
	case graph.Input:
		channels = op.Channels
	case graph.Conv:
		channels = op.Out
	case graph.ConvTranspose:
		channels = op.Out
	case graph.Concat:
		channels = 0
		for _, from := range inputs {
			channels += b.channels[from]
		}
	case graph.Select:
		channels = len(op.Channels)
	case graph.PixelShuffle:
		channels /= op.Factor * op.Factor
	case graph.PixelUnshuffle:
		channels *= op.Factor * op.Factor
	case graph.Reduce:
		if op.OfChannels {
			channels = 1
		}
	case graph.Resize:
		channels = b.channels[inputs[0]]
	case graph.Scores:
		keys := op.Keys.Or(op.Windows)
		channels = op.Heads * op.Height * op.Width * keys.Height * keys.Width
	case graph.ChannelScores:
		channels *= channels / op.Heads
	case graph.WeightedSum, graph.ChannelSum:
		channels = b.channels[inputs[1]]
	}
	b.channels = append(b.channels, channels)
	return i
}

// normal returns n random numbers of the normal distribution, with mean 0 and the given standard deviation.
func (b *Builder) normal(n int, deviation float64) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(b.random.NormFloat64() * deviation)
	}
	return list
}

// uniform returns n random numbers from lo to hi.
func (b *Builder) uniform(n int, lo, hi float64) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = float32(lo + float64((hi-lo)*b.random.Float64()))
	}
	return list
}

// Conv adds a convolution of node from with side×side taps, where side is odd, and `out` output channels. The samples
// of its result are about gain times as large as its input.
func (b *Builder) Conv(from, out, side int, gain float64) int {
	return b.conv(from, out, side, 1, gain, nil)
}

// GroupedConv does what Conv does, but divides the channels into groups.
func (b *Builder) GroupedConv(from, out, side, groups int, gain float64) int {
	return b.conv(from, out, side, groups, gain, nil)
}

// Carry does what Conv does, but nearly copies the picture, as trained networks do: for each channel i of the picture,
// input channel i is added to outputs i·copies to (i+1)·copies−1, and their random weights are divided by 10.
func (b *Builder) Carry(from, out, side, copies int, gain float64) int {
	colours := b.channels[0]
	return b.conv(from, out, side, 1, gain, func(o int) int {
		if o/copies < colours {
			return o / copies
		}
		return -1
	})
}

// conv adds a convolution with random weights, as Conv describes. For output o, carry returns the input channel that is
// added to it, and the weights of o are then divided by 10; −1 means none, as does a nil carry for all outputs.
func (b *Builder) conv(from, out, side, groups int, gain float64, carry func(o int) int) int {
	in, pad := b.channels[from]/groups, side/2
	c := graph.Conv{Out: out, Height: side, Width: side, Dilation: 1, Groups: groups,
		Pad:    graph.Edges{Top: pad, Left: pad, Bottom: pad, Right: pad},
		Weight: b.normal(out*in*side*side, gain*math.Sqrt(2/float64(in*side*side))),
		Bias:   b.normal(out, 0.05*gain)}
	for o := range out {
		if carry == nil {
			break
		}
		i := carry(o)
		if i < 0 {
			continue
		}
		weights := c.Weight[o*in*side*side : (o+1)*in*side*side]
		for k := range weights {
			weights[k] *= 0.1
		}
		weights[i*side*side+side*side/2]++
	}
	return b.Add(c, from)
}

// ConvTranspose adds a transposed convolution with `out` output channels that enlarges by stride, and makes samples
// about gain times as large. It has 2·stride taps along each side, and one more if stride is odd.
func (b *Builder) ConvTranspose(from, out, stride int, gain float64) int {
	in, kernel := b.channels[from], 2*stride+stride%2
	pad := (kernel - stride + 1) / 2
	return b.Add(graph.ConvTranspose{Out: out, Kernel: kernel, Stride: stride, Pad: pad,
		Extra: stride - kernel + 2*pad, Groups: 1,
		Weight: b.normal(in*out*kernel*kernel, gain*math.Sqrt(2/float64(4*in))), Bias: b.normal(out, 0.05*gain)}, from)
}

// PReLU adds a PReLU with random slopes from 0 to 0.5.
func (b *Builder) PReLU(from int) int {
	return b.Add(graph.PReLU{Slope: b.uniform(b.channels[from], 0, 0.5)}, from)
}

// LeakyReLU adds a PReLU with one slope for all channels.
func (b *Builder) LeakyReLU(from int, slope float32) int {
	return b.Add(graph.PReLU{Slope: []float32{slope}}, from)
}

// Scale adds a multiplication by a number.
func (b *Builder) Scale(from int, factor float32) int {
	return b.Add(graph.Affine{Scale: []float32{factor}, Offset: []float32{0}}, from)
}

// Enlarge adds a nearest-neighbour enlargement of the picture by scale.
func (b *Builder) Enlarge(scale int) int {
	return b.Add(graph.Resize{By: graph.Nearest, Up: scale, Down: 1}, 0)
}
