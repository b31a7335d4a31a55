package networks

import (
	"superres/internal/kernel"
	"superres/superres/networks/graph"
)

// splitOutputs returns g with convolutions of more outputs than kernels have divided into several.
func splitOutputs(g *graph.Graph) *graph.Graph {
	out := *g
	out.Nodes = nil
	at := make([]int, len(g.Nodes)) // where the nodes of g are in out
	for i, n := range g.Nodes {
		n.Inputs = mapped(n.Inputs, at)
		if op, ok := n.Op.(graph.Conv); ok && op.Out > kernel.MaxOutputs && op.Groups == 1 {
			join := graph.Node{Name: n.Name, Op: graph.Concat{}}
			per := len(op.Weight) / op.Out
			for from := 0; from < op.Out; from += kernel.MaxOutputs {
				part, to := op, min(from+kernel.MaxOutputs, op.Out)
				part.Out, part.Weight = to-from, op.Weight[from*per:to*per]
				if op.Bias != nil {
					part.Bias = op.Bias[from:to]
				}
				join.Inputs = append(join.Inputs, len(out.Nodes))
				out.Nodes = append(out.Nodes, graph.Node{Name: n.Name, Op: part, Inputs: n.Inputs})
			}
			n = join
		}
		at[i] = len(out.Nodes)
		out.Nodes = append(out.Nodes, n)
	}
	out.Output = at[g.Output]
	return &out
}

// mapped returns the nodes of a new graph that indexes stand for.
func mapped(indexes, at []int) []int {
	list := make([]int, len(indexes))
	for k, i := range indexes {
		list[k] = at[i]
	}
	return list
}
