package graph

import (
	"context"
	"fmt"
	"slices"

	"superres/internal/parallel"
)

// Eval returns the result of a graph that Check accepts for one picture, computed in float32. Black is 0 in the picture
// and in the result, white is g.Range. All nodes' samples of the whole picture are in memory as long as a later node
// needs them, so that pictures should be small.
//
// The result does not depend on the number of processors, but its last bits differ between kinds of processor. Eval
// fails if the graph does not take a picture of this shape, and with ctx.Err(). It may be called concurrently.
func (g *Graph) Eval(ctx context.Context, picture Samples) (Samples, error) {
	return g.EvalEach(ctx, picture, func(int, Samples) {})
}

// EvalEach is Eval, and calls visit with the samples of each node that the result depends on, in the order of the
// nodes. The samples belong to EvalEach: visit neither changes nor keeps them.
func (g *Graph) EvalEach(ctx context.Context, picture Samples, visit func(node int, s Samples)) (Samples, error) {
	shapes, err := g.evalShapes(picture)
	if err != nil {
		return Samples{}, err
	}
	last := g.lastUses()
	if _, err := g.peakSamples(shapes, last); err != nil {
		return Samples{}, err
	}
	all := make([]Samples, len(g.Nodes))
	all[0] = picture
	var memory pool
	for i, n := range g.Nodes[:g.Output+1] {
		if last[i] < 0 {
			continue
		}
		if i > 0 {
			in := make([]Samples, len(n.Inputs))
			for k, from := range n.Inputs {
				in[k] = all[from]
			}
			all[i] = Samples{shapes[i], memory.take(shapes[i].count())}
			if err := n.Op.compute(ctx, all[i], in); err != nil {
				return Samples{}, err
			}
		}
		visit(i, all[i])
		for _, from := range n.Inputs {
			if last[from] == i && from > 0 && all[from].Values != nil { // the picture is the caller's
				memory.give(all[from].Values)
				all[from].Values = nil // an input may be there twice
			}
		}
	}
	if g.Output == 0 {
		all[0].Values = slices.Clone(picture.Values)
	}
	return all[g.Output], nil
}

// pool keeps a few arrays that are no longer needed, for nodes of the same size.
type pool struct{ arrays [][]float32 }

// take returns an array of n numbers of any values.
func (p *pool) take(n int) []float32 {
	for i, a := range p.arrays {
		if len(a) == n {
			p.arrays = slices.Delete(p.arrays, i, i+1)
			return a
		}
	}
	return make([]float32, n)
}

// give adds an array, and drops the one that has been there longest if there are too many.
func (p *pool) give(a []float32) {
	const most = 4
	if len(p.arrays) == most {
		p.arrays = slices.Delete(p.arrays, 0, 1)
	}
	p.arrays = append(p.arrays, a)
}

// evalShapes returns the shapes of all nodes for a picture. It fails if the graph takes no such picture.
func (g *Graph) evalShapes(picture Samples) ([]Shape, error) {
	input := g.Nodes[0].Op.(Input)
	if picture.Channels != input.Channels || len(picture.Values) != picture.count() {
		return nil, fmt.Errorf("graph: a picture of %d×%d×%d samples in an array of %d, expected %d channels",
			picture.W, picture.H, picture.Channels, len(picture.Values), input.Channels)
	}
	shapes, err := g.Shapes(picture.W, picture.H)
	if err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	return shapes, nil
}

// PeakSamples returns the most samples that are needed at the same time for a picture of w×h pixels, which the graph
// takes, those of the picture included.
func (g *Graph) PeakSamples(w, h int) (int, error) {
	shapes, err := g.Shapes(w, h)
	if err != nil {
		return 0, err
	}
	return g.peakSamples(shapes, g.lastUses())
}

// peakSamples is PeakSamples for nodes with the given shapes and last uses. It fails for more than MaxSamples.
func (g *Graph) peakSamples(shapes []Shape, last []int) (most int, err error) {
	sum := 0
	ends := make([]int, len(g.Nodes)+1) // the number of samples that each node is the last to need
	for i, s := range shapes[:g.Output+1] {
		if last[i] < 0 {
			continue
		}
		if s.W > MaxSamples/s.Channels/s.H || s.count() > MaxSamples-sum {
			return 0, fmt.Errorf("graph: %s: more than %d samples in memory, with %d×%d of %d channels; "+
				"the picture is too large", g.Nodes[i].describe(), MaxSamples, s.W, s.H, s.Channels)
		}
		sum += s.count()
		most = max(most, sum)
		ends[last[i]] += s.count()
		sum -= ends[i]
	}
	return most, nil
}

// lastUses returns, for each node, the index of the last node that takes its samples for the result; for the output
// the number of nodes, and −1 for a node that the result does not depend on.
func (g *Graph) lastUses() []int {
	last := make([]int, len(g.Nodes))
	for i := range last {
		last[i] = -1
	}
	last[g.Output] = len(g.Nodes)
	for i := g.Output; i >= 0; i-- {
		if last[i] < 0 {
			continue
		}
		for _, from := range g.Nodes[i].Inputs {
			last[from] = max(last[from], i)
		}
	}
	return last
}

// forRows calls body for every row y of samples on all processors. It stops with ctx.Err().
func forRows(ctx context.Context, s Samples, body func(y int)) error {
	const work = 1 << 15 // samples for which another goroutine is worth while
	return parallel.For(ctx, s.H, work/(s.W*s.Channels)+1, func() func(lo, hi int) {
		return func(lo, hi int) {
			for y := lo; y < hi; y++ {
				body(y)
			}
		}
	})
}

// compute is not called for the input of a graph.
func (Input) compute(context.Context, Samples, []Samples) error { panic("graph: a second input") }
