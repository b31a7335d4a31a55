package graph

import (
	"math"
	"slices"
)

// Simplify returns a graph with the results of g, except for rounding, and fewer operations. Check must accept g.
//
//   - Nodes are removed if they change nothing, concatenate a single input, or have no effect on the result.
//   - Transposed convolutions become convolutions with pixel shuffles, and may have a further row of taps that are 0.
//   - Zero padding moves into the convolution after it, cropping into the convolution before it.
//   - Factors and offsets move into convolutions beside them, or are joined with each other.
//   - Successive convolutions become one unless that costs products, as do sums of convolutions.
//
// The weights of unchanged nodes are shared with g.
func (g *Graph) Simplify() *Graph {
	s := &simplifier{graph: g}
	s.copyNodes()
	const mostPasses = 16 // few networks need more than three; more would waste time on odd networks
	for range mostPasses {
		s.removeUseless()
		s.changed = false
		s.visitNodes(s.joinNode)
		s.visitNodes(s.foldNode)
		if !s.changed {
			break
		}
	}
	s.removeUseless()
	return &Graph{Nodes: s.nodes, Output: s.output, Range: g.Range, Terms: g.Terms}
}

// simplifier holds the nodes of a graph while they are changed.
type simplifier struct {
	graph    *Graph
	nodes    []Node
	channels []int // of each node
	uses     []int // how often each node is an input, plus 1 for the output; may be too high
	output   int
	changed  bool // whether this pass has changed a node
	work     int  // products spent on new weights
}

// spend subtracts products from the budget for computing new weights, which keeps strange files from taking Simplify
// long. If the budget does not suffice, spend subtracts nothing and reports false.
func (s *simplifier) spend(products int) bool {
	const most = 1 << 30
	if products > most-s.work {
		return false
	}
	s.work += products
	return true
}

// copyNodes copies the nodes of the graph to s, and replaces each transposed convolution by the operations from lower.
func (s *simplifier) copyNodes() {
	at := make([]int, len(s.graph.Nodes)) // the index of the copy of each node
	for i, n := range s.graph.Nodes {
		n.Inputs = slices.Clone(n.Inputs)
		for k, from := range n.Inputs {
			n.Inputs[k] = at[from]
		}
		if c, ok := n.Op.(ConvTranspose); ok {
			conv, shuffle, crop := c.lower(s.channels[n.Inputs[0]])
			for _, op := range []Op{conv, shuffle, crop} {
				n = Node{n.Name, op, n.Inputs}
				s.append(n)
				n.Inputs = []int{len(s.nodes) - 1}
			}
		} else {
			s.append(n)
		}
		at[i] = len(s.nodes) - 1
	}
	s.output = at[s.graph.Output]
}

// append adds a node at the end of s.nodes, and notes its number of channels.
func (s *simplifier) append(n Node) {
	s.nodes = append(s.nodes, n)
	s.channels = append(s.channels, s.channelsOf(n))
}

// channelsOf returns the number of channels of the result of n. The inputs of n must be in s.nodes.
func (s *simplifier) channelsOf(n Node) int {
	most, sum := 0, 0
	for _, from := range n.Inputs {
		most, sum = max(most, s.channels[from]), sum+s.channels[from]
	}
	switch op := n.Op.(type) {
	case Input:
		return op.Channels
	case Conv:
		return op.Out
	case Select:
		return len(op.Channels)
	case Concat:
		return sum
	case PixelShuffle:
		return most / (op.Factor * op.Factor)
	case PixelUnshuffle:
		return most * op.Factor * op.Factor
	case Reduce:
		if op.OfChannels {
			return 1
		}
	case Resize:
		return s.channels[n.Inputs[0]]
	case Scores:
		return op.Heads * op.Height * op.Width * op.Keys.pixels(op.Windows)
	case ChannelScores:
		return most / op.Heads * most // for each head, the square of its most/Heads channels
	case WeightedSum, ChannelSum:
		return s.channels[n.Inputs[1]]
	}
	return most // of other operations, which repeat single channels
}

// removeUseless removes the nodes, other than the input, that do not affect the result. It sets uses for all that stay.
func (s *simplifier) removeUseless() {
	needed := make([]bool, len(s.nodes))
	needed[s.output] = true
	for i := s.output; i >= 0; i-- {
		for _, from := range s.nodes[i].Inputs {
			needed[from] = needed[from] || needed[i]
		}
	}
	at := make([]int, len(s.nodes))
	n := 0
	for i, node := range s.nodes {
		if !needed[i] && i > 0 {
			continue
		}
		for k, from := range node.Inputs {
			node.Inputs[k] = at[from]
		}
		at[i] = n
		s.nodes[n], s.channels[n] = node, s.channels[i]
		n++
	}
	s.nodes, s.channels, s.output = s.nodes[:n], s.channels[:n], at[s.output]
	s.uses = make([]int, n)
	s.uses[s.output]++
	for _, node := range s.nodes {
		for _, from := range node.Inputs {
			s.uses[from]++
		}
	}
}

// visitNodes calls visit for each node but the input, in order. visit returns i, or an earlier node to replace node i.
func (s *simplifier) visitNodes(visit func(i int) int) {
	at := make([]int, len(s.nodes)) // the node that now stands for each node
	for i := range s.nodes {
		at[i] = i
		if i == 0 {
			continue
		}
		for k, from := range s.nodes[i].Inputs {
			s.nodes[i].Inputs[k] = at[from]
		}
		if at[i] = visit(i); at[i] != i {
			s.uses[at[i]] += s.uses[i]
			s.changed = true
		}
	}
	s.output = at[s.output]
}

// set gives node i another operation and other inputs. The node keeps its name.
func (s *simplifier) set(i int, op Op, inputs ...int) {
	for _, from := range s.nodes[i].Inputs {
		s.uses[from]--
	}
	for _, from := range inputs {
		s.uses[from]++
	}
	s.nodes[i].Op, s.nodes[i].Inputs = op, slices.Clone(inputs)
	s.channels[i] = s.channelsOf(s.nodes[i])
	s.changed = true
}

// ownInput returns the first input of node i, and reports whether node i is the only use of that input.
func (s *simplifier) ownInput(i int) (input int, own bool) {
	input = s.nodes[i].Inputs[0]
	return input, s.uses[input] == 1
}

// isIdentity reports whether an operation leaves inputs with the given number of channels unchanged.
func isIdentity(op Op, channels int) bool {
	all := func(list []float32, v float32) bool {
		return !slices.ContainsFunc(list, func(w float32) bool { return w != v })
	}
	switch op := op.(type) {
	case PReLU:
		return all(op.Slope, 1)
	case Clip:
		return op.Min <= -math.MaxFloat32 && op.Max >= math.MaxFloat32
	case Affine:
		return all(op.Scale, 1) && all(op.Offset, 0)
	case Select:
		for i, c := range op.Channels {
			if i != c {
				return false
			}
		}
		return len(op.Channels) == channels
	case PixelShuffle:
		return op.Factor == 1
	case PixelUnshuffle:
		return op.Factor == 1
	case Resize:
		return op.Up == 1 && op.Down == 1
	case Pad:
		return op.Edges == Edges{}
	}
	return false
}
